/**
 * The fluent router builder.
 *
 * Calls are recorded as data, and `build()` compiles them in one order, whatever order they were made in: global
 * middleware, static mounts, authentication, extensions, controllers. What is added to the built router comes last.
 *
 * @module
 */

import { createRouter } from "./router.ts";
import type {
  AuthIntegration,
  ErrorHandler,
  Middleware,
  ResponseHook,
  RouterOptions,
  TypedRouter,
} from "./types.ts";

/** Where an extension adds its routes: before authentication, right behind it, or behind all others. */
export type BuilderStage = "static" | "extension" | "controllers";

/** Adds routes, mounts or middleware to a router that is being built. */
export type BuilderExtension<Args extends unknown[] = [], Subject = unknown> = (
  router: TypedRouter<Args, Subject>,
) => void;

/** What of a router's options has no method on the builder. */
export type BuilderOptions<Args extends unknown[] = []> = Pick<
  RouterOptions<Args>,
  "maxBodyBytes" | "onError"
>;

/** Records how a router is made. Every method but `build` returns the builder. */
export interface RouterBuilder<in out Args extends unknown[] = [], in out Subject = unknown> {
  /** Sets the prefix of every path. @throws {TypeError} If there is one. */
  prefix(pathPrefix: string): RouterBuilder<Args, Subject>;
  /** Adds middleware for every request, static assets included, before it is matched. */
  use(...middleware: readonly Middleware<Args>[]): RouterBuilder<Args, Subject>;
  /** Sets the handler for thrown values. @throws {TypeError} If there is one. */
  catch(handler: ErrorHandler<Args>): RouterBuilder<Args, Subject>;
  /** Adds hooks that see every response, last. */
  finally(...hooks: readonly ResponseHook<Args>[]): RouterBuilder<Args, Subject>;
  /** Guards every route of the stages that follow, and of the built router. @throws {TypeError} If there is a guard. */
  withAuth<S extends object>(integration: AuthIntegration<S, Args>): RouterBuilder<Args, S>;
  /** Adds what a function adds to the router, behind authentication and so guarded by it. */
  extend(extension: BuilderExtension<Args, Subject>): RouterBuilder<Args, Subject>;
  /** Adds what a function adds to the router, at a stage. Nothing guards the stage `static`. */
  extend(extension: BuilderExtension<Args>, stage: BuilderStage): RouterBuilder<Args, Subject>;
  /** Makes the router. @throws {TypeError} If it was made before, or what was recorded cannot work. */
  build(): TypedRouter<Args, Subject>;
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
  const before: Middleware<Args>[] = [];
  const finals: ResponseHook<Args>[] = [];
  const extensions: Record<BuilderStage, BuilderExtension<Args>[]> = {
    static: [],
    extension: [],
    controllers: [],
  };
  let prefix: string | undefined;
  let handler: ErrorHandler<Args> | undefined;
  let integration: AuthIntegration<object, Args> | undefined;
  let built = false;

  /** Records one call. @throws {TypeError} If the router was built, or the call may be made once and was. */
  function record(what: string, taken: unknown, note: () => void): typeof builder {
    if (built) throw new TypeError(`Cannot set ${what}: the router was built`);
    if (taken !== undefined) throw new TypeError(`Cannot set ${what}: it was set before`);
    note();
    return builder;
  }

  function build(): TypedRouter<Args> {
    if (built) throw new TypeError("Cannot build the router: it was built");
    built = true;
    const router = createRouter<Args>({
      ...options,
      before,
      finally: finals,
      ...(prefix === undefined ? {} : { prefix }),
      ...(handler === undefined ? {} : { catch: handler }),
    });
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
    withAuth: (given: AuthIntegration<object, Args>) =>
      record("authentication", integration, () => integration = given),
    extend: (given: BuilderExtension<Args>, stage: BuilderStage = "extension") =>
      record("an extension", undefined, () => extensions[stage].push(given)),
    build,
  };
  return builder as unknown as RouterBuilder<Args>;
}
