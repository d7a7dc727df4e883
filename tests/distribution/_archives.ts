/**
 * The package as registries have it: the same files with another package.json.
 *
 * @module
 */

import { readTarball, writeTarball } from "../../dev/_tar.ts";
import { readPackage } from "./_projects.ts";

type Manifest = Readonly<Record<string, unknown>>;

/** What JSR writes into the package.json of a package, and nothing else: no command, no optional peers. */
const JSR_FIELDS: readonly string[] = [
  "name",
  "version",
  "homepage",
  "type",
  "dependencies",
  "exports",
];

/**
 * The package as JSR's npm registry describes it. JSR's own archive also has the sources, and has packages of `@std` as
 * dependencies where this one has their functions.
 */
export function jsrArchive(): Promise<Uint8Array<ArrayBuffer>> {
  return withManifest((manifest) =>
    Object.fromEntries(JSR_FIELDS.map((field) => [field, manifest[field]]))
  );
}

/** The package as `deno task npm --name` makes it. */
export function renamedArchive(name: string): Promise<Uint8Array<ArrayBuffer>> {
  return withManifest((manifest) => ({ ...manifest, name }));
}

async function withManifest(
  edit: (manifest: Manifest) => Manifest,
): Promise<Uint8Array<ArrayBuffer>> {
  const files = await readTarball(await readPackage());
  return await writeTarball(files.map((file) => {
    if (file.path !== "package/package.json") return file;
    const manifest = edit(JSON.parse(new TextDecoder().decode(file.bytes)));
    return { ...file, bytes: new TextEncoder().encode(JSON.stringify(manifest)) };
  }));
}
