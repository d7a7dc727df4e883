import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { commonPasswords } from "../../../auth/password/_common.ts";

Deno.test("commonPasswords() is made once", () => {
  assertStrictEquals(commonPasswords(), commonPasswords());
});

Deno.test("commonPasswords() has only what a check can find: 8 characters or more, small letters, no space", () => {
  const entries = [...commonPasswords()];
  assertEquals(entries.length, 19_599);
  assertEquals(entries.filter((entry) => !/^[!-~]{8,}$/.test(entry)), []);
  assertEquals(entries.filter((entry) => entry !== entry.toLowerCase()), []);
});

Deno.test("commonPasswords() is sorted, so that a new version can be compared", () => {
  const entries = [...commonPasswords()];
  assertEquals(entries, entries.toSorted());
});

const FOUND: readonly (readonly [why: string, password: string])[] = [
  ["the most frequent of 8 characters", "password"],
  ["digits", "12345678"],
  ["the end of the list of passwords", "1qaz2wsx3edc4rfv"],
  ["a woman's name", "elizabeth"],
  ["a man's name", "alexander"],
  ["a surname", "rodriguez"],
  ["a word", "elephant"],
  ["signs", "pa$$w0rd"],
];

for (const [why, password] of FOUND) {
  Deno.test(`commonPasswords() has ${why}`, () => {
    assert(commonPasswords().has(password));
  });
}

Deno.test("_password_common.ts carries the licence of its source", async () => {
  const text = await Deno.readTextFile(
    new URL("../../../auth/password/_common.ts", import.meta.url),
  );
  const head = text.slice(0, text.indexOf("*/")).replace(/\s+\*\s+/g, " ");
  for (
    const part of [
      "Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.",
      "The above copyright notice and this permission notice shall be included in all copies or",
      'THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND',
    ]
  ) assert(head.includes(part), part);
});
