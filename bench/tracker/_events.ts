/**
 * A reader of server-sent events.
 *
 * @module
 */

import { assertEquals, assertMatch } from "@std/assert";
import type { Client } from "./_client.ts";

/** An event, its data parsed. */
export interface ServerEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A stream that is open. */
export interface Following {
  /** The next event. @throws {Error} If none comes within 5 seconds. */
  next(): Promise<ServerEvent>;
  /** Waits until a comment was sent, at any time since the stream opened. */
  comment(ms: number): Promise<void>;
  /** Leaves, as a browser that closes its page. */
  leave(): void;
}

const EVENT_MS = 5000;

/** Opens a stream and reads on until {@linkcode Following.leave}. */
export async function follow(client: Client, path: string): Promise<Following> {
  const controller = new AbortController();
  const response = await client.send("GET", path, { signal: controller.signal });
  assertEquals(response.status, 200);
  assertMatch(response.headers.get("Content-Type") ?? "", /^text\/event-stream/);
  const events: ServerEvent[] = [];
  let commented = false;
  let buffer = "";
  const reading = async () => {
    if (response.body === null) return;
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      buffer += text;
      const blocks = buffer.split(/\r?\n\r?\n/);
      buffer = blocks.pop() ?? "";
      for (const block of blocks) {
        const lines = block.split(/\r?\n/);
        commented ||= lines.some((line) => line.startsWith(":"));
        const values = (name: string) =>
          lines.filter((line) => line.startsWith(`${name}:`))
            .map((line) => line.slice(name.length + 1).replace(/^ /, ""));
        const data = values("data");
        if (data.length === 0) continue;
        events.push({ event: values("event")[0] ?? "message", data: JSON.parse(data.join("\n")) });
      }
    }
  };
  // It ends by `leave()`, with an error.
  reading().catch(() => {});
  return {
    async next() {
      await until(() => events.length > 0, EVENT_MS, "an event");
      return events.shift() ?? { event: "", data: undefined };
    },
    comment: (ms) => until(() => commented, ms, "a keep-alive comment"),
    leave: () => controller.abort(),
  };
}

/** Waits until something holds. @throws {Error} If it does not within the time. */
export async function until(holds: () => boolean, ms: number, what: string): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`${what} did not come within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
