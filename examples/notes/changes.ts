/**
 * Changes of notes, for subscriptions and server-sent events. Only those of this process: with several, a message queue would carry them.
 *
 * @module
 */

import type { Note } from "./note.ts";
import type { NoteStore } from "./store.ts";

/** A change of a user's note. */
export interface NoteChange {
  /** What happened. */
  readonly kind: "ADDED" | "CHANGED" | "REMOVED";
  /** The note, after a change. */
  readonly note: Note;
}

/** Changes of notes. */
export interface NoteChanges {
  /** The store, whose changes are observed. */
  readonly store: NoteStore;
  /** The changes of a user's notes from now on, until the stream is closed, a signal aborts or the service stops. */
  of(owner: string, signal?: AbortSignal): AsyncIterableIterator<NoteChange>;
}

/** Most changes that wait for a slow reader; older ones are dropped. */
const MOST_WAITING = 100;

/** Observes a store. @param signal Ends all streams. */
export function observeChanges(store: NoteStore, signal?: AbortSignal): NoteChanges {
  const streams = new Set<ChangeStream>();
  const tell = (owner: string, change: NoteChange) => {
    for (const stream of streams) if (stream.owner === owner) stream.push(change);
  };
  signal?.addEventListener("abort", () => {
    for (const stream of streams) stream.close();
  });
  return {
    store: {
      ...store,
      async add(owned) {
        const version = await store.add(owned);
        tell(owned.owner, { kind: "ADDED", note: owned.note });
        return version;
      },
      async replace(found, note) {
        const outcome = await store.replace(found, note);
        if (outcome.status === "replaced") tell(found.owner, { kind: "CHANGED", note });
        return outcome;
      },
      async remove(found) {
        const outcome = await store.remove(found);
        if (outcome === "removed") tell(found.owner, { kind: "REMOVED", note: found.note });
        return outcome;
      },
    },
    of(owner, reader) {
      const stream = openStream(owner, () => streams.delete(stream));
      streams.add(stream);
      reader?.addEventListener("abort", () => stream.close());
      if (signal?.aborted || reader?.aborted) stream.close();
      return stream.changes;
    },
  };
}

interface ChangeStream {
  readonly owner: string;
  readonly changes: AsyncIterableIterator<NoteChange>;
  push(change: NoteChange): void;
  close(): void;
}

function openStream(owner: string, closed: () => void): ChangeStream {
  const waiting: NoteChange[] = [];
  let isClosed = false;
  let wake = Promise.withResolvers<void>();
  const close = () => {
    isClosed = true;
    closed();
    wake.resolve();
  };
  const end = (): IteratorResult<NoteChange> => ({ done: true, value: undefined });
  return {
    owner,
    close,
    push(change) {
      waiting.push(change);
      if (waiting.length > MOST_WAITING) waiting.shift();
      wake.resolve();
    },
    changes: {
      async next() {
        for (;;) {
          const change = waiting.shift();
          if (change !== undefined) return { done: false, value: change };
          if (isClosed) return end();
          wake = Promise.withResolvers();
          await wake.promise;
        }
      },
      return() {
        close();
        return Promise.resolve(end());
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}
