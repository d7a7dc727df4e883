/**
 * Device cookies: `<id>.<stamp>.<mac>`, 16 random bytes, the digest of the security stamp, and HMAC-SHA-256 over both and the
 * account (OWASP, "Slow down online guessing attacks with device cookies").
 *
 * @module
 */

import { decodeMac, encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import { digestText } from "../_kdf.ts";
import { randomId } from "../_random.ts";
import type { DerivedKeys } from "../derived_keys.ts";

/** The user of a known device. */
export interface KnownUser {
  /** The identifier, in its canonical form. */
  readonly identifier: string;
  /** The security stamp. When it changes, known devices become unknown. */
  readonly securityStamp: string;
}

/** A device that has signed in to an account. */
export interface Device {
  readonly id: string;
  /** Whether the security stamp is still the user's. */
  isKnownTo(user: KnownUser | null): Promise<boolean>;
}

type Keys = Pick<DerivedKeys, "sign" | "verify">;

const DEVICE_REGEXP = /^([\w-]{22})\.([\w-]{43})\.([\w-]{43})$/;

/** Verifies a device cookie of an account. */
export async function readDevice(
  keys: Keys,
  account: string,
  cookie = "",
): Promise<Device | undefined> {
  const [, id = "", stampHash = "", mac = ""] = DEVICE_REGEXP.exec(cookie) ?? [];
  if (id === "") return undefined;
  const fields = joinFields([account, id, stampHash]);
  if (!await keys.verify("device", fields, decodeMac(mac))) return undefined;
  return {
    id,
    isKnownTo: async (user) => user !== null && await digestText(user.securityStamp) === stampHash,
  };
}

/** Creates the value of a device cookie. */
export async function createDevice(keys: Keys, user: KnownUser): Promise<string> {
  const [id, stampHash] = [randomId(), await digestText(user.securityStamp)];
  const mac = await keys.sign("device", joinFields([user.identifier, id, stampHash]));
  return `${id}.${stampHash}.${encodeBase64Url(mac)}`;
}
