/**
 * User codes, RFC 8628 §6.1: what a user reads from a device and types into a browser.
 *
 * @module
 */

import { digestText } from "../../_kdf.ts";
import { randomBytes } from "../../_random.ts";

/** 20 consonants: none of their words offends, none of them looks like a digit. 8 of them are 2.56 · 10¹⁰ codes. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";

const LENGTH = 8;

/** The largest multiple of 20 that a byte can have: what is beyond would make some letters more frequent. */
const LIMIT = 240;

const OTHERS_REGEXP = new RegExp(`[^${ALPHABET}]`, "gi");

/** Creates a random user code. */
export function randomUserCode(): string {
  let code = "";
  while (code.length < LENGTH) {
    const [byte = LIMIT] = randomBytes(1);
    if (byte < LIMIT) code += ALPHABET[byte % ALPHABET.length];
  }
  return code;
}

/** The letters of a user code that was typed: all other characters are ignored, and case is too. */
export function parseUserCode(text: string): string {
  return text.replace(OTHERS_REGEXP, "").toUpperCase();
}

/** A user code as it is shown: `WDJB-MJHT`. */
export function showUserCode(letters: string): string {
  return letters.slice(0, 2 * LENGTH).replace(/^.{4}(?=.)/, "$&-");
}

/**
 * The id of the authorization of a user code. The code is found by it, so that stores need no other index and do not have the code;
 * who has the id knows nothing that the code does not say.
 */
export async function userCodeId(issuer: string, letters: string): Promise<string> {
  return (await digestText(`user code\n${issuer}\n${letters}`)).slice(0, 22);
}
