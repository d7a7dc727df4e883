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
import type { Class } from "./container.ts";
import { filesOf } from "../internals.ts";
import { joinPaths } from "../path.ts";
import type { LocalsProvider } from "../provide.ts";
import { addMount, createRouter } from "../router.ts";
import { createMount } from "../static_mount.ts";
import type { AuthIntegration } from "../guard.ts";
import type { ErrorHandler, Middleware, ResponseHook } from "../handler.ts";
import type { TypedRouter } from "../types.ts";
import type {
  BuilderExtension,
  BuilderOptions,
  BuilderStage,
  BuiltRouter,
  RouterBuilder,
} from "./types.ts";

export type * from "./types.ts";

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
  const providers: LocalsProvider<Args>[] = [];
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
    // The methods of the created router return that same object, which now has static() as well. `this` may be a view of it.
    const router = Object.assign(created, {
      static(this: BuiltRouter<Args>, path: string, options: StaticAssetOptions) {
        addStatic(this, path, options);
        return this;
      },
    }) as BuiltRouter<Args>;
    mounts.forEach(([path, options]) => addStatic(created, path, options));
    extensions.static.forEach((extend) => extend(router));
    if (integration !== undefined) router.withAuth(integration);
    const view = providers.reduce((view, provider) => view.provide(provider), router);
    extensions.extension.forEach((extend) => extend(view));
    extensions.controllers.forEach((extend) => extend(view));
    return view;
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
    provide: (given: LocalsProvider<Args>) =>
      record("a provider", undefined, () => providers.push(given)),
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
  validators: true,
  container: true,
};
