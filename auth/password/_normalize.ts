/**
 * The form in which a password is measured, compared and hashed: NFC.
 *
 * @module
 */

/** The longest password, in code points of its NFC form. */
export const MAX_PASSWORD_LENGTH: number = 256;

/** The most UTF-8 bytes of a password: four for each code point. */
export const MAX_PASSWORD_BYTES: number = 4 * MAX_PASSWORD_LENGTH;

/**
 * The most UTF-16 units of a password before it is normalized. NFC composes at most four code points into one (UAX #15),
 * and a code point is at most two units; a longer string is rejected without normalizing it.
 */
export const MAX_PASSWORD_UNITS: number = 4 * 2 * MAX_PASSWORD_LENGTH;

/** The result of reading a value as a password. */
export type PasswordReading =
  | {
    readonly kind: "text";
    /** Its NFC form. */
    readonly text: string;
    /** Code points of that form; SP 800-63B-4 §3.1.1.2 (4) counts each as one character. */
    readonly length: number;
  }
  | { readonly kind: "invalid_characters" }
  | { readonly kind: "too_long" };

/** Reads a password, in bounded time for a string of any length. */
export function readPassword(value: unknown): PasswordReading {
  if (typeof value !== "string") return { kind: "invalid_characters" };
  if (value.length > MAX_PASSWORD_UNITS) return { kind: "too_long" };
  // Some hashers truncate at NUL, and all lone surrogates encode to the same bytes: other passwords would match
  if (value.includes("\0") || !value.isWellFormed()) return { kind: "invalid_characters" };
  const text = value.normalize("NFC");
  const { length } = [...text];
  return length > MAX_PASSWORD_LENGTH ? { kind: "too_long" } : { kind: "text", text, length };
}

/** The form of a password to hash; `undefined` if it is invalid. */
export function preparePassword(value: unknown): string | undefined {
  const reading = readPassword(value);
  return reading.kind === "text" ? reading.text : undefined;
}

/**
 * The code points of a string, each folded to one case on its own, so that none depends on the next one (as the final
 * sigma would).
 */
export function foldCase(text: string): string[] {
  return Array.from(text, (character) => character.toUpperCase().toLowerCase());
}
