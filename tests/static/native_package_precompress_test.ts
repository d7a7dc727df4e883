/** packageStaticAssets({ precompress }): siblings that clients decompress. */

import { mountStatic, staticFeatures, verifyStaticAssets } from "@gatehouse/http";
import { packageStaticAssets } from "@gatehouse/http/native";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { type Contents, withFolder } from "./_native_package.ts";
import { noise } from "./_packages.ts";

const LONG = "All work and no play makes Jack a dull boy. ".repeat(100);

const FILES: Contents = {
  "a.css": LONG,
  "sub/é.html": LONG,
  "own.js": LONG,
  "own.js.br": "made by another tool",
  "short.txt": "short",
  "noise.txt": noise(5000),
  "a.png": LONG,
  "empty.txt": "",
};

/** Keys of the package, and why. */
const KEYS: readonly string[] = [
  "a.css",
  "a.css.br",
  "a.css.gz",
  "a.png", // no text
  "empty.txt",
  "noise.txt", // not shorter
  "own.js",
  "own.js.br", // the folder's
  "own.js.gz",
  "short.txt", // not shorter
  "sub/é.html",
  "sub/é.html.br",
  "sub/é.html.gz",
];

Deno.test("packageStaticAssets() adds siblings of text that are shorter", () =>
  withFolder(FILES, async ({ directory, outputDir, read }) => {
    const options = { directory, outputDir, precompress: true };
    const summary = await packageStaticAssets(options);
    const pkg = JSON.parse(await read("static-assets.json"));
    assertEquals(Object.keys(pkg.entries).sort(), KEYS);
    assertEquals(summary.entries, KEYS.length);
    await verifyStaticAssets(pkg);
    for (const key of ["a.css.br", "a.css.gz"]) {
      const { contentType, size, encoding } = pkg.entries[key];
      assertEquals(encoding, "base64");
      assertEquals(
        contentType,
        key.endsWith("br") ? "application/octet-stream" : "application/gzip",
      );
      assert(size < LONG.length / 10, key);
    }
    assertEquals((await packageStaticAssets(options)).changed, false); // reproducible
    const compressed = { ...options, compress: true };
    await packageStaticAssets(compressed);
    const both = JSON.parse(await read("static-assets.json"));
    assertEquals(both.entries["a.css"].encoding, "gzip+base64");
    assertEquals(both.entries["a.css.br"], pkg.entries["a.css.br"]);
  }));

Deno.test("packageStaticAssets() adds siblings that a client reads over HTTP", () =>
  withFolder(FILES, async ({ directory, outputDir, read }) => {
    await packageStaticAssets({ directory, outputDir, precompress: true });
    const assets = mountStatic("/", {
      directory: "precompressed",
      package: JSON.parse(await read("static-assets.json")),
      features: staticFeatures({ precompressed: true }),
    });
    const codings: (string | null)[] = [];
    const server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
      const response = await assets.fetch(request);
      codings.push(response.headers.get("Content-Encoding"));
      return response;
    });
    try {
      for (const accepted of ["br", "gzip", "identity"]) {
        for (const path of ["a.css", "sub/%C3%A9.html"]) {
          const headers = { "Accept-Encoding": accepted };
          const response = await fetch(`http://localhost:${server.addr.port}/${path}`, { headers });
          assertEquals(await response.text(), LONG);
        }
      }
      assertEquals(codings, ["br", "br", "gzip", "gzip", null, null]);
    } finally {
      await server.shutdown();
    }
  }));

Deno.test("packageStaticAssets() adds no siblings unless asked, and none to a manifest", () =>
  withFolder(FILES, async ({ directory, outputDir, read }) => {
    await packageStaticAssets({ directory, outputDir });
    const { entries } = JSON.parse(await read("static-assets.json"));
    assertEquals(Object.keys(entries).length, Object.keys(FILES).length);
    await assertRejects(
      () => packageStaticAssets({ directory, outputDir, format: "manifest", precompress: true }),
      TypeError,
      "a manifest has no contents to compress",
    );
    await assertRejects(() => Deno.stat(join(outputDir, "manifest.json")), Deno.errors.NotFound);
  }));
