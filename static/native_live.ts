/**
 * Serves a folder's current files.
 *
 * Checks of a key, in order: is it valid → its path with links resolved → is that inside the folder and not hidden → is it
 * a regular file → once opened, is it still the same file. Every failure is a miss. A hard link to a file outside cannot be
 * distinguished from a file.
 *
 * @module
 */

import { resolve, SEPARATOR } from "@std/path";
import { readFileSync } from "node:fs";
import process from "node:process";
import { isAssetKey } from "./key.ts";
import { warnDenied, warnNoFolder } from "./_report.ts";
import { contentTypeOf } from "./content_type.ts";
import { exists, type FileStatus, realPath, statusOf } from "./native_files.ts";
import { canOpen, type Located, openFile } from "./native_open.ts";
import type { FileAccess, StaticAssetMetadata, StaticEntry, StaticSource } from "./types.ts";

/** What native entries give to mounts. */
export const FILES: FileAccess = { openDirectory, readManifest };

/** Serves a folder, or only the files that a manifest lists, with the media types of the manifest. */
function openDirectory(
  directory: string,
  listed: ReadonlyMap<string, StaticAssetMetadata> | undefined,
): StaticSource {
  const root = resolve(directory);
  // Elsewhere a file is found under other spellings of its name.
  const isCaseSensitive = process.platform === "linux";
  let realRoot: string | undefined;
  let missed = false;

  /** Warns at the first miss if the folder is missing or not accessible. */
  function warnMiss(error: unknown): void {
    missed = true;
    if (error instanceof Error && error.name === "NotCapable") return warnDenied(directory);
    try {
      realPath(root);
    } catch {
      warnNoFolder(root);
    }
  }

  /** @throws {Error} If the file does not exist or is not accessible. */
  function locate(key: string): Located | undefined {
    if (SEPARATOR === "\\" && !isWindowsKey(key)) return undefined;
    const path = join(root, key);
    if (missed && !exists(path)) return undefined; // the first miss is looked into, for the warning
    const status = isCaseSensitive ? statusWithoutLinks(root, key) : undefined;
    if (status === undefined) return locateThroughLinks(key);
    return { path, status, isAt: key.includes("/") ? (opened) => isAtKey(opened, key) : undefined };
  }

  /** The folder itself may be a link that was switched to another release. */
  function isAtKey(opened: string, key: string): boolean {
    return (realRoot !== undefined && opened === join(realRoot, key)) ||
      opened === join(realRoot = realPath(root), key);
  }

  function locateThroughLinks(key: string): Located | undefined {
    const path = realPath(join(root, key));
    const base = realPath(root);
    const found = pathInside(base, path);
    if (found === undefined || !isAssetKey(found)) return undefined;
    if (!isCaseSensitive && isOtherSpelling(found, key)) return undefined;
    const status = statusWithoutLinks(base, found); // a link on a resolved path was created meanwhile
    return status && { path, status, isAt: (opened) => opened === path };
  }

  function lookup(key: string): StaticEntry | undefined {
    const metadata = listed?.get(key);
    if (listed !== undefined && metadata === undefined) return undefined;
    try {
      const located = locate(key);
      if (!located?.status.isFile) return undefined;
      const { path, status } = located;
      if (!status.isPublic && !canOpen(path)) return undefined; // HEAD and 304 must not reveal more than GET
      return {
        contentType: metadata?.contentType ?? contentTypeOf(key),
        size: status.size,
        etag: weakEtag(status),
        sized: false,
        modifiedMs: status.mtimeMs,
        open: (start, end) => openFile(located, start, end),
      };
    } catch (error) {
      if (!missed) warnMiss(error);
      return undefined;
    }
  }

  return { lookup };
}

/**
 * Reads a manifest or a package.
 *
 * @param path Path of a JSON file, relative to the working directory.
 * @throws {Error} If the file cannot be read.
 * @throws {SyntaxError} If it is not JSON.
 */
function readManifest(path: string): unknown {
  const text = readFileSync(path, "utf8");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SyntaxError(`Cannot read the manifest ${path}: it is not JSON`, { cause });
  }
}

/**
 * Status of a key whose path has no links, which is cheaper than resolving the path. Folders are checked before and after,
 * so that one that is replaced by a link in between does not reveal the status of a file outside; one that is replaced
 * twice within these microseconds may.
 *
 * @returns `undefined` if there is a link.
 * @throws {Error} If the file does not exist or is not accessible.
 */
function statusWithoutLinks(root: string, key: string): FileStatus | undefined {
  if (hasLinkedFolder(root, key)) return undefined;
  const status = statusOf(join(root, key));
  return status.isLink || hasLinkedFolder(root, key) ? undefined : status;
}

function hasLinkedFolder(root: string, key: string): boolean {
  for (let end = key.indexOf("/"); end !== -1; end = key.indexOf("/", end + 1)) {
    if (statusOf(join(root, key.slice(0, end))).isLink) return true;
  }
  return false;
}

function join(root: string, key: string): string {
  return root.endsWith(SEPARATOR) ? root + key : root + SEPARATOR + key;
}

/** The path in a folder, with `/`; `undefined` if it is outside. */
function pathInside(root: string, path: string): string | undefined {
  const start = join(root, "");
  if (!path.startsWith(start)) return undefined;
  const inside = path.slice(start.length);
  return SEPARATOR === "/" ? inside : inside.replaceAll(SEPARATOR, "/");
}

/**
 * Whether a file system that ignores case or Unicode normalization found a file under another name. A guard of `/private`
 * does not see `/Private`.
 */
export function isOtherSpelling(found: string, key: string): boolean {
  return found !== key && fold(found) === fold(key);
}

function fold(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}

/**
 * Whether Windows interprets a key literally: no streams, drives, devices or short names, and no trailing dots or spaces,
 * which it drops.
 */
export function isWindowsKey(key: string): boolean {
  return key.split("/").every((name) =>
    !/[<>:"|?*]|[. ]$|~\d/.test(name) &&
    !/^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i.test(name)
  );
}

/** Weak, since two writes within one tick of the system's clock, some milliseconds, have the same times. */
function weakEtag({ size, mtimeMs, ctimeMs }: FileStatus): string {
  return `W/"${size}-${mtimeMs}-${ctimeMs}"`;
}
