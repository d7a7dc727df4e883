/**
 * Estimate of how much of a password must be guessed: predictable matches count as one character each.
 *
 * @module
 */

import { foldCase } from "./_normalize.ts";

/** Why a part of a password is predictable. */
export type MatchCode = "common" | "contextual" | "predictable" | "repetitive";

/** A word that attackers guess. */
export interface PasswordWord {
  /** Its characters, as {@linkcode foldCase} returns them. */
  readonly characters: readonly string[];
  /** Why it is guessed. */
  readonly code: MatchCode;
}

/** The estimate for a password. */
export interface PasswordMeasure {
  /** The smallest number of characters and matches that make up the password. */
  readonly count: number;
  /** The codes of these matches. */
  readonly codes: ReadonlySet<MatchCode>;
}

/** Shorter words, sequences and runs occur by chance. */
const MIN_MATCH = 3;
/** So do shorter repetitions of more than one character: b`anan`a, `1212`. */
const MIN_REPETITION = 6;

/** A part of a password, with the count from its start to the end of the password. */
interface Part {
  readonly count: number;
  readonly end: number;
  readonly code?: MatchCode;
}

/**
 * Counts the characters of a password, where each of these matches counts as one character:
 *
 * - a repetition: `aaa`, or at least six characters that repeat a part: `xyxyxy`, `passwordpassword`;
 * - a sequence of at least three characters of the alphabet, the digits or a keyboard: `efgh`, `4321`, `wertz`, `1qaz`;
 * - a year from 1900 to 2099 that is not next to a digit;
 * - a word of `words`, also with separators and with look-alike digits and symbols: `A.d-a`, `p4$$w0rd`.
 *
 * The count is the minimum over all ways to split the password, computed from its end to its start. Two characters are
 * compared for each start and each distance: at most 33,000 comparisons for 256 characters.
 *
 * @param characters The password's characters, as {@linkcode foldCase} returns them.
 */
export function estimateGuesses(
  characters: readonly string[],
  words: readonly PasswordWord[],
): PasswordMeasure {
  const size = characters.length;
  const parts: Part[] = [];
  parts[size] = { count: 0, end: size };
  const equal = new Uint16Array(size + 1); // by distance: how many characters from here equal the one at that distance
  let sequence = 0; // length of the sequence from here
  for (let at = size - 1; at >= 0; at--) {
    let part: Part = { count: 1 + countFrom(parts, at + 1), end: at + 1 };
    const offer = (end: number, code: MatchCode) => {
      const count = 1 + countFrom(parts, end);
      if (count < part.count) part = { count, end, code };
    };

    for (const word of words) {
      const end = wordEnd(characters, at, word.characters);
      if (end !== undefined) offer(end, word.code);
    }

    const character = characters[at];
    for (let distance = 1; at + distance < size; distance++) {
      const same = characters[at + distance] === character;
      equal[distance] = same ? (equal[distance] ?? 0) + 1 : 0;
    }
    const run = 1 + (equal[1] ?? 0);
    for (let length = MIN_MATCH; length <= run; length++) offer(at + length, "repetitive");
    let repeated = 0; // length that is covered by repetitions of a part that fits twice
    for (let length = 2; at + length <= size; length++) {
      const half = length / 2;
      if (Number.isInteger(half)) repeated = Math.max(repeated, half + (equal[half] ?? 0));
      if (length >= MIN_REPETITION && length <= repeated) offer(at + length, "repetitive");
    }

    sequence = isSequence(characters, at) ? Math.max(sequence, MIN_MATCH - 1) + 1 : 0;
    for (let length = MIN_MATCH; length <= sequence; length++) offer(at + length, "predictable");
    if (isYear(characters, at)) offer(at + YEAR_LENGTH, "predictable");

    parts[at] = part;
  }
  return { count: countFrom(parts, 0), codes: codesOf(parts) };
}

function countFrom(parts: readonly Part[], at: number): number {
  return parts[at]?.count ?? 0;
}

function codesOf(parts: readonly Part[]): Set<MatchCode> {
  const codes = new Set<MatchCode>();
  let part = parts[0];
  while (part !== undefined && part.count > 0) {
    if (part.code !== undefined) codes.add(part.code);
    part = parts[part.end];
  }
  return codes;
}

/** Digits and symbols that replace letters. */
const LOOK_ALIKES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["0", "o"],
  ["1", "il"],
  ["3", "e"],
  ["4", "a"],
  ["5", "s"],
  ["7", "t"],
  ["8", "b"],
  ["@", "a"],
  ["$", "s"],
  ["!", "i"],
]);
const SEPARATOR_REGEXP = /^[^\p{L}\p{M}\p{N}]$/u;

/** The end of a word that starts at a character; `undefined` if it does not start there. */
function wordEnd(
  characters: readonly string[],
  start: number,
  word: readonly string[],
): number | undefined {
  let at = start;
  for (const letter of word) {
    while (at > start && !isAlike(characters[at], letter) && isSeparator(characters[at])) at++;
    if (!isAlike(characters[at], letter)) return undefined;
    at++;
  }
  return at > start ? at : undefined;
}

function isAlike(character: string | undefined, letter: string): boolean {
  if (character === undefined) return false;
  return character === letter || (LOOK_ALIKES.get(character)?.includes(letter) ?? false);
}

function isSeparator(character: string | undefined): boolean {
  return character !== undefined && SEPARATOR_REGEXP.test(character);
}

/**
 * The words of a name or an e-mail address: each part of at least three characters, all parts joined, the parts before
 * the last `@` joined, and each of these reversed.
 */
export function wordsOf(text: string, code: MatchCode): PasswordWord[] {
  const whole = text.slice(0, MAX_WORDS_LENGTH).normalize("NFC");
  const parts = splitWords(whole);
  const local = splitWords(whole.slice(0, Math.max(0, whole.lastIndexOf("@"))));
  const words = [...parts, parts.join(""), local.join("")].map(foldCase);
  const both = words.flatMap((word) => [word, word.toReversed()])
    .filter((word) => word.length >= MIN_MATCH);
  return [...new Map(both.map((word) => [word.join(""), word])).values()]
    .map((characters) => ({ characters, code }));
}

/** UTF-16 units that are split into words: no longer word fits into a password. */
const MAX_WORDS_LENGTH = 256;

function splitWords(text: string): string[] {
  return text.split(/[^\p{L}\p{M}\p{N}]+/u);
}

/**
 * The forms in which a password may be listed: whole, and without trailing and leading digits and symbols, each with and
 * without {@linkcode LOOK_ALIKES}.
 */
export function listForms(characters: readonly string[]): string[] {
  const isLetter = (character = "") => /^\p{L}/u.test(character);
  let [start, end] = [0, characters.length];
  const forms = [characters];
  while (start < end && !isLetter(characters[end - 1])) forms.push(characters.slice(0, --end));
  while (start < end && !isLetter(characters[start])) forms.push(characters.slice(++start, end));
  return forms.flatMap((form) => [
    form.join(""),
    ...[0, 1].map((which) => form.map((sign) => letterFor(sign, which)).join("")),
  ]);
}

function letterFor(sign: string, which: number): string {
  const letters = LOOK_ALIKES.get(sign) ?? sign;
  return letters.charAt(which) === "" ? letters.charAt(0) : letters.charAt(which);
}

/** Whether the three characters from here are a sequence of an alphabet or a keyboard. */
function isSequence(characters: readonly string[], at: number): boolean {
  const [a, b, c] = [characters[at], characters[at + 1], characters[at + 2]];
  if (a === undefined || b === undefined || c === undefined) return false;
  const step = stepBetween(a, b);
  return (Math.abs(step) === 1 && stepBetween(b, c) === step) || keyTriples().has(a + b + c);
}

const YEAR_LENGTH = 4;
const YEAR_REGEXP = /^(?:19|20)[0-9]{2}$/;

/** Whether a year starts here: a frequent suffix of passwords. */
function isYear(characters: readonly string[], at: number): boolean {
  const end = at + YEAR_LENGTH;
  return YEAR_REGEXP.test(characters.slice(at, end).join("")) &&
    !isDigit(characters[at - 1]) && !isDigit(characters[end]);
}

function isDigit(character = ""): boolean {
  return /^[0-9]$/.test(character);
}

function stepBetween(a: string, b: string): number {
  return (b.codePointAt(0) ?? 0) - (a.codePointAt(0) ?? 0);
}

/** Three adjacent keys, forwards and backwards. */
function keyTriples(): ReadonlySet<string> {
  triples ??= new Set(KEY_ROWS.flatMap((row) => {
    const keys = [...row];
    return [keys, keys.toReversed()].flatMap((line) =>
      line.slice(2).map((_, i) => line.slice(i, i + 3).join(""))
    );
  }));
  return triples;
}

let triples: ReadonlySet<string> | undefined;

/** Rows, columns, zigzags and the number pad of the keyboards that are most frequent among breached passwords. */
// deno-fmt-ignore
const KEY_ROWS: readonly string[] = [
  "`1234567890-=", "~!@#$%^&*()_+", '!"§$%&/()=', "&é\"'(-è_çà)=",
  "qwertyuiop[]\\", "asdfghjkl;'", "zxcvbnm,./",
  "qwertzuiopü+", "asdfghjklöä#", "yxcvbnm,.-",
  "azertyuiop^$", "qsdfghjklmù", "wxcvbn,;:!",
  "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю",
  "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "0p;/",
  "1qay", "6zhn", "1aqw", "2zsx", "4esz", "5rdx", "6tfc", "7ygv", "8uhb", "9ijn", "0okm",
  "1q2w3e4r5t6y7u8i9o0p", "q1w2e3r4t5y6u7i8o9p0",
  "147", "258", "369",
];
