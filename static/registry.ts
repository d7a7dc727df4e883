/**
 * Registry of packages by folder. Modules written by `packageStaticAssets` register themselves here.
 *
 * @module
 */

import { packagedSource } from "./packaged.ts";
import type { StaticAssetPackage, StaticSource } from "./types.ts";

/** A registered package. */
interface Registration {
  readonly pkg: StaticAssetPackage;
  readonly source: StaticSource;
}

const registrations: Map<string, Registration> = new Map();

/**
 * Registers a package for mounts whose `directory` is the key and that have neither `package` nor `manifest`.
 *
 * @param key The folder as the mounts write it. A leading `./` and trailing slashes are ignored.
 * @throws {TypeError} If another package has this key, or the package or a key in it is invalid, or contents cannot have
 * their declared size.
 */
export function registerStaticAssets(key: string, pkg: StaticAssetPackage): void {
  if (typeof key !== "string" || key === "") {
    throw new TypeError("Cannot register static assets: the key must be a non-empty string");
  }
  const name = registryKey(key);
  const present = registrations.get(name);
  if (present?.pkg === pkg) return;
  if (present !== undefined) {
    throw new TypeError(
      `Cannot register static assets: ${JSON.stringify(name)} is already registered`,
    );
  }
  registrations.set(name, { pkg, source: packagedSource(pkg) });
}

/** Finds the package that was registered for a folder. */
export function findStaticAssets(directory: string): StaticSource | undefined {
  return registrations.get(registryKey(directory))?.source;
}

/** The key of a folder: without leading `./` and trailing slashes; `.` if nothing else is left. */
export function registryKey(directory: string): string {
  return directory.replace(/^(?:\.\/+)+/, "").replace(/(?<=[^/])\/+$/, "") || ".";
}
