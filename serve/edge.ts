/**
 * Applications on edge hosts.
 *
 * @module
 */

import { problem } from "../router/problem.ts";
import { reportError } from "./_report.ts";

/** An application as edge hosts take it: the default export of a module. */
export interface EdgeApplication<Args extends unknown[] = []> {
  /** Responds to a request; further arguments are the host's: bindings, for example. */
  readonly fetch: (request: Request, ...args: Args) => Response | Promise<Response>;
}

/** The part of `FetchEvent` that is used. */
interface FetchEventLike {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

/** What a host has whose applications are listeners of the event `fetch`. */
interface EventHost {
  readonly FetchEvent?: unknown;
  readonly navigator?: unknown;
  readonly addEventListener?: (type: "fetch", listener: (event: FetchEventLike) => void) => void;
}

let isListening = false;

/**
 * Serves an application on an edge host: `export default serveEdge(router)` for module workers, Deno Deploy, `deno serve` and
 * Bun. On hosts where an application is a listener of the event `fetch`, as in service workers and WASI components, it is
 * added as one: call it at the top level of the module, before any `await`. If the application throws, the response is a 500.
 *
 * @throws {TypeError} If it has no `fetch()`, or such a host has another application already.
 *
 * @example
 * ```ts
 * import { createRouter, json, serveEdge } from "@gatehouse/http/edge";
 * import { assertEquals } from "@std/assert";
 *
 * const application = serveEdge(createRouter().get("/hello", () => json("world")));
 * export default application;
 *
 * const response = await application.fetch(new Request("https://example.com/hello"));
 * assertEquals(await response.json(), "world");
 * ```
 */
export function serveEdge<Args extends unknown[]>(
  application: EdgeApplication<Args>,
): EdgeApplication<Args> {
  if (typeof application?.fetch !== "function") {
    throw new TypeError("Cannot serve application: it has no fetch()");
  }
  const respond = async (request: Request, ...args: Args): Promise<Response> => {
    try {
      return await application.fetch(request, ...args);
    } catch (error) {
      reportError(error, request);
      return problem(500, "internal_error");
    }
  };
  listen((request) => respond(request, ...[] as unknown[] as Args)); // an event has no further arguments
  return Object.freeze({ fetch: respond });
}

/**
 * Deno and Bun have the function without the event. StarlingMonkey has the event without its class, and unlike them no
 * `navigator`.
 */
function listen(respond: (request: Request) => Promise<Response>): void {
  const { FetchEvent, navigator, addEventListener } = globalThis as EventHost;
  if (typeof addEventListener !== "function" || (!FetchEvent && navigator)) return;
  if (isListening) {
    throw new TypeError("Cannot serve application: this host has another one already");
  }
  isListening = true;
  addEventListener("fetch", (event) => event.respondWith(respond(event.request)));
}
