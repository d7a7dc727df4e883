/**
 * Installs the package as its users do, from registries on this machine, and runs what it is then. It needs npm, and npm's
 * registry for everything else: Hono, compilers, and Bun, pnpm, Node 22 and 24, which npx brings. A program that is not to
 * be had is skipped, unless `--require-all` is given.
 *
 * ```sh
 * deno task test:distribution                                      # Everything
 * deno task test:distribution tests/distribution/install_test.ts   # One file
 * deno task test:distribution --filter "pnpm"                      # Flags go to `deno test`
 * ```
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { join } from "@std/path";
import { buildNpmPackage } from "../../dev/_npm_package.ts";
import { runFolder } from "../../dev/_run_tests.ts";
import { findTools, PACKAGE_VARIABLE, TOOL_NAMES, TOOLS_VARIABLE } from "./_tools.ts";

async function main(args: readonly string[]): Promise<number> {
  const requireAll = args.includes("--require-all");
  const [tools, { tarball, files }] = await Promise.all([findTools(), buildNpmPackage()]);
  const missing = TOOL_NAMES.filter((name) => tools[name] === undefined);
  const kilobytes = (tarball.length / 1000).toFixed(0);
  console.log(`distribution: ${files.length} files, ${kilobytes} kB as an archive`);
  if (missing.length > 0) {
    console.log(
      `distribution: ${missing.length} programs skipped, not found: ${missing.join(", ")}`,
    );
  }
  const folder = await Deno.makeTempDir({ prefix: "gatehouse_package_" });
  try {
    const path = join(folder, "package.tgz");
    await Deno.writeFile(path, tarball);
    const code = await runFolder("distribution", args.filter((arg) => arg !== "--require-all"), {
      permissions: () => ["--allow-all", "--parallel", "--no-check"], // Package managers write where they like to
      env: { [TOOLS_VARIABLE]: JSON.stringify(tools), [PACKAGE_VARIABLE]: path },
    });
    return code === 0 && missing.length > 0 && requireAll ? 1 : code;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
