/**
 * Decorators that make routes of methods. Each is one function for both kinds of decorators: TC39's, which Deno,
 * esbuild and TypeScript apply by default, and those of `experimentalDecorators`. No metadata is emitted or needed.
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
import type { Method } from "./_engine.ts";
import { reportDefinition } from "./_origin.ts";
import { type Container, defaultContainer } from "./container.ts";
import type {
  BodyRouteDecorator,
  ControllerDecorator,
  EndpointDecorator,
  RouteDecorator,
} from "./decorator_types.ts";
import type { EndpointMetadata } from "./openapi_types.ts";
import { parsePattern, parsePrefix } from "./pattern.ts";
import type { RouteOptions } from "./handler.ts";

/** Options of {@linkcode Controller}. */
export interface ControllerOptions {
  /**
   * Make the controller once, at its first request. If not, each call of one of its methods makes one.
   *
   * @default {true}
   */
  readonly singleton?: boolean;
  /** The container that makes it. @default {defaultContainer} */
  readonly container?: Container;
}

/**
 * Makes a class a controller: registers it in the container, and in the registry that documents are made from. Its
 * routes are those of its decorated methods, inherited ones last; `this` is the controller in them. Extra arguments that
 * a method declares are those of the router's `fetch`, which nothing here can check.
 *
 * @param path Path that its routes are beneath.
 * @throws {TypeError} When it is applied, if the class is a controller.
 */
export function Controller(path = "/", options: ControllerOptions = {}): ControllerDecorator {
  const { singleton = true, container = defaultContainer } = options;
  if (path !== "") checkPath(path, "Controller", parsePrefix);
  return (target, context) => {
    checkClass(target, context, "Controller");
    collectRoutes({ target, path, container, singleton }, context?.metadata ?? undefined);
    container.register(target, { useClass: target, singleton });
    reportDefinition(target);
  };
}

/** Makes a GET route of a method, which also answers HEAD. */
export const Get: RouteDecorator = /* @__PURE__ */ routeDecorator("Get", "GET");
/** Makes a HEAD route of a method. */
export const Head: RouteDecorator = /* @__PURE__ */ routeDecorator("Head", "HEAD");
/** Makes an OPTIONS route of a method. */
export const Options: RouteDecorator = /* @__PURE__ */ routeDecorator("Options", "OPTIONS");
/** Makes a DELETE route of a method. */
export const Delete: RouteDecorator = /* @__PURE__ */ routeDecorator("Delete", "DELETE");
/** Makes a route for every HTTP method of a method. */
export const All: RouteDecorator = /* @__PURE__ */ routeDecorator("All", "ALL");
/** Makes a POST route of a method. */
export const Post: BodyRouteDecorator = /* @__PURE__ */ routeDecorator("Post", "POST");
/** Makes a PUT route of a method. */
export const Put: BodyRouteDecorator = /* @__PURE__ */ routeDecorator("Put", "PUT");
/** Makes a PATCH route of a method. */
export const Patch: BodyRouteDecorator = /* @__PURE__ */ routeDecorator("Patch", "PATCH");

/**
 * Adds to what the OpenAPI document says of a method's routes: tags, parameters and responses are put together, and of
 * two values what the route's own decorator says wins.
 *
 * @throws {TypeError} When the class is defined, if the method has no route.
 */
export function Endpoint(metadata: EndpointMetadata): EndpointDecorator {
  const isPrototype = Object.hasOwn(metadata ?? {}, "constructor"); // what a legacy decorator gets
  if (typeof metadata !== "object" || isPrototype) {
    throw misused("Endpoint", 'it is called with metadata, as in @Endpoint({ summary: "…" })');
  }
  return methodDecorator("Endpoint", (place) => {
    const record = recordOf(place, "Endpoint");
    record.metadata = mergeMetadata(metadata, record.metadata);
  });
}

/** The options of a route; the rest of what its decorator was given is metadata. Each has to stand here. */
const OPTION_NAMES: Readonly<Record<keyof RouteOptions, true>> = {
  use: true,
  schema: true,
  maxBodyBytes: true,
  auth: true,
  authorization: true,
  multipart: true,
  raw: true,
  openapi: true,
};

function routeDecorator(
  decorator: string,
  method: Method,
): (path?: string, given?: RouteOptions<never[]> & EndpointMetadata) => EndpointDecorator {
  return (path = "/", given = {}) => {
    checkPath(path, decorator, parsePattern);
    const options = Object.freeze(splitOptions(given));
    return methodDecorator(decorator, (place) => {
      recordOf(place, decorator).routes.unshift({ method, path, options });
    });
  };
}

function splitOptions(given: RouteOptions<never[]> & EndpointMetadata): RouteOptions<never[]> {
  const entries = Object.entries(given);
  const options = Object.fromEntries(entries.filter(([name]) => Object.hasOwn(OPTION_NAMES, name)));
  const metadata = Object.fromEntries(
    entries.filter(([name]) => !Object.hasOwn(OPTION_NAMES, name)),
  );
  if (options.openapi === false) return options;
  return {
    ...options,
    openapi: mergeMetadata(options.openapi as EndpointMetadata ?? {}, metadata),
  };
}

/** Tells the two kinds of decorators apart by the second argument: an object with `kind` is TC39's context. */
function methodDecorator(
  decorator: string,
  apply: (place: MethodPlace) => void,
): EndpointDecorator {
  return (target: object, second?: unknown, descriptor?: PropertyDescriptor): void => {
    if (typeof second !== "object" || second === null) {
      if (typeof second !== "string" || typeof descriptor?.value !== "function") {
        throw misused(decorator, "it stands on no method with a name");
      }
      if (typeof target === "function") throw misused(decorator, `${second} is static`);
      return apply({ name: second, prototype: target });
    }
    const { kind, name, static: isStatic, private: isPrivate, metadata } =
      second as ClassMethodDecoratorContext;
    if (kind !== "method" || typeof name !== "string") {
      throw misused(decorator, "it stands on no method with a name");
    }
    if (isStatic || isPrivate) {
      throw misused(decorator, `${name} is ${isStatic ? "static" : "private"}`);
    }
    apply({ name, value: target, ...(metadata ? { metadata } : {}) });
  };
}

/** Refuses a path that is none: `@Get` without parentheses hands the method itself over. */
function checkPath(path: unknown, decorator: string, parse: (path: string) => unknown): void {
  if (typeof path !== "string") {
    throw misused(decorator, `it is called with a path, as in @${decorator}("/")`);
  }
  try {
    parse(path);
  } catch (cause) {
    throw misused(decorator, cause instanceof Error ? cause.message : String(cause));
  }
}

/** Refuses what is no class. @throws {TypeError} If it is none. */
export function checkClass(
  target: unknown,
  context: { readonly kind?: string } | undefined,
  decorator: string,
): void {
  if (typeof target === "function" && (context?.kind ?? "class") === "class") return;
  throw misused(decorator, "it stands on no class");
}

/** The error of a decorator in a wrong place. */
export function misused(decorator: string, why: string): TypeError {
  return new TypeError(`Cannot use @${decorator}: ${why}`);
}
