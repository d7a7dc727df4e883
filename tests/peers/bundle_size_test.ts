/** What a worker loads: applications, bundled, minified and packed by gzip. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { readConfig, ROOT } from "../../dev/_project.ts";
import { run } from "./_npm.ts";
import { GRAPHQL_PACKAGES } from "./versions.ts";

const KIB = 1024;

/** Everything that an application can use to sign people in, on a host with all of the Web Cryptography API. */
const SIGNING_IN = `
  import { createRouter, json, routerBuilder } from "${ROOT}/router/mod.ts";
  import {
    apiKeyService, apiKeyStrategy, createTokenRoutes, inMemoryAuthStores, oauthClient, registerAuth,
  } from "${ROOT}/auth/mod.ts";
  export {
    apiKeyService, apiKeyStrategy, createRouter, createTokenRoutes, inMemoryAuthStores, json, oauthClient, registerAuth,
    routerBuilder,
  };
`;

/** The application, and the most that it may have. */
const BUNDLES: readonly (readonly [name: string, source: string, most: number])[] = [
  ["all of edge.ts", `export * from "${ROOT}/edge.ts";`, 45 * KIB],
  ["router and everything that signs people in", SIGNING_IN, 95 * KIB],
  ["all of the authorization server", `export * from "${ROOT}/auth/server/mod.ts";`, 51 * KIB],
  [
    "the run time of a generated client",
    `export { connect } from "${ROOT}/openapi/client/runtime.ts";`,
    3 * KIB,
  ],
];

async function gzipSize(bytes: Uint8Array<ArrayBuffer>): Promise<number> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return (await new Response(packed).arrayBuffer()).byteLength;
}

Deno.test("Bundles are within their sizes", async (t) => {
  const folder = await Deno.makeTempDir();
  try {
    const hono = (readConfig().imports.hono ?? "").replace("npm:hono@", "");
    const dependencies = { hono, esbuild: GRAPHQL_PACKAGES.esbuild };
    await Deno.writeTextFile(
      join(folder, "package.json"),
      JSON.stringify({ private: true, dependencies }),
    );
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
    for (const [i, [name, source, most]] of BUNDLES.entries()) {
      await t.step(`${name}: at most ${most / KIB} KiB`, async () => {
        await Deno.writeTextFile(join(folder, `entry${i}.ts`), source);
        const outdir = join(folder, `out${i}`);
        // What is loaded on demand, as the list of common passwords is, is a file of its own
        const flags = ["--bundle", "--minify", "--format=esm", "--splitting", `--outdir=${outdir}`];
        const esbuild = "node_modules/esbuild/bin/esbuild";
        await run("node", [esbuild, `entry${i}.ts`, ...flags, "--log-level=warning"], folder);
        const size = await gzipSize(await Deno.readFile(join(outdir, `entry${i}.js`)));
        assertEquals(size <= most, true, `${size} bytes, of ${most}`);
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
