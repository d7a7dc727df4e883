/**
 * The canonical form of the identifiers that users sign in with.
 *
 * @module
 */

import { AuthError } from "./error.ts";

/** An identifier in its canonical form. Only {@linkcode canonicalIdentifier} returns this type. */
export type Identifier = string & { readonly __brand: "Identifier" };

/** Most code points of an identifier: that of an e-mail address, RFC 5321 §4.5.3.1.3. */
const MAX_LENGTH = 254;

/** Control and format characters, spaces, invisible characters, and separators of address lists, RFC 5322 §3.2.3. */
const FORBIDDEN_REGEXP = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800()<>[\]:;\\,"]/u;

/**
 * The canonical form of an identifier: NFKC, lower case, trimmed. `Ａda＠Example.org ` and `ada@example.org` are the same
 * user. Rejects what cannot identify one user: a list of addresses, control and invisible characters, two `@`, more than
 * 254 characters.
 *
 * @param text An e-mail address, or a name that the user chose.
 * @throws {AuthError} `invalid_identifier`, if it is not a string that can identify a user.
 *
 * @example
 * ```ts
 * import { canonicalIdentifier } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const identifier: string = canonicalIdentifier("  Ada＠Example.ORG");
 * assertEquals(identifier, "ada@example.org");
 * ```
 */
export function canonicalIdentifier(text: unknown): Identifier {
  // NFKC composes one character from at most 18, and decomposes one into a few
  if (typeof text !== "string" || text.length > 4 * MAX_LENGTH) throw invalid();
  const identifier = fold(text.trim());
  if (identifier === "" || [...identifier].length > MAX_LENGTH) throw invalid();
  if (FORBIDDEN_REGEXP.test(identifier) || !isAddressOrName(identifier)) throw invalid();
  return identifier as Identifier;
}

/** The canonical form; `undefined` for what no user can sign in with. */
export function canonicalOrNone(text: unknown): Identifier | undefined {
  try {
    return canonicalIdentifier(text);
  } catch {
    return undefined;
  }
}

/**
 * Lower case of sigma depends on the next character; Unicode's case folding has one form. The result of lower case is not
 * always in NFKC.
 */
function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").normalize("NFKC");
}

/** Without `@`, or with one `@` between two non-empty parts. */
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
