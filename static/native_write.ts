/**
 * Atomic writes of files.
 *
 * @module
 */

import { crypto } from "@std/crypto";
import { dirname, join, resolve } from "@std/path";
import { createReadStream } from "node:fs";
import { open, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { hexOf } from "./_format.ts";

/** Reads a text file; `undefined` if it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Writes a file atomically: readers see the old text or the new one. The target of a link is replaced, not the link; an
 * identical file is not rewritten.
 *
 * @returns Whether it changed.
 * @throws {Error} If it cannot be written; then the old text remains.
 */
export async function writeWhole(
  path: string,
  parts: Iterable<string> | AsyncIterable<string>,
): Promise<boolean> {
  const target = await targetOf(path);
  const folder = dirname(target);
  await stat(folder).catch((error) => {
    if (isNotFound(error)) throw new Error(`there is no folder ${folder}`);
  });
  const mode = await modeOf(target);
  const temporary = join(folder, `.${globalThis.crypto.randomUUID()}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      if (mode !== undefined) await file.chmod(mode); // what the umask removed
      for await (const part of parts) await file.writeFile(part);
      await file.sync();
    } finally {
      await file.close();
    }
    const changed = mode === undefined || !await haveSameContents(temporary, target);
    if (changed) await rename(temporary, target);
    return changed;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function haveSameContents(a: string, b: string): Promise<boolean> {
  return (await stat(a)).size === (await stat(b)).size && await digestOf(a) === await digestOf(b);
}

async function digestOf(path: string): Promise<string> {
  return hexOf(await crypto.subtle.digest("SHA-256", createReadStream(path)));
}

/** The path with links resolved, whether or not the target exists. */
export async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const link = await readlink(path).catch(() => undefined);
  if (link === undefined) return resolve(path);
  return await targetOf(resolve(await realpath(dirname(path)), link));
}

/** Mode of an existing file. @throws {Error} If the path is a device, a pipe or a folder. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new Error(`${path} exists and is not a regular file`);
    return found.mode & 0o777;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
