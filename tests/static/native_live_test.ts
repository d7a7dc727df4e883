/** Live folders in this process, whose permissions are limited to reading them. */

import { registerStaticAssets, type StaticAssetOptions } from "@gatehouse/http";
import { mountStatic } from "@gatehouse/http/native";
import { relative } from "@std/path";
import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { runDeno } from "../openapi/_cli.ts";
import { scriptPath } from "./_fixture.ts";
import { packageOf } from "./_packages.ts";
import { withFolder } from "./_races.ts";

const KIBIBYTE = 1024;

/** Requests a path from a mount. */
async function get(
  options: StaticAssetOptions,
  path: string,
  init?: RequestInit,
): Promise<Response> {
  const response = await mountStatic("/", options)
    .fetch(new Request(`http://localhost/${path}`, init));
  assert(response !== undefined);
  return response;
}

/** The body of a path, or its status. */
async function read(options: StaticAssetOptions, path: string): Promise<string | number> {
  const response = await get(options, path);
  const text = await response.text();
  return response.status === 200 ? text : response.status;
}

/** [why, bytes] Sizes around the limit of a single read, and around the chunk size of a stream. */
const SIZES: readonly (readonly [why: string, size: number])[] = [
  ["nothing", 0],
  ["one byte", 1],
  ["the largest size that is read at once", 64 * KIBIBYTE],
  ["the smallest size that is streamed", 64 * KIBIBYTE + 1],
  ["one chunk", 256 * KIBIBYTE],
  ["one chunk and a byte", 256 * KIBIBYTE + 1],
  ["many chunks and a remainder", 1024 * KIBIBYTE + 12_345],
];

for (const [why, size] of SIZES) {
  Deno.test(`mountStatic() sends a folder's file byte for byte: ${why}`, () =>
    withFolder(async (directory) => {
      const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 7919) >> 3);
      await Deno.writeFile(`${directory}/a.bin`, bytes);
      const response = await get({ directory }, "a.bin");
      assertEquals(await response.bytes(), bytes);
      assertEquals(response.headers.get("Content-Length"), null);
      const head = await get({ directory }, "a.bin", { method: "HEAD" });
      assertEquals(head.headers.get("Content-Length"), String(size));
      assertEquals(head.body, null);
      assertEquals(head.headers.get("ETag"), response.headers.get("ETag"));
    }));
}

Deno.test("mountStatic() sends a file to concurrent clients, each byte for byte", () =>
  withFolder(async (directory) => {
    const bytes = Uint8Array.from({ length: 500 * KIBIBYTE }, (_, i) => (i * 31) >> 2);
    await Deno.writeFile(`${directory}/a.bin`, bytes);
    const bodies = Array.from(
      { length: 50 },
      async () => await (await get({ directory }, "a.bin")).bytes(),
    );
    for (const body of await Promise.all(bodies)) {
      assert(body.every((byte, i) => byte === bytes[i]));
    }
  }));

/** [why, seconds, milliseconds in the tag] Modification times. */
const TIMES: readonly (readonly [why: string, seconds: number, expected: string])[] = [
  ["the epoch", 0, "0"],
  ["a fraction", 1.5, "1500"],
  ["before the epoch", -1.5, "-1500"],
  ["far in the future", 10_000_000_000, "10000000000000"],
];

for (const [why, seconds, expected] of TIMES) {
  Deno.test(`mountStatic() tags a folder's file by size and times: ${why}`, () =>
    withFolder(async (directory) => {
      for (const size of [3, 70_000]) {
        const path = `${directory}/a.txt`;
        await Deno.writeFile(path, new Uint8Array(size));
        await Deno.utime(path, seconds, seconds);
        const response = await get({ directory }, "a.txt");
        assertEquals((await response.bytes()).length, size);
        const ctime = (await Deno.stat(path)).ctime?.getTime();
        assertEquals(response.headers.get("ETag"), `W/"${size}-${expected}-${ctime}"`);
      }
    }));
}

/** [why, text, seconds] Changes to a file that has "old" and was written at 1,000 s. */
const CHANGES: readonly (readonly [why: string, text: string, seconds: number])[] = [
  ["another size", "other", 1000],
  ["the same size a millisecond later", "new", 1000.001],
  ["the same size earlier: an older file was restored", "new", 999],
];

for (const [why, text, seconds] of CHANGES) {
  Deno.test(`mountStatic() changes the tag of a changed file: ${why}`, () =>
    withFolder(async (directory) => {
      const path = `${directory}/a.txt`;
      await Deno.writeTextFile(path, "old");
      await Deno.utime(path, 1000, 1000);
      const old = (await get({ directory }, "a.txt", { method: "HEAD" })).headers.get("ETag") ?? "";
      const init = { headers: { "If-None-Match": old } };
      assertEquals((await get({ directory }, "a.txt", init)).status, 304);
      await Deno.writeTextFile(path, text);
      await Deno.utime(path, seconds, seconds);
      const response = await get({ directory }, "a.txt", init);
      assertEquals([response.status, await response.text()], [200, text]);
      assertNotEquals(response.headers.get("ETag"), old);
    }));
}

Deno.test("mountStatic() serves only the files of a folder that the manifest lists, with its types", () =>
  withFolder(async (directory) => {
    for (const name of ["a.txt", "b.txt", "late.txt"]) {
      await Deno.writeTextFile(`${directory}/${name}`, name);
    }
    const entry = {
      contentType: "text/x-listed",
      size: 999,
      hash: "0".repeat(64),
      etag: `"${"0".repeat(64)}"`,
    };
    const manifest = { version: 1, entries: { "a.txt": entry, "gone.txt": entry } };
    await Deno.writeTextFile(`${directory}/manifest.json`, JSON.stringify(manifest));
    for (const given of [manifest, `${directory}/manifest.json`]) {
      const options = { directory, manifest: given };
      const response = await get(options, "a.txt");
      assertEquals(await response.text(), "a.txt");
      assertEquals(response.headers.get("Content-Type"), "text/x-listed");
      assertMatch(response.headers.get("ETag") ?? "", /^W\/"5-/);
      const head = await get(options, "a.txt", { method: "HEAD" });
      assertEquals(head.headers.get("Content-Length"), "5");
      for (const missing of ["b.txt", "gone.txt", "manifest.json", "__proto__", "toString"]) {
        assertEquals(await read(options, missing), 404, missing);
      }
    }
    const hidden = { version: 1, entries: { ".env": entry } };
    assertThrows(() => mountStatic("/", { directory, manifest: hidden }), TypeError, ".env");
  }));

/** [why, a spelling of a folder's path] */
const DIRECTORIES: readonly (readonly [why: string, spell: (path: string) => string])[] = [
  ["with a trailing slash", (path) => `${path}/`],
  ["with a dot segment", (path) => `${path}/.`],
  ["with a parent segment", (path) => `${path}/nothing/..`],
  ["with slashes", (path) => path.replaceAll("/", "//")],
  ["from the working directory", (path) => relative(Deno.cwd(), path)],
];

for (const [why, spell] of DIRECTORIES) {
  Deno.test(`mountStatic() serves a folder in any spelling of its path: ${why}`, () =>
    withFolder(async (parent) => {
      // Only names inside the folder must not be hidden.
      const directory = `${parent}/.site/100% (x)`;
      await Deno.mkdir(`${directory}/sub`, { recursive: true });
      for (const path of ["a.txt", "sub/a.txt"]) {
        await Deno.writeTextFile(`${directory}/${path}`, path);
        assertEquals(await read({ directory: spell(directory) }, path), path);
      }
    }));
}

/** [why, available sources, live, source of the file] A folder, a package as an option, and one that is registered for the folder. */
const SOURCES: readonly (readonly [
  why: string,
  has: { readonly folder: boolean; readonly package: boolean; readonly registered: boolean },
  live: boolean | undefined,
  expected: string | number,
])[] = [
  ["the folder alone", { folder: true, package: false, registered: false }, undefined, "folder"],
  [
    "packages take precedence",
    { folder: true, package: true, registered: true },
    undefined,
    "package",
  ],
  [
    "registered ones as well",
    { folder: true, package: false, registered: true },
    undefined,
    "registered",
  ],
  [
    "live: true takes precedence over packages",
    { folder: true, package: true, registered: true },
    true,
    "folder",
  ],
  ["live: true needs the folder", { folder: false, package: true, registered: true }, true, 404],
  ["live: false needs packages", { folder: true, package: false, registered: false }, false, 404],
  [
    "live: false with a package",
    { folder: true, package: true, registered: false },
    false,
    "package",
  ],
  [
    "live: false with a registered one",
    { folder: true, package: false, registered: true },
    false,
    "registered",
  ],
  ["nothing", { folder: false, package: false, registered: false }, undefined, 404],
];

for (const [why, has, live, expected] of SOURCES) {
  Deno.test(`mountStatic() chooses the source of files: ${why}`, () =>
    withFolder(async (parent) => {
      const directory = `${parent}/public`;
      await Deno.mkdir(directory);
      if (has.folder) await Deno.writeTextFile(`${directory}/a.txt`, "folder");
      await Deno.writeTextFile(`${directory}/folder.txt`, "folder");
      if (has.registered) {
        registerStaticAssets(directory, await packageOf({ "a.txt": "registered" }));
      }
      const options: StaticAssetOptions = {
        directory,
        ...(has.package ? { package: await packageOf({ "a.txt": "package" }) } : {}),
        ...(live === undefined ? {} : { live }),
      };
      assertEquals(await read(options, "a.txt"), expected);
      // Sources are not combined.
      const readsFolder = live ?? (!has.package && !has.registered);
      assertEquals(await read(options, "folder.txt"), readsFolder ? "folder" : 404);
    }));
}

Deno.test("mountStatic() serves a package that is registered after it", () =>
  withFolder(async (directory) => {
    const mount = mountStatic("/", { directory });
    const request = () => new Request("http://localhost/a.txt");
    assertEquals((await mount.fetch(request()))?.status, 404);
    registerStaticAssets(directory, await packageOf({ "a.txt": "late" }));
    assertEquals(await (await mount.fetch(request()))?.text(), "late");
  }));

Deno.test("mountStatic() serves a folder that is created, deleted and created again, root-missing", () =>
  withFolder(async (parent) => {
    const directory = `${parent}/public`;
    const mount = mountStatic("/", { directory });
    const answer = async (path: string) => {
      const response = await mount.fetch(new Request(`http://localhost/${path}`));
      const text = await response?.text();
      return response?.status === 200 ? text : response?.status;
    };
    for (const text of ["first", "second"]) {
      assertEquals([await answer("a.txt"), await answer("sub/a.txt")], [404, 404]);
      await Deno.mkdir(`${directory}/sub`, { recursive: true });
      for (const path of ["a.txt", "sub/a.txt"]) {
        await Deno.writeTextFile(`${directory}/${path}`, text);
      }
      assertEquals([await answer("a.txt"), await answer("sub/a.txt")], [text, text]);
      await Deno.remove(directory, { recursive: true });
    }
  }));

Deno.test("mountStatic() answers 404 if the folder is a file, root-is-file", () =>
  withFolder(async (parent) => {
    const directory = `${parent}/file`;
    await Deno.writeTextFile(directory, "x");
    for (const path of ["", "a.txt", "file", "sub/a.txt"]) {
      assertEquals(await read({ directory }, path), 404, path);
    }
  }));

Deno.test("mountStatic() warns once of an unreadable folder", () =>
  withFolder(async (directory) => {
    await Deno.writeTextFile(`${directory}/a.txt`, "x");
    const args = ["run", "--no-prompt", scriptPath("hammer_main.ts"), directory, "/a.txt", "50"];
    const { stdout, stderr } = await runDeno(args, directory);
    assertMatch(stdout, /"tally":\{"404":\d+\}/);
    assertEquals(stderr.match(/Cannot serve static assets/g)?.length, 1);
  }));
