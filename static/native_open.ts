/**
 * Opens files that were looked up, checks that they are still the same, and always closes them.
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
import { OverloadError } from "./source.ts";
import { CHUNK_BYTES, SMALL_FILE_BYTES } from "./packaged.ts";

/** Size from which the runtime's native stream is faster than reading at once. */
const NATIVE = 32 * 1024;
/** Time since the last write after which a file is considered complete. */
const RESTING_MS = 10_000;

/** A file that was looked up. */
export interface Located {
  readonly path: string;
  readonly status: FileStatus;
  /**
   * Whether the path of the open file is where it was found; `undefined` if it is in no folder that could have been
   * replaced.
   */
  readonly isAt: ((opened: string) => boolean) | undefined;
}

/**
 * Opens a file.
 *
 * @param start First byte to send, if not all of them are.
 * @param end The byte after the last one.
 * @returns Its contents as a stream; `undefined` if it is no longer that file.
 * @throws {OverloadError} If too many files are open.
 */
export function openFile(
  located: Located,
  start?: number,
  end: number = located.status.size,
): ReadableStream<Bytes> | undefined {
  const { path, status } = located;
  let fd: number | undefined;
  try {
    fd = openSync(path, OPEN_FLAGS);
    if (!isStill(fd, located)) return undefined;
    const native = start === undefined && isSettled(status) ? nativeStream(fd) : undefined;
    if (native !== undefined) return native;
    const isSmall = end - (start ?? 0) <= SMALL_FILE_BYTES;
    if (isSmall) return streamBytes(readPart(fd, start ?? 0, end));
    const stream = streamPart(fd, start ?? 0, end);
    fd = undefined; // the stream closes it
    return stream;
  } catch (error) {
    if (isOverload(error)) {
      throw new OverloadError("Cannot open the file: too many files are open", { cause: error });
    }
    return undefined; // deleted, unreadable, truncated, or replaced by a link
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Whether a file is large enough for a native stream and was not written recently. A native stream follows a growing file,
 * and ends a truncated one as if it were complete; so files that are being written are read here.
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

/** Whether the process or the system has too many open files, which says nothing about this one. */
function isOverload(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "EMFILE" || code === "ENFILE";
}

/**
 * Whether an open file is the one that was looked up. Where the system provides the path of an open file, folders that
 * were replaced by links are detected as well. Elsewhere the path is resolved again, which leaves a race of some
 * microseconds to whoever may rename folders in there.
 */
function isStill(fd: number, { path, status, isAt }: Located): boolean {
  if (!isSame(statusOfOpen(fd), status)) return false;
  if (isAt === undefined) return true;
  const opened = pathOfOpen(fd);
  return opened !== undefined
    ? isAt(opened)
    : isAt(realPath(path)) && isSame(statusOf(path), status);
}

/** Reads a file from `start` to before `end`. @throws {Error} If it was truncated. */
function readPart(fd: number, start: number, end: number): Bytes {
  const size = end - start;
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size;) {
    const count = readSync(fd, bytes, at, size - at, start + at);
    if (count === 0) throw truncated();
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
 * Streams a file up to its size when it was opened, so that a growing one ends. A truncated one fails, since its end must
 * not look like the end of the file.
 */
function streamPart(fd: number, start: number, end: number): ReadableStream<Bytes> {
  const file = heldFile(fd);
  let at = start;
  const stream = new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const bytes = await file.read(Math.min(CHUNK_BYTES, end - at), at);
        if (file.closed) return;
        if (bytes.length === 0) throw truncated();
        controller.enqueue(bytes);
        at += bytes.length;
        if (at < end) return;
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

/** Closes the files of bodies that were garbage-collected without being read or cancelled. */
const FORGOTTEN: FinalizationRegistry<HeldFile> = new FinalizationRegistry((file) => file.close());

/** An open file that is closed once, and never during a read, since its descriptor could be reused. */
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
        return await readChunk(fd, length, position);
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

function readChunk(fd: number, length: number, position: number): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const bytes = new Uint8Array(length);
    read(fd, bytes, 0, length, position, (error, count) => {
      if (error === null) resolve(count === length ? bytes : bytes.subarray(0, count));
      else reject(error);
    });
  });
}

function truncated(): Error {
  return new Error("Cannot send the file: it was truncated");
}
