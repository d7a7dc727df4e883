/** Paths that a request names, to go on to: never to another site. */

import { assertEquals } from "@std/assert";
import { safeRedirectPath } from "../../../auth/http/redirect_target.ts";

const KEPT: readonly (readonly [why: string, text: string, path: string])[] = [
  ["the start", "/", "/"],
  ["a path", "/notes/7", "/notes/7"],
  ["query and fragment", "/notes?q=a%20b#top", "/notes?q=a%20b#top"],
  ["letters that URLs encode", "/caf\u00e9", "/caf%C3%A9"],
  ["dot segments, which stay within", "/a/../b", "/b"],
  ["an @, which is none of a host", "/@ada", "/@ada"],
  ["a colon", "/a:b", "/a:b"],
  ["an encoded backslash in the query", "/a?b=%5cc", "/a?b=%5cc"],
  ["an encoded backslash in the fragment", "/a#%5cb", "/a#%5cb"],
  ["the longest", `/${"a".repeat(2047)}`, `/${"a".repeat(2047)}`],
];

for (const [why, text, path] of KEPT) {
  Deno.test(`safeRedirectPath() keeps ${why}`, () =>
    assertEquals(safeRedirectPath(text, "/home"), path));
}

const REFUSED: readonly (readonly [why: string, text: unknown])[] = [
  ["nothing", ""],
  ["undefined", undefined],
  ["null", null],
  ["a list, as ?next=/a&next=/b is", ["/a", "/b"]],
  ["what only looks like a text", { toString: () => "/a", startsWith: () => true, length: 1 }],
  ["another site", "https://evil.example/"],
  ["another scheme", "javascript:alert(1)"],
  ["a relative path", "notes"],
  ["a scheme-relative URL", "//evil.example"],
  ["three slashes", "///evil.example"],
  ["a backslash behind the slash", "/\\evil.example"],
  ["a backslash in front", "\\/evil.example"],
  ["a tab between slashes", "/\t/evil.example"],
  ["a line feed between slashes", "/\n/evil.example"],
  ["NUL", "/\0"],
  ["DEL", "/\x7f"],
  ["an encoded backslash", "/%5cevil.example"],
  ["an encoded slash", "/%2fevil.example"],
  ["an encoded tab", "/%09/evil.example"],
  ["half an escape", "/%"],
  ["no UTF-8", "/%ff"],
  ["a double slash further on", "/a//b"],
  ["a double slash in the query", "/a?b=//c"],
  ["a space in front", " /a"],
  ["one character too many", `/${"a".repeat(2048)}`],
  ["what is too long until dot segments go", `${"/a/..".repeat(410)}/a`],
  ["what is too long once encoded", `/${"\u00e9".repeat(400)}`],
];

for (const [why, text] of REFUSED) {
  Deno.test(`safeRedirectPath() rejects ${why}`, () => {
    assertEquals(safeRedirectPath(text, "/home"), "/home");
    assertEquals(safeRedirectPath(text), "/");
  });
}
