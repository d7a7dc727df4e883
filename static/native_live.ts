/**
 * Files of a folder, as they are when they are asked for.
 *
 * A request's key goes: is it a proper one → where it leads to, without links → is that inside the folder and not hidden →
 * is it a regular file → and, once it is opened, is that the same file still. Every way to fail is a miss. A hard link to a
 * file outside cannot be told from a file.
 *
 * @module
 */

import { resolve, SEPARATOR } from "@std/path";
import process from "node:process";
import { isAssetKey } from "./_key.ts";
import { warnDenied } from "./_report.ts";
import { contentTypeOf } from "./content_type.ts";
import { type FileStatus, realPath, statusOf } from "./native_files.ts";
import { openFile } from "./native_open.ts";
import type { StaticAssetMetadata, StaticEntry, StaticSource } from "./types.ts";

/** Serves a folder, or those of its files that a manifest lists, under the types that it says. */
export function openDirectory(
  directory: string,
  listed: ReadonlyMap<string, StaticAssetMetadata> | undefined,
): StaticSource {
  const root = resolve(directory);
  // Elsewhere a file is found under other names than its own.
  const tellsNamesApart = process.platform === "linux";
  let realRoot = "";
  let warned = false;

  /**
   * Whether a path without links is inside the folder and not hidden. Where it is outside, the folder is resolved once
   * more: it may be a link, and point to the next release by now.
   */
  function serves(path: string): boolean {
    const key = pathInside(realRoot, path) ?? pathInside(realRoot = realPath(root), path);
    return key !== undefined && isAssetKey(key);
  }

  /** @throws {Error} If there is nothing, or it cannot be reached. */
  function locate(key: string): Located | undefined {
    if (SEPARATOR === "\\" && !isWindowsKey(key)) return undefined;
    const status = tellsNamesApart ? statusWithoutLinks(root, key) : undefined;
    if (status !== undefined) return { path: join(root, key), status, direct: !key.includes("/") };
    const path = realPath(join(root, key));
    if (!serves(path) || isOtherSpelling(pathInside(realRoot, path), key)) return undefined;
    return { path, status: statusOf(path), direct: false };
  }

  function lookup(key: string): StaticEntry | undefined {
    const metadata = listed?.get(key);
    if (listed !== undefined && metadata === undefined) return undefined;
    try {
      const located = locate(key);
      if (!located?.status.isFile) return undefined;
      const { path, status, direct } = located;
      return {
        contentType: metadata?.contentType ?? contentTypeOf(key),
        size: status.size,
        etag: weakEtag(status),
        sized: false,
        open: () => openFile(path, status, direct ? undefined : serves),
      };
    } catch (error) {
      if (!warned && error instanceof Error && error.name === "NotCapable") {
        warned = true;
        warnDenied(directory);
      }
      return undefined;
    }
  }

  return { lookup };
}

/** Where a file was found, and what it is there. */
interface Located {
  readonly path: string;
  readonly status: FileStatus;
  /** Whether no folder is on the way that somebody could exchange before the file is opened. */
  readonly direct: boolean;
}

/**
 * What is at a key if no link is on the way, which costs less than to resolve the path.
 *
 * @returns `undefined` if there is a link.
 * @throws {Error} If there is nothing, or it cannot be reached.
 */
function statusWithoutLinks(root: string, key: string): FileStatus | undefined {
  for (let end = key.indexOf("/"); end !== -1; end = key.indexOf("/", end + 1)) {
    if (statusOf(join(root, key.slice(0, end))).isLink) return undefined;
  }
  const status = statusOf(join(root, key));
  return status.isLink ? undefined : status;
}

function join(root: string, key: string): string {
  return root.endsWith(SEPARATOR) ? root + key : root + SEPARATOR + key;
}

/** The path in a folder, with `/`; `undefined` if it is outside. */
function pathInside(root: string, path: string): string | undefined {
  const start = join(root, "");
  if (root === "" || !path.startsWith(start)) return undefined;
  const inside = path.slice(start.length);
  return SEPARATOR === "/" ? inside : inside.replaceAll(SEPARATOR, "/");
}

/**
 * Whether a file system that does not tell case or Unicode forms apart has found a file under another name. A guard for
 * `/private` does not see `/Private`.
 */
export function isOtherSpelling(found: string | undefined, key: string): boolean {
  return found !== undefined && found !== key && fold(found) === fold(key);
}

function fold(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase();
}

/**
 * Whether Windows reads a key as it is written: no streams and drives, no devices, no short names, and no dots or spaces
 * behind, which it drops.
 */
export function isWindowsKey(key: string): boolean {
  return key.split("/").every((name) =>
    !/[<>:"|?*]|[. ]$|~\d/.test(name) &&
    !/^(?:con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(?:\.|$)/i.test(name)
  );
}

function weakEtag({ size, mtimeMs, ctimeMs }: FileStatus): string {
  return `W/"${size}-${mtimeMs}-${ctimeMs}"`;
}
