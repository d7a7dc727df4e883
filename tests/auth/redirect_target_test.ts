/** Redirect targets in a request: never another site. */

import { assertEquals } from "@std/assert";
import { safeRedirectPath } from "../../auth/redirect_target.ts";

const KEPT: readonly (readonly [why: string, text: string, path: string])[] = [
  ["the root", "/", "/"],
  ["a path", "/notes/7", "/notes/7"],
  ["query and fragment", "/notes?q=a%20b#top", "/notes?q=a%20b#top"],
  ["letters that URLs encode", "/caf\u00e9", "/caf%C3%A9"],
  ["dot segments inside the site", "/a/../b", "/b"],
  ["an @ in the path", "/@ada", "/@ada"],
  ["a colon", "/a:b", "/a:b"],
  ["an encoded backslash in the query", "/a?b=%5cc", "/a?b=%5cc"],
  ["an encoded backslash in the fragment", "/a#%5cb", "/a#%5cb"],
  ["the maximum length", `/${"a".repeat(2047)}`, `/${"a".repeat(2047)}`],
];

for (const [why, text, path] of KEPT) {
  Deno.test(`safeRedirectPath() keeps ${why}`, () =>
    assertEquals(safeRedirectPath(text, "/home"), path));
}

const REFUSED: readonly (readonly [why: string, text: unknown])[] = [
  ["nothing", ""],
  ["undefined", undefined],
  ["null", null],
  ["an array, as of ?next=/a&next=/b", ["/a", "/b"]],
  ["an object that looks like a string", {
    toString: () => "/a",
    startsWith: () => true,
    length: 1,
  }],
  ["another site", "https://evil.example/"],
  ["another scheme", "javascript:alert(1)"],
  ["a relative path", "notes"],
  ["a scheme-relative URL", "//evil.example"],
  ["three slashes", "///evil.example"],
  ["a backslash after the slash", "/\\evil.example"],
  ["a leading backslash", "\\/evil.example"],
  ["a tab between slashes", "/\t/evil.example"],
  ["a line feed between slashes", "/\n/evil.example"],
  ["NUL", "/\0"],
  ["DEL", "/\x7f"],
  ["an encoded backslash", "/%5cevil.example"],
  ["an encoded slash", "/%2fevil.example"],
  ["an encoded tab", "/%09/evil.example"],
  ["half of an escape", "/%"],
  ["an escape that is not UTF-8", "/%ff"],
  ["a double slash in the path", "/a//b"],
  ["a double slash in the query", "/a?b=//c"],
  ["a leading space", " /a"],
  ["one character more than the maximum", `/${"a".repeat(2048)}`],
  ["a path that is too long before dot segments are removed", `${"/a/..".repeat(410)}/a`],
  ["a path that is too long after encoding", `/${"\u00e9".repeat(400)}`],
];

for (const [why, text] of REFUSED) {
  Deno.test(`safeRedirectPath() rejects ${why}`, () => {
    assertEquals(safeRedirectPath(text, "/home"), "/home");
    assertEquals(safeRedirectPath(text), "/");
  });
}
