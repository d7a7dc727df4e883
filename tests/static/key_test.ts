/** Which canonical paths name a file, lexically, and that no other keys are returned. */

import { assert, assertEquals } from "@std/assert";
import { decodePath } from "../../router/path.ts";
import { isAssetKey, parseKey } from "../../static/key.ts";
import { randomNumbers } from "./_random.ts";

/** The result for a raw path after the prefix: a key, a rejection, or `malformed`. */
function keyOf(raw: string): string {
  const path = decodePath(raw);
  if (path === undefined) return "malformed";
  const parsed = parseKey(path);
  return "refused" in parsed ? parsed.refused : `key ${parsed.key}`;
}

/** Raw paths after the prefix, by the classes of the shared table. */
const PATHS: readonly [why: string, raw: string, outcome: string][] = [
  ["a file", "/app.css", "key app.css"],
  ["a file in a folder", "/img/logo.png", "key img/logo.png"],
  ["a space", "/two%20words.txt", "key two words.txt"],
  ["UTF-8", "/na%C3%AFve.txt", "key naïve.txt"],
  ["raw UTF-8", "/naïve.txt", "key naïve.txt"],
  ["beyond the BMP", "/%F0%9F%98%80.txt", "key 😀.txt"],
  ["a percent sign", "/50%25.txt", "key 50%.txt"],
  ["two percent signs", "/%25%25", "key %%"],
  ["an escape in a name", "/%2541", "key %41"],
  ["a number sign", "/c%23.txt", "key c#.txt"],
  ["a question mark", "/why%3F.txt", "key why?.txt"],
  ["a plus", "/c++.txt", "key c++.txt"],
  ["an encoded plus", "/c%2B.txt", "key c+.txt"],
  ["a tilde", "/~ada", "key ~ada"],
  ["dots inside", "/v1..v2.txt", "key v1..v2.txt"],
  ["trailing dots", "/more...", "key more..."],
  ["matrix parameters", "/a.css;v=2", "key a.css;v=2"],
  ["an NTFS stream, rejected on Windows", "/a.css::$DATA", "key a.css::$DATA"],
  ["a drive, rejected on Windows", "/C:/boot.ini", "key C:/boot.ini"],
  ["a device, rejected on Windows", "/nul", "key nul"],
  ["a short name", "/PROGRA~1", "key PROGRA~1"],
  ["full-width dots are not dots", "/%EF%BC%8E%EF%BC%8E/x", "key ．．/x"],
  ["a two dot leader is not dots", "/%E2%80%A5/x", "key ‥/x"],
  ["nothing is normalised", "/cafe%CC%81", "key cafe\u0301"],
  ["a zero width space", "/a%E2%80%8B", "key a\u200b"],
  ["a byte order mark", "/%EF%BB%BFa", "key \ufeffa"],
  ["..", "/../x", "traversal"],
  [".. after a folder", "/a/..", "traversal"],
  [".. and a slash", "/a/../", "traversal"],
  ["only ..", "/..", "traversal"],
  ["many ..", "/a/../../../b", "traversal"],
  ["encoded dots", "/%2e%2E/x", "traversal"],
  ["partly encoded dots", "/.%2e/x", "traversal"],
  ["an encoded slash after ..", "/..%2fx", "traversal"],
  ["an encoded slash before ..", "/a%2F..", "traversal"],
  ["both", "/a%2f..%2fx", "traversal"],
  ["everything encoded", "/%2e%2e%2fx", "traversal"],
  ["an encoded backslash after ..", "/..%5cx", "traversal"],
  ["a raw backslash after ..", "/..\\x", "traversal"],
  ["raw backslashes around ..", "/a\\..\\x", "traversal"],
  ["slash and backslash", "/a%5C../x", "traversal"],
  [".. after an empty segment", "//../x", "traversal"],
  [".. after a hidden segment", "/.git/../x", "traversal"],
  ["encoded twice", "/%252e%252e/x", "key %2e%2e/x"],
  ["an encoded slash, encoded twice", "/..%252fx", "missing"],
  ["a slash that is encoded twice", "/a%252Fb", "key a%2Fb"],
  ["encoded three times", "/%25252e", "key %252e"],
  [".", "/./x", "missing"],
  [". inside", "/a/./x", "missing"],
  [". at the end", "/a/.", "missing"],
  ["an encoded dot", "/%2e/x", "missing"],
  ["three dots", "/.../x", "missing"],
  ["a hidden file", "/.env", "missing"],
  ["a hidden file, encoded", "/%2Eenv", "missing"],
  ["a hidden folder", "/.git/config", "missing"],
  ["a hidden folder inside", "/a/.git/config", "missing"],
  ["hidden by two dots", "/..x", "missing"],
  [".. and a space", "/..%20/x", "missing"],
  [".. and a full-width solidus", "/..%EF%BC%8Fx", "missing"],
  [".. and a semicolon", "/..;/x", "missing"],
  [".. and a percent sign", "/..%25", "missing"],
  ["a well-known path", "/.well-known/security.txt", "missing"],
  ["no path", "", "missing"],
  ["the root", "/", "missing"],
  ["a folder", "/a/", "missing"],
  ["no leading slash", "a", "missing"],
  ["a leading empty segment", "//a", "missing"],
  ["an empty segment inside", "/a//b", "missing"],
  ["empty segments alone", "///", "missing"],
  ["an encoded slash", "/a%2Fb", "missing"],
  ["an absolute path in a segment", "/%2Fetc%2Fpasswd", "missing"],
  ["an encoded backslash", "/a%5Cb", "missing"],
  ["a raw backslash", "/a\\b", "missing"],
  ["a UNC path", "/%5C%5Chost%5Cshare", "missing"],
  ["an encoded slash next to a percent sign", "/%25%2F", "missing"],
  ["line breaks", "/a%0D%0Ab", "missing"],
  ["an escape character", "/%1B[2J", "missing"],
  ["DEL", "/a%7F", "missing"],
  ["a tab", "/a%09b", "missing"],
  ["NUL", "/a%00", "malformed"],
  ["NUL after dots", "/..%00/x", "malformed"],
  ["a lone percent sign", "/%", "malformed"],
  ["a truncated escape", "/a%2", "malformed"],
  ["no hexadecimal digits", "/%zz", "malformed"],
  ["overlong dots", "/%c0%ae%c0%ae/x", "malformed"],
  ["a truncated UTF-8 sequence", "/%c3", "malformed"],
  ["a surrogate", "/%ed%a0%80", "malformed"],
  ["malformed and traversing", "/..%2f%zz", "malformed"],
  ["a raw control character", "/a\tb", "malformed"],
];

for (const [why, raw, outcome] of PATHS) {
  Deno.test(`parseKey() reads ${why}: ${JSON.stringify(raw)} is ${outcome}`, () => {
    assertEquals(keyOf(raw), outcome);
  });
}

const KEYS: readonly [key: string, is: boolean, why: string][] = [
  ["a.txt", true, "a name"],
  ["a/b/c", true, "folders"],
  ["__proto__", true, "an ordinary name"],
  ["a%2Fb", true, "a percent sign is an ordinary character"],
  ["a..b", true, "dots inside"],
  ["a:b", true, "a colon"],
  ["", false, "nothing"],
  ["/a", false, "an absolute path"],
  ["a/", false, "a folder"],
  ["a//b", false, "an empty segment"],
  [".", false, "the folder itself"],
  ["..", false, "the folder above"],
  ["../a", false, "a file above"],
  ["a/../b", false, "a parent segment"],
  ["a/.b", false, "hidden"],
  ["./a", false, "another spelling"],
  ["a\\b", false, "a separator on Windows"],
  ["a\0", false, "NUL"],
  ["a\n", false, "a line break at the end"],
  ["a\x7f", false, "DEL"],
  ["\ud800", false, "a lone surrogate has no UTF-8 encoding"],
];

for (const [key, is, why] of KEYS) {
  Deno.test(`isAssetKey() ${is ? "accepts" : "rejects"} ${JSON.stringify(key)}: ${why}`, () => {
    assertEquals(isAssetKey(key), is);
  });
}

const ATOMS: readonly string[] = [
  ..."/ / / a b . . \\ % \0 \n \x7f é \u202e \ud800 \udc00 :".split(" "),
  ..."%2F %5C %25 %252F %2e .. /../ %25%2F ..%2F %2F.. %5C..".split(" "),
];

/** Invariants of keys, independent of the expressions in the code. */
function assertProper(key: string, path: string): void {
  const why = `${JSON.stringify(path)} gave ${JSON.stringify(key)}`;
  assert(isAssetKey(key), why);
  assert(!key.includes("\\") && key.isWellFormed(), why);
  assert([...key].every((char) => char >= " " && char !== "\x7f"), why);
  for (const segment of key.split("/")) assert(segment !== "" && segment[0] !== ".", why);
  assertEquals(
    new URL(`http://h/m/${encodeURI(key).replace(/[?#]/g, encodeURIComponent)}`).pathname
      .startsWith("/m/"),
    true,
    why,
  );
}

Deno.test("parseKey() returns only valid keys, for any string", () => {
  const next = randomNumbers(17);
  let keys = 0;
  let traversals = 0;
  for (let i = 0; i < 60_000; i++) {
    const atoms = Array.from({ length: next(8) }, () => ATOMS[next(ATOMS.length)]);
    const path = (next(8) === 0 ? "" : "/") + atoms.join("");
    const parsed = parseKey(path);
    if (!("refused" in parsed)) {
      assertProper(parsed.key, path);
      keys++;
    } else if (parsed.refused === "traversal") traversals++;
    // A `..` between separators of any spelling is `traversal`, not `missing`.
    const climbs = path.replaceAll(/%2F|%5C/g, "/").split("/").includes("..");
    assertEquals("refused" in parsed && parsed.refused === "traversal", climbs, path);
  }
  assert(keys > 1000 && traversals > 1000, `${keys} keys, ${traversals} traversals`);
});

Deno.test("parseKey() returns every key for the path that names it", () => {
  const next = randomNumbers(3986);
  let found = 0;
  for (let i = 0; i < 20_000; i++) {
    const key = Array.from({ length: 1 + next(6) }, () => ATOMS[next(ATOMS.length)]).join("");
    if (!isAssetKey(key)) continue;
    const raw = "/" + key.split("/").map(encodeURIComponent).join("/");
    assertEquals(keyOf(raw), `key ${key}`);
    found++;
  }
  assert(found > 1000, `${found}`);
});

const UNITS = [
  "/a",
  "/",
  "a",
  "/a/",
  "/..",
  "/.",
  "%25",
  "/%25",
  "%2F",
  "%5C..",
  "..",
  "/a%25",
  "é",
];

for (const unit of UNITS) {
  Deno.test(`parseKey() reads 1 MB of ${unit} in linear time`, () => {
    for (const end of ["", "/", "\\", "\0", "%2F"]) {
      const path = "/" + unit.repeat(1_000_000 / unit.length) + end;
      const startedAt = performance.now();
      const parsed = parseKey(path);
      if ("key" in parsed) isAssetKey(parsed.key);
      const elapsed = performance.now() - startedAt;
      assert(elapsed < 1000, `${elapsed} ms before ${JSON.stringify(end)}`); // quadratic: minutes
    }
  });
}
