/** Names that file systems of other platforms treat as different names. */

import { assertEquals } from "@std/assert";
import { isOtherSpelling, isWindowsKey } from "../../static/native_live.ts";
import { readShared, type SharedPaths } from "./_fixture.ts";

/** [why, key, whether Windows reads it literally] */
const WINDOWS: readonly (readonly [why: string, key: string, expected: boolean])[] = [
  ["a name", "a.txt", true],
  ["folders", "sub/folder/a.min.js", true],
  ["a name with dots in it", "a..b.txt", true],
  ["a name with a space in it", "with space.txt", true],
  ["a tilde without a digit", "~tilde.txt", true],
  ["a device's name with a suffix", "console.txt", true],
  ["a device's name with a prefix", "mycon", true],
  ["a device's name with a two-digit number", "com10", true],
  ["a device's name without a number", "com", true],
  ["the name of a device after the first dot", "a.con", true],
  ["letters of other scripts", "caf\u00e9/\u65e5\u672c.txt", true],
  ["a stream", "a.txt::$DATA", false],
  ["a stream with a name", "a.txt:stream", false],
  ["a stream of a folder", "sub::$INDEX_ALLOCATION/a.txt", false],
  ["a drive", "C:/Windows/win.ini", false],
  ["a drive without a folder", "c:a.txt", false],
  ["a trailing dot, which is dropped", "a.txt.", false],
  ["a trailing space, which is dropped", "a.txt ", false],
  ["a trailing dot of a folder", "private./a.txt", false],
  ["a trailing space of a folder", "private /a.txt", false],
  ["a short name", "LONGFI~1.TXT", false],
  ["a short name of a folder", "PRIVAT~1/a.txt", false],
  ["a wildcard", "a*.txt", false],
  ["a wildcard of one character", "a?.txt", false],
  ["a wildcard of DOS", "a<.txt", false],
  ["a quote", 'a".txt', false],
  ["a pipe", "a|b", false],
  ["a device", "CON", false],
  ["a device in lower case", "nul", false],
  ["a device with an extension", "aux.txt", false],
  ["a device with two extensions", "prn.tar.gz", false],
  ["a device in a folder", "sub/con/a.txt", false],
  ["a device with spaces before the extension", "con .txt", false],
  ["a device with a number", "COM1", false],
  ["a device with a number and an extension", "lpt9.txt", false],
  ["a device with the number 0", "com0", false],
  ["a device with a superscript number", "COM\u00b9", false],
  ["a console's input", "CONIN$", false],
  ["a console's output", "conout$.txt", false],
];

for (const [why, key, expected] of WINDOWS) {
  Deno.test(`isWindowsKey() is ${expected} for ${why}`, () => {
    assertEquals(isWindowsKey(key), expected);
  });
}

const shared = readShared<SharedPaths>("paths.json");
Deno.test({
  name: `isWindowsKey() rejects the shared cases${shared ? "" : " (skipped: none here)"}`,
  ignore: shared === undefined,
  fn() {
    const keys = (shared?.cases ?? [])
      .filter((test) => test.class.startsWith("windows-"))
      .map(({ path }) => decodeURIComponent(path).replace("/assets/", ""))
      .filter((key) => !key.includes("\\")); // a key has no backslash
    assertEquals(keys.filter(isWindowsKey), []);
    assertEquals(keys.length, 16);
  },
});

/** [why, the path of the file, the requested key, whether that is another spelling] */
const SPELLINGS: readonly (readonly [
  why: string,
  found: string,
  key: string,
  expected: boolean,
])[] = [
  ["the same", "private/a.txt", "private/a.txt", false],
  ["another file, by a link", "sub/n.txt", "link.txt", false],
  ["another case", "private/a.txt", "Private/a.txt", true],
  ["another case of the name", "a.txt", "A.TXT", true],
  ["another Unicode form", "caf\u00e9.txt", "cafe\u0301.txt", true],
  ["a compatible character", "k.txt", "\u212a.txt", true],
  ["a full-width letter", "a.txt", "\uff41.txt", true],
  ["a ligature", "ffi.txt", "\ufb03.txt", true],
  ["a long s", "s.txt", "\u017f.txt", true],
  ["a sharp s", "strasse", "stra\u00dfe", true],
  ["a final sigma", "\u03c3", "\u03c2", true],
];

for (const [why, found, key, expected] of SPELLINGS) {
  Deno.test(`isOtherSpelling() is ${expected} for ${why}`, () => {
    assertEquals(isOtherSpelling(found, key), expected);
  });
}
