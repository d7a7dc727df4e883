/** Packages by the folder that they were created from: which mount finds which. The registry is per process. */

import {
  mountStatic,
  registerStaticAssets,
  type StaticAssetManifest,
  type StaticAssetOptions,
} from "@gatehouse/http";
import { mountStatic as mountNative } from "@gatehouse/http/native";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { entryOf, get, packageOf } from "./_packages.ts";

/** The response of a mount for `a.txt`: its text, or the status. */
async function answer(options: StaticAssetOptions): Promise<string | number | undefined> {
  const response = await get(mountStatic("/", options), "/a.txt");
  return response?.ok ? await response.text() : response?.status;
}

/** Runs with `console.warn` replaced, and returns the warnings. */
async function warningsOf(run: () => Promise<unknown>): Promise<readonly string[]> {
  const warnings: string[] = [];
  const descriptor = Object.getOwnPropertyDescriptor(console, "warn") ?? {};
  const warn = (...data: unknown[]) => void warnings.push(data.join(" "));
  Object.defineProperty(console, "warn", { ...descriptor, value: warn });
  try {
    await run();
  } finally {
    Object.defineProperty(console, "warn", descriptor);
  }
  return warnings;
}

/** Spellings of a folder at registration and at the mount, and whether they are the same key. */
const SPELLINGS: readonly [registered: string, mounted: string, same: boolean, why: string][] = [
  ["r1/public", "r1/public", true, "unchanged"],
  ["./r2/public", "r2/public", true, "a leading ./ at registration"],
  ["r3/public", "./r3/public", true, "a leading ./ at the mount"],
  ["././r4", "r4", true, "two leading ./"],
  [".//r5", "r5", true, "a leading ./ with two slashes"],
  ["r6/", "r6", true, "a trailing slash"],
  ["r7", "r7///", true, "trailing slashes"],
  ["./r8/", ".//r8//", true, "all of these"],
  ["/srv/r9", "/srv/r9/", true, "an absolute path"],
  ["/r10", "r10", false, "absolute and relative"],
  ["r11/a/./b", "r11/a/b", false, "dot segments inside are not normalized"],
  ["r12//b", "r12/b", false, "slashes inside are not normalized"],
  ["../r13", "r13", false, "the folder above is another one"],
  [".r14", "r14", false, "a hidden folder"],
  ["R15", "r15", false, "case"],
  ["r16\\", "r16", false, "a backslash is part of a name"],
  ["__proto__", "__proto__", true, "a name of Object.prototype"],
  [".", "./", true, "the working directory"],
];

for (const [registered, mounted, same, why] of SPELLINGS) {
  const name = `registerStaticAssets("${registered}") is ${
    same ? "" : "not "
  }found as "${mounted}"`;
  Deno.test(`${name}: ${why}`, async () => {
    await warningsOf(async () => {
      assertEquals(await answer({ directory: mounted }), 404);
      registerStaticAssets(registered, await packageOf({ "a.txt": registered }));
      assertEquals(await answer({ directory: registered }), registered);
      assertEquals(await answer({ directory: mounted }), same ? registered : 404);
    });
  });
}

Deno.test("registerStaticAssets() accepts the same package again, and no other under its key", async () => {
  const pkg = await packageOf({ "a.txt": "one" });
  registerStaticAssets("twice", pkg);
  registerStaticAssets("./twice/", pkg); // a module that is loaded under two names
  for (const other of [await packageOf({ "a.txt": "two" }), await packageOf({})]) {
    assertThrows(
      () => registerStaticAssets("./twice", other),
      TypeError,
      'Cannot register static assets: "twice" is already registered',
    );
  }
  registerStaticAssets("twice elsewhere", pkg);
  assertEquals(await answer({ directory: "twice" }), "one");
  assertEquals(await answer({ directory: "twice elsewhere" }), "one");
});

Deno.test("registerStaticAssets() does not reserve the key of a rejected package", async () => {
  assertThrows(() => registerStaticAssets("rejected", { version: 2, entries: {} }), TypeError);
  registerStaticAssets("rejected", await packageOf({ "a.txt": "right" }));
  assertEquals(await answer({ directory: "rejected" }), "right");
});

Deno.test("registerStaticAssets() rejects a key that no mount can have", async () => {
  const pkg = await packageOf({});
  for (const key of ["", undefined, null, 1]) {
    assertThrows(() => registerStaticAssets(key as string, pkg), TypeError);
  }
});

Deno.test("mountStatic() finds a package that is registered after the first request", async () => {
  const mount = mountStatic("/", { directory: "late" });
  const warnings = await warningsOf(async () => {
    assertEquals((await get(mount, "/a.txt"))?.status, 404);
    registerStaticAssets("./late", await packageOf({ "a.txt": "late" }));
    const response = await get(mount, "/a.txt");
    assertEquals([response?.status, await response?.text()], [200, "late"]);
    assertEquals((await get(mount, "/b.txt"))?.status, 404);
  });
  assertEquals(warnings.length, 1);
});

Deno.test("mountStatic() takes a package before a manifest, and both before a registered package", async () => {
  const registered = await packageOf({ "a.txt": "registered" });
  const packaged = await packageOf({ "a.txt": "package" });
  const listed = await packageOf({ "a.txt": "manifest" });
  const metadata = { ...await entryOf("a.txt", "bare"), data: undefined, encoding: undefined };
  const bare: StaticAssetManifest = JSON.parse(
    JSON.stringify({ version: 1, entries: { "a.txt": metadata } }),
  );
  const directory = "precedence";
  registerStaticAssets(directory, registered);
  const sources: readonly [
    options: Omit<StaticAssetOptions, "directory">,
    answer: string | number,
  ][] = [
    [{}, "registered"],
    [{ live: false }, "registered"],
    [{ package: packaged }, "package"],
    [{ package: packaged, live: false }, "package"],
    [{ manifest: listed }, "manifest"],
    [{ manifest: listed, live: false }, "manifest"],
    [{ package: packaged, manifest: listed }, "package"],
    [{ package: packaged, manifest: bare }, "package"],
    [{ manifest: bare }, 404], // metadata alone needs a folder, and is not mixed with another package
    [{ manifest: bare, live: false }, 404],
  ];
  await warningsOf(async () => {
    for (const [options, expected] of sources) {
      assertEquals(await answer({ directory, ...options }), expected, Object.keys(options).join());
    }
  });
});

Deno.test("mountStatic() takes packaged contents before a folder, unless live is true", async () => {
  const directory = await Deno.makeTempDir({ prefix: "registry_" });
  const [registered, pkg] = [`${directory}/registered`, await packageOf({ "a.txt": "package" })];
  const sources: readonly [options: StaticAssetOptions, expected: string | number][] = [
    [{ directory }, "folder"],
    [{ directory, live: true }, "folder"],
    [{ directory, live: false }, 404],
    [{ directory, package: pkg }, "package"],
    [{ directory, package: pkg, live: true }, "folder"],
    [{ directory, package: pkg, live: false }, "package"],
    [{ directory, manifest: pkg }, "package"],
    [{ directory: registered }, "package"],
    [{ directory: registered, live: true }, "folder"],
    [{ directory: registered, live: false }, "package"],
    [{ directory: `${directory}/none` }, 404],
  ];
  try {
    await Deno.mkdir(registered);
    for (const folder of [directory, registered]) {
      await Deno.writeTextFile(`${folder}/a.txt`, "folder");
    }
    registerStaticAssets(registered, pkg);
    await warningsOf(async () => {
      for (const [options, expected] of sources) {
        const response = await get(mountNative("/", options), "/a.txt");
        const got = response?.ok ? await response.text() : response?.status;
        assertEquals(got, expected, JSON.stringify(options));
      }
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("mountStatic() warns once of a mount without files, and names the entry point that serves folders", async () => {
  const mount = mountStatic("/assets", { directory: "nowhere/public" });
  const through = mountStatic("/assets", { directory: "nowhere/public", fallthrough: true });
  const warnings = await warningsOf(async () => {
    for (const path of ["/..", "/%zz", "/.env"]) await get(mount, `/assets${path}`);
    assertEquals((await get(mount, "/assets/a.txt", { method: "POST" }))?.status, 405);
    for (let i = 0; i < 5; i++) {
      assertEquals((await get(mount, "/assets/a.txt"))?.status, 404);
      assertEquals((await get(mount, "/assets/b.txt", { method: "HEAD" }))?.status, 404);
    }
    assertEquals(await get(through, "/assets/a.txt"), undefined);
  });
  assertEquals(warnings.length, 2, "once for each mount");
  for (const text of ["/assets", '"nowhere/public"', "@gatehouse/http/native"]) {
    assertStringIncludes(warnings[0] ?? "", text);
  }
});

Deno.test("mountStatic() does not warn if there are files, or no request", async () => {
  registerStaticAssets("quiet", await packageOf({ "a.txt": "a" }));
  const warnings = await warningsOf(async () => {
    mountStatic("/", { directory: "never asked" });
    await get(mountStatic("/", { directory: "quiet" }), "/b.txt");
    await get(mountStatic("/", { directory: "x", package: await packageOf({}) }), "/b.txt");
  });
  assertEquals(warnings, []);
});

Deno.test("mountStatic() serves only the files of a package that the accompanying manifest lists", async () => {
  const pkg = await packageOf({ "a.txt": "listed", "b.txt": "not listed" });
  const { "a.txt": listed } = pkg.entries;
  assert(listed !== undefined);
  const manifest = { version: 1, entries: { "a.txt": listed, "c.txt": listed } };
  const assets = mountStatic("/assets", { directory: "x", package: pkg, manifest });
  const statuses = ["a.txt", "b.txt", "c.txt"].map(async (name) => {
    const response = await get(assets, `/assets/${name}`);
    await response?.body?.cancel();
    return response?.status;
  });
  assertEquals(await Promise.all(statuses), [200, 404, 404]);
});
