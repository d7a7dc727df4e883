/**
 * Requirements on new passwords, NIST SP 800-63B-4 §3.1.1.2: a minimum length, and not easily guessed. There are no
 * composition rules (5), passwords are not truncated (9), and there is no periodic change (6).
 *
 * @module
 */

import { rejectUnknownOptions } from "../_options.ts";
import { findGuessable, type GuessCode, wordsOf } from "./_guessability.ts";
import { MAX_PASSWORD_LENGTH, readPassword } from "./_normalize.ts";

/** Stable code of a problem with a password. */
export type PasswordProblemCode =
  /** Not a well-formed string, or with NUL. */
  | "invalid_characters"
  /** More than 256 characters. */
  | "too_long"
  /** Fewer characters than the minimum. */
  | "too_short"
  /** A commonly used password or phrase, with fewer than 9 other characters. */
  | "common"
  /** The identifier or the service's name, with fewer than 9 other characters. */
  | "contextual"
  /** Repetitions, with fewer than 9 other characters. */
  | "repetitive"
  /** Sequences of letters, digits or keys, or dates, with fewer than 9 other characters. */
  | "predictable"
  /** Known from a data breach. */
  | "breached";

/** A problem with a password. */
export interface PasswordProblem {
  /** Stable code for programs. */
  readonly code: PasswordProblemCode;
  /** Advice for the person who chooses the password. It does not contain the password. */
  readonly message: string;
}

/** The user of the password. */
export interface PasswordContext {
  /** The identifier that the user signs in with. Its parts are words that others would guess. */
  readonly identifier?: string;
}

/** Options of {@linkcode passwordPolicy}. */
export interface PasswordPolicyOptions {
  /**
   * Minimum length, in Unicode code points of the NFC form: 8 to 256. Below 15 a password should be one of two factors,
   * §3.1.1.2 (1).
   *
   * @default {15}
   */
  readonly minLength?: number;
  /** Words that relate to this service: its name, the company's, the product's. @default {[]} */
  readonly words?: readonly string[];
  /**
   * Whether a password is known from a data breach: {@linkcode pwnedPasswords} asks a service. Called last, with the NFC form
   * of a password without other problems. `check()` rejects with what it throws: catch errors inside to accept passwords that
   * cannot be checked.
   */
  readonly breached?: (password: string) => boolean | Promise<boolean>;
}

/** Decides which passwords are accepted; created by {@linkcode passwordPolicy}, or custom. */
export interface PasswordPolicy {
  /**
   * Finds all problems of a password.
   *
   * @returns Problems to show to the person; none if the password is accepted.
   */
  check(password: unknown, context?: PasswordContext): Promise<readonly PasswordProblem[]>;
}

/**
 * Creates a password policy by NIST SP 800-63B-4 §3.1.1.2.
 *
 * Each of these parts of a password counts as one character, and a password with such a part must count 10:
 *
 * - the longest common password in it, of a list of 19,600 (190 KB, loaded with the first check), and words such as
 *   "welcome";
 * - words of the identifier and of `words`, also reversed;
 * - repetitions, sequences of an alphabet or a keyboard row, also of every second character, and years and dates.
 *
 * If it has such a word, neither separators nor a number of up to 8 digits at an end count. So `thisismypassword` counts
 * 9, `Gatehouse2026!` with the service's name 1; `correct horse battery staple` has no such part.
 *
 * @throws {RangeError} If `minLength` is not an integer from 8 to 256.
 * @throws {TypeError} If an option has the wrong type.
 *
 * @example
 * ```ts
 * import { passwordPolicy } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const policy = passwordPolicy({ words: ["Gatehouse"] }); // and breached: pwnedPasswords()
 * const codesOf = async (password: string) =>
 *   (await policy.check(password, { identifier: "ada@example.org" })).map(({ code }) => code);
 * assertEquals(await codesOf("five quiet herons at dawn"), []);
 * assertEquals(await codesOf("Gatehouse2026!"), ["too_short", "contextual"]);
 * ```
 */
export function passwordPolicy(options: PasswordPolicyOptions = {}): PasswordPolicy {
  rejectUnknownOptions<PasswordPolicyOptions>("Cannot create password policy", options, {
    minLength: true, // a misspelt one would lower the policy
    words: true,
    breached: true,
  });
  const { minLength = 15, words = [], breached } = options;
  requireOptions(minLength, words, breached);
  const serviceWords = words.flatMap(wordsOf);

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
    const { commonPasswords } = await import("./_common_passwords.ts");
    const expected = [...wordsOf(identifier), ...serviceWords];
    const found = findGuessable(reading.text, expected, commonPasswords());
    const codes: PasswordProblemCode[] = reading.length < minLength ? ["too_short"] : [];
    codes.push(...GUESS_CODES.filter((code) => found.has(code)));
    if (codes.length === 0 && await breached?.(reading.text)) codes.push("breached");
    return codes;
  }
}

/** The lowest minimum length: §3.1.1.2 (1). */
const LOWEST_MINIMUM = 8;
/** In the order of the messages. */
const GUESS_CODES: readonly GuessCode[] = ["common", "contextual", "repetitive", "predictable"];

function requireOptions(minLength: unknown, words: unknown, breached: unknown): void {
  if (typeof minLength !== "number") {
    throw new TypeError("Cannot create password policy: minLength must be a number");
  }
  if (
    !Number.isInteger(minLength) || minLength < LOWEST_MINIMUM || minLength > MAX_PASSWORD_LENGTH
  ) {
    throw new RangeError(
      "Cannot create password policy: minLength must be an integer from 8 to 256",
    );
  }
  if (!Array.isArray(words) || words.some((word) => typeof word !== "string")) {
    throw new TypeError("Cannot create password policy: words must be an array of strings");
  }
  if (breached !== undefined && typeof breached !== "function") {
    throw new TypeError("Cannot create password policy: breached must be a function");
  }
}

/** §3.1.1.2: the reason, and guidance against trivial modifications of the same password. */
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
