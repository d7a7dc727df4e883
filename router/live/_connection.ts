/**
 * One connection: order of its handlers, limits, closing.
 *
 * @module
 */

import { isPromise } from "../_promise.ts";
import { isProblemError } from "../problem.ts";
import type {
  LiveSocket,
  Receiver,
  Transport,
  WebSocketHandlers,
  WebSocketMessage,
} from "./types.ts";

/** What a connection may do, and what is called for it. */
export interface ConnectionRules {
  readonly handlers: WebSocketHandlers;
  readonly protocol: string;
  readonly maxMessageBytes: number;
  readonly maxBufferedBytes: number;
  /** Milliseconds. */
  readonly recheckMs: number;
  readonly signal: AbortSignal | undefined;
  /** Runs the guards; `undefined` if there are none. */
  readonly runGuards: (() => Promise<void>) | undefined;
  /** Called with errors that the client does not see. */
  readonly report: (error: unknown) => void;
}

/** Milliseconds within which a client must answer a close frame, before the connection counts as closed. */
const CLOSE_TIMEOUT_MS = 10_000;

/** What a waiting message counts for besides its bytes, so that empty ones are limited as well. */
const MESSAGE_OVERHEAD = 64;

/** Most bytes of a reason: a control frame has 125, RFC 6455 §5.5. */
const MAX_REASON_BYTES = 123;

/** Something that waits for the handler before it. */
type Task = () => void | Promise<void>;

/** Creates what a runtime calls for one connection. */
export function createConnection(rules: ConnectionRules): Receiver {
  const { handlers, maxMessageBytes, maxBufferedBytes, runGuards, report } = rules;
  const aborter = new AbortController();
  let transport: Transport | undefined;
  let state: "connecting" | "open" | "closing" | "closed" = "connecting";
  let tasks: Task[] = [];
  let waitingBytes = 0;
  let isBusy = false;
  let rechecking: Promise<void> | undefined;
  let recheckTimer: ReturnType<typeof setInterval> | undefined;
  let closeTimer: ReturnType<typeof setTimeout> | undefined;

  const socket: LiveSocket = {
    protocol: rules.protocol,
    signal: aborter.signal,
    get bufferedBytes() {
      return state === "closed" ? 0 : transport?.bufferedBytes() ?? 0;
    },
    send(message) {
      const data = toMessage(message);
      if (transport === undefined || state !== "open") return false;
      if (transport.bufferedBytes() <= maxBufferedBytes && transport.send(data) !== false) {
        return true;
      }
      end(1013, "The client reads too slowly");
      return false;
    },
    close(code = 1000, reason = "") {
      checkClose(code, reason);
      end(code, reason);
    },
    recheck: () => rechecking ??= recheck().finally(() => rechecking = undefined),
  };

  /** Starts to close. What was received and not handled is dropped: it may be of a user who is signed out. */
  function end(code: number, reason: string): void {
    if (state === "closed") {
      tasks = tasks.slice(-1); // the handler `close`
      stop();
    }
    if (transport === undefined || state !== "open") return;
    state = "closing";
    tasks = [];
    stop();
    closeTimer = setTimeout(() => {
      transport?.terminate?.();
      finish(1006, "");
    }, CLOSE_TIMEOUT_MS);
    transport.close(code, reason);
  }

  function finish(code: number, reason: string): void {
    if (state === "connecting" || state === "closed") return;
    state = "closed";
    clearTimeout(closeTimer);
    aborter.abort();
    // the guards run until what the client sent before is handled
    if (runGuards === undefined || tasks.length === 0) stop();
    enqueue(() => {
      stop();
      return handlers.close?.(socket, code, reason);
    });
  }

  function stop(): void {
    clearInterval(recheckTimer);
    rules.signal?.removeEventListener("abort", goAway);
  }

  function goAway(): void {
    end(1001, "The server stops");
  }

  function start(): void {
    if (runGuards !== undefined) recheckTimer = setInterval(onTimer, rules.recheckMs);
  }

  /** Runs the guards. Whatever prevents that closes the connection, too. */
  async function recheck(): Promise<void> {
    clearInterval(recheckTimer);
    if (runGuards === undefined || (state !== "open" && tasks.length < 2)) return; // `close` alone waits
    start(); // whoever asked for this run: the next one is due `recheck` seconds later
    try {
      await runGuards();
    } catch (error) {
      if (isProblemError(error) && error.status < 500) end(1008, error.code);
      else fail(error);
    }
  }

  function onTimer(): void {
    if (rechecking === undefined) return void socket.recheck();
    fail(new Error("Cannot check the connection again: the guards have not answered"));
  }

  function fail(error: unknown): void {
    report(error);
    end(1011, "internal_error");
  }

  function enqueue(task: Task): void {
    tasks.push(task);
    if (!isBusy) void runTasks();
  }

  async function runTasks(): Promise<void> {
    isBusy = true;
    for (let task = tasks.shift(); task !== undefined; task = tasks.shift()) {
      try {
        const result = task();
        if (isPromise(result)) await result;
      } catch (error) {
        fail(error);
      }
    }
    isBusy = false;
  }

  return {
    open(opened) {
      if (state !== "connecting") return;
      transport = opened;
      state = "open";
      start();
      rules.signal?.addEventListener("abort", goAway, { once: true });
      if (rules.signal?.aborted) return goAway();
      if (handlers.open !== undefined) enqueue(() => handlers.open?.(socket));
    },
    message(received) {
      if (state !== "open" || handlers.message === undefined) return;
      const size = sizeOf(received);
      if (size > maxMessageBytes) return end(1009, "The message is too large");
      const cost = size + MESSAGE_OVERHEAD;
      if (waitingBytes > 0 && waitingBytes + cost > maxBufferedBytes) {
        return end(1013, "Messages arrive faster than they are handled");
      }
      waitingBytes += cost;
      enqueue(() => {
        waitingBytes -= cost;
        return handlers.message?.(
          socket,
          typeof received === "string" ? received : bytesOf(received),
        );
      });
    },
    close: finish,
  };
}

function sizeOf(data: string | ArrayBuffer | Uint8Array): number {
  return typeof data === "string" ? utf8Length(data) : data.byteLength;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

function bytesOf(data: ArrayBuffer | Uint8Array): Uint8Array<ArrayBuffer> {
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data);
}

/** @throws {TypeError} If it is neither a string nor bytes: runtimes would send `[object Object]`. */
function toMessage(message: string | BufferSource): WebSocketMessage {
  if (typeof message === "string") return message;
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  if (ArrayBuffer.isView(message)) {
    const { buffer, byteOffset, byteLength } = message;
    return new Uint8Array(buffer, byteOffset, byteLength);
  }
  throw new TypeError("Cannot send message: it must be a string or bytes");
}

/** Codes that an endpoint may send, RFC 6455 §7.4 and IANA's registry. */
function isSendable(code: number): boolean {
  return Number.isInteger(code) &&
    ((code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
      (code >= 3000 && code <= 4999));
}

function checkClose(code: number, reason: string): void {
  if (!isSendable(code)) {
    throw new RangeError(
      "Cannot close WebSocket: code must be 1000 to 1003, 1007 to 1014, or 3000 to 4999",
    );
  }
  if (utf8Length(reason) > MAX_REASON_BYTES) {
    throw new RangeError(
      `Cannot close WebSocket: reason must have at most ${MAX_REASON_BYTES} bytes`,
    );
  }
}
