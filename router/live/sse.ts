/**
 * Server-sent events, WHATWG HTML §9.2: a response that an async generator writes, event by event.
 *
 * @module
 */

import type { RequestContext } from "../_context.ts";
import { checkTimeout } from "../_options.ts";
import type { RouteRequest } from "../request.ts";
import type { TypedResponse } from "../response.ts";

/** One event. Its members are the fields of the format. */
export interface ServerSentEvent<T = unknown> {
  /** Any value that `JSON.stringify` accepts; pages read it with `JSON.parse(event.data)`. */
  readonly data: T;
  /** Type of the event, without line breaks. @default {"message"} */
  readonly event?: string | undefined;
  /** What the browser sends as `Last-Event-ID` when it connects again: ASCII without control characters. */
  readonly id?: string | undefined;
  /** Milliseconds that the browser waits before it connects again: a non-negative integer. */
  readonly retry?: number | undefined;
}

/** A response of events with data of type `T`; documents name its type `text/event-stream`. Created by {@linkcode sse}. */
export interface EventStream<T> extends TypedResponse<T, 200> {
  /** Distinguishes it from JSON. Never present at run time. */
  readonly "~events": true;
}

/** What {@linkcode sse} calls the generator with. */
export interface EventStreamContext {
  /** The `id` of the last event that the browser got before the connection broke. It is the client's word. */
  readonly lastEventId: string | undefined;
  /**
   * Aborted when the client disconnects. Pass it to whatever the generator awaits: `finally` of a generator runs once its
   * pending promise settles.
   */
  readonly signal: AbortSignal;
}

/** Options of {@linkcode sse}. */
export interface EventStreamOptions {
  /**
   * Seconds without an event after which a comment is sent, so that no server or proxy takes the connection for dead. Bun does
   * so after 10. @default {5}
   */
  readonly keepAlive?: number;
}

/**
 * Creates a response of server-sent events. The generator starts when the response is read and is asked for an event
 * only when the client has taken the one before; HEAD does not start it. When the client disconnects, `signal` is
 * aborted and the generator's `finally` runs. An error ends the stream and goes to the router's `onError`.
 *
 * Nothing checks the session again once the stream has begun: end streams yourself that must not outlive it.
 *
 * @param req The request that the handler got.
 * @throws {RangeError} If `keepAlive` is not a number of seconds that a timer can wait.
 *
 * @example
 * ```ts
 * import { createRouter, sse } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/countdown", (req) =>
 *   sse(req, async function* ({ lastEventId = "4" }) {
 *     for (let left = Number(lastEventId) - 1; left > 0; left--) {
 *       yield { event: "left", id: String(left), data: { left } };
 *     }
 *   }));
 *
 * const response = await router.request("/countdown", { headers: { "Last-Event-ID": "2" } });
 * assertEquals(response.headers.get("Content-Type"), "text/event-stream");
 * assertEquals(await response.text(), ':\n\nevent: left\nid: 1\ndata: {"left":1}\n\n');
 * ```
 */
export function sse<Event extends ServerSentEvent>(
  req: RouteRequest<unknown, unknown, unknown>,
  events: (stream: EventStreamContext) => AsyncIterable<Event>,
  { keepAlive = 5 }: EventStreamOptions = {},
): EventStream<Event["data"]> {
  checkTimeout(keepAlive, "create event stream", "keepAlive");
  const encoder = new TextEncoder();
  const aborter = new AbortController();
  const { signal } = aborter;
  const lastEventId = req.headers.get("Last-Event-ID") ?? undefined;
  let iterator: AsyncIterator<Event> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  /** Ends the generator. What it throws then has no one to go to but the reporter, unless it is the signal's reason. */
  async function end(): Promise<void> {
    try {
      await iterator?.return?.();
    } catch (error) {
      if (error !== signal.reason) report(req, error);
    }
  }

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(COMMENT)), // servers send the head with the first chunk
    async pull(controller) {
      timer = setInterval(() => { // not if the client has yet to take what was sent
        if (controller.desiredSize === 0) controller.enqueue(encoder.encode(COMMENT));
      }, keepAlive * 1000);
      try {
        iterator ??= events({ lastEventId, signal })[Symbol.asyncIterator]();
        const { done, value } = await iterator.next();
        if (signal.aborted) return;
        if (done) controller.close();
        else controller.enqueue(encoder.encode(eventText(value)));
      } catch (error) {
        if (signal.aborted && error === signal.reason) return;
        report(req, error);
        await end();
        if (!signal.aborted) controller.close();
      } finally {
        clearInterval(timer);
      }
    },
    cancel(): Promise<void> {
      clearInterval(timer);
      aborter.abort();
      return end();
    },
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: [
      ["Content-Type", "text/event-stream"],
      ["Cache-Control", "no-store"],
      ["X-Accel-Buffering", "no"], // nginx
    ],
  }) as EventStream<Event["data"]>;
}

/** A line that browsers ignore. */
const COMMENT = ":\n\n";

/** An event on the wire. JSON has no line breaks, so that its data is one line. */
function eventText({ event, id, retry, data }: ServerSentEvent): string {
  if (event !== undefined && LINE_BREAK_REGEXP.test(event)) throw invalid("event has a line break");
  if (id !== undefined && !ID_REGEXP.test(id)) {
    throw invalid("id must be ASCII without control characters");
  }
  if (retry !== undefined && !(Number.isSafeInteger(retry) && retry >= 0)) {
    throw invalid("retry must be a non-negative integer");
  }
  const json = JSON.stringify(data);
  if (json === undefined) throw invalid("data is not serializable");
  return field("event", event) + field("id", id) + field("retry", retry) + field("data", json) +
    "\n";
}

const LINE_BREAK_REGEXP = /[\r\n]/;
/** Other characters would return as something else in a header field. */
const ID_REGEXP = /^[\x20-\x7e]*$/;

function field(name: string, value: string | number | undefined): string {
  return value === undefined ? "" : `${name}: ${value}\n`;
}

function invalid(what: string): TypeError {
  return new TypeError(`Cannot send event: ${what}`);
}

/** Calls the router's `onError`. */
function report(req: RouteRequest<unknown, unknown, unknown>, error: unknown): void {
  (req as RequestContext).report(error);
}
