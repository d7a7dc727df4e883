/**
 * Files in records, in chunks: a value in Deno KV has up to 64 KiB, and 45 KiB are 60 KiB in base64.
 *
 * @module
 */

import type { StorageAdapter } from "@gatehouse/http/auth";
import { recordsOf } from "./records.ts";

/** A reference to a blob: the name of its chunks and their total size. */
export interface Blobref {
  /** Random name. */
  readonly blob: string;
  /** Size in bytes. */
  readonly size: number;
}

/** A store of blobs. */
export interface Blobs {
  /** Writes a blob. @throws If the content can't be read. */
  write(ref: Blobref, content: Blob): Promise<void>;
  /** Reads a blob. */
  read(ref: Blobref): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Deletes the chunks of a blob. */
  remove(ref: Blobref): Promise<void>;
}

const CHUNK_BYTES = 45 * 1024;
/** Chunks that are deleted at once. */
const DELETIONS = 16;

/** Creates a store of blobs. */
export function recordBlobs(adapter: StorageAdapter): Blobs {
  const chunks = recordsOf<string>(adapter, { collection: "note_chunks" });

  async function write({ blob, size }: Blobref, content: Blob): Promise<void> {
    for (let i = 0; i < chunkCount(size); i++) {
      const chunk = content.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
      await chunks.put(chunkKey(blob, i), (await chunk.bytes()).toBase64());
    }
  }

  function read({ blob, size }: Blobref): ReadableStream<Uint8Array<ArrayBuffer>> {
    let next = 0;
    return new ReadableStream({
      async pull(controller): Promise<void> {
        if (next === chunkCount(size)) return controller.close();
        const chunk = await chunks.get(chunkKey(blob, next++));
        if (chunk === undefined) {
          throw new Error("Cannot read the attachment: it has been deleted");
        }
        controller.enqueue(Uint8Array.fromBase64(chunk.value));
      },
    });
  }

  async function remove({ blob, size }: Blobref): Promise<void> {
    const keys = Array.from({ length: chunkCount(size) }, (_, i) => chunkKey(blob, i));
    for (let from = 0; from < keys.length; from += DELETIONS) {
      await Promise.all(keys.slice(from, from + DELETIONS).map(chunks.delete));
    }
  }

  return { write, read, remove };
}

function chunkKey(blob: string, index: number): string {
  return `${blob}.${index}`;
}

function chunkCount(size: number): number {
  return Math.ceil(size / CHUNK_BYTES);
}
