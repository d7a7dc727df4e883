/**
 * Files in Deno KV, cut into chunks: a value ends at 65,536 bytes, a commit at 819,200 bytes and 1,000 mutations.
 *
 * A blob is listed as `unlisted` before its first chunk is written and until its last one is gone. The commit that makes
 * a record name the blob takes the mark off, the commit that makes it nameless puts it on. So whenever the process ends,
 * `sweep()` finds every chunk that nobody can reach.
 *
 * @module
 */

/** A blob: the name of its chunks and what they add up to. */
export interface Blobref {
  /** Random name. */
  readonly blob: string;
  /** Size in bytes. */
  readonly size: number;
}

/** What the store does with blobs. */
export interface Blobs {
  /** Writes a blob that no record names yet. @throws If the content can't be read; its chunks are gone then. */
  write(ref: Blobref, content: Blob): Promise<void>;
  /** Reads a blob. */
  read(ref: Blobref): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Adds to a commit: a record names the blob from now on. */
  list(commit: Deno.AtomicOperation, ref: Blobref): void;
  /** Adds to a commit: no record names the blob any more. `remove` comes after it. */
  unlist(commit: Deno.AtomicOperation, ref: Blobref): void;
  /** Deletes the chunks of an unlisted blob. */
  remove(ref: Blobref): Promise<void>;
  /** Removes blobs that have been unlisted for an hour: whoever wrote or removed them is gone. */
  sweep(): Promise<void>;
}

interface Unlisted {
  readonly size: number;
  readonly since: number;
}

const CHUNK_BYTES = 60 * 1024;
/** 600 KiB with what KV adds to each. */
const CHUNKS_PER_COMMIT = 10;
const DELETIONS_PER_COMMIT = 500;
const SWEEP_AFTER_SECONDS = 3600;

/** Keeps blobs in a database. @param now The clock, in seconds since the Unix epoch. */
export function createBlobs(kv: Deno.Kv, now: () => number): Blobs {
  async function write(ref: Blobref, content: Blob): Promise<void> {
    await kv.set(unlistedKey(ref.blob), { size: ref.size, since: now() } satisfies Unlisted);
    try {
      await writeChunks(ref, content);
    } catch (error) {
      await remove(ref);
      throw error;
    }
  }

  async function writeChunks({ blob, size }: Blobref, content: Blob): Promise<void> {
    const count = chunkCount(size);
    for (let from = 0; from < count; from += CHUNKS_PER_COMMIT) {
      const commit = kv.atomic();
      for (let i = from; i < Math.min(from + CHUNKS_PER_COMMIT, count); i++) {
        const chunk = content.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES);
        commit.set(["chunks", blob, i], new Uint8Array(await chunk.arrayBuffer()));
      }
      await commit.commit();
    }
  }

  function read({ blob, size }: Blobref): ReadableStream<Uint8Array<ArrayBuffer>> {
    let next = 0;
    return new ReadableStream({
      async pull(controller): Promise<void> {
        if (next === chunkCount(size)) return controller.close();
        const { value } = await kv.get<Uint8Array<ArrayBuffer>>(["chunks", blob, next++]);
        if (value === null) throw new Error("Cannot read the attachment: it was deleted meanwhile");
        controller.enqueue(value);
      },
    });
  }

  function list(commit: Deno.AtomicOperation, { blob }: Blobref): void {
    commit.delete(unlistedKey(blob));
  }

  function unlist(commit: Deno.AtomicOperation, { blob, size }: Blobref): void {
    commit.set(unlistedKey(blob), { size, since: now() } satisfies Unlisted);
  }

  async function remove({ blob, size }: Blobref): Promise<void> {
    const count = chunkCount(size);
    for (let from = 0; from < count; from += DELETIONS_PER_COMMIT) {
      const commit = kv.atomic();
      for (let i = from; i < Math.min(from + DELETIONS_PER_COMMIT, count); i++) {
        commit.delete(["chunks", blob, i]);
      }
      await commit.commit();
    }
    await kv.delete(unlistedKey(blob));
  }

  async function sweep(): Promise<void> {
    const latest = now() - SWEEP_AFTER_SECONDS;
    for await (const { key, value } of kv.list<Unlisted>({ prefix: ["unlisted"] })) {
      if (value.since <= latest) await remove({ blob: String(key[1]), size: value.size });
    }
  }

  return { write, read, list, unlist, remove, sweep };
}

function unlistedKey(blob: string): Deno.KvKey {
  return ["unlisted", blob];
}

function chunkCount(size: number): number {
  return Math.ceil(size / CHUNK_BYTES);
}
