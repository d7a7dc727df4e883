/**
 * What users see of their passkeys, and how they name them.
 *
 * @module
 */

import type { Credential } from "../stores/types.ts";
import type { PasskeyInfo } from "./service_types.ts";

/** Longest name, in code points. */
const MAX_LENGTH = 64;

/** What a name must have, for messages. */
export const NAME_RULE: string = `1 to ${MAX_LENGTH} characters, without control characters`;

/** Control and format characters, which could reverse a line of text, and line separators; but joiners are part of words and emoji. */
const FORBIDDEN_REGEXP = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/u;

const VISIBLE_REGEXP = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A passkey's name without spaces around it. @returns `undefined` if it is invalid. */
export function parsePasskeyName(name: unknown): string | undefined {
  const trimmed = typeof name === "string" && name.length <= 4 * MAX_LENGTH ? name.trim() : "";
  const isValid = trimmed !== "" && [...trimmed].length <= MAX_LENGTH &&
    !FORBIDDEN_REGEXP.test(trimmed) &&
    VISIBLE_REGEXP.test(trimmed);
  return isValid ? trimmed : undefined;
}

/** A passkey's name without spaces around it. @throws {RangeError} If it is invalid. */
export function checkPasskeyName(name: unknown): string {
  const parsed = parsePasskeyName(name);
  if (parsed !== undefined) return parsed;
  throw new RangeError(`Cannot name passkey: the name must have ${NAME_RULE}`);
}

/** The public members of a passkey, listed because a store may return additional ones. */
export function toPasskeyInfo(credential: Credential): PasskeyInfo {
  const { id, name, createdAt, lastUsedAt, transports } = credential;
  const { backupEligible, backedUp, userVerified, discoverable, aaguid } = credential;
  return {
    id,
    ...(name === undefined ? {} : { name }),
    createdAt,
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
    ...(transports === undefined ? {} : { transports }),
    backupEligible,
    backedUp,
    userVerified,
    ...(discoverable === undefined ? {} : { discoverable }),
    aaguid,
  };
}
