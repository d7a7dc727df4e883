/**
 * A file that is there as a whole, or not at all.
 *
 * @module
 */

import { crypto } from "@std/crypto";
import { dirname, join, resolve } from "@std/path";
import { createReadStream } from "node:fs";
import { open, readFile, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { hexOf } from "./_format.ts";

/** Reads a text; `undefined` if there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/**
 * Writes a file in one step: a reader sees the old text or the new one. What a link leads to is replaced, not the link; a
 * file that would not change is left alone.
 *
 * @returns Whether it changed.
 * @throws {Error} If it cannot be written; the old text is there then, and nothing else.
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
      if (mode !== undefined) await file.chmod(mode); // what the umask took away
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

/** Where a path leads to through links, whether or not something is there. */
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

/** Mode of the file that is there. @throws {Error} If what is there is a device, a pipe or a folder. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new Error(`${path} is there, and no file`);
    return found.mode & 0o777;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
