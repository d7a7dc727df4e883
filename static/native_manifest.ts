/**
 * Manifests in files.
 *
 * @module
 */

import { readFileSync } from "node:fs";

/**
 * Reads a manifest, or a package.
 *
 * @param path Path of a JSON file, relative to the working directory.
 * @throws {Error} If there is no such file, or it cannot be read.
 * @throws {SyntaxError} If it has no JSON.
 */
export function readManifest(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Cannot read the manifest ${path}: it is no JSON`, { cause });
  }
}
