/**
 * The order of strings by their bytes in UTF-8, for adapters without it.
 *
 * @module
 */

/** Compares strings by their bytes in UTF-8, which is the order of their code points. */
export function compareUtf8(a: string, b: string): number {
  const left = Array.from(a, codePointOf);
  const right = Array.from(b, codePointOf);
  const end = Math.min(left.length, right.length);
  for (let at = 0; at < end; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function codePointOf(character: string): number {
  return character.codePointAt(0) ?? 0;
}
