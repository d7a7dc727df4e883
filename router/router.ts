/**
 * The typed router.
 *
 * A request goes: `before` → `under` → match → guard → route `use` → content type → body → schema → handler →
 * `finally`. Anything thrown goes to `catch`, then `finally`.
 *
 * @module
 */

import { isServed } from "./_body.ts";
import { createEngine, type Method } from "./_engine.ts";
import { RequestContext } from "./_context.ts";
import { type AnyApp, createMountHandler } from "./_mount.ts";
import { createOutcomes, type Hooks } from "./_fallbacks.ts";
import { runAll } from "./_pipeline.ts";
import { reportError } from "./_report.ts";
import {
  type AnyFunction,
  BODY_LIMITS,
  checkFunction,
  checkLimit,
  checkOptions,
  frozenOptions,
  guardedAccess,
  type InstalledGuard,
  type Route,
} from "./_route.ts";
import { originOf } from "./_origin.ts";
import { reportDefinition } from "./_source_location.ts";
import { middlewareStep, type Step } from "./_step.ts";
import type { OpenApiDocument, OpenApiInfo } from "./openapi_types.ts";
import { joinPaths, parseTarget } from "./path.ts";
import { parsePattern, parsePrefix, prefixTest } from "./pattern.ts";
import type {
  AuthIntegration,
  ErrorHandler,
  Middleware,
  MountOptions,
  ResponseHook,
  RouteInfo,
  RouteOptions,
  RouterOptions,
  RouterParts,
  RouteSource,
  RouteTarget,
  TypedRouter,
} from "./types.ts";

/**
 * Creates a router.
 *
 * `Args` types what `fetch` is called with behind the request, and what handlers get: `[Deno.ServeHandlerInfo]`, or
 * `[Env, ExecutionContext]` on workerd.
 *
 * Patterns: `/users/:id`, `/users/:id?`, `/users/:id{[0-9]+}`, `/files/*`. Matches are tried in order of
 * registration. GET routes answer HEAD; OPTIONS is answered by itself; a known path under another method is a 405 with
 * `Allow`; everything else is a 404. Errors are `application/problem+json` (RFC 9457).
 *
 * @throws {TypeError | RangeError} If an option cannot work.
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
export function createRouter<Args extends unknown[] = []>(
  options: RouterOptions<Args> = {},
): TypedRouter<Args> {
  return createOpenRouter(options, {}).router;
}

/** A router, and what only the package's own parts add to it. */
export interface OpenRouter<Args extends unknown[]> {
  readonly router: TypedRouter<Args>;
  /**
   * Adds what answers beneath a path for every method and for malformed targets, or leaves a request to later routes.
   *
   * @param app What answers, as `routes` tells it.
   */
  readonly addMount: (
    path: string,
    handler: AnyFunction,
    app: AnyApp,
    options?: RouteOptions<unknown[]>,
  ) => void;
}

/**
 * Creates a router that more can be added to than its own methods add.
 *
 * @param parts What the entry it is imported from adds to it.
 */
export function createOpenRouter<Args extends unknown[]>(
  options: RouterOptions<Args>,
  parts: RouterParts,
): OpenRouter<Args> {
  const { prefix = "", before = [], maxBodyBytes, onError = reportError, info } = options;
  checkLimit(maxBodyBytes, "router");
  checkFunction(onError, "router", "onError");
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
    onError,
  };
  const outcomes = createOutcomes(engine, hooks);
  const routes: RouteInfo[] = [];
  let guard: InstalledGuard | undefined;
  let answering = false;

  function add(
    method: Method,
    path: string,
    handler: AnyFunction,
    given: RouteOptions<unknown[]>,
    app?: AnyApp,
  ): void {
    const pattern = parsePattern(joinPaths(prefix, path));
    const where = `route ${method} ${pattern.source}`;
    checkFunction(handler, where, "the handler");
    checkOptions(method, given, where);
    const options = frozenOptions(given);
    const limit = options.maxBodyBytes ?? maxBodyBytes ??
      BODY_LIMITS[options.multipart ? "multipart" : "plain"];
    const guarded = guardedAccess(options, guard, where);
    const mounted = app !== undefined;
    engine.add(method, pattern, {
      method,
      pattern,
      options,
      mounted,
      handler,
      guard: guarded,
      maxBodyBytes: limit,
      steps: undefined,
    });
    const route: RouteInfo = Object.freeze({
      method,
      pattern: pattern.source,
      options,
      mounted,
      app: app !== undefined && ownRouters.has(app) ? app as unknown as RouteSource : undefined,
      guard: guarded && { access: guarded.access, strategies: guarded.strategies },
      origin: originOf(handler),
    });
    reportDefinition(route);
    routes.push(route);
  }

  function addBeneath(
    path: string,
    handler: AnyFunction,
    app: AnyApp,
    given: RouteOptions<unknown[]> = {},
  ): void {
    add("ALL", path.endsWith("/") ? path + "*" : path + "/*", handler, given, app);
  }

  function method(name: Method): unknown {
    return (
      path: string,
      handler: AnyFunction,
      given: RouteOptions<unknown[]> = {},
    ): typeof router => {
      add(name, path, handler, given);
      return router;
    };
  }

  function fetch(request: Request, ...args: unknown[]): Response | Promise<Response> {
    answering = true;
    const url = request.url;
    const target = parseTarget(url);
    const verb = request.method;
    const ctx = new RequestContext(
      request,
      verb,
      url,
      target,
      outcomes.match(verb, target.path),
      maxBodyBytes ?? BODY_LIMITS.plain,
      isServed(args[0]),
    );
    return outcomes.finish(runAll(steps, ctx, args, outcomes), ctx, args);
  }

  const router = {
    get: method("GET"),
    head: method("HEAD"),
    options: method("OPTIONS"),
    delete: method("DELETE"),
    all: method("ALL"),
    post: method("POST"),
    put: method("PUT"),
    patch: method("PATCH"),
    fetch,
    routes,
    info,
    openapi(given: OpenApiInfo | undefined = info): OpenApiDocument {
      if (parts.generateOpenAPI === undefined) {
        throw new TypeError(
          'Cannot write the document: this router has no generator; make it by "@gatehouse/http", or call ' +
            "generateOpenAPI(info, router)",
        );
      }
      if (given === undefined) {
        throw new TypeError("Cannot write the document: nobody said its title and version");
      }
      return parts.generateOpenAPI(given, router as unknown as RouteSource);
    },
    async request(
      pathOrRequest: string | Request,
      init?: RequestInit,
      ...args: unknown[]
    ): Promise<Response> {
      const isPath = typeof pathOrRequest === "string" && pathOrRequest.startsWith("/");
      return await fetch(
        new Request(isPath ? "http://localhost" + pathOrRequest : pathOrRequest, init),
        ...args,
      );
    },
    under(path: string, ...middleware: Middleware<unknown[]>[]): unknown {
      if (answering) {
        throw new TypeError(`Cannot add middleware under ${path}: the router has begun to answer`);
      }
      const appliesTo = prefixTest(parsePrefix(joinPaths(prefix, path)));
      steps.push(...middleware.map((one) => middlewareStep(one, appliesTo)));
      return router;
    },
    mount(path: string, app: AnyApp, mountOptions: MountOptions = {}): unknown {
      const { auth, insecureEncodedSlashes = false } = mountOptions;
      checkFunction(app?.fetch, `mount ${path}`, "app.fetch");
      const encodedSlashes = insecureEncodedSlashes || ownRouters.has(app);
      const handler = createMountHandler(parsePrefix(joinPaths(prefix, path)), app, {
        encodedSlashes,
      });
      addBeneath(path, handler, app, auth === undefined ? {} : { auth });
      return router;
    },
    withAuth(integration: AuthIntegration<object>): unknown {
      if (answering) throw new TypeError("Cannot install a guard: the router has begun to answer");
      if (guard !== undefined) throw new TypeError("Cannot install a guard: the router has one");
      checkFunction(integration.guard, "integration", "guard");
      checkFunction(integration.catch, "integration", "catch", true);
      checkFunction(integration.finally, "integration", "finally", true);
      guard = {
        guard: integration.guard,
        challenge: integration.challenge ?? "Session",
        strategies: integration.strategies ?? [],
        authorizes: integration.authorizes === true,
        use: [...integration.use ?? []] as Middleware<unknown[]>[],
      };
      guard.use.forEach((middleware) => middlewareStep(middleware)); // refuses what is no function
      if (integration.catch !== undefined) hooks.catches.unshift(integration.catch);
      if (integration.finally !== undefined) hooks.finals.unshift(integration.finally);
      integration.routes?.(router as unknown as RouteTarget);
      return router;
    },
  };
  ownRouters.add(router);
  return { router: router as unknown as TypedRouter<Args>, addMount: addBeneath };
}

/** Routers made here. They keep `%2F` and `%5C` encoded, so that a mount may hand them on. */
const ownRouters: WeakSet<object> = new WeakSet();
