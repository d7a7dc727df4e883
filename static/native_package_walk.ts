/**
 * Which files of a folder go into a package: those that a live mount serves.
 *
 * @module
 */

import { relative, SEPARATOR } from "@std/path";
import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { isAssetKey } from "./key.ts";

/** A file to package. */
export interface FoundFile {
  /** Its path in the folder, with `/`. */
  readonly key: string;
  /** Its real path. */
  readonly path: string;
}

/** A folder to walk. */
interface Folder {
  readonly path: string;
  /** Prefix of its keys. */
  readonly prefix: string;
  /** Real paths of itself and its ancestors, to detect cycles of links. */
  readonly trail: readonly string[];
}

/**
 * Finds the files of a folder, in order of their keys. Hidden ones are omitted. An entry that a live mount would reject is
 * an error: otherwise the package would silently lack it.
 *
 * @throws {Error} `Directory not found: …`; or if a link is broken, leads out of the folder, to a hidden entry or in a
 * cycle; or an entry is neither file nor folder, or has a name that no URL path can express.
 */
export async function findFiles(directory: string): Promise<readonly FoundFile[]> {
  const root = await realFolder(directory);
  const files: FoundFile[] = [];
  const folders: Folder[] = [{ path: root, prefix: "", trail: [root] }];
  for (const folder of folders) { // grows while it is walked
    for (const entry of await readdir(folder.path, { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      const found = await resolveEntry(root, folder, entry);
      if ("trail" in found) folders.push(found);
      else files.push(found);
    }
  }
  return files.sort((a, b) => a.key < b.key ? -1 : 1);
}

/** @throws {Error} `Directory not found: …` */
async function realFolder(directory: string): Promise<string> {
  try {
    const path = directory === "" ? "" : await realpath(directory); // Deno's realpath rejects the empty string
    if (path !== "" && (await stat(path)).isDirectory()) return path;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error; // for example a missing permission
  }
  throw new Error(`Directory not found: ${directory}`);
}

async function resolveEntry(
  root: string,
  { path: folder, prefix, trail }: Folder,
  entry: Dirent,
): Promise<FoundFile | Folder> {
  const key = prefix + entry.name;
  if (!isAssetKey(key)) throw cannot(key, "no URL path can express its name");
  const path = await resolveLink(root, folder + SEPARATOR + entry.name, entry, key);
  const status = entry.isSymbolicLink() ? await stat(path) : entry;
  if (status.isFile()) return { key, path };
  if (!status.isDirectory()) throw cannot(key, "it is neither a file nor a folder");
  if (trail.includes(path)) throw cannot(key, "its link points to a folder that contains it");
  return { path, prefix: `${key}/`, trail: [...trail, path] };
}

async function resolveLink(
  root: string,
  path: string,
  entry: Dirent,
  key: string,
): Promise<string> {
  if (!entry.isSymbolicLink()) return path;
  const target = await realpath(path).catch((cause) => {
    throw cannot(key, "its link is broken", cause);
  });
  const inside = relative(root, target).replaceAll(SEPARATOR, "/");
  if (inside === "" || isAssetKey(inside)) return target;
  throw cannot(key, "its link points outside the folder or to a hidden entry");
}

function cannot(key: string, why: string, cause?: unknown): Error {
  return new Error(
    `Cannot package ${JSON.stringify(key)}: ${why}`,
    cause === undefined ? undefined : { cause },
  );
}
