/** Packages: rejection at registration, contents that are never served, and decoding. */

import {
  mountStatic,
  registerStaticAssets,
  type StaticAssetPackage,
  type StaticMount,
  verifyStaticAssets,
} from "@gatehouse/http";
import { packagedSource } from "../../static/packaged.ts";
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { countDigests, entryOf, get, gzipped, noise, packageOf } from "./_packages.ts";

const HELLO = await entryOf("a.txt", "hello\n");

/** A package with one entry, whose correct members are replaced by these. */
function packageWith(members: Readonly<Record<string, unknown>>): StaticAssetPackage {
  return { version: 1, entries: { "a.txt": { ...HELLO, ...members } } };
}

function mountOf(pkg: StaticAssetPackage): StaticMount {
  return mountStatic("/", { directory: "packaged", package: pkg });
}

const OTHER_HASH = "0".repeat(64);

/** Invalid packages, and the expected part of the message. */
const SHAPES: readonly [why: string, pkg: unknown, message: string][] = [
  ["a string", "{}", "it must be an object"],
  ["null", null, "it must be an object"],
  ["an empty object", {}, "its version must be 1"],
  ["another version", { version: 2, entries: {} }, "its version must be 1"],
  ["a version as a string", { version: "1", entries: {} }, "its version must be 1"],
  ["no entries", { version: 1 }, "it has no entries"],
  ["entries that are a string", { version: 1, entries: "a" }, "it has no entries"],
  ["entries that are null", { version: 1, entries: null }, "it has no entries"],
  ["an entry that is null", { version: 1, entries: { a: null } }, '"a" is malformed'],
  ["an entry that is a string", { version: 1, entries: { a: "aGk=" } }, '"a" is malformed'],
  ["an empty entry", { version: 1, entries: { a: {} } }, '"a" is malformed'],
  ...["", "/a", "a/", "a//b", "../a", "a/../b", ".env", "a/.git/b", "a\\b", "a\0", "a\n", "\ud800"]
    .map((key): [string, unknown, string] => [
      `the key ${JSON.stringify(key)}`,
      { version: 1, entries: { [key]: HELLO } },
      "is not a valid key",
    ]),
  ...([
    ["no content type", { contentType: undefined }],
    ["a content type without a slash", { contentType: "text" }],
    ["a content type with a line break", { contentType: "text/plain\r\nSet-Cookie: a=b" }],
    ["a content type with a trailing line break", { contentType: "text/plain\n" }],
    ["a content type beyond ASCII", { contentType: "text/plaïn" }],
    ["no size", { size: undefined }],
    ["a size as a string", { size: "6" }],
    ["a negative size", { size: -6 }],
    ["a negative size in gzip", { size: -6, encoding: "gzip+base64" }],
    ["a fractional size", { size: 6.5 }],
    ["an infinite size", { size: Infinity }],
    ["NaN as a size", { size: NaN }],
    ["a size one byte less than the data", { size: 5 }],
    ["a size one byte more than the data", { size: 7 }],
    ["no hash", { hash: undefined, etag: '"undefined"' }],
    ["a truncated hash", { hash: HELLO.hash.slice(32), etag: `"${HELLO.hash.slice(32)}"` }],
    ["a hash in upper case", {
      hash: HELLO.hash.toUpperCase(),
      etag: `"${HELLO.hash.toUpperCase()}"`,
    }],
    ["a hash with a line break", { hash: `${HELLO.hash}\n`, etag: `"${HELLO.hash}\n"` }],
    ["a weak tag", { etag: `W/"${HELLO.hash}"` }],
    ["a tag without quotes", { etag: HELLO.hash }],
    ["the tag of another hash", { etag: `"${OTHER_HASH}"` }],
    ["no encoding", { encoding: undefined }],
    ["an unknown encoding", { encoding: "br+base64" }],
    ["no data", { data: undefined }],
    ["data as an array of bytes", { data: [104, 105] }],
    ["data without padding", { data: "aGVsbG8", size: 5 }],
    ["no data for a file with bytes", { data: "" }],
    ["no data in gzip", { data: "", encoding: "gzip+base64" }],
    ["an impossible size", { size: Number.MAX_SAFE_INTEGER, encoding: "gzip+base64" }],
    ["more than gzip can compress", { size: 1032 * 6 + 1, encoding: "gzip+base64" }],
    ["data in gzip without padding", { data: "H4s", encoding: "gzip+base64" }],
  ] as const).map(([why, members]): [string, unknown, string] => [
    why,
    packageWith(members),
    '"a.txt" is malformed',
  ]),
];

for (const [why, value, message] of SHAPES) {
  Deno.test(`packagedSource() rejects ${why}, and so does every function that takes a package`, async () => {
    const pkg = value as StaticAssetPackage;
    for (
      const register of [
        () => packagedSource(pkg),
        () => registerStaticAssets(`packaged_test ${why}`, pkg),
        ...(pkg === null ? [] : [() => mountOf(pkg)]),
      ]
    ) {
      assertThrows(register, TypeError, message);
    }
    await assertRejects(() => verifyStaticAssets(pkg), TypeError, message);
  });
}

const packed = await entryOf("a.txt", "hello hello hello\n", { gzip: true });
const packedBytes = Uint8Array.fromBase64(packed.data);
const { data: packedA } = await entryOf("a.txt", "a", { gzip: true });
const damaged = packedBytes.slice();
damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 1; // in the checksum, RFC 1952 §2.3.1

/** The correct entry of the compressed file, with other bytes. */
function repacked(bytes: Uint8Array<ArrayBuffer>, members = {}): StaticAssetPackage {
  return packageWith({ ...packed, data: bytes.toBase64(), ...members });
}

/** Invalid contents that only decoding detects. */
const CONTENTS: readonly [why: string, pkg: StaticAssetPackage][] = [
  ["another hash", packageWith({ hash: OTHER_HASH, etag: `"${OTHER_HASH}"` })],
  ["other bytes", packageWith({ data: btoa("HELLO\n") })],
  ["invalid base64", packageWith({ data: "!!!!!!!!" })],
  ["base64url", packageWith({ data: "__-_____" })],
  ["padding inside", packageWith({ data: "aGU=bG8K", size: 6 })],
  ["white space", packageWith({ data: "aGVs bG8K   ", size: 9 })],
  ["gzip of other bytes", repacked(await gzipped(noise(18)))],
  ["truncated gzip", repacked(packedBytes.slice(0, -9))],
  ["gzip without its trailer", repacked(packedBytes.slice(0, -8))],
  ["gzip with trailing bytes", repacked(new Uint8Array([...packedBytes, 1, 2, 3, 4]))],
  ["gzip with a wrong checksum", repacked(damaged)],
  ["gzip that decompresses to more than its size", repacked(packedBytes, { size: 17 })],
  ["gzip that decompresses to less than its size", repacked(packedBytes, { size: 19 })],
  ["gzip without the zeros at the end of the file", {
    version: 1,
    entries: {
      "a.txt": { ...await entryOf("a.txt", "a\0\0"), encoding: packed.encoding, data: packedA },
    },
  }],
  [
    "gzip of 32 MB that declares 6 bytes",
    repacked(await gzipped(new Uint8Array(1 << 25)), { size: 6 }),
  ],
  ["invalid gzip", repacked(new Uint8Array(12))],
  ["plain bytes as gzip", packageWith({ encoding: "gzip+base64" })],
];

for (const [why, pkg] of CONTENTS) {
  Deno.test(`verifyStaticAssets() rejects ${why}, which is never served`, async () => {
    await assertRejects(
      () => verifyStaticAssets(pkg),
      Error,
      'Cannot serve "a.txt": its packaged contents do not match their size and digest',
    );
    const mount = mountOf(pkg);
    const digests = await countDigests(async () => {
      for (let i = 0; i < 3; i++) await assertRejects(() => get(mount, "/a.txt"), Error, "a.txt");
    });
    assert(digests <= 1, `checked ${digests} times`);
    await (await get(mount, "/missing"))?.body?.cancel();
  });
}

Deno.test("packagedSource() serves valid files of a package with an invalid one", async () => {
  const bad = packageWith({ data: btoa("HELLO\n") });
  const { entries } = await packageOf({ "good.txt": "good" });
  const mount = mountOf({ version: 1, entries: { ...bad.entries, ...entries } });
  await assertRejects(() => get(mount, "/a.txt"));
  assertEquals(await (await get(mount, "/good.txt"))?.text(), "good");
});

const ROUND_TRIPS: readonly [
  why: string,
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
][] = [
  ["nothing", {}],
  ["an empty file", { "empty.txt": "" }],
  ["one byte, and two", { "1": "a", "2": "ab", "3": "abc" }],
  ["every byte", { "all.bin": Uint8Array.from({ length: 256 }, (_, i) => i) }],
  ["names of Object.prototype", { constructor: "c", toString: "t", hasOwnProperty: "h" }],
  ["names beyond ASCII", { "naïve/😀.txt": "n", "100%.txt": "p", "a b/c": "s" }],
  ["zeros that compress a thousand to one", { "zeros.bin": new Uint8Array(1 << 23) }],
  ["a megabyte", { "large.bin": noise(1_000_000) }],
];

for (const [why, files] of ROUND_TRIPS) {
  for (const gzip of [false, true]) {
    Deno.test(`packagedSource() restores ${why}${gzip ? ", compressed" : ""}`, async () => {
      const pkg = await packageOf(files, { gzip });
      await verifyStaticAssets(pkg);
      const mount = mountOf(JSON.parse(JSON.stringify(pkg)));
      for (const [key, content] of Object.entries(files)) {
        const path = `/${key.split("/").map(encodeURIComponent).join("/")}`;
        const expected = new Uint8Array(await new Response(content).arrayBuffer());
        for (let i = 0; i < 2; i++) {
          const response = await get(mount, path);
          assertEquals(response?.status, 200, key);
          const actual = new Uint8Array(await response?.arrayBuffer() ?? []);
          assertEquals(actual.toBase64(), expected.toBase64(), key);
          assertEquals(response?.headers.get("Content-Length"), String(expected.length), key);
        }
      }
      assertEquals((await get(mount, "/valueOf"))?.status, 404);
    });
  }
}

Deno.test("packagedSource() has a file __proto__ like any other", async () => {
  const text = JSON.stringify({ version: 1, entries: { x: await entryOf("x", "proto") } });
  const mount = mountOf(JSON.parse(text.replace('"x"', '"__proto__"')));
  assertEquals(await (await get(mount, "/__proto__"))?.text(), "proto");
  const none = mountOf({ version: 1, entries: {} });
  for (const key of ["__proto__", "constructor", "toString"]) {
    assertEquals((await get(none, `/${key}`))?.status, 404, key);
  }
});

Deno.test("packagedSource() ignores the prototype of a package", () => {
  const entries = Object.create({ "a.txt": HELLO });
  assertEquals(packagedSource({ version: 1, entries }).lookup("a.txt"), undefined);
});
