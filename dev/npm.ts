/**
 * Writes the package as npm has it to `dist/npm/`, and its archive beside it, for `npm install` and for whoever has no JSR:
 *
 * ```sh
 * deno task npm                          # As JSR's npm registry names it
 * deno task npm --name @acme/gatehouse   # For a registry of your own
 * ```
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { parseArgs } from "@std/cli";
import { dirname, join } from "@std/path";
import { buildNpmPackage, JSR_NAME } from "./_npm_package.ts";
import { ROOT } from "./_project.ts";

const FOLDER = "dist/npm";
const NAME_REGEXP = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/;

async function main(args: readonly string[]): Promise<void> {
  const { name = JSR_NAME } = parseArgs(args, { string: ["name"] }) as { readonly name?: string };
  if (!NAME_REGEXP.test(name)) {
    console.error(`Cannot pack: ${name} is no name of a package`);
    Deno.exit(2);
  }
  const { version, files, tarball } = await buildNpmPackage(name);
  await Deno.mkdir(join(ROOT, FOLDER), { recursive: true });
  await Deno.remove(join(ROOT, "dist"), { recursive: true }); // What an earlier version left
  for (const { path, bytes, executable } of files) {
    const target = join(ROOT, FOLDER, path);
    await Deno.mkdir(dirname(target), { recursive: true });
    await Deno.writeFile(target, bytes, { mode: executable ? 0o755 : 0o644 });
  }
  const archive = `dist/${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
  await Deno.writeFile(join(ROOT, archive), tarball);
  const kilobytes = (tarball.length / 1000).toFixed(0);
  console.log(`${FOLDER} (${files.length} files), ${archive} (${kilobytes} kB)`);
}

if (import.meta.main) await main(Deno.args);
