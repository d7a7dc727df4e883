/**
 * Live changes of organisations. Those of this process: with several, a message queue would carry them.
 *
 * @module
 */

import type { Comment, Issue } from "./schemas.ts";

export type Change =
  | { readonly event: "issue"; readonly data: Issue }
  | { readonly event: "comment"; readonly data: Comment };

type Reader = ReadableStreamDefaultController<Change>;

/** A reader that leaves so many changes unread is cut off, and connects again. */
const MOST_WAITING = 100;

export class Changes {
  readonly #readers = new Map<Reader, string>();

  publish(org: string, change: Change): void {
    for (const [reader, of] of this.#readers) {
      if (of !== org) continue;
      if ((reader.desiredSize ?? 0) > 0) reader.enqueue(change);
      else this.#close(reader);
    }
  }

  /** The changes of an organisation from now on, until the signal aborts. */
  of(org: string, signal: AbortSignal): ReadableStream<Change> {
    let reader: Reader;
    return new ReadableStream<Change>({
      start: (controller) => {
        reader = controller;
        if (signal.aborted) return reader.close();
        this.#readers.set(reader, org);
        signal.addEventListener("abort", () => this.#close(reader), { once: true });
      },
      cancel: () => void this.#readers.delete(reader),
    }, { highWaterMark: MOST_WAITING });
  }

  #close(reader: Reader): void {
    if (this.#readers.delete(reader)) reader.close();
  }
}
