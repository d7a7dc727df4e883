/**
 * The one spelling of what users sign in by.
 *
 * @module
 */

import { AuthError } from "./error.ts";

/** Most code points of an identifier: that of an e-mail address, RFC 5321 §4.5.3.1.3. */
const MAX_LENGTH = 254;

/** Control and format characters, spaces, what nobody sees, and what separates addresses in lists, RFC 5322 §3.2.3. */
const FORBIDDEN_REGEXP = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800()<>[\]:;\\,"]/u;

/**
 * The one spelling of an identifier: NFKC, lower case, without white space around it. `Ａda＠Example.org ` and
 * `ada@example.org` are the same user; what cannot be one user is refused: a list of addresses, control and invisible
 * characters, two `@`, more than 254 characters.
 *
 * @param text An e-mail address, or a name that the user chose.
 * @throws {AuthError} `invalid_identifier`, if it is no text or none that can identify a user.
 *
 * @example
 * ```ts
 * import { canonicalIdentifier } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(canonicalIdentifier("  Ada＠Example.ORG"), "ada@example.org");
 * ```
 */
export function canonicalIdentifier(text: unknown): string {
  // NFKC makes one character of at most 18, and never more than a few of the text's own
  if (typeof text !== "string" || text.length > 4 * MAX_LENGTH) throw invalid();
  const identifier = fold(text.trim());
  if (identifier === "" || [...identifier].length > MAX_LENGTH) throw invalid();
  if (FORBIDDEN_REGEXP.test(identifier) || !isAddressOrName(identifier)) throw invalid();
  return identifier;
}

/**
 * Lower case writes sigma by what follows it; here it has one form, as in Unicode's case folding. It also leaves behind
 * what NFKC composes.
 */
function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}

/** An `@` stands between something and something, and but once. */
function isAddressOrName(identifier: string): boolean {
  const parts = identifier.split("@");
  return parts.length === 1 || (parts.length === 2 && parts.every((part) => part !== ""));
}

function invalid(): AuthError {
  return new AuthError("invalid_identifier", {
    detail:
      "The identifier must be one e-mail address or name of at most 254 characters, without spaces, quotes, commas and brackets",
  });
}
