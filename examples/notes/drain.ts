/**
 * Lets requests finish before a server stops. `Deno.HttpServer.shutdown()` waits for responses, but fails the bodies that
 * are still on their way in: an upload would end as an error of its client.
 *
 * @module
 */

import { problem } from "@gatehouse/http";

/** A service that can be stopped. */
export interface Drain<Args extends unknown[]> {
  /** Answers requests; with 503 once `drained` was called. */
  readonly fetch: (request: Request, ...args: Args) => Promise<Response>;
  /** Resolves when all requests that came before have their responses. */
  drained(): Promise<void>;
}

/** Counts the requests that a service is working on. */
export function createDrain<Args extends unknown[]>(
  fetch: (request: Request, ...args: Args) => Response | Promise<Response>,
): Drain<Args> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let stopping = false;
  let running = 0;

  function leave(): void {
    if (stopping && running === 0) resolve();
  }

  return {
    async fetch(request, ...args) {
      if (stopping) return unavailable();
      running++;
      try {
        return await fetch(request, ...args);
      } finally {
        running--;
        leave();
      }
    },
    drained() {
      stopping = true;
      leave();
      return promise;
    },
  };
}

function unavailable(): Response {
  return problem(503, "service_unavailable", {
    detail: "The service is stopping",
    headers: { "Connection": "close", "Retry-After": "5" },
  });
}
