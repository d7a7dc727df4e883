/**
 * The body of a request that Node received: as bytes or as a stream, at the reader's pace.
 *
 * @module
 */

import type { IncomingMessage, ServerResponse } from "node:http";

/** Most bytes of an unread body that are worth reading to keep the connection. */
const MAX_DISCARDED = 65_536;

/** The declared length of a body: infinite if it is chunked, and zero if there is none. */
export function declaredLength({ rawHeaders }: IncomingMessage): number {
  let length = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) { // `headers` would be made of all of them
    const name = rawHeaders[i] as string;
    if (name.length === 17 && name.toLowerCase() === "transfer-encoding") return Infinity;
    if (name.length === 14 && name.toLowerCase() === "content-length") {
      length = Number(rawHeaders[i + 1]);
    }
  }
  return length;
}

/** The body of one request, until its response was sent. */
export class IncomingBody {
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #length: number;
  /** Whether the client waits for a 100 before it sends the body, RFC 9110 §10.1.1. */
  #awaited: boolean;
  #reading: "nothing" | "chunks" | "all" = "nothing";
  #ended = false;
  /** Continues a read that waits for more. */
  #wake: (() => void) | undefined = undefined;

  /**
   * @param length The declared length, more than zero.
   * @param awaited Whether the request has `Expect: 100-continue`, which nobody has answered.
   */
  constructor(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    length: number,
    awaited: boolean,
  ) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#length = length;
    this.#awaited = awaited;
  }

  /** Whether reading has begun. */
  get isUsed(): boolean {
    return this.#reading !== "nothing";
  }

  /** Whether the connection has to be closed after a response that is sent now, since the rest of the body is in its way. */
  get blocksConnection(): boolean {
    return this.#awaited || (!this.#incoming.complete && this.#length > MAX_DISCARDED);
  }

  /** Reads all of it. The bytes may be a part of a larger buffer, which is Node's. @throws {Error} If the client disconnects, or the response was sent before. */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const incoming = this.#incoming;
    return new Promise((resolve, reject) => {
      this.#start("all");
      const chunks: Uint8Array[] = [];
      const fail = (): void => {
        if (!incoming.readableEnded) reject(disconnected());
      };
      incoming.on("data", (chunk: Uint8Array) => chunks.push(chunk))
        .on("end", () => resolve(concat(chunks))).on("error", fail).on("close", fail);
    });
  }

  /** Reads it in chunks: without a reader the client has to wait. Nothing is read in advance. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        const chunk = await this.#next();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel: () => {
        if (this.#reading === "nothing") this.#reading = "chunks"; // and asks for nothing
      },
    }, { highWaterMark: 0 });
  }

  /** After the response: discards what nobody has read, for the next request on the connection. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const incoming = this.#incoming;
    if (incoming.complete || this.#reading === "all") return;
    this.#wake?.();
    incoming.removeAllListeners("readable");
    incoming.resume();
  }

  #start(how: "chunks" | "all"): void {
    if (this.#ended) throw sentBefore();
    if (this.#incoming.destroyed && !this.#incoming.readableEnded) throw disconnected();
    this.#reading = how;
    if (!this.#awaited) return;
    this.#awaited = false;
    if (!this.#outgoing.headersSent) this.#outgoing.writeContinue();
  }

  async #next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const incoming = this.#incoming;
    if (this.#reading === "nothing") {
      this.#start("chunks");
      const wake = (): void => this.#wake?.();
      incoming.on("readable", wake).on("end", wake).on("error", wake).on("close", wake);
    }
    for (;;) {
      if (this.#ended && !incoming.complete) throw sentBefore();
      const chunk: Uint8Array | null = incoming.read();
      if (chunk !== null) return new Uint8Array(chunk); // a copy: Node shares the memory of buffers
      if (incoming.readableEnded) return undefined;
      if (incoming.destroyed) throw disconnected();
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const [first] = chunks as readonly Uint8Array<ArrayBuffer>[];
  if (chunks.length === 1 && first !== undefined) {
    return new Uint8Array(first.buffer, first.byteOffset, first.length);
  }
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function disconnected(): Error {
  return new Error("Cannot read the body: the client disconnected");
}

function sentBefore(): Error {
  return new Error("Cannot read the body: the response was sent before");
}
