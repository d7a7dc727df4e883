/**
 * Decorators that turn methods into routes. Each works in both modes: TC39 decorators, the default of Deno, esbuild and
 * TypeScript, and `experimentalDecorators`. No emitted metadata is needed.
 *
 * @example
 * ```ts
 * import { Controller, Get, inject, json, type PathParams, type RequestSpec, routerBuilder, type TypedRequest } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * class Names {
 *   of = (id: string) => id === "7" ? "Ada" : "nobody";
 * }
 *
 * @Controller("/users")
 * class UsersController {
 *   readonly #names = new Names();
 *
 *   @Get("/:id", { summary: "Finds a user" })
 *   find(req: TypedRequest<RequestSpec<PathParams<{ id: string }>>>) {
 *     return json({ name: this.#names.of(req.params.id) });
 *   }
 * }
 *
 * const router = routerBuilder().prefix("/api").controllers(UsersController).build();
 * assertEquals(await (await router.request("/api/users/7")).json(), { name: "Ada" });
 * ```
 *
 * @module
 */

import {
  collectRoutes,
  mergeMetadata,
  type MethodPlace,
  recordOf,
} from "./_controller_metadata.ts";
import type { Method } from "../_engine.ts";
import {
  type OptionNames,
  readDecoratorOptions,
  readMetadata,
  rejectUnknownOptions,
} from "../_options.ts";
import { reportDefinition } from "../_origin.ts";
import { type Container, defaultContainer } from "./container.ts";
import type {
  BodyRouteDecorator,
  ControllerDecorator,
  EndpointDecorator,
  RouteDecorator,
} from "./decorator_types.ts";
import type { EndpointMetadata } from "../openapi_types.ts";
import { parsePattern, parsePrefix } from "../pattern.ts";
import type { RouteOptions } from "../handler.ts";

/** Options of {@linkcode Controller}. */
export interface ControllerOptions {
  /**
   * Create the controller once, at its first request, rather than for each call of a method.
   *
   * @default {true}
   */
  readonly singleton?: boolean;
  /** Container that creates it. @default {defaultContainer} */
  readonly container?: Container;
}

/**
 * Makes a class a controller: registers it in the container, and in the registry for documents. Its routes are its
 * decorated methods, inherited ones last, with the controller as `this`. Extra arguments of a method are those of the
 * router's `fetch`, and are not type-checked.
 *
 * @param path Path of the controller, which prefixes its routes.
 * @throws {TypeError} If the path is invalid or an option unknown; when it is applied, if the class is already a controller.
 */
export function Controller(path = "/", options: ControllerOptions = {}): ControllerDecorator {
  if (path !== "") checkPath(path, "Controller", parsePrefix);
  rejectUnknownOptions("Cannot use @Controller", options, CONTROLLER_OPTIONS);
  const { singleton = true, container = defaultContainer } = options;
  return (target, context) => {
    checkClass(target, context, "Controller");
    collectRoutes({ target, path, container, singleton }, context?.metadata ?? undefined);
    container.register(target, { useClass: target, singleton });
    reportDefinition(target);
  };
}

const CONTROLLER_OPTIONS: OptionNames<ControllerOptions> = { singleton: true, container: true };

/** Makes a method a GET route, which also answers HEAD. */
export const Get: RouteDecorator = /* @__PURE__ */ routeDecorator("Get", "GET");
/** Makes a method a HEAD route. */
export const Head: RouteDecorator = /* @__PURE__ */ routeDecorator("Head", "HEAD");
/** Makes a method an OPTIONS route. */
export const Options: RouteDecorator = /* @__PURE__ */ routeDecorator("Options", "OPTIONS");
/** Makes a method a DELETE route. */
export const Delete: RouteDecorator = /* @__PURE__ */ routeDecorator("Delete", "DELETE");
/** Makes a method a route for every HTTP method. */
export const All: RouteDecorator = /* @__PURE__ */ routeDecorator("All", "ALL");
/** Makes a method a POST route. */
export const Post: BodyRouteDecorator = /* @__PURE__ */ routeDecorator("Post", "POST");
/** Makes a method a PUT route. */
export const Put: BodyRouteDecorator = /* @__PURE__ */ routeDecorator("Put", "PUT");
/** Makes a method a PATCH route. */
export const Patch: BodyRouteDecorator = /* @__PURE__ */ routeDecorator("Patch", "PATCH");

/**
 * Adds OpenAPI metadata to a method's routes: tags, parameters and responses are combined; for everything else the
 * route's own decorator wins.
 *
 * @throws {TypeError} If a field is unknown; when the class is defined, if the method has no route.
 */
export function Endpoint(metadata: EndpointMetadata): EndpointDecorator {
  const isPrototype = Object.hasOwn(metadata ?? {}, "constructor"); // what a legacy decorator is called with
  if (typeof metadata !== "object" || isPrototype) {
    throw misused("Endpoint", 'call it with metadata, as in @Endpoint({ summary: "…" })');
  }
  const own = readMetadata("Cannot use @Endpoint", metadata);
  return methodDecorator("Endpoint", (place) => {
    const record = recordOf(place, "Endpoint");
    record.metadata = mergeMetadata(own, record.metadata);
  });
}

function routeDecorator(
  decorator: string,
  method: Method,
): (path?: string, given?: RouteOptions<never[]> & EndpointMetadata) => EndpointDecorator {
  return (path = "/", given = {}) => {
    checkPath(path, decorator, parsePattern);
    const options = Object.freeze(readArgument(decorator, given));
    return methodDecorator(decorator, (place) => {
      recordOf(place, decorator).routes.unshift({ method, path, options });
    });
  };
}

/** Metadata beside the options is merged into `openapi`. */
function readArgument(
  decorator: string,
  given: RouteOptions<never[]> & EndpointMetadata,
): RouteOptions<never[]> {
  const { options, metadata } = readDecoratorOptions(`Cannot use @${decorator}`, given);
  if (options.openapi === false) return options;
  return { ...options, openapi: mergeMetadata(options.openapi ?? {}, metadata) };
}

/** Distinguishes the two modes by the second argument: an object with `kind` is a TC39 context. */
function methodDecorator(
  decorator: string,
  apply: (place: MethodPlace) => void,
): EndpointDecorator {
  return (target: object, second?: unknown, descriptor?: PropertyDescriptor): void => {
    if (typeof second !== "object" || second === null) {
      if (typeof second !== "string" || typeof descriptor?.value !== "function") {
        throw misused(decorator, "it must decorate a method with a string name");
      }
      if (typeof target === "function") throw misused(decorator, `${second} is static`);
      return apply({ name: second, prototype: target });
    }
    const { kind, name, static: isStatic, private: isPrivate, metadata } =
      second as ClassMethodDecoratorContext;
    if (kind !== "method" || typeof name !== "string") {
      throw misused(decorator, "it must decorate a method with a string name");
    }
    if (isStatic || isPrivate) {
      throw misused(decorator, `${name} is ${isStatic ? "static" : "private"}`);
    }
    apply({ name, value: target, ...(metadata ? { metadata } : {}) });
  };
}

/** Rejects an invalid path: `@Get` without parentheses passes the method itself. */
function checkPath(path: unknown, decorator: string, parse: (path: string) => unknown): void {
  if (typeof path !== "string") {
    throw misused(decorator, `call it with a path, as in @${decorator}("/")`);
  }
  try {
    parse(path);
  } catch (cause) {
    throw misused(decorator, cause instanceof Error ? cause.message : String(cause));
  }
}

/** Checks that a decorator is applied to a class. @throws {TypeError} If it is not. */
export function checkClass(
  target: unknown,
  context: { readonly kind?: string } | undefined,
  decorator: string,
): void {
  if (typeof target === "function" && (context?.kind ?? "class") === "class") return;
  throw misused(decorator, "it must decorate a class");
}

/** Creates the error of a misused decorator. */
export function misused(decorator: string, why: string): TypeError {
  return new TypeError(`Cannot use @${decorator}: ${why}`);
}
