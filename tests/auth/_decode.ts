/**
 * Contents of tokens, without verification.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { decodeBase64Url } from "../../auth/_base64url.ts";

/** The encoded header and payload of a token. */
export function written(token: string): { readonly header: string; readonly payload: string } {
  const parts = token.split(".");
  assertEquals(parts.length, 3);
  const [header = "", payload = ""] = parts.map((part) =>
    new TextDecoder().decode(decodeBase64Url(part))
  );
  return { header, payload };
}

/** The decoded contents of a token. */
export function decode(token: string): {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
} {
  const { header, payload } = written(token);
  return { header: JSON.parse(header), claims: JSON.parse(payload) };
}
