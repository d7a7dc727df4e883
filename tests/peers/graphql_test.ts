/** Guarded GraphQL schemas under the servers and beside the libraries that people use, on Node.js, with `graphql` 16 and 17. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
import type { RuntimeResult } from "../runtimes/harness.ts";
import { run } from "./_npm.ts";
import { GRAPHQL_PACKAGES, GRAPHQL_VERSIONS } from "./versions.ts";

/** Installs a version of `graphql`, and what works with it, and runs the cases there. */
async function resultsFor(version: string): Promise<readonly RuntimeResult[]> {
  const folder = await Deno.makeTempDir();
  try {
    const dependencies = { ...GRAPHQL_PACKAGES, graphql: version };
    const manifest = {
      private: true,
      type: "module",
      dependencies,
      overrides: { graphql: version },
    };
    await Deno.writeTextFile(join(folder, "package.json"), JSON.stringify(manifest));
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], folder);
    const entry = join(ROOT, "tests/peers/_graphql_main.ts");
    const flags = [
      "--bundle",
      "--format=esm",
      "--platform=node",
      "--target=node20",
      "--outfile=main.mjs",
    ];
    await run(
      "node",
      ["node_modules/esbuild/bin/esbuild", entry, ...flags, "--log-level=warning"],
      folder,
    );
    const output = await run("node", ["main.mjs"], folder);
    return JSON.parse(/^results: (.*)$/m.exec(output)?.[1] ?? "[]");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("GraphQL servers and libraries work with guarded schemas", async (t) => {
  const results = await Promise.all(GRAPHQL_VERSIONS.map(resultsFor));
  for (const [i, version] of GRAPHQL_VERSIONS.entries()) {
    assertEquals((results[i]?.length ?? 0) > 20, true);
    for (const { name, error } of results[i] ?? []) {
      await t.step(`${name} (graphql ${version})`, () => assertEquals(error, undefined));
    }
  }
});
