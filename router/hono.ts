/**
 * Hono's middleware inside a router: in `before`, `under` and a route's `use`.
 *
 * All middleware of a request shares one real Hono `Context`, which handlers get from {@linkcode honoContext}. `c.env` is the first
 * extra argument of `router.fetch` (`{}` without one), `c.executionCtx` the second if it has `waitUntil()`; `c.req.path`
 * and `c.req.param()` are the router's. Differences from a Hono application:
 *
 * - `next()` never throws: a handler's error is its response in `c.res`. `c.error` is what Hono middleware threw. An
 *   `HTTPException` is answered with its `getResponse()` without calling `catch`; other errors go to `catch`, and are a 500
 *   that `onError` is called with. This applies to middleware: handlers throw `HttpError`.
 * - Fields set before `next()` replace those of the response, but not `Content-Type`; `Set-Cookie` and `Vary` are merged.
 * - The readers of `c.req` have no limit; add `bodyLimit()` before them. The router rereads what they read before `next()`;
 *   afterwards the body is `req.content`. Of a replaced `c.req.raw` only the body is used.
 * - A 101 is sent unchanged; middleware sees an empty response instead.
 *
 * | Tried with hono 4.13.19                                                              | Put it in       |
 * | ------------------------------------------------------------------------------------ | --------------- |
 * | `cors` (answers preflights), `secureHeaders`, `requestId`, `logger`, `timing`        | `before`        |
 * | `languageDetector`, `contextStorage`, `trimTrailingSlash`, `appendTrailingSlash`     | `before`        |
 * | `compress`, `etag` (after it in the list), `prettyJSON`, `poweredBy`, `timeout`      | `before`, `use` |
 * | `basicAuth`, `bearerAuth`, `jwt`, `csrf`, `ipRestriction`, `some`, `every`, `except` | `under`, `use`  |
 * | `bodyLimit`, `validator`, `jsxRenderer`; `cache` with `wait: true` or `executionCtx` | `use`           |
 * | `methodOverride`, `methodNotAllowed`                                                 | need Hono's app |
 *
 * @module
 */
// deno-lint-ignore-file no-explicit-any -- as in Hono, whose variables are untyped by default

import { Context } from "hono";
import { cloneRawRequest } from "hono/request";
import type { RequestContext } from "./_context.ts";
import { problem } from "./problem.ts";
import { editHeaders, isResponse } from "./response.ts";
import type { Middleware } from "./handler.ts";
import { originalRequest, type RequestLike } from "./original_request.ts";
import type { LocalsProvider } from "./provide.ts";
import type { NoLocals, RouteRequest } from "./request.ts";
import { wrap } from "./wrap.ts";

/** The common part of every Hono `Context`. Pass Hono's type for the rest: `honoContext<Context<AppEnv>>(req)`. */
export interface HonoContext {
  /** First extra argument of `router.fetch`. */
  readonly env: any;
  /** All variables. */
  readonly var: Readonly<Record<string, any>>;
  /** The response, if there is one. */
  readonly res: Response;
  /** Reads a variable. */
  get(key: string): any;
  /** Sets a variable. */
  set(key: string, value: any): void;
  /** Sets a header field of the current or later response. */
  header(name: string, value?: string, options?: { append?: boolean }): void;
}

/** Middleware of Hono: its `MiddlewareHandler`, for any variables, path, input and typed response. */
export type HonoMiddleware<C = HonoContext> = (
  c: C,
  next: () => Promise<void>,
) => Promise<object | void>;

/**
 * Converts Hono middleware. As in Hono, a response returned without `next()` ends the request, one returned after it is
 * ignored (assign `c.res`), and a second `next()` is an error.
 *
 * What it sets with `c.set()` is in `req.locals`. `router.provide(fromHono(…))` types that by the middleware's `Variables`; if
 * it has none, by the second type argument: `fromHono<Context, { user: User }>(…)`.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { fromHono, honoContext } from "@gatehouse/http/hono";
 * import { assertEquals } from "@std/assert";
 * import { cors } from "hono/cors";
 * import { requestId } from "hono/request-id";
 *
 * const router = createRouter({ before: [fromHono(cors()), fromHono(requestId())] })
 *   .get("/", (req) => json({ id: honoContext(req).get("requestId") }));
 *
 * const response = await router.request("/", { headers: { "X-Request-Id": "a1" } });
 * assertEquals(await response.json(), { id: "a1" });
 * assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
 * ```
 */
export function fromHono<C = HonoContext, Variables = HonoVariables<C>>(
  middleware: HonoMiddleware<C>,
): LocalsProvider<[], Variables> {
  const wrapper = wrap<unknown[]>(async (req, next, ...args) => {
    const c = (req as WithContext)[CONTEXT] ?? openContext(req, args);
    let before: Fields | undefined;
    let upgrade: Response | undefined;
    let ended = false;
    function settle(response: Response, fields: Fields): void {
      upgrade = response.status === 101 ? response : undefined; // can be neither changed nor copied
      settleResponse(c, upgrade === undefined ? response : new Response(null), fields);
    }
    async function goOn(): Promise<void> {
      const decided = c.finalized; // c.res was assigned before next(), and is kept
      before = [...c.res.headers];
      await handOnBody(c, req);
      const response = await next();
      if (!ended && !decided) settle(response, before);
      else if (response !== c.res) response.body?.cancel().catch(() => {}); // it will not be read
    }
    try {
      const result: unknown = await middleware(c as C, goOn);
      if (isResponse(result) && !c.finalized) settle(result, [...c.res.headers]);
    } catch (error) {
      if (error instanceof Error) c.error = error;
      settle(exceptionResponse(error), before ?? [...c.res.headers]);
    } finally {
      ended = true;
    }
    if (c.finalized) return upgrade ?? c.res;
    throw new TypeError("Cannot answer: Hono middleware neither answered nor awaited next()");
  });
  return Object.assign(wrapper as Middleware, {
    of: (request: RequestLike) => foundContext(request, originalRequest(request)).var as Variables,
  });
}

/** Variables of a Hono `Context` that are typed by name: the `Variables` of its environment, and `ContextVariableMap`. */
export type HonoVariables<C> = C extends { readonly var: infer Variables } ? {
    readonly [
      Name in keyof Variables as string extends Name ? never
        : number extends Name ? never
        : Name
    ]: Variables[Name];
  }
  : NoLocals;

/**
 * Hono's `Context` of a request that Hono middleware has seen, for handlers and hooks.
 *
 * @throws {TypeError} If there was none. For hooks such as `onError`, put the middleware first in `before`.
 */
export function honoContext<C extends HonoContext = HonoContext>(
  req: RouteRequest<unknown, unknown, unknown>,
): C {
  return foundContext(req) as HonoContext as C;
}

/** The context of the first of these that has one. */
function foundContext(...requests: readonly object[]): Context {
  const [c] = requests.flatMap((one) => (one as WithContext)[CONTEXT] ?? []);
  if (c === undefined) throw new TypeError("Cannot get Hono's context: no Hono middleware ran");
  return c;
}

/** Header fields, each `Set-Cookie` on its own. */
type Fields = readonly (readonly [name: string, value: string])[];

/** Property of a request for its context. A WeakMap would keep thousands of both alive until V8's next full collection. */
const CONTEXT: unique symbol = Symbol("gatehouse.honoContext");
type WithContext = { [CONTEXT]?: Context };

type ContextOptions = NonNullable<ConstructorParameters<typeof Context>[1]>;

function openContext(req: RouteRequest, [env, executionCtx]: unknown[]): Context {
  const c = new Context(req.raw, {
    env: env ?? {},
    executionCtx: isExecutionContext(executionCtx) ? executionCtx : undefined,
    path: req.path,
    matchResult: new LiveMatch(req) as unknown as NonNullable<ContextOptions["matchResult"]>,
    notFoundHandler: () => problem(404, "not_found"),
  });
  const { set } = c;
  c.set = (name: string, value: unknown) => {
    set(name, value);
    (req.locals as Record<string, unknown>)[name] = value;
  };
  (req as WithContext)[CONTEXT] = c;
  (originalRequest(req) as WithContext)[CONTEXT] ??= c; // for mounted routers
  return c;
}

function isExecutionContext(value: unknown): value is NonNullable<ContextOptions["executionCtx"]> {
  return typeof value === "object" && value !== null && "waitUntil" in value &&
    typeof value.waitUntil === "function";
}

/** The match in Hono's format, computed lazily. A class, since a getter created per request is ten times slower. */
class LiveMatch {
  readonly #req: RouteRequest;

  constructor(req: RouteRequest) {
    this.#req = req;
  }

  get 0(): unknown {
    const { method, route: path, params } = this.#req;
    const handler = (_c: unknown, next: () => Promise<void>) => next();
    const escaped: Record<string, string> = Object.create(null);
    for (const name of Object.keys(params)) {
      escaped[name] = String(params[name]).replaceAll("%", "%25"); // Hono decodes once more
    }
    return [[[handler, { basePath: "/", path, method, handler }], escaped]];
  }
}

/** Lets the router read a body that middleware has read or replaced, as `bodyLimit` does. */
async function handOnBody({ req }: Context, ctx: RouteRequest): Promise<void> {
  if (req.raw.bodyUsed && Object.keys(req.bodyCache).length > 0) {
    req.raw = await cloneRawRequest(req);
  }
  if (req.raw !== ctx.raw && !req.raw.bodyUsed) (ctx as RequestContext).source = req.raw;
}

/** The response that an `HTTPException` carries, of any version of Hono. Other errors are rethrown. */
function exceptionResponse(error: unknown): Response {
  if (error instanceof Error && "getResponse" in error && typeof error.getResponse === "function") {
    return error.getResponse();
  }
  throw error;
}

/** Assigns a response to `c.res`: the same object, unless its header fields are immutable. */
function settleResponse(c: Context, response: Response, fields: Fields): void {
  const known = c.finalized && response === c.res; // has the fields already
  const settled = editHeaders(response, (headers) => addFields(headers, known ? [] : fields));
  if (known && settled === response) return;
  c.res = undefined; // with a previous response, the setter copies this one and drops its cookies
  c.res = settled;
}

function addFields(headers: Headers, fields: Fields): void {
  const own = headers.getSetCookie();
  headers.delete("Set-Cookie"); // throws if fields are immutable; the response's come last and so win
  const isNew = ([name, value]: Fields[number]) => name === "set-cookie" && !own.includes(value);
  const cookies = fields.filter(isNew).map(([, value]) => value);
  for (const cookie of [...cookies, ...own]) headers.append("Set-Cookie", cookie);
  for (const [name, value] of fields) {
    if (name === "content-type" || name === "set-cookie") continue;
    const vary = name === "vary" ? headers.get(name) : null;
    const names = vary === null ? [value] : `${vary},${value}`.split(/\s*,\s*/);
    headers.set(name, [...new Set(names)].join(", "));
  }
}
