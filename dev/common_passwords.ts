/**
 * Makes `auth/password/_common_passwords.ts` of the lists in the npm package zxcvbn.
 *
 * ```sh
 * deno run --no-lock --allow-read --allow-write dev/common_passwords.ts
 * ```
 *
 * The package is no dependency: it is needed when the list changes, which it does not, so `--no-lock` keeps it out of
 * deno.lock.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { ROOT } from "./_project.ts";

/** Named by a variable, so that checking this file does not download it. */
const SOURCE: string = "npm:zxcvbn@4.4.2/lib/frequency_lists.js";
const TARGET = join(ROOT, "auth/password/_common_passwords.ts");

/** Shorter ones are too short for every policy. */
const MIN_LENGTH = 8;

/**
 * What is taken of each list, most frequent first. The lists exclude each other, so that passwords which are a name or
 * a word stand among names and words alone: names are taken whole, words as far down as passwords are common.
 */
const TAKEN: Readonly<Record<string, number>> = {
  passwords: Infinity,
  female_names: Infinity,
  male_names: Infinity,
  surnames: Infinity,
  english_wikipedia: 5500,
  us_tv_and_film: 5500,
};

const HEAD = `/**
 * Passwords that attackers try first: passwords of known leaks, names and frequent English words of 8 characters or more,
 * in lower case.
 *
 * Written by \`dev/common_passwords.ts\` of the lists of zxcvbn 4.4.2, whose licence is:
 *
 * Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.
 *
 * Permission is hereby granted, free of charge, to any person obtaining
 * a copy of this software and associated documentation files (the
 * "Software"), to deal in the Software without restriction, including
 * without limitation the rights to use, copy, modify, merge, publish,
 * distribute, sublicense, and/or sell copies of the Software, and to
 * permit persons to whom the Software is furnished to do so, subject to
 * the following conditions:
 *
 * The above copyright notice and this permission notice shall be
 * included in all copies or substantial portions of the Software.
 *
 * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
 * EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
 * MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
 * NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
 * LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION
 * OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION
 * WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
 *
 * @module
 */

/** The whole list, made of the text below at the first call. */
export function commonPasswords(): ReadonlySet<string> {
  made ??= new Set(LINES.flatMap((line) => line.split(" ")));
  return made;
}

let made: ReadonlySet<string> | undefined;

/** One line for each first character. */
const LINES: readonly string[] = [
`;

/** The sorted entries of some lists. */
function collect(lists: Readonly<Record<string, readonly string[]>>): string[] {
  const entries = Object.entries(TAKEN).flatMap(([name, most]) => {
    const list = lists[name];
    if (list === undefined) throw new Error(`Cannot read the lists: there is no ${name}`);
    return list.slice(0, most).map((entry) => entry.toLowerCase());
  });
  const strange = entries.filter((entry) => !/^[!#-[\]-~]+$/.test(entry));
  if (strange.length > 0) throw new Error("Cannot write the list: an entry needs an escape");
  return [...new Set(entries)].filter((entry) => entry.length >= MIN_LENGTH).sort();
}

/** The module's text. */
function format(entries: readonly string[]): string {
  const lines = new Map<string, string[]>();
  for (const entry of entries) {
    const first = entry.charAt(0);
    lines.set(first, [...lines.get(first) ?? [], entry]);
  }
  const strings = [...lines.values()].map((line) => `  ${JSON.stringify(line.join(" "))},\n`);
  return `${HEAD}${strings.join("")}];\n`;
}

async function main(): Promise<void> {
  const { default: lists } = await import(SOURCE) as {
    default: Readonly<Record<string, readonly string[]>>;
  };
  const entries = collect(lists);
  const text = format(entries);
  await Deno.writeTextFile(TARGET, text);
  console.log(`${entries.length} entries, ${text.length} bytes`);
}

if (import.meta.main) await main();
