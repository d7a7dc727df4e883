/**
 * A class decorator that declares a router, for applications that wire their parts through the container.
 *
 * @module
 */

import type { StaticAssetOptions } from "../../static/types.ts";
import { type OptionNames, pick, rejectUnknownOptions } from "../_options.ts";
import { type BuilderOptions, type BuiltRouter, routerBuilder } from "./builder.ts";
import { type Class, type Container, defaultContainer } from "./container.ts";
import { checkClass, misused } from "./decorators.ts";
import type { ControllerDecorator } from "./decorator_types.ts";
import type { AccessRules } from "../access.ts";
import type { AuthIntegration } from "../guard.ts";
import type { ErrorHandler, Middleware, ResponseHook } from "../handler.ts";
import { filesOf, withFiles } from "../internals.ts";

/** Token of the application's router. */
export const HTTP_ROUTER = "HTTP_ROUTER" as const;

/** Options of {@linkcode HttpRouter}: those of the builder, as an object. */
export interface HttpRouterOptions extends BuilderOptions<never[]> {
  /** Prefix of every path. */
  prefix?: string;
  /** Middleware for every request, before it is matched. */
  use?: readonly Middleware<never[]>[];
  /** Static assets by path: `{ "/assets": { directory: "public" } }`. */
  static?: Readonly<Record<string, StaticAssetOptions>>;
  /** Responds to thrown values. */
  catch?: ErrorHandler<never[]>;
  /** Called with every response, last, in this order. */
  finally?: readonly ResponseHook<never[]>[];
  /** Guards every route; a function creates the integration when the router is built. */
  withAuth?:
    | AuthIntegration<object, never[], AccessRules<never, never>>
    | ((container: Container) => AuthIntegration<object, never[], AccessRules<never, never>>);
  /** Classes with `@Controller`. */
  controllers?: readonly Class<object>[];
  /** Container that the router is registered in and that creates the controllers. @default {defaultContainer} */
  container?: Container;
}

/**
 * Declares a router on a class. It is registered under {@linkcode HTTP_ROUTER} and built when it is first resolved.
 *
 * @throws {TypeError} When it is applied, if the container has a router.
 *
 * @example
 * ```ts
 * import { Controller, createContainer, Get, HTTP_ROUTER, HttpRouter, json, type TypedRouter } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * @Controller("/health")
 * class HealthController {
 *   @Get()
 *   check() {
 *     return json("well");
 *   }
 * }
 *
 * const container = createContainer();
 *
 * @HttpRouter({ prefix: "/api", controllers: [HealthController], container })
 * class Api {}
 *
 * const router = container.resolve<TypedRouter>(HTTP_ROUTER);
 * assertEquals(await (await router.request("/api/health")).json(), "well");
 * ```
 */
export function HttpRouter(options: HttpRouterOptions = {}): ControllerDecorator {
  if (typeof options !== "object") {
    throw misused(
      "HttpRouter",
      "call it with options, as in @HttpRouter({ controllers: [] })",
    );
  }
  rejectUnknownOptions("Cannot use @HttpRouter", options, HTTP_ROUTER_OPTIONS);
  const { container = defaultContainer } = options;
  return (target, context) => {
    checkClass(target, context, "HttpRouter");
    if (container.has(HTTP_ROUTER)) {
      throw new TypeError(
        `Cannot use @HttpRouter on ${target.name}: the container has a router; use a container for each`,
      );
    }
    container.register(HTTP_ROUTER, { useFactory: () => buildRouter(options) });
  };
}

function buildRouter(options: HttpRouterOptions): BuiltRouter<never[]> {
  const {
    prefix,
    use = [],
    static: mounts = {},
    catch: handler,
    finally: hooks = [],
    withAuth,
    controllers = [],
    ...builderOptions
  } = pick(options, HTTP_ROUTER_OPTIONS);
  const builder = routerBuilder<never[]>(withFiles(builderOptions, filesOf(options)));
  builder.use(...use).finally(...hooks).controllers(...controllers);
  for (const [path, assets] of Object.entries(mounts)) builder.static(path, assets);
  if (prefix !== undefined) builder.prefix(prefix);
  if (handler !== undefined) builder.catch(handler);
  if (withAuth !== undefined) {
    builder.withAuth(
      typeof withAuth === "function"
        ? withAuth(builderOptions.container ?? defaultContainer)
        : withAuth,
    );
  }
  return builder.build();
}

const HTTP_ROUTER_OPTIONS: OptionNames<HttpRouterOptions> = {
  prefix: true,
  use: true,
  static: true,
  catch: true,
  finally: true,
  withAuth: true,
  controllers: true,
  container: true,
  maxBodyBytes: true,
  bodyTimeout: true,
  onError: true,
  onRequest: true,
  info: true,
  validators: true,
};
