/**
 * Contents of files that were looked up: opened, checked to be the same file still, and closed whatever happens.
 *
 * @module
 */

import { closeSync, openSync, read, readSync } from "node:fs";
import type { Bytes } from "./_base64.ts";
import {
  type FileStatus,
  isSame,
  nativeStream,
  OPEN_FLAGS,
  pathOfOpen,
  realPath,
  statusOf,
  statusOfOpen,
} from "./native_files.ts";
import { OverloadError } from "./overload.ts";
import { CHUNK_BYTES, SMALL_FILE_BYTES } from "./packaged.ts";

/** From here on the runtime's own stream of a file is faster than to read it at once. */
const NATIVE = 32 * 1024;
/** How long a file has not been written to before nobody is expected to. */
const RESTING_MS = 10_000;

/** A file that was looked up. */
export interface Located {
  readonly path: string;
  readonly status: FileStatus;
  /**
   * Whether the path that it has, once it is open, is where it was found; `undefined` if no folder is on the way that
   * could be another by now.
   */
  readonly isAt: ((opened: string) => boolean) | undefined;
}

/**
 * Opens a file.
 *
 * @returns Its contents as a stream; `undefined` if it is not that file any more.
 * @throws {OverloadError} If too many files are open.
 */
export function openFile(located: Located): ReadableStream<Bytes> | undefined {
  const { path, status } = located;
  let fd: number | undefined;
  try {
    fd = openSync(path, OPEN_FLAGS);
    if (!isStill(fd, located)) return undefined;
    const native = isSettled(status) ? nativeStream(fd) : undefined;
    if (native !== undefined) return native;
    if (status.size <= SMALL_FILE_BYTES) return streamBytes(readFile(fd, status.size));
    const stream = streamFile(fd, status.size);
    fd = undefined; // the stream closes it
    return stream;
  } catch (error) {
    if (isOverload(error)) throw new OverloadError(error);
    return undefined; // gone, unreadable, shorter, a link by now
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Whether a file is large enough for a stream of the runtime's own, and has rested for a while. Such a stream goes on with
 * a file that grows, and ends one that is cut short as if it were whole; so what somebody is writing is read by us.
 */
function isSettled({ size, mtimeMs }: FileStatus): boolean {
  return size > NATIVE && Math.abs(Date.now() - mtimeMs) > RESTING_MS;
}

/** Whether a file can be opened. */
export function canOpen(path: string): boolean {
  try {
    closeSync(openSync(path, OPEN_FLAGS));
    return true;
  } catch {
    return false;
  }
}

/** Whether the process or the system has too many open files. That is no word about this one, so nobody may keep it. */
function isOverload(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "EMFILE" || code === "ENFILE";
}

/**
 * Whether an open file is the one that was looked up. Where the system tells the path of an open file, folders on the way
 * that were exchanged for links meanwhile are noticed as well. Elsewhere the path is resolved once more, which leaves
 * somebody who may rename folders in there a moment of some microseconds.
 */
function isStill(fd: number, { path, status, isAt }: Located): boolean {
  if (!isSame(statusOfOpen(fd), status)) return false;
  if (isAt === undefined) return true;
  const opened = pathOfOpen(fd);
  return opened !== undefined
    ? isAt(opened)
    : isAt(realPath(path)) && isSame(statusOf(path), status);
}

/** Reads a whole file. @throws {Error} If it has become shorter. */
function readFile(fd: number, size: number): Bytes {
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const count = readSync(fd, bytes, at, size - at, at);
    if (count === 0) throw shorter();
    at += count;
  }
  return bytes;
}

function streamBytes(bytes: Bytes): ReadableStream<Bytes> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
}

/**
 * Streams a file as far as it went when it was opened, so that one that grows does not go on for ever. One that becomes
 * shorter fails: its end must not look like the end of the whole.
 */
function streamFile(fd: number, size: number): ReadableStream<Bytes> {
  const file = heldFile(fd);
  let at = 0;
  const stream = new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const bytes = await file.read(Math.min(CHUNK_BYTES, size - at), at);
        if (file.closed) return;
        if (bytes.length === 0) throw shorter();
        controller.enqueue(bytes);
        at += bytes.length;
        if (at < size) return;
        controller.close();
        file.close();
      } catch (error) {
        file.close();
        throw error;
      }
    },
    cancel: () => file.close(),
  }, { highWaterMark: 0 });
  FORGOTTEN.register(stream, file);
  return stream;
}

/** Closes the files of bodies that nobody has read or cancelled, once nobody can any more. */
const FORGOTTEN: FinalizationRegistry<HeldFile> = new FinalizationRegistry((file) => file.close());

/** An open file that is closed once, and never while it is read: its number may be another file's then. */
interface HeldFile {
  readonly closed: boolean;
  read(length: number, position: number): Promise<Bytes>;
  close(): void;
}

function heldFile(fd: number): HeldFile {
  let reading = false;
  let closed = false;
  return {
    get closed() {
      return closed;
    },
    async read(length, position) {
      reading = true;
      try {
        return await readPortion(fd, length, position);
      } finally {
        reading = false;
        if (closed) closeSync(fd);
      }
    },
    close() {
      if (closed) return;
      closed = true;
      if (!reading) closeSync(fd);
    },
  };
}

function readPortion(fd: number, length: number, position: number): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const bytes = new Uint8Array(length);
    read(fd, bytes, 0, length, position, (error, count) => {
      if (error === null) resolve(count === length ? bytes : bytes.subarray(0, count));
      else reject(error);
    });
  });
}

function shorter(): Error {
  return new Error("Cannot send the file: it has become shorter");
}
