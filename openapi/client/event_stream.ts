/**
 * Streams of events of a generated client, WHATWG HTML §9.2.
 *
 * @module
 */

import { type Answer, mediaType } from "./response_parts.ts";
import type { ServerSentEvent } from "./runtime_types.ts";

/** How a stream goes on after its end, or after a failure of the network. */
export interface StreamOptions {
  /** Opens it again, after the event of an id; `undefined` if the network failed. @default it ends */
  readonly reopen?: ((lastEventId: string) => Promise<Answer | undefined>) | undefined;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** State of a stream, across its responses. */
interface StreamState {
  /** Last id. */
  id: string;
  /** Wait before it is opened again. */
  retryMs: number;
}

/** A timer that has to wait longer does not wait at all. */
const MAX_WAIT_MS = 2 ** 31 - 1;

type TextEvent = ServerSentEvent<string>;

/**
 * Reads events. The data of each is JSON, or text as it is.
 *
 * @throws {Error} If the server refuses to open the stream again; `cause` is the outcome.
 * @throws {SyntaxError} If data is invalid JSON.
 */
export async function* readEvents(
  first: Response,
  isJson: boolean,
  { reopen, signal }: StreamOptions,
): AsyncGenerator<ServerSentEvent<unknown>, void> {
  const state: StreamState = { id: "", retryMs: 3_000 };
  for (let response: Response | undefined = first;;) {
    for await (
      const event of parseEvents(response, state, (error) => {
        if (!reopen) throw error;
      })
    ) {
      yield isJson ? { ...event, data: JSON.parse(event.data) } : event;
    }
    if (!reopen) return;
    do {
      await pause(state.retryMs, signal);
      const answer: Answer | undefined = await reopen(state.id);
      response = answer?.response;
      if (response?.status === 204) return; // the server wants no further request
      if (response && (!response.ok || mediaType(response) !== "text/event-stream")) { // §9.2.3
        if (response.ok) await response.body?.cancel();
        throw new Error(`Cannot open stream again: status ${response.status}`, {
          cause: answer?.failure,
        });
      }
    } while (!response);
  }
}

/** The events of one response, §9.2.6. An event without its blank line is discarded. */
async function* parseEvents(
  response: Response,
  state: StreamState,
  onError: (error: unknown) => void,
): AsyncGenerator<TextEvent, void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let isAfterCr = false;
  let event = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { value, done } = await reader?.read().catch(onError) ?? { done: true };
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (text === "") continue;
      if (isAfterCr) text = text.replace(/^\n/, "");
      isAfterCr = text.endsWith("\r"); // its line feed may follow
      const lines = text.split(/\r\n|\n|\r/);
      lines[0] = rest + lines[0]; // what is before has been looked through
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, field = "", content = ""] = /^([^:]*)(?::\x20?(.*))?$/s.exec(line) ?? [];
        if (field === "event") event = content;
        if (field === "data") data.push(content);
        if (field === "id" && !content.includes("\0")) state.id = content;
        if (field === "retry" && /^\d+$/.test(content)) {
          state.retryMs = Math.min(Number(content), MAX_WAIT_MS);
        }
        if (line !== "") continue;
        if (data.length > 0) {
          yield { event: event || "message", id: state.id, data: data.join("\n") };
        }
        event = "";
        data = [];
      }
    }
  } finally {
    await reader?.cancel().catch(() => {});
  }
}

/** Waits. @throws The signal's reason when it aborts. */
function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      signal?.aborted ? reject(signal.reason) : resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
  });
}
