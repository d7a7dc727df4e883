/**
 * A port of this machine, and the service there.
 *
 * @module
 */

import { createDrain, type Drain } from "./drain.ts";
import { StartError } from "./start_error.ts";

/** There is no TLS here, so only this machine can connect; for localhost browsers store `Secure` cookies without TLS. */
const HOSTNAME = "127.0.0.1";

/** A port that is listened at. */
export interface Listener {
  /** Where it is: `http://localhost:8000`. */
  readonly origin: string;
  /** Sets what answers its requests. Call it at once: before, there is nothing. */
  serve(fetch: Deno.ServeHandler): void;
  /** Waits for running requests; new ones are refused. */
  stop(): Promise<void>;
}

/**
 * Listens at a port; 0 selects a free one.
 *
 * @param remedy What to do if the port is in use.
 * @throws {StartError} If it can't be used.
 */
export function listen(port: number, remedy: string): Listener {
  let drain: Drain<[Deno.ServeHandlerInfo]> | undefined;
  const server = open(port, remedy, (request, info) => {
    return drain?.fetch(request, info) ?? new Response(null, { status: 503 });
  });
  return {
    origin: `http://localhost:${server.addr.port}`,
    serve(fetch) {
      drain = createDrain(async (request, info) => await fetch(request, info));
    },
    async stop() {
      await drain?.drained();
      await server.shutdown();
    },
  };
}

function open(
  port: number,
  remedy: string,
  fetch: Deno.ServeHandler,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname: HOSTNAME, port, onListen: () => {} }, fetch);
  } catch (cause) {
    const why = cause instanceof Deno.errors.AddrInUse
      ? `port ${port} is in use; ${remedy}`
      : `port ${port} can't be used: ${firstLine(cause)}`;
    throw new StartError(why, { cause });
  }
}

/** What an error says, in one line. */
export function firstLine(error: unknown): string {
  return String(error instanceof Error ? error.message : error).split("\n", 1)[0] ?? "";
}
