import { type StaticAssetPackage, verifyStaticAssets } from "@gatehouse/http";
import { packageStaticAssets } from "@gatehouse/http/native";
import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { bytesOf, type Contents, withFolder } from "./_native_package.ts";
import { noise } from "./_packages.ts";

const LONG = "All work and no play makes Jack a dull boy. ".repeat(100);

/** A file, and whether `compress` compresses it. */
const CASES: readonly (readonly [string, Contents[string], boolean])[] = [
  ["a.html", LONG, true],
  ["a.js", LONG, true],
  ["a.mjs", LONG, true],
  ["a.css", LONG, true],
  ["a.txt", LONG, true],
  ["A.TXT", LONG, true],
  ["a.csv", LONG, true],
  ["a.json", LONG, true],
  ["a.map", LONG, true],
  ["a.webmanifest", LONG, true],
  ["a.geojson", LONG, true],
  ["a.svg", LONG, true],
  ["a.xml", LONG, true],
  ["a.xhtml", LONG, true],
  ["a.rss", LONG, true],
  ["a.yaml", LONG, true],
  ["a.wasm", LONG, true],
  ["empty.txt", "", false],
  ["short.txt", "short", false], // gzip has an overhead of 18 bytes
  ["noise.txt", noise(5000), false],
  ["megabytes.txt", LONG.repeat(500), true], // more than a stream buffers
  ["a.png", LONG, false],
  ["a.woff2", LONG, false],
  ["a.mp4", LONG, false],
  ["a.gz", LONG, false],
  ["a.zip", LONG, false],
  ["a.bin", LONG, false],
  ["unknown", LONG, false],
];
for (const [key, contents, packed] of CASES) {
  const does = packed ? "packs" : "leaves";
  Deno.test(`packageStaticAssets() with compress ${does} ${key} of ${contents.length}`, async () => {
    await withFolder({ [key]: contents }, async ({ directory, outputDir, read }) => {
      const { bytes } = await packageStaticAssets({ directory, outputDir, compress: true });
      const expected = bytesOf(contents);
      assertEquals(bytes, expected.length);
      const pkg: StaticAssetPackage = JSON.parse(await read("static-assets.json"));
      await verifyStaticAssets(pkg);
      const { encoding, data, ...metadata } = pkg.entries[key] ?? { data: "" };
      assertEquals(encoding, packed ? "gzip+base64" : "base64");
      assert(data.length <= expected.toBase64().length);
      const decoded = packed ? await unpack(data) : Uint8Array.fromBase64(data);
      assert(decoded.toBase64() === expected.toBase64());

      const manifest = { directory, outputDir, format: "manifest" } as const;
      await packageStaticAssets(manifest);
      assertEquals(JSON.parse(await read("manifest.json")).entries[key], metadata);
    });
  });
}

Deno.test("packageStaticAssets() compresses nothing without compress", async () => {
  await withFolder({ "a.txt": LONG }, async ({ directory, outputDir, read }) => {
    for (const options of [{}, { compress: false }]) {
      await packageStaticAssets({ directory, outputDir, ...options });
      const pkg: StaticAssetPackage = JSON.parse(await read("static-assets.json"));
      assertEquals(pkg.entries["a.txt"]?.encoding, "base64");
    }
  });
});

Deno.test("packageStaticAssets() with compress compresses contents of modules too", async () => {
  await withFolder({ "a.txt": LONG }, async ({ directory, outputDir }) => {
    for (const format of ["js", "ts"] as const) {
      await packageStaticAssets({ directory, outputDir, format, compress: true });
      const text = await Deno.readTextFile(join(outputDir, `static-assets.${format}`));
      assert(text.includes('"encoding":"gzip+base64"') && text.length < 1000, text);
    }
  });
});

async function unpack(data: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([Uint8Array.fromBase64(data)]).stream()
    .pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
