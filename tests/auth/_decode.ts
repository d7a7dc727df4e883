/**
 * What tokens say, whether they are signed or not.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { decodeBase64Url } from "../../auth/_base64url.ts";

/** The header and the payload of a token, as they are written. */
export function written(token: string): { readonly header: string; readonly payload: string } {
  const parts = token.split(".");
  assertEquals(parts.length, 3);
  const [header = "", payload = ""] = parts.map((part) =>
    new TextDecoder().decode(decodeBase64Url(part))
  );
  return { header, payload };
}

/** What a token says. */
export function decode(token: string): {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
} {
  const { header, payload } = written(token);
  return { header: JSON.parse(header), claims: JSON.parse(payload) };
}
