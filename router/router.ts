/**
 * The typed router.
 *
 * Order of a request: `before` → `under` → match → authentication → schema of path and query → authorization → route `use`
 * → content type → body → its schema → handler → `finally`. Thrown values go to `catch`, then `finally`.
 *
 * @module
 */

import { isDelivery } from "./_body.ts";
import { RequestContext, type RouterRules } from "./_context.ts";
import { scopeOf } from "./access.ts";
import { createEngine, type Method, METHODS } from "./_engine.ts";
import { createFallbacks, type Hooks } from "./_fallbacks.ts";
import { type AnyApp, createMountHandler } from "./_mount.ts";
import { originOf, reportDefinition } from "./_origin.ts";
import {
  checkFunction,
  checkLimit,
  checkTimeout,
  readMountOptions,
  readOptions,
  readValidators,
  rejectUnknownOptions,
  ROUTER_OPTIONS,
} from "./_options.ts";
import { type Run, settle } from "./_pipeline.ts";
import { isObserving, observe, reportError, startObservation } from "./_report.ts";
import {
  type AnyFunction,
  BODY_LIMITS,
  DEFAULT_BODY_TIMEOUT,
  guardedAccess,
  type InstalledGuard,
  installedGuard,
  type Route,
} from "./_route.ts";
import { middlewareStep, type Step } from "./_step.ts";
import type { AccessRules } from "./access.ts";
import type { AuthIntegration, RouteTarget } from "./guard.ts";
import type {
  ErrorHandler,
  Middleware,
  MountOptions,
  ResponseHook,
  RouteOptions,
} from "./handler.ts";
import type { PrefixParamsOf } from "./markers.ts";
import { joinPaths, parseTarget } from "./path.ts";
import type { NoLocals } from "./request.ts";
import { parsePattern, parsePrefix, prefixTest } from "./pattern.ts";
import type { FindValidators } from "./schema.ts";
import type { RouteInfo, RouterOptions, RouteSource, TypedRouter } from "./types.ts";

/**
 * Creates a router.
 *
 * `Args` types the arguments of `fetch` after the request, which handlers get as well: `[Deno.ServeHandlerInfo]`, or
 * `[Env, ExecutionContext]` on workerd.
 *
 * Patterns: `/users/:id`, `/users/:id?`, `/users/:id{[0-9]+}`, `/files/*`. Matches are tried in order of
 * registration. GET routes answer HEAD, and OPTIONS is answered automatically; a known path with another method is a 405
 * with `Allow`, an unknown path a 404. Errors are `application/problem+json` (RFC 9457).
 *
 * @throws {TypeError | RangeError} If an option is invalid.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter()
 *   .get("/hello/:name", (req) => json({ hello: req.params.name }));
 *
 * const response = await router.request("/hello/Ada");
 * assertEquals(await response.json(), { hello: "Ada" });
 * ```
 */
export function createRouter<Args extends unknown[] = [], Prefix extends string = "">(
  options: RouterOptions<Args, Prefix> = {},
): TypedRouter<Args, unknown, AccessRules, NoLocals, PrefixParamsOf<Prefix>> {
  rejectUnknownOptions("Cannot create router", options, ROUTER_OPTIONS);
  const { prefix = "", before = [], maxBodyBytes, onError = reportError, info } = options;
  const { bodyTimeout = DEFAULT_BODY_TIMEOUT, onRequest } = options;
  const validators = readValidators(options.validators);
  checkLimit(maxBodyBytes, "router");
  checkTimeout(bodyTimeout, "add router", "bodyTimeout");
  checkFunction(onError, "router", "onError");
  checkFunction(onRequest, "router", "onRequest", true);
  checkFunction(options.catch, "router", "catch", true);
  options.finally?.forEach((hook) => checkFunction(hook, "router", "finally"));
  if (prefix !== "") parsePrefix(prefix);
  const engine = createEngine<Route>();
  const steps: Step[] = before.map((middleware) =>
    middlewareStep(middleware as Middleware<unknown[]>)
  );
  const hooks: Hooks = {
    catches: options.catch === undefined ? [] : [options.catch as ErrorHandler<unknown[]>],
    finals: [...options.finally ?? []] as ResponseHook<unknown[]>[],
    hasMounts: false,
    onError,
  };
  const fallbacks = createFallbacks(engine, hooks);
  const routes: RouteInfo[] = [];
  const outer: FindValidators[] = [];
  let guard: InstalledGuard | undefined;
  let answering = false;
  const rules: RouterRules = {
    maxBodyBytes: maxBodyBytes ?? BODY_LIMITS.plain,
    bodyTimeout,
    report: fallbacks.report,
    steps,
  };

  /** Those of this router come before those of the routers that it is mounted in. */
  const find: FindValidators = (method, pattern) =>
    validators[`${method} ${pattern}`] ??
      outer.map((next) => next(method, pattern)).find((found) => found);

  function add(
    method: Method,
    path: string,
    handler: AnyFunction,
    given: RouteOptions<unknown[]>,
    provided: readonly Middleware<unknown[]>[],
    app?: AnyApp,
  ): void {
    const pattern = parsePattern(joinPaths(prefix, path));
    const where = `route ${method} ${pattern.source}`;
    checkOpen(`add ${where}`);
    checkFunction(handler, where, "the handler");
    const options = readOptions(method, given, where);
    const limit = options.maxBodyBytes ?? maxBodyBytes ??
      BODY_LIMITS[options.multipart ? "multipart" : "plain"];
    const guarded = guardedAccess(options, guard, where);
    const inner = app && OWN_ROUTERS.get(app);
    inner?.adopt((verb, path) =>
      find(verb, joinPaths(pattern.source.slice(0, -"/*".length), path))
    );
    const common = { method, options, mounted: app !== undefined };
    hooks.hasMounts ||= common.mounted;
    engine.add(method, pattern, {
      ...common,
      pattern,
      handler,
      provided,
      guard: guarded,
      scope: scopeOf(options),
      maxBodyBytes: limit,
      bodyTimeout,
      validators: () => find(method, pattern.source),
      steps: undefined,
    });
    const route: RouteInfo = Object.freeze({
      ...common,
      pattern: pattern.source,
      app: inner && app as unknown as RouteSource,
      guard: guarded && { access: guarded.access, strategies: guarded.strategies },
      origin: originOf(handler),
    });
    reportDefinition(route);
    routes.push(route);
  }

  function checkOpen(action: string): void {
    if (answering) throw new TypeError(`Cannot ${action}: the router has begun to answer`);
  }

  /** Adds the methods that register something to a router; its routes and mounts run `provided` first. */
  function view(self: object, provided: readonly Middleware<unknown[]>[]): object {
    const addMount: AddMount = (path, handler, app, given = {}) => {
      add("ALL", path.endsWith("/") ? path + "*" : path + "/*", handler, given, provided, app);
    };
    const method =
      (name: Method) =>
      (path: string, handler: AnyFunction, given: RouteOptions<unknown[]> = {}): unknown => {
        add(name, path, handler, given, provided);
        return self;
      };
    OWN_ROUTERS.set(self, { addMount, adopt: (found) => void outer.push(found) });
    return Object.assign(self, {
      ...Object.fromEntries(METHODS.map((name) => [name.toLowerCase(), method(name)])),
      provide(provider: Middleware<unknown[]>): unknown {
        middlewareStep(provider); // rejects what is not a function
        return view(Object.create(self), [...provided, provider]);
      },
      under(path: string, ...middleware: Middleware<unknown[]>[]): unknown {
        checkOpen(`add middleware under ${path}`);
        const appliesTo = prefixTest(parsePrefix(joinPaths(prefix, path)));
        steps.push(...middleware.map((one) => middlewareStep(one, appliesTo)));
        return self;
      },
      mount(path: string, app: AnyApp, mountOptions: MountOptions = {}): unknown {
        const { insecureEncodedSlashes = false, ...options } = readMountOptions(
          mountOptions,
          `mount ${path}`,
        );
        checkFunction(app?.fetch, `mount ${path}`, "app.fetch");
        const encodedSlashes = insecureEncodedSlashes || OWN_ROUTERS.has(app);
        const handler = createMountHandler(parsePrefix(joinPaths(prefix, path)), app, {
          encodedSlashes,
        });
        addMount(path, handler, app, options);
        return self;
      },
      withAuth(integration: AuthIntegration<object>): unknown {
        checkOpen("install a guard");
        if (guard !== undefined) throw new TypeError("Cannot install a guard: the router has one");
        guard = installedGuard(integration);
        const { before: first = [] } = integration as AuthIntegration<object>;
        steps.unshift(...first.map((middleware) => middlewareStep(middleware)));
        if (integration.catch !== undefined) hooks.catches.unshift(integration.catch);
        if (integration.finally !== undefined) hooks.finals.push(integration.finally);
        integration.routes?.(router as unknown as RouteTarget);
        return self;
      },
    });
  }

  function fetch(request: Request, ...args: unknown[]): Response | Promise<Response> {
    return answer(request, args, isDelivery(args[0]));
  }

  function answer(
    request: Request,
    args: unknown[],
    delivered: boolean,
  ): Response | Promise<Response> {
    answering = true;
    const url = request.url;
    const target = parseTarget(url);
    const verb = request.method;
    const match = fallbacks.match(verb, target.path);
    const ctx = new RequestContext(request, verb, url, target, match, rules, delivered, args);
    const run: Run = { ctx, args, match, fallbacks, steps, nextStep: 0, nextMatch: 0 };
    const observation = onRequest && startObservation(ctx, onRequest);
    const response = fallbacks.finish(settle(run), run);
    return isObserving() ? observe(response, run, observation, fallbacks.report) : response;
  }

  const router = view({
    fetch,
    routes,
    info,
    async request(
      pathOrRequest: string | Request,
      init?: RequestInit,
      ...args: unknown[]
    ): Promise<Response> {
      const isPath = typeof pathOrRequest === "string" && pathOrRequest.startsWith("/");
      const request = new Request(
        isPath ? "http://localhost" + pathOrRequest : pathOrRequest,
        init,
      );
      return await answer(request, args, false); // no server has delivered this request
    },
  }, []);
  return router as unknown as TypedRouter<
    Args,
    unknown,
    AccessRules,
    NoLocals,
    PrefixParamsOf<Prefix>
  >;
}

/**
 * Adds a handler under a path for every method and for malformed targets; `undefined` leaves a request to later routes.
 *
 * @param app The application that responds, as `routes` lists it.
 */
type AddMount = (
  path: string,
  handler: AnyFunction,
  app: AnyApp,
  options?: RouteOptions<unknown[]>,
) => void;

/** What routers do for each other. */
interface RouterParts {
  readonly addMount: AddMount;
  /** Lets the router that this one is mounted in find validators of its routes. */
  adopt(find: FindValidators): void;
}

/** Routers created here. They keep `%2F` and `%5C` encoded, so a mount may pass these on. */
const OWN_ROUTERS: WeakMap<object, RouterParts> = new WeakMap();

/** Adds a handler under a path of a router that was created here, see {@linkcode AddMount}. */
export function addMount<Args extends unknown[]>(
  router: TypedRouter<Args>,
  path: string,
  handler: AnyFunction,
  app: AnyApp,
): void {
  OWN_ROUTERS.get(router)?.addMount(path, handler, app);
}
