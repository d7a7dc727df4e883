/**
 * What the router itself answers: 404, 405, OPTIONS, errors, HEAD, and the hooks that see every response last.
 *
 * @module
 */

import type { Engine, Match, Method } from "./_engine.ts";
import type { RequestContext } from "./_context.ts";
import { checkedResponse, type Fallbacks } from "./_pipeline.ts";
import { andThen, isPromise, type MaybePromise } from "./_promise.ts";
import type { Route } from "./_route.ts";
import { errorResponse, isProblemError, problem } from "./problem.ts";
import { discardBody, empty } from "./response.ts";
import type { ErrorHandler, ResponseHook, RouteRequest } from "./types.ts";

/** The router's hooks. */
export interface Hooks {
  /** Asked in this order until one answers. */
  readonly catches: ErrorHandler<unknown[]>[];
  /** See every response in this order. */
  readonly finals: ResponseHook<unknown[]>[];
  /** Told of errors that the client only sees as a 500. */
  readonly onError: (error: unknown, req: RouteRequest) => void;
}

/** The router's own part in answering. */
export interface RouterOutcomes extends Fallbacks {
  /** Finds the matches of a request. HEAD falls back to GET. */
  match(method: string, path: string): Match<Route>;
  /** Ends the request: no body for HEAD, then the hooks. */
  finish(
    response: MaybePromise<Response>,
    ctx: RequestContext,
    args: unknown[],
  ): MaybePromise<Response>;
}

/** Creates the outcomes of a router. */
export function createOutcomes(
  engine: Engine<Route>,
  { catches, finals, onError }: Hooks,
): RouterOutcomes {
  function match(method: string, path: string): Match<Route> {
    if (method !== "HEAD") return engine.match(method, path);
    const own = engine.match("HEAD", path);
    return own[0].some(([{ value }]) => value.method === "HEAD") ? own : engine.match("GET", path);
  }

  function notHandled(ctx: RequestContext): Response {
    const entries = ctx.match[0];
    if (entries.length > 0 && !entries.some(([{ value }]) => value.mounted)) {
      throw new TypeError(
        `Cannot answer: every handler of ${ctx.method} ${ctx.route} returned undefined`,
      );
    }
    const methods = ctx.target.bad ? [] : engine.methodsOf(ctx.path);
    // Where its own method is known too, every handler has passed: this path has nothing for the client.
    if (
      methods.length === 0 || methods.includes(ctx.method as Method) ||
      isGetForHead(ctx.method, methods)
    ) {
      return problem(404, "not_found");
    }
    const allow = allowField(methods);
    return ctx.method === "OPTIONS"
      ? empty(204, { headers: [["Allow", allow]] })
      : problem(405, "method_not_allowed", { headers: [["Allow", allow]] });
  }

  function handleError(
    error: unknown,
    ctx: RequestContext,
    args: unknown[],
  ): MaybePromise<Response> {
    return runErrorHandlers(0, error, ctx, args);
  }

  function runErrorHandlers(
    from: number,
    error: unknown,
    ctx: RequestContext,
    args: unknown[],
  ): MaybePromise<Response> {
    try {
      for (let i = from; i < catches.length; i++) {
        const result = catches[i]?.(error, ctx, ...args);
        if (isPromise(result)) {
          return Promise.resolve(result)
            .then((late) =>
              late === undefined ? runErrorHandlers(i + 1, error, ctx, args) : checkedResponse(late)
            )
            .catch((second) => failed(second, error, ctx));
        }
        if (result !== undefined) return checkedResponse(result);
      }
    } catch (second) {
      return failed(second, error, ctx);
    }
    return answerFor(error, ctx);
  }

  /** A `catch` handler threw: both errors are reported, unless it threw the same one again. */
  function failed(second: unknown, first: unknown, ctx: RequestContext): Response {
    if (second !== first && !isProblemError(first)) report(first, ctx);
    return answerFor(second, ctx);
  }

  function answerFor(error: unknown, ctx: RequestContext): Response {
    if (!isProblemError(error) || (error.status >= 500 && error.cause !== undefined)) {
      report(error, ctx);
    }
    try {
      return errorResponse(error);
    } catch (second) { // header fields that cannot be sent
      report(second, ctx);
      return problem(500, "internal_error");
    }
  }

  function report(error: unknown, ctx: RequestContext): void {
    if (isOwnAbort(error, ctx)) return;
    // A reporter that throws, now or later, must not take the answer or the process with it.
    try {
      const result: unknown = onError(error, ctx);
      if (isPromise(result)) Promise.resolve(result).catch(() => {});
    } catch {
      return;
    }
  }

  function finish(
    response: MaybePromise<Response>,
    ctx: RequestContext,
    args: unknown[],
  ): MaybePromise<Response> {
    if (ctx.method !== "HEAD" && finals.length === 0) return response;
    return andThen(response, (settled) => runFinals(0, withoutBody(settled, ctx), ctx, args));
  }

  function runFinals(
    from: number,
    response: Response,
    ctx: RequestContext,
    args: unknown[],
  ): MaybePromise<Response> {
    let current = response;
    for (let i = from; i < finals.length; i++) {
      try {
        const result = finals[i]?.(current, ctx, ...args);
        if (isPromise(result)) {
          return Promise.resolve(result)
            .then((late) => late === undefined ? current : withoutBody(checkedResponse(late), ctx))
            .catch((error) => replaced(current, error, ctx))
            .then((next) => runFinals(i + 1, next, ctx, args));
        }
        if (result !== undefined) current = withoutBody(checkedResponse(result), ctx);
      } catch (error) {
        current = replaced(current, error, ctx);
      }
    }
    return current;
  }

  /** A `finally` hook threw: its error's response takes the place of the one it was shown. */
  function replaced(response: Response, error: unknown, ctx: RequestContext): Response {
    discardBody(response);
    return withoutBody(answerFor(error, ctx), ctx);
  }

  return { match, notHandled: notHandled, handleError: handleError, finish };
}

/** Whether the client went away and the handler, which waited on `req.signal`, says just that. */
function isOwnAbort(error: unknown, { signal }: RequestContext): boolean {
  return signal.aborted &&
    (error === signal.reason || (error instanceof DOMException && error.name === "AbortError"));
}

function isGetForHead(method: string, methods: readonly Method[]): boolean {
  return method === "HEAD" && methods.includes("GET");
}

/** Value of `Allow`, RFC 9110 §10.2.1: GET brings HEAD, and OPTIONS is always answered. */
function allowField(methods: readonly string[]): string {
  const all = new Set(methods.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]));
  return [...all.add("OPTIONS")].join(", ");
}

/**
 * Takes the body off a response to HEAD, RFC 9110 §9.3.2. Its header fields stay, and none may be added: for a null body
 * servers send `Content-Length: 0`, which GET would not (§8.6), so the body becomes an empty stream.
 */
function withoutBody(response: Response, ctx: RequestContext): Response {
  if (ctx.method !== "HEAD" || response.body === null || BARE.has(response)) return response;
  const bare = new Response(
    response.headers.has("Content-Length") ? null : emptyStream(),
    response,
  );
  discardBody(response);
  BARE.add(bare);
  return bare;
}

/** Responses whose body was taken off. */
const BARE: WeakSet<Response> = new WeakSet();

function emptyStream(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.close() });
}
