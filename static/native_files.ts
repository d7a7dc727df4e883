/**
 * File system access of live mounts. Calls are synchronous: on cached files they take about a microsecond, and several
 * times that as promises.
 *
 * @module
 */

import {
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  type Stats,
} from "node:fs";
import type { Bytes } from "./_base64.ts";

/** Status of a file. */
export interface FileStatus {
  readonly isFile: boolean;
  readonly isLink: boolean;
  /** Bytes. */
  readonly size: number;
  /** Time of the last content change, in whole milliseconds since the Unix epoch. */
  readonly mtimeMs: number;
  /** Time of the last change of contents, name or mode; whole seconds on Deno. */
  readonly ctimeMs: number;
  readonly ino: number;
  readonly dev: number;
  /** Whether its mode lets everyone read it. */
  readonly isPublic: boolean;
}

/** Deno's own functions, several times faster than its `node:fs`. */
type DenoFiles = Pick<typeof Deno, "lstatSync" | "openSync" | "statSync">;

/**
 * How files are opened: for reading; not through a link in the last segment; and without waiting for the writer of a
 * FIFO.
 */
export const OPEN_FLAGS: number = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** The path with links resolved. @throws {Error} If the file does not exist or is not accessible. */
export function realPath(path: string): string {
  return realpathSync.native(path);
}

/**
 * Whether a path leads to something, links followed. For what does not exist, it takes a tenth of the time of
 * {@linkcode statusOf}, whose error costs more than the call: mounts with `fallthrough` look up the paths of all routes.
 */
export function exists(path: string): boolean {
  return existsSync(path);
}

/** Status of a path, without following a link. @throws {Error} If it does not exist or is not accessible. */
export function statusOf(path: string): FileStatus {
  const deno = denoFiles();
  return deno === undefined ? nodeStatus(lstatSync(path)) : denoStatus(deno.lstatSync(path));
}

/** Whether two statuses are of the same file with the same contents. */
export function isSame(a: FileStatus, b: FileStatus): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size &&
    a.mtimeMs === b.mtimeMs;
}

/**
 * Folder with the paths of open files: on Linux, on Deno with all permissions; empty elsewhere, unset before first use. It
 * has the process id, since `self` takes the system twice as long.
 */
let openFiles: string | undefined;

/** Status of an open file. */
export function statusOfOpen(fd: number): FileStatus {
  const deno = denoFiles();
  const link = deno && linkOfOpen(fd); // by its link it is four times faster there
  return deno === undefined || link === undefined
    ? nodeStatus(fstatSync(fd))
    : denoStatus(deno.statSync(link));
}

/** The current path of an open file with links resolved; `undefined` where the system does not provide it. */
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
 * Reopens an open file as a stream that Deno reads natively, which is faster.
 *
 * @returns `undefined` on other runtimes, and where the system has no paths of open files.
 */
export function nativeStream(fd: number): ReadableStream<Bytes> | undefined {
  const deno = denoFiles();
  const link = deno && linkOfOpen(fd);
  return link === undefined ? undefined : deno?.openSync(link).readable;
}

/** Whether Deno lacks the permission to read, so that it would block on a prompt. */
function mustAsk(path: string): boolean {
  const { permissions } = (globalThis as { Deno?: Pick<typeof Deno, "permissions"> }).Deno ?? {};
  return permissions !== undefined &&
    permissions.querySync({ name: "read", path }).state !== "granted";
}

function denoFiles(): DenoFiles | undefined {
  return (globalThis as { Deno?: DenoFiles }).Deno;
}

/** Mode bit: everyone may read. */
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
