/**
 * The fluent router builder.
 *
 * Calls are recorded, and `build()` applies them in a fixed order: global middleware, static mounts, authentication,
 * extensions, controllers. Whatever is added to the built router comes last.
 *
 * @module
 */

import type { StaticAssetOptions } from "../../static/types.ts";
import { nameOf } from "./_controller_metadata.ts";
import { addControllers } from "./_controllers.ts";
import { type OptionNames, pick, rejectUnknownOptions } from "../_options.ts";
import type { Class, Container } from "./container.ts";
import { filesOf } from "../internals.ts";
import { joinPaths } from "../path.ts";
import { addMount, createRouter } from "../router.ts";
import { createMount } from "../static_mount.ts";
import type { PrefixParamsOf } from "../markers.ts";
import type { OnlyNames } from "../route_method.ts";
import type {
  AccessRules,
  AuthIntegration,
  BodyMethodOf,
  ErrorHandler,
  FetchHandler,
  MethodOf,
  Middleware,
  MountOptions,
  RegisteredRules,
  ResponseHook,
  RouterOptions,
  TypedRouter,
} from "../types.ts";

export type {
  PackagedAsset,
  StaticAssetManifest,
  StaticAssetMetadata,
  StaticAssetOptions,
  StaticAssetPackage,
} from "../../static/types.ts";

/** When an extension runs: before authentication, directly after it, or after everything else. */
export type BuilderStage = "static" | "extension" | "controllers";

/** Adds routes, mounts or middleware to a router during `build()`. */
export type BuilderExtension<
  Args extends unknown[] = [],
  Subject = unknown,
  Rules extends AccessRules = RegisteredRules,
  Prefix = unknown,
> = (router: TypedRouter<Args, Subject, Rules, Prefix>) => void;

/** Options of {@linkcode routerBuilder}: the router's options without a method on the builder. */
export interface BuilderOptions<Args extends unknown[] = []>
  extends Omit<RouterOptions<Args>, "prefix" | "before" | "catch" | "finally"> {
  /** Container that creates the controllers, instead of the one that each was defined with. */
  container?: Container;
}

/** A built router, which also takes static mounts. */
export interface BuiltRouter<
  in out Args extends unknown[] = [],
  in out Subject = unknown,
  in Rules extends AccessRules = RegisteredRules,
  out Prefix = unknown,
> extends TypedRouter<Args, Subject, Rules, Prefix> {
  /** Adds a GET route, which also answers HEAD. */
  readonly get: MethodOf<Args, Subject, Rules, Prefix, BuiltRouter<Args, Subject, Rules, Prefix>>;
  /** Adds a HEAD route. */
  readonly head: MethodOf<Args, Subject, Rules, Prefix, BuiltRouter<Args, Subject, Rules, Prefix>>;
  /** Adds an OPTIONS route that replaces the automatic response. */
  readonly options: MethodOf<
    Args,
    Subject,
    Rules,
    Prefix,
    BuiltRouter<Args, Subject, Rules, Prefix>
  >;
  /** Adds a DELETE route. */
  readonly delete: MethodOf<
    Args,
    Subject,
    Rules,
    Prefix,
    BuiltRouter<Args, Subject, Rules, Prefix>
  >;
  /** Adds a route for every method. */
  readonly all: MethodOf<Args, Subject, Rules, Prefix, BuiltRouter<Args, Subject, Rules, Prefix>>;
  /** Adds a POST route. */
  readonly post: BodyMethodOf<
    Args,
    Subject,
    Rules,
    Prefix,
    BuiltRouter<Args, Subject, Rules, Prefix>
  >;
  /** Adds a PUT route. */
  readonly put: BodyMethodOf<
    Args,
    Subject,
    Rules,
    Prefix,
    BuiltRouter<Args, Subject, Rules, Prefix>
  >;
  /** Adds a PATCH route. */
  readonly patch: BodyMethodOf<
    Args,
    Subject,
    Rules,
    Prefix,
    BuiltRouter<Args, Subject, Rules, Prefix>
  >;
  /** Runs middleware for every request to or under a path, whether or not a route matches. */
  under(path: string, ...middleware: Middleware<Args>[]): BuiltRouter<Args, Subject, Rules, Prefix>;
  /** Mounts any fetch application under a path. */
  mount<Given extends PropertyKey = never>(
    path: string,
    app: FetchHandler<Args>,
    options?: MountOptions<Rules> & OnlyNames<Given, keyof MountOptions>,
  ): BuiltRouter<Args, Subject, Rules, Prefix>;
  /** Guards every route and mount that is added afterwards. */
  withAuth<S extends object, R extends AccessRules = AccessRules>(
    integration: AuthIntegration<S, Args, R>,
  ): BuiltRouter<Args, S, R, Prefix>;
  /**
   * Serves static assets under a path. The router's guard covers them, unlike static mounts of the builder.
   *
   * @throws {TypeError} If the path or an option is invalid, or the router has begun to answer.
   */
  static(prefix: string, options: StaticAssetOptions): BuiltRouter<Args, Subject, Rules, Prefix>;
}

/** Records how to build a router. Every method except `build` returns the builder. */
export interface RouterBuilder<
  in out Args extends unknown[] = [],
  in out Subject = unknown,
  in Rules extends AccessRules = RegisteredRules,
  out Prefix = unknown,
> {
  /** Sets the prefix of every path. @throws {TypeError} If it was set before. */
  prefix<P extends string>(
    pathPrefix: P,
  ): RouterBuilder<Args, Subject, Rules, PrefixParamsOf<P>>;
  /** Adds middleware for every request, static assets included, before it is matched. */
  use(...middleware: readonly Middleware<Args>[]): RouterBuilder<Args, Subject, Rules, Prefix>;
  /** Sets the handler for thrown values. @throws {TypeError} If it was set before. */
  catch(handler: ErrorHandler<Args>): RouterBuilder<Args, Subject, Rules, Prefix>;
  /** Adds hooks that are called with every response, last. */
  finally(...hooks: readonly ResponseHook<Args>[]): RouterBuilder<Args, Subject, Rules, Prefix>;
  /**
   * Serves static assets under a path, after the middleware and before everything that is guarded. A missing file is a
   * 404, unless `fallthrough` leaves the request to later routes. Guard assets with middleware, or with `fallthrough` and
   * a guarded route.
   *
   * @throws {TypeError} In `build()`, if the path or an option is invalid.
   */
  static(prefix: string, options: StaticAssetOptions): RouterBuilder<Args, Subject, Rules, Prefix>;
  /** Guards every route of later stages and of the built router. @throws {TypeError} If a guard was set before. */
  withAuth<S extends object, R extends AccessRules = AccessRules>(
    integration: AuthIntegration<S, Args, R>,
  ): RouterBuilder<Args, S, R, Prefix>;
  /** Applies an extension after authentication, so that its routes are guarded. */
  extend(
    extension: BuilderExtension<Args, Subject, Rules, Prefix>,
  ): RouterBuilder<Args, Subject, Rules, Prefix>;
  /** Applies an extension at a stage. Routes of the stage `static` are not guarded. */
  extend(
    extension: BuilderExtension<Args>,
    stage: BuilderStage,
  ): RouterBuilder<Args, Subject, Rules, Prefix>;
  /**
   * Adds the routes of classes with `@Controller`, after all other recorded routes.
   *
   * @throws {TypeError} If a class was added before; in `build()`, if one is not a controller, or a decorated method does
   * not belong to one.
   */
  controllers(...classes: readonly Class<object>[]): RouterBuilder<Args, Subject, Rules, Prefix>;
  /** Builds the router. @throws {TypeError} If it was built before, or a recorded value is invalid. */
  build(): BuiltRouter<Args, Subject, Rules, Prefix>;
}

/**
 * Creates a builder.
 *
 * @example
 * ```ts
 * import { json, routerBuilder } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = routerBuilder()
 *   .extend((router) => router.get("/health", () => json("well")))
 *   .use((req) => req.headers.has("X-Blocked") ? new Response(null, { status: 403 }) : undefined)
 *   .prefix("/api")
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * assertEquals(await (await router.request("/api/health")).json(), "well");
 * assertEquals((await router.request("/api/hello", { headers: { "X-Blocked": "1" } })).status, 403);
 * ```
 */
export function routerBuilder<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  rejectUnknownOptions("Cannot create builder", options, BUILDER_OPTIONS);
  const files = filesOf(options);
  const { container, ...routerOptions } = pick(options, BUILDER_OPTIONS);
  const before: Middleware<Args>[] = [];
  const finals: ResponseHook<Args>[] = [];
  const extensions: Record<BuilderStage, BuilderExtension<Args>[]> = {
    static: [],
    extension: [],
    controllers: [],
  };
  const mounts: [prefix: string, options: StaticAssetOptions][] = [];
  const controllers = new Set<Class<object>>();
  let prefix: string | undefined;
  let handler: ErrorHandler<Args> | undefined;
  let integration: AuthIntegration<object, Args> | undefined;
  let built = false;

  /** Records one call. @throws {TypeError} If the router was built, or a single value was set before. */
  function record(what: string, taken: unknown, note: () => void): typeof builder {
    if (built) throw new TypeError(`Cannot set ${what}: the router was built`);
    if (taken !== undefined) throw new TypeError(`Cannot set ${what}: it was set before`);
    note();
    return builder;
  }

  function addStatic(router: TypedRouter<Args>, path: string, options: StaticAssetOptions): void {
    const mount = createMount(joinPaths(prefix ?? "", path), options, files);
    addMount(router, path, mount.answer, mount);
  }

  function build(): BuiltRouter<Args> {
    if (built) throw new TypeError("Cannot build the router: it was built");
    built = true;
    const created = createRouter<Args>({
      ...routerOptions,
      before,
      finally: finals,
      ...(prefix === undefined ? {} : { prefix }),
      ...(handler === undefined ? {} : { catch: handler }),
    });
    // The methods of the created router return that same object, which now has static() as well.
    const router = Object.assign(created, {
      static(path: string, options: StaticAssetOptions): BuiltRouter<Args> {
        addStatic(created, path, options);
        return router;
      },
    }) as BuiltRouter<Args>;
    mounts.forEach(([path, options]) => addStatic(created, path, options));
    extensions.static.forEach((extend) => extend(router));
    if (integration !== undefined) router.withAuth(integration);
    extensions.extension.forEach((extend) => extend(router));
    extensions.controllers.forEach((extend) => extend(router));
    return router;
  }

  const builder = {
    prefix: (text: string) => record("the prefix", prefix, () => prefix = text),
    use: (...more: Middleware<Args>[]) =>
      record("middleware", undefined, () => before.push(...more)),
    catch: (given: ErrorHandler<Args>) =>
      record("the error handler", handler, () => handler = given),
    finally: (...more: ResponseHook<Args>[]) =>
      record("hooks", undefined, () => finals.push(...more)),
    static: (path: string, options: StaticAssetOptions) =>
      record("static assets", undefined, () => mounts.push([path, options])),
    withAuth: (given: AuthIntegration<object, Args>) =>
      record("authentication", integration, () => integration = given),
    extend: (given: BuilderExtension<Args>, stage: BuilderStage = "extension") =>
      record("an extension", undefined, () => extensions[stage].push(given)),
    controllers: (...classes: Class<object>[]) =>
      record("controllers", undefined, () => {
        for (const one of classes) {
          if (typeof one !== "function") throw new TypeError(NO_CLASS);
          if (controllers.has(one)) {
            throw new TypeError(`Cannot add ${nameOf(one)}: it was added before`);
          }
          controllers.add(one);
        }
        extensions.controllers.push((router) => addControllers(router, classes, container));
      }),
    build,
  };
  return builder as unknown as RouterBuilder<Args>;
}

const NO_CLASS = "Cannot add a controller: it is not a class; check for circular imports";

const BUILDER_OPTIONS: OptionNames<BuilderOptions> = {
  maxBodyBytes: true,
  bodyTimeout: true,
  onError: true,
  onRequest: true,
  info: true,
  container: true,
};
