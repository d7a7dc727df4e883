/** Arguments of a mount: prefixes and options. */

import { mountStatic, type StaticAssetOptions } from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { get, packageOf } from "../static/_packages.ts";

const OPTIONS: StaticAssetOptions = {
  directory: "mount",
  package: await packageOf({ "a.txt": "hello\n" }),
};

const PREFIXES: readonly [prefix: string, path: string, why: string][] = [
  ["/", "/a.txt", "the root"],
  ["/assets", "/assets/a.txt", "a segment"],
  ["/assets/", "/assets/a.txt", "a trailing slash has no effect"],
  ["/a/b.c/d-e_f~g", "/a/b.c/d-e_f~g/a.txt", "segments"],
  ["/.well-known", "/.well-known/a.txt", "hidden names are of the files, not of the prefix"],
  ["/naïve", "/na%C3%AFve/a.txt", "letters beyond ASCII"],
  ["/@v1/(a)", "/@v1/(a)/a.txt", "marks that mean nothing here"],
];

for (const [prefix, path, why] of PREFIXES) {
  Deno.test(`mountStatic() takes the prefix ${prefix}: ${why}`, async () => {
    const mount = mountStatic(prefix, OPTIONS);
    assertEquals(mount.prefix, prefix);
    assertEquals(await (await get(mount, path))?.text(), "hello\n");
    assertEquals((await get(mount, `/x${path}`))?.status, 404);
    assertEquals((await get(mount, path.replace("/a.txt", "")))?.status, 404);
  });
}

const REJECTED_PREFIXES: readonly [prefix: string, why: string][] = [
  ["", "empty"],
  ["assets", "no leading slash"],
  ["*", "a wildcard"],
  ["//", "an empty segment"],
  ["/a//b", "an empty segment inside"],
  ["/a//", "a trailing empty segment"],
  ["/:id", "a parameter"],
  ["/a/:id{[0-9]+}", "an expression"],
  ["/a?", "an optional segment, or a query"],
  ["/a/*", "a wildcard"],
  ["/a#b", "a fragment"],
  ["/a%20b", "an escape: it is written as it is matched, decoded"],
  ["/a b", "a space"],
  ["/a\\b", "a backslash"],
  ["/a\n", "a line break"],
  ["/a\0", "NUL"],
  ["/.", "a dot segment"],
  ["/a/..", "a way up"],
  ["/../a", "a way up in front"],
];

for (const [prefix, why] of REJECTED_PREFIXES) {
  Deno.test(`mountStatic() rejects the prefix ${JSON.stringify(prefix)}: ${why}`, () => {
    assertThrows(
      () => mountStatic(prefix, OPTIONS),
      TypeError,
      "it must be a path of literal segments",
    );
  });
}

const REJECTED_OPTIONS: readonly [
  options: Record<string, unknown>,
  message: string,
  why: string,
][] = [
  [{ directory: "" }, "directory", "empty"],
  [{ directory: undefined }, "directory", "left out"],
  [{ directory: new URL("file:///srv") }, "directory", "a URL"],
  [{ cacheControl: "" }, "cacheControl", "empty"],
  [{ cacheControl: "a\r\nSet-Cookie: b=c" }, "cacheControl", "an injected header field"],
  [{ cacheControl: "no-store\n" }, "cacheControl", "a trailing line break"],
  [{ cacheControl: " no-store" }, "cacheControl", "white space in front"],
  [{ cacheControl: "näh" }, "cacheControl", "beyond ASCII"],
  [{ cacheControl: null }, "cacheControl", "null"],
  [{ cacheControl: 60 }, "cacheControl", "a number"],
  [{ cacheControl: ["no-store"] }, "cacheControl", "a list"],
  [{ fallthrough: "false" }, "fallthrough", "text that is truthy"],
  [{ fallthrogh: true }, "unknown option fallthrogh", "misspelt"],
  [{ live: "no" }, "live", "text that is truthy"],
  [{ live: true }, "@gatehouse/http/native", "a folder, without a file system"],
  [{ live: true, package: undefined }, "@gatehouse/http/native", "the same without a package"],
  [{ manifest: "m.json" }, "@gatehouse/http/native", "a file, without a file system"],
  [{ manifest: { version: 2, entries: {} } }, "its version must be 1", "beside a package"],
  [{ manifest: {}, package: undefined }, "Cannot read the manifest", "no manifest"],
  [{ manifest: {}, package: undefined, live: false }, "Cannot read the manifest", "not live"],
  [{ manifest: [], package: undefined }, "Cannot read the manifest", "a list"],
  [{ package: {} }, "Cannot read the package", "no package"],
  [{ package: "{}" }, "Cannot read the package", "text"],
];

for (const [options, message, why] of REJECTED_OPTIONS) {
  const [name] = Object.keys(options);
  Deno.test(`mountStatic() rejects a wrong ${name}: ${why}`, () => {
    const given = { ...OPTIONS, ...options } as unknown as StaticAssetOptions;
    assertThrows(() => mountStatic("/", given), TypeError, message);
  });
}

Deno.test("mountStatic() reads its options once", async () => {
  const options = { ...OPTIONS, cacheControl: "no-cache", fallthrough: false };
  const mount = mountStatic("/", options);
  Object.assign(options, { cacheControl: "immutable", fallthrough: true, package: undefined });
  assertEquals((await get(mount, "/a.txt"))?.headers.get("Cache-Control"), "no-cache");
  assertEquals((await get(mount, "/none"))?.status, 404);
});
