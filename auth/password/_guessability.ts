/**
 * The parts of a password that attackers guess first: one table of rules.
 *
 * @module
 */

import { foldCase } from "./_normalize.ts";

/** Why a part of a password is guessed. */
export type GuessCode = "common" | "contextual" | "repetitive" | "predictable";

/** A guessed part and 9 other characters: with fewer, the others are tried as well. */
const MIN_COUNT = 10;
/** Takes the place of a guessed part. No password has this character. */
const MARK = "\0";
/** Shorter words occur by chance. */
const MIN_WORD = 3;
/** The sizes of the entries of the list. */
const [MIN_ENTRY, MAX_ENTRY] = [8, 20];

/**
 * Finds why a password is easily guessed. Each rule replaces the parts it knows by one character; if it knew any, 10
 * characters must be left.
 *
 * @param password NFC form.
 * @param words Words that {@linkcode wordsOf} returned.
 * @param list Common passwords.
 * @returns No codes if the password is accepted.
 */
export function findGuessable(
  password: string,
  words: readonly string[],
  list: ReadonlySet<string>,
): ReadonlySet<GuessCode> {
  const rules: readonly (readonly [code: GuessCode, replace: (text: string) => string])[] = [
    ["contextual", (text) => replaceWords(text, words)],
    ["common", (text) => replaceWords(text, longestEntry(text, list))],
    ["common", (text) => replaceWords(text, FIELD_WORDS)],
    ["predictable", (text) => text.replace(DATE_REGEXP, MARK)],
    ["repetitive", (text) => replaceRuns(text, isRepetition, 1, [0, 3, 4])],
    ["predictable", (text) => replaceRuns(text, isSequence, 2)],
  ];
  const codes = new Set<GuessCode>();
  let rest = foldCase(password).join("");
  for (const [code, replace] of rules) {
    const left = replace(rest).replace(/\0+/g, MARK);
    if (left !== rest) codes.add(code);
    rest = left;
  }
  return [...rest].length < MIN_COUNT ? codes : new Set();
}

const SEPARATORS_REGEXP = /[^\p{L}\p{M}\p{N}\0]+/gu;
/** A number at an end, such as a year or a date. */
const END_NUMBER_REGEXP = /^\d{1,8}(?!\d)|(?<!\d)\d{1,8}$/g;

/** Replaces words, with separators in them, too. If there is one, neither separators nor a number at an end count. */
function replaceWords(text: string, words: readonly string[]): string {
  const replace = (from: string) => words.reduce((rest, word) => rest.replaceAll(word, MARK), from);
  const whole = replace(text);
  const joined = whole.replace(SEPARATORS_REGEXP, "");
  const rest = replace(joined);
  return whole === text && rest === joined ? text : rest.replace(END_NUMBER_REGEXP, "");
}

/** The longest common password that is part of a text, with or without separators. */
function longestEntry(text: string, list: ReadonlySet<string>): readonly string[] {
  const forms = [text, text.replace(SEPARATORS_REGEXP, "")];
  for (let size = MAX_ENTRY; size >= MIN_ENTRY; size--) {
    for (const form of forms) {
      for (let at = 0; at + size <= form.length; at++) {
        const part = form.slice(at, at + size);
        if (list.has(part)) return [part];
      }
    }
  }
  return [];
}

/** Names of the field and frequent inputs, in the languages that are most frequent among breached passwords. */
// deno-fmt-ignore
const FIELD_WORDS: readonly string[] = [
  "passphrase", "password", "passwort", "kennwort", "contraseña", "contrasena", "motdepasse", "wachtwoord", "пароль",
  "letmein", "welcome", "changeme", "secret", "administrator", "admin", "login", "iloveyou",
];

/** A year from 1900 to 2099, alone or in a date. */
const DATE_REGEXP =
  /(?<!\d)(?:\d\d?[./-]\d\d?[./-]|\d{4})?(?:19|20)\d\d(?:[./-]\d\d?[./-]\d\d?|\d{4})?(?!\d)/g;

/** Whether the characters at a place and at the next ones in a distance belong together. */
type RunTest = (characters: readonly string[], at: number, distance: number) => boolean;

/** `aaaa`, `xyxyxy`, or a longer part twice: shorter repetitions occur by chance. */
const isRepetition: RunTest = (characters, at, distance) =>
  characters[at] === characters[at + distance];

/** `abc`, `4321`, `wert`; at distance 2 even and odd characters, `1a2b3c`. */
const isSequence: RunTest = (characters, at, distance) => {
  if (distance > 8) return false; // so that the time stays linear in the length
  const [a = "", b = "", c = ""] = [0, 1, 2].map((i) => characters[at + i * distance]);
  const step = stepBetween(a, b);
  return (Math.abs(step) <= 1 && stepBetween(b, c) === step && (step !== 0 || distance > 1)) ||
    KEY_ROWS.includes(a + b + c) || KEY_ROWS.includes(c + b + a);
};

/**
 * Replaces runs of places that pass the test.
 *
 * @param reach How many distances the test reads ahead.
 * @param least How many places make a run, by distance; as many as the distance if it is not given.
 */
function replaceRuns(
  text: string,
  test: RunTest,
  reach: number,
  least: readonly number[] = [],
): string {
  const left = [...text];
  for (let distance = 1; distance < left.length; distance++) {
    for (let at = 0; at + reach * distance < left.length; at++) {
      let size = 0;
      while (at + size + reach * distance < left.length && test(left, at + size, distance)) size++;
      if (size >= (least[distance] ?? distance)) left.splice(at, size + reach * distance, MARK);
      else at += size;
    }
  }
  return left.join("");
}

function stepBetween(a: string, b: string): number {
  return (b.codePointAt(0) ?? 0) - (a.codePointAt(0) ?? 0);
}

/** Rows and columns of the keyboards that are most frequent among breached passwords. */
const KEY_ROWS = '`1234567890-=\n~!@#$%^&*()_+\n!"§$%&/()=\n&é"\'(-è_çà)=\n' +
  "qwertyuiop[]\\\nasdfghjkl;'\nzxcvbnm,./\nqwertzuiopü+\nasdfghjklöä#\nyxcvbnm,.-\n" +
  "azertyuiop^$\nqsdfghjklmù\nwxcvbn,;:!\nйцукенгшщзхъ\nфывапролджэ\nячсмитьбю\n" +
  "1qaz\n2wsx\n3edc\n4rfv\n5tgb\n6yhn\n7ujm\n8ik,\n9ol.\n0p;/\n1qay\n6zhn\n1aqw\n2zsx";

/**
 * The words of a name or an e-mail address, the longest first: each part of at least three characters, all parts joined,
 * the parts before the last `@` joined, and each of these reversed.
 */
export function wordsOf(text: string): string[] {
  const whole = text.slice(0, MAX_WORDS_LENGTH).normalize("NFC");
  const parts = splitWords(whole);
  const local = splitWords(whole.slice(0, Math.max(0, whole.lastIndexOf("@"))));
  const words = [...parts, parts.join(""), local.join("")].map(foldCase)
    .filter((word) => word.length >= MIN_WORD)
    .flatMap((word) => [word.join(""), word.toReversed().join("")]);
  return [...new Set(words)].sort((a, b) => b.length - a.length);
}

/** UTF-16 units that are split into words: no longer word fits into a password. */
const MAX_WORDS_LENGTH = 256;

function splitWords(text: string): string[] {
  return text.split(/[^\p{L}\p{M}\p{N}]+/u);
}
