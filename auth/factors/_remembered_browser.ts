/**
 * Browsers in which a user need not show the second factor again: `<expiresAt>.<id>.<mac>`, the time in seconds, 16 random bytes,
 * and HMAC-SHA-256 over both, the account, its security stamp and its second factors.
 *
 * @module
 */

import { decodeMac, encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import { randomId } from "../_random.ts";
import type { DerivedKeys } from "../derived_keys.ts";

/** What a browser is remembered for: when any of it changes, the second factor is needed again. */
export interface RememberedFor {
  readonly sub: string;
  readonly securityStamp: string;
  /** When the second factor was set up. */
  readonly confirmedAt: number;
}

type Keys = Pick<DerivedKeys, "sign" | "verify">;

const COOKIE_REGEXP = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/;

/** Creates the value of the cookie. */
export async function rememberBrowser(
  keys: Keys,
  remembered: RememberedFor,
  expiresAt: number,
): Promise<string> {
  const [expiry, id] = [String(expiresAt), randomId()];
  const mac = await keys.sign("second-factor", fieldsOf(remembered, expiry, id));
  return `${expiry}.${id}.${encodeBase64Url(mac)}`;
}

/** Whether the value of a cookie is one of the account, and has not expired. */
export async function isRemembered(
  keys: Keys,
  remembered: RememberedFor,
  { cookie = "", now }: { readonly cookie?: string | undefined; readonly now: number },
): Promise<boolean> {
  const [, expiry = "", id = "", mac = ""] = COOKIE_REGEXP.exec(cookie) ?? [];
  if (expiry === "" || now >= Number(expiry)) return false;
  return await keys.verify("second-factor", fieldsOf(remembered, expiry, id), decodeMac(mac));
}

function fieldsOf(
  { sub, securityStamp, confirmedAt }: RememberedFor,
  ...fields: string[]
): Uint8Array<ArrayBuffer> {
  return joinFields(["browser", sub, securityStamp, String(confirmedAt), ...fields]);
}
