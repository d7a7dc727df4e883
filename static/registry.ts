/**
 * Packages by the folder that they were made of. Modules that `packageStaticAssets` writes register themselves here.
 *
 * @module
 */

import { packagedSource } from "./packaged.ts";
import type { StaticAssetPackage, StaticSource } from "./types.ts";

/** What was registered under a key. */
interface Registration {
  readonly pkg: StaticAssetPackage;
  readonly source: StaticSource;
}

const registrations: Map<string, Registration> = new Map();

/**
 * Registers a package for mounts whose `directory` is the key and that have no package or manifest of their own.
 *
 * @param key The folder as the mounts write it. A `./` in front and slashes behind make no difference.
 * @throws {TypeError} If another package has this key, or it is no package, a key in it is none, or contents cannot have
 * the size that it says.
 */
export function registerStaticAssets(key: string, pkg: StaticAssetPackage): void {
  if (typeof key !== "string" || key === "") {
    throw new TypeError("Cannot register static assets: the key must be a non-empty string");
  }
  const name = registryKey(key);
  const present = registrations.get(name);
  if (present?.pkg === pkg) return;
  if (present !== undefined) {
    throw new TypeError(`Cannot register static assets: ${JSON.stringify(name)} is registered`);
  }
  registrations.set(name, { pkg, source: packagedSource(pkg) });
}

/** Finds the files of the package that was registered for a folder. */
export function findStaticAssets(directory: string): StaticSource | undefined {
  return registrations.get(registryKey(directory))?.source;
}

/** The key of a folder: as it is written, without `./` in front and slashes behind; `.` for what has nothing else. */
export function registryKey(directory: string): string {
  return directory.replace(/^(?:\.\/+)+/, "").replace(/(?<=[^/])\/+$/, "") || ".";
}
