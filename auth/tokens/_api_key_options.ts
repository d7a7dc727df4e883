/**
 * What decides about API keys without a question to anybody: what they may be made of, and what is shown of them.
 *
 * @module
 */

import { rejectUnknownOptions, requireSeconds } from "../_options.ts";
import { readScope } from "../_scope.ts";
import type { ApiKeyInfo, NewApiKeyOptions } from "./api_key_service.ts";
import type { ApiKey } from "../stores/types.ts";

/** 1 to 100 characters: no control character, no half of one, and no line's end that Unicode has beside. */
const NAME_REGEXP = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u;

const ACTION = "Cannot create API key";

/** What a new key is made of. @throws {TypeError | RangeError} If it is not fit for one. */
export function readNewApiKey(options: NewApiKeyOptions): {
  readonly name: string | undefined;
  readonly scope: readonly string[];
  readonly expiresIn: number | undefined;
} {
  // A misspelt end would be none
  rejectUnknownOptions<NewApiKeyOptions>(ACTION, options, {
    name: true,
    scope: true,
    expiresIn: true,
  });
  const { name, scope = [], expiresIn } = options;
  if (expiresIn !== undefined) requireSeconds(ACTION, { expiresIn });
  return {
    name: name === undefined ? undefined : readName(name),
    scope: readScope(ACTION, scope),
    expiresIn,
  };
}

function readName(name: unknown): string {
  if (typeof name !== "string") throw new TypeError(`${ACTION}: name is no text`);
  const trimmed = name.trim();
  if (NAME_REGEXP.test(trimmed)) return trimmed;
  throw new RangeError(`${ACTION}: name is not 1 to 100 characters without control characters`);
}

/** A key as it may be shown. Its members are named: a store may give more than it was given. */
export function toApiKeyInfo(key: ApiKey): ApiKeyInfo {
  const { id, sub, name, scope, createdAt, expiresAt, lastUsedAt } = key;
  return {
    id,
    sub,
    ...(typeof name === "string" ? { name } : {}),
    scope,
    createdAt,
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
    ...(typeof lastUsedAt === "number" ? { lastUsedAt } : {}),
  };
}
