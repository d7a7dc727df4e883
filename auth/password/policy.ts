/**
 * What a new password must be, NIST SP 800-63B-4 §3.1.1.2: long enough, and not one that attackers try first. There are
 * no rules about kinds of characters (5), no password is cut (9), and nothing asks for a new one every so often (6).
 *
 * @module
 */

import { rejectUnknownOptions } from "../_options.ts";
import {
  estimateGuesses,
  listForms,
  type PasswordWord,
  type StretchCode,
  wordsOf,
} from "./_guessability.ts";
import { foldCase, MAX_PASSWORD_LENGTH, readPassword } from "./_normalize.ts";

/** Stable code of what is wrong with a password. */
export type PasswordProblemCode =
  /** No text, NUL in it, or half of a character. */
  | "invalid_characters"
  /** More than 256 characters. */
  | "too_long"
  /** Fewer characters than the least. */
  | "too_short"
  /** One of the first that attackers try, or close to it. */
  | "common"
  /** Made of the identifier or the service's name. */
  | "contextual"
  /** Made of the same again and again. */
  | "repetitive"
  /** Made of alphabets, digits in order, rows of keys or years. */
  | "predictable"
  /** Known from a leak. */
  | "breached";

/** One thing that is wrong with a password. */
export interface PasswordProblem {
  /** Stable code for programs. */
  readonly code: PasswordProblemCode;
  /** What to do about it, for the person who chooses the password. It does not repeat the password. */
  readonly message: string;
}

/** Whose password it is. */
export interface PasswordContext {
  /** What the user signs in by. Its parts are words that others would guess. */
  readonly identifier?: string;
}

/** Options of {@linkcode passwordPolicy}. */
export interface PasswordPolicyOptions {
  /**
   * Fewest characters, in Unicode code points of the NFC form: 8 to 256. Below 15 a password should be one of two
   * factors, §3.1.1.2 (1), and the list of common passwords (190 KB) is loaded with the first check.
   *
   * @default {15}
   */
  readonly minLength?: number;
  /** Words that users of this service would think of first: its name, the company's, the product's. @default {[]} */
  readonly words?: readonly string[];
  /**
   * Tells whether a password is known from a leak. Asked last, with the NFC form, and only of a password that all else
   * lets pass. What it throws, `check()` throws: catch inside where a password that could not be checked is to pass.
   */
  readonly breached?: (password: string) => boolean | Promise<boolean>;
}

/** Decides which passwords may be chosen; made by {@linkcode passwordPolicy}, or an application's own. */
export interface PasswordPolicy {
  /**
   * Finds what is wrong with a password, all of it at once.
   *
   * @returns Problems to show to the person; none if the password may be chosen.
   */
  check(password: unknown, context?: PasswordContext): Promise<readonly PasswordProblem[]>;
}

/**
 * Makes a password policy after NIST SP 800-63B-4 §3.1.1.2.
 *
 * The standard wants whole passwords compared with those that are common, expected or known, not the words in them. So
 * one rule decides: each stretch that a program foresees counts as one character, and what a password then counts must
 * still be 8. Such a stretch is a text repeated, characters in the order of an alphabet or a keyboard, a year, and a word
 * of these: the identifier's parts, `words`, and what people write into a field called "password". `correct horse battery
 * staple` counts 28, `Gatehouse2026!` with the service's name 3. Below a minimum of 15 characters the list of common
 * passwords adds one word: the password itself without digits and signs around it, if it is listed.
 *
 * @throws {RangeError} If `minLength` is not an integer from 8 to 256.
 * @throws {TypeError} If an option has another type.
 *
 * @example Ask a service for leaked passwords without telling it the password
 * ```ts
 * import { passwordPolicy } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands for a service that gets 5 digits of a SHA-1 digest and answers how all that it knows go on after these
 * const fetch = (_url: string) => Promise.resolve(new Response("AD6438836DBE526AA231ABDE2D0EEF74D42:384\r\n"));
 *
 * async function breached(password: string): Promise<boolean> {
 *   const bytes = new TextEncoder().encode(password);
 *   const digest = new Uint8Array(await crypto.subtle.digest("SHA-1", bytes));
 *   const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("").toUpperCase();
 *   try {
 *     const response = await fetch(`https://leaks.example/range/${hex.slice(0, 5)}`);
 *     if (!response.ok) throw new Error("The service is out of order");
 *     const rests = (await response.text()).split("\r\n").map((line) => line.split(":")[0]);
 *     return rests.includes(hex.slice(5));
 *   } catch {
 *     return false; // rather a password that nobody looked up than nobody who can register
 *   }
 * }
 *
 * const policy = passwordPolicy({ words: ["Gatehouse"], breached });
 * const codesOf = async (password: string) =>
 *   (await policy.check(password, { identifier: "ada@example.org" })).map(({ code }) => code);
 * assertEquals(await codesOf("five quiet herons at dawn"), []);
 * assertEquals(await codesOf("correct horse battery staple"), ["breached"]);
 * assertEquals(await codesOf("Gatehouse2026!"), ["too_short", "contextual", "predictable"]);
 * ```
 */
export function passwordPolicy(options: PasswordPolicyOptions = {}): PasswordPolicy {
  rejectUnknownOptions<PasswordPolicyOptions>("Cannot create password policy", options, {
    minLength: true,
    words: true,
    breached: true,
  });
  const { minLength = 15, words = [], breached } = options;
  requireOptions(minLength, words, breached);
  const expected = [
    ...words.flatMap((word) => wordsOf(word, "contextual")),
    ...FIELD_WORDS.map((word): PasswordWord => ({ characters: foldCase(word), code: "common" })),
  ];

  return Object.freeze({
    async check(password: unknown, context: PasswordContext = {}) {
      const codes = await findProblems(password, context.identifier ?? "");
      return codes.map((code) => ({ code, message: messageOf(code, minLength) }));
    },
  });

  async function findProblems(
    password: unknown,
    identifier: string,
  ): Promise<PasswordProblemCode[]> {
    const reading = readPassword(password);
    if (reading.kind !== "text") return [reading.kind];
    const characters = foldCase(reading.text);
    const measure = estimateGuesses(characters, [
      ...wordsOf(identifier, "contextual"),
      ...expected,
      ...minLength < LIST_BELOW ? await listedWords(characters) : [],
    ]);
    const codes: PasswordProblemCode[] = reading.length < minLength ? ["too_short"] : [];
    if (measure.count < MIN_COUNT) {
      codes.push(...STRETCH_CODES.filter((code) => measure.codes.has(code)));
    }
    if (codes.length === 0 && await breached?.(reading.text)) codes.push("breached");
    return codes;
  }
}

/** Fewest characters of any policy, and what must be left when stretches count as one: §3.1.1.2 (1). */
const MIN_COUNT = 8;
/** From here on a listed password is an exception: the list holds a handful. */
const LIST_BELOW = 15;
/** In the order of their messages. */
const STRETCH_CODES: readonly StretchCode[] = [
  "common",
  "contextual",
  "repetitive",
  "predictable",
];
/** What the field is called and what people answer to it, in the languages that leaked passwords show most. */
// deno-fmt-ignore
const FIELD_WORDS: readonly string[] = [
  "password", "passphrase", "passwort", "kennwort", "contraseña", "contrasena", "motdepasse", "wachtwoord", "пароль",
  "letmein", "welcome", "changeme", "secret", "administrator", "admin", "login", "iloveyou",
];

/** The password as it stands in the list, if it does. */
async function listedWords(characters: readonly string[]): Promise<PasswordWord[]> {
  const { commonPasswords } = await import("./_common.ts");
  const list = commonPasswords();
  return listForms(characters).filter((form) => list.has(form))
    .map((form) => ({ characters: [...form], code: "common" }));
}

function requireOptions(minLength: unknown, words: unknown, breached: unknown): void {
  if (typeof minLength !== "number") {
    throw new TypeError("Cannot create password policy: minLength is not a number");
  }
  if (!Number.isInteger(minLength) || minLength < MIN_COUNT || minLength > MAX_PASSWORD_LENGTH) {
    throw new RangeError("Cannot create password policy: minLength is not an integer of 8 to 256");
  }
  if (!Array.isArray(words) || words.some((word) => typeof word !== "string")) {
    throw new TypeError("Cannot create password policy: words are not a list of texts");
  }
  if (breached !== undefined && typeof breached !== "function") {
    throw new TypeError("Cannot create password policy: breached is not a function");
  }
}

/** §3.1.1.2: give the reason, and guidance that leads away from small changes of the same password. */
function messageOf(code: PasswordProblemCode, minLength: number): string {
  switch (code) {
    case "invalid_characters":
      return "Type the password again: it has a character that cannot be used";
    case "too_long":
      return `Use at most ${MAX_PASSWORD_LENGTH} characters`;
    case "too_short":
      return `Use at least ${minLength} characters: a few words that do not belong together will do`;
    case "common":
      return "Choose something else: this, or most of it, is among the first passwords that are guessed";
    case "contextual":
      return "Add words that have nothing to do with you or this service: its name and yours count as one character each";
    case "repetitive":
      return "Add something new: what is repeated counts as one character";
    case "predictable":
      return "Add something that is in no order: a year, and letters, digits or keys in a row, count as one character";
    case "breached":
      return "Choose something else: this password is known from a data leak";
  }
}
