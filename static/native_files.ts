/**
 * The file system, as far as live mounts need it. Calls are synchronous: on files that a system has looked at before they
 * take about a microsecond, and several times that as promises.
 *
 * @module
 */

import { constants, fstatSync, lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import type { Bytes } from "./_base64.ts";

/** What a file is at one moment. */
export interface FileStatus {
  readonly isFile: boolean;
  readonly isLink: boolean;
  /** Bytes. */
  readonly size: number;
  /** When its contents were changed, in whole milliseconds since the Unix epoch. */
  readonly mtimeMs: number;
  /** When its contents, name or rights were changed; whole seconds on Deno. */
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
  /** Whether everybody may read it, by its mode alone. */
  readonly isPublic: boolean;
}

/** Deno's own calls: they are several times as fast as its `node:fs`. */
type DenoFiles = Pick<typeof Deno, "lstatSync" | "openSync" | "statSync">;

/**
 * How files are opened: for reading; not through a link in the last place; and without waiting for a writer, which a FIFO
 * would do for ever.
 */
export const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** The path without links. @throws {Error} If there is no such file, or it cannot be reached. */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/** What is at a path, itself if it is a link. @throws {Error} If there is nothing, or it cannot be reached. */
export function statusOf(path: string): FileStatus {
  const deno = denoFiles();
  return deno === undefined ? nodeStatus(lstatSync(path)) : denoStatus(deno.lstatSync(path));
}

/** Whether two looks saw the same contents of the same file. */
export function isSame(a: FileStatus, b: FileStatus): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size &&
    a.mtimeMs === b.mtimeMs;
}

/**
 * Where the system tells the paths of open files: on Linux, on Deno with all permissions. Empty where it does not, and
 * unknown until one is asked for. By our own number, since the system takes twice as long by the name `self`.
 */
let openFiles: string | undefined;

/** What an open file is. */
export function statusOfOpen(fd: number): FileStatus {
  const deno = denoFiles();
  const link = deno && linkOfOpen(fd); // by its link it costs a quarter there
  return deno === undefined || link === undefined
    ? nodeStatus(fstatSync(fd))
    : denoStatus(deno.statSync(link));
}

/** The path of an open file without links, as it is now; `undefined` where the system does not tell. */
export function pathOfOpen(fd: number): string | undefined {
  const link = linkOfOpen(fd);
  return link && readlinkSync(link);
}

function linkOfOpen(fd: number): string | undefined {
  openFiles ??= findOpenFiles(fd);
  return openFiles === "" ? undefined : openFiles + fd;
}

function findOpenFiles(fd: number): string {
  if (mustAsk("/proc")) return "";
  try {
    const folder = `/proc/${readlinkSync("/proc/self")}/fd/`;
    readlinkSync(folder + fd);
    return folder;
  } catch {
    return "";
  }
}

/**
 * An open file, opened once more as a stream that Deno itself reads: nobody asks us for its portions, which is faster.
 *
 * @returns `undefined` on other runtimes, and where the system has no paths for open files.
 */
export function nativeStream(fd: number): ReadableStream<Bytes> | undefined {
  const deno = denoFiles();
  const link = deno && linkOfOpen(fd);
  return link === undefined ? undefined : deno?.openSync(link).readable;
}

/** Whether Deno has no permission to read, and so would ask whoever sits at its terminal, while nothing else runs. */
function mustAsk(path: string): boolean {
  const { permissions } = (globalThis as { Deno?: Pick<typeof Deno, "permissions"> }).Deno ?? {};
  return permissions !== undefined &&
    permissions.querySync({ name: "read", path }).state !== "granted";
}

function denoFiles(): DenoFiles | undefined {
  return (globalThis as { Deno?: DenoFiles }).Deno;
}

/** What everybody may do with a file that everybody may read. */
const PUBLIC = 0o004;

function isPublic(mode: number): boolean {
  return (mode & PUBLIC) !== 0;
}

function denoStatus(info: Deno.FileInfo): FileStatus {
  return {
    isFile: info.isFile,
    isLink: info.isSymlink,
    size: info.size,
    mtimeMs: info.mtime?.getTime() ?? 0,
    ctimeMs: info.ctime?.getTime() ?? 0,
    ino: info.ino ?? 0,
    dev: info.dev,
    isPublic: isPublic(info.mode ?? PUBLIC),
  };
}

function nodeStatus(stats: Stats): FileStatus {
  return {
    isFile: stats.isFile(),
    isLink: stats.isSymbolicLink(),
    size: stats.size,
    mtimeMs: Math.floor(stats.mtimeMs),
    ctimeMs: Math.floor(stats.ctimeMs),
    ino: stats.ino,
    dev: stats.dev,
    isPublic: isPublic(stats.mode),
  };
}
