/**
 * The router's own responses: 404, 405, OPTIONS, errors and HEAD, and the hooks that process every response last.
 *
 * @module
 */

import type { RequestContext } from "./_context.ts";
import type { Engine, Match } from "./_engine.ts";
import { isObserving, noteError } from "./_report.ts";
import { checkedResponse, type Fallbacks, type Run } from "./_pipeline.ts";
import { andThen, attempt, type MaybePromise } from "./_promise.ts";
import type { Route } from "./_route.ts";
import type { ErrorHandler, ResponseHook } from "./handler.ts";
import { isAbortOf, lastHooksOf } from "./original_request.ts";
import { errorResponse, HttpError, isProblemError, notFound, problem } from "./problem.ts";
import type { RouteRequest } from "./request.ts";
import { discardBody, empty } from "./response.ts";

/** The router's hooks. */
export interface Hooks {
  /** Called in this order until one returns a response. */
  readonly catches: ErrorHandler<unknown[]>[];
  /** Called in this order with every response. */
  readonly finals: ResponseHook<unknown[]>[];
  /** Whether the router has mounts, whose routers may have hooks to call last. */
  hasMounts: boolean;
  /** Called with errors that the client sees as a 500 only. */
  readonly onError: (error: unknown, req: RouteRequest) => void;
}

/** {@linkcode Fallbacks}, and what comes before and after a run. */
export interface RouterFallbacks extends Fallbacks {
  /** Finds the matches of a request. HEAD falls back to GET. */
  match(method: string, path: string): Match<Route>;
  /** Completes the response: no body for HEAD, then the hooks. */
  finish(response: MaybePromise<Response>, run: Run): MaybePromise<Response>;
  /** Passes an error to `onError`. */
  report(error: unknown, ctx: RequestContext): void;
}

/** Creates the fallbacks of a router. */
export function createFallbacks(
  engine: Engine<Route>,
  hooks: Hooks,
): RouterFallbacks {
  const { catches, finals, onError } = hooks;

  function match(method: string, path: string): Match<Route> {
    if (method !== "HEAD") return engine.match(method, path);
    const own = engine.match("HEAD", path);
    return own[0].some(([{ value }]) => value.method === "HEAD") ? own : engine.match("GET", path);
  }

  function notHandled({ ctx, match: [entries] }: Run): Response {
    if (entries.length > 0 && !entries.some(([{ value }]) => value.mounted)) {
      throw new TypeError(
        `Cannot answer: every handler of ${ctx.method} ${ctx.route} returned undefined`,
      );
    }
    const found = ctx.target.bad ? [] : engine.methodsOf(ctx.path);
    if (found.length === 0) return unknownPath(ctx);
    // RFC 9110 §10.2.1: GET implies HEAD.
    const methods = new Set<string>(
      found.flatMap((method) => method === "GET" ? ["GET", "HEAD"] : [method]),
    );
    // If the request's own method is among them, every handler has passed: there is nothing at this path.
    if (methods.has(ctx.method)) return unknownPath(ctx);
    const headers: [string, string][] = [["Allow", [...methods.add("OPTIONS")].join(", ")]];
    if (ctx.method === "OPTIONS") return empty(204, { headers });
    if (isObserving()) noteError(new HttpError(405, "method_not_allowed"), ctx);
    return problem(405, "method_not_allowed", { headers });
  }

  function unknownPath(ctx: RequestContext): Response {
    if (isObserving()) noteError(new HttpError(404, "not_found"), ctx);
    return notFound();
  }

  function handleError(error: unknown, run: Run, from = 0): MaybePromise<Response> {
    const { ctx, args } = run;
    const handler = catches[from];
    if (handler === undefined) return responseFor(error, ctx);
    noteError(error, ctx);
    return attempt(
      () =>
        andThen(
          handler(error, ctx, ...args),
          (result) =>
            result === undefined ? handleError(error, run, from + 1) : checkedResponse(result),
        ),
      (second) => { // both errors are reported, unless they are the same
        if (second !== error && !isProblemError(error)) report(error, ctx);
        return responseFor(second, ctx);
      },
    );
  }

  function responseFor(error: unknown, ctx: RequestContext): Response {
    noteError(error, ctx);
    if (!isProblemError(error) || (error.status >= 500 && error.cause !== undefined)) {
      report(error, ctx);
    }
    try {
      return errorResponse(error);
    } catch (second) { // invalid header fields
      report(second, ctx);
      return problem(500, "internal_error");
    }
  }

  function report(error: unknown, ctx: RequestContext): void {
    if (isAbortOf(ctx.raw, error)) return;
    // A reporter that throws or rejects must affect neither the response nor the process.
    void attempt<unknown>(() => onError(error, ctx), () => {});
  }

  function finish(response: MaybePromise<Response>, run: Run): MaybePromise<Response> {
    const { ctx } = run;
    if (ctx.method !== "HEAD" && finals.length === 0 && !hooks.hasMounts) return response;
    return andThen(response, (settled) => {
      const last = ctx.source === ctx.raw ? [] : lastHooksOf(ctx.original);
      const list = last.length === 0 ? finals : [...finals, ...last];
      return runFinals(list, withoutBody(settled, ctx), run);
    });
  }

  function runFinals(
    list: readonly ResponseHook<unknown[]>[],
    response: Response,
    run: Run,
    from = 0,
  ): MaybePromise<Response> {
    const { ctx, args } = run;
    const hook = list[from];
    if (hook === undefined) return response;
    const next = attempt(
      () =>
        andThen(
          hook(response, ctx, ...args),
          (result) => result === undefined ? response : withoutBody(checkedResponse(result), ctx),
        ),
      (error) => { // its response replaces the one that the hook was called with
        discardBody(response);
        return withoutBody(responseFor(error, ctx), ctx);
      },
    );
    return andThen(next, (current) => runFinals(list, current, run, from + 1));
  }

  return { match, notHandled, handleError, finish, report };
}

/**
 * Removes the body of a response to HEAD, RFC 9110 §9.3.2. The header fields stay, and none may be added: for a null body
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

/** Responses whose body was removed. */
const BARE: WeakSet<Response> = new WeakSet();

function emptyStream(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.close() });
}
