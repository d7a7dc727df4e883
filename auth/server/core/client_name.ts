/**
 * The name that a client has given itself, for a page of ours.
 *
 * @module
 */

/** Longest name that is shown, in characters. */
const MAX_LENGTH = 80;

/** Controls, bidirectional and other invisible format characters, variation selectors and fillers, lone surrogates. */
const INVISIBLE_REGEXP = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** White space, and the empty Braille pattern, which looks like it. */
const SPACE_REGEXP = /[\s\u2800]+/g;

/** More combining marks than any language needs, which would be painted over the lines around. */
const STACKED_MARKS_REGEXP = /(\p{M}{4})\p{M}+/gu;

/**
 * A client's name without the characters that can hide or reorder the text around it, at most 80 characters long. The name is not
 * verified (RFC 7591 §5).
 *
 * @returns The name, or the client's id if nothing of the name can be seen.
 */
export function shownClientName(
  { name, clientId }: { readonly name: string; readonly clientId: string },
): string {
  return clean(name) || clean(clientId);
}

/** Text of others without the characters that can hide or reorder what is around it, at most 80 characters long. */
export function clean(text: string): string {
  const visible = text.slice(0, 10 * MAX_LENGTH)
    .replace(SPACE_REGEXP, " ")
    .replace(INVISIBLE_REGEXP, "")
    .replace(STACKED_MARKS_REGEXP, "$1")
    .trim();
  const characters = [...visible];
  if (characters.length <= MAX_LENGTH) return visible;
  return `${characters.slice(0, MAX_LENGTH - 1).join("").trimEnd()}…`;
}
