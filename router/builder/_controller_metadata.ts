/**
 * Metadata of controllers, collected from decorators.
 *
 * Method decorators run before the decorator of their class, which they cannot access in TC39 mode. So each records its
 * method, and `@Controller` collects the methods of its class and of the classes it extends. An uncollected method is an
 * error as soon as controllers are used; it never becomes a route of another class.
 *
 * @module
 */

import type { Method } from "../_engine.ts";
import type { Class, Container } from "./container.ts";
import type { EndpointMetadata } from "../openapi_types.ts";
import type { RouteOptions } from "../handler.ts";

/** What a method decorator is applied to, in either mode. */
export interface MethodPlace {
  /** Name of the method. */
  readonly name: string;
  /** The method, in TC39 mode. */
  readonly value?: object;
  /** Metadata object shared by the decorators of a class, on runtimes with `Symbol.metadata`. */
  readonly metadata?: object;
  /** Prototype of the class, in legacy mode. */
  readonly prototype?: object;
}

/** One route of a method. */
export interface MethodRoute {
  readonly method: Method;
  readonly path: string;
  readonly options: Readonly<RouteOptions<never[]>>;
}

/** A decorated method. */
export interface MethodRecord {
  readonly name: string;
  /** Names of its decorators, for messages. */
  readonly decorators: string[];
  /** Its routes, in source order. */
  readonly routes: MethodRoute[];
  /** Metadata from decorators that add no route. */
  metadata: EndpointMetadata;
}

/** A class with `@Controller`. */
export interface Controller {
  readonly target: Class<object>;
  readonly path: string;
  readonly container: Container;
  readonly singleton: boolean;
  readonly records: ReadonlyMap<string, MethodRecord>;
}

const byFunction: WeakMap<object, MethodRecord> = new WeakMap();
const byMetadata: WeakMap<object, Map<string, MethodRecord>> = new WeakMap();
const byPrototype: WeakMap<object, Map<string, MethodRecord>> = new WeakMap();
const uncollected: Set<MethodRecord> = new Set();
const controllers: Map<object, Controller> = new Map();

/**
 * The record of a decorated method, created at its first decorator.
 *
 * @throws {TypeError} If only the function identifies the method, and another method is the same function.
 */
export function recordOf(place: MethodPlace, decorator: string): MethodRecord {
  const { name, value, metadata, prototype } = place;
  const [map, key] = prototype !== undefined
    ? [byPrototype, prototype] as const
    : [byMetadata, metadata] as const;
  const known = key === undefined ? value && byFunction.get(value) : map.get(key)?.get(name);
  if (
    key === undefined && known !== undefined && (known.name !== name || !uncollected.has(known))
  ) {
    throw new TypeError(`Cannot use @${decorator} on ${name}: another method is the same function`);
  }
  const record = known ?? { name, decorators: [], routes: [], metadata: {} };
  if (key !== undefined) entry(map, key).set(name, record);
  else if (value !== undefined) byFunction.set(value, record);
  record.decorators.unshift(decorator); // the decorator nearest the method runs first
  uncollected.add(record);
  return record;
}

/**
 * Makes a class a controller, with its decorated methods and those of the classes it extends. An override without a
 * decorator keeps the route, and so the guard, of the overridden method.
 *
 * @param metadata The metadata object of the class, in TC39 mode. It inherits from that of the superclass.
 * @throws {TypeError} If the class is a controller, or one of its methods has metadata and no route.
 */
export function collectRoutes(
  controller: Omit<Controller, "records">,
  metadata: object | undefined,
): void {
  const { target } = controller;
  if (controllers.has(target)) {
    throw new TypeError(`Cannot use @Controller on ${nameOf(target)}: it is already a controller`);
  }
  const shared = sharedBy(target, metadata);
  const records = new Map<string, MethodRecord>();
  for (const level of prototypes(target.prototype)) {
    for (const name of Object.getOwnPropertyNames(level)) {
      const found = recordsAt(level, name, shared);
      for (const record of found) {
        uncollected.delete(record);
        if (record.routes.length > 0) continue;
        throw new TypeError(
          `Cannot use @Endpoint on ${
            nameOf(target)
          }.${name}: it has no route; add @Get or one of its siblings`,
        );
      }
      if (found[0] !== undefined && !records.has(name)) records.set(name, found[0]);
    }
  }
  controllers.set(target, { ...controller, records });
}

/** The controller of a class. @throws {TypeError} If the class is not a controller. */
export function controllerOf(target: Class<object>): Controller {
  const controller = controllers.get(target);
  if (controller === undefined) {
    throw new TypeError(
      `Cannot use ${
        nameOf(target)
      } as a controller: it has no @Controller above its other decorators`,
    );
  }
  rejectUncollected();
  return controller;
}

/** All controllers. @throws {TypeError} If a decorated method does not belong to one. */
export function collectedControllers(): readonly Controller[] {
  rejectUncollected();
  return [...controllers.values()];
}

/** Names of a controller's methods, decorated or not. */
export function methodNames({ target, records }: Controller): Iterable<string> {
  const names = new Set<string>();
  for (const level of prototypes(target.prototype)) {
    for (const name of Object.getOwnPropertyNames(level)) {
      if (records.has(name) || (name !== "constructor" && valueOf(level, name))) names.add(name);
    }
  }
  return names;
}

function rejectUncollected(): void {
  const [record] = uncollected;
  if (record === undefined) return;
  throw new TypeError(
    `Cannot use @${
      record.decorators[0]
    } on ${record.name}: no class with @Controller has the method`,
  );
}

/** An object and its prototype chain, without `Object.prototype`. */
function* prototypes(from: object | undefined): Iterable<object> {
  for (
    let level: object | null = from ?? null;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) yield level;
}

/**
 * Metadata objects of a class and its superclasses, the nearest first. Some compilers let these objects inherit from each
 * other, some store them on the classes, under a common symbol where the runtime has none.
 */
function sharedBy(target: Class<object>, metadata: object | undefined): readonly object[] {
  const symbol = (Symbol as { readonly metadata?: symbol }).metadata ??
    Symbol.for("Symbol.metadata");
  const kept = [...prototypes(target.prototype)].flatMap(({ constructor }) =>
    typeof constructor !== "function"
      ? []
      : [...prototypes(Object.getOwnPropertyDescriptor(constructor, symbol)?.value ?? undefined)]
  );
  return [...new Set([...prototypes(metadata), ...kept])];
}

/** The records of a method name, the nearest first. */
function recordsAt(
  level: object,
  name: string,
  shared: readonly object[],
): readonly MethodRecord[] {
  const value = valueOf(level, name);
  const own = value && byFunction.get(value);
  return [
    byPrototype.get(level)?.get(name),
    ...shared.map((one) => byMetadata.get(one)?.get(name)),
    own?.name === name ? own : undefined,
  ].filter((record) => record !== undefined);
}

/** Name of a class for messages. */
export function nameOf(target: { readonly name: string }): string {
  return target.name === "" ? "a class without a name" : target.name;
}

/** A prototype's own method of that name. */
function valueOf(level: object, name: string): object | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(level, name)?.value;
  return typeof value === "function" ? value : undefined;
}

function entry(
  map: WeakMap<object, Map<string, MethodRecord>>,
  key: object,
): Map<string, MethodRecord> {
  const found = map.get(key) ?? new Map<string, MethodRecord>();
  map.set(key, found);
  return found;
}

/**
 * Merges metadata: tags, parameters and responses are combined; for everything else the second value wins.
 *
 * @param first General metadata.
 * @param second Metadata closer to the route.
 */
export function mergeMetadata(
  first: EndpointMetadata,
  second: EndpointMetadata,
): EndpointMetadata {
  const { tags = [], parameters = [], responses = {} } = first;
  return {
    ...first,
    ...second,
    ...(second.tags === undefined ? {} : { tags: [...new Set([...tags, ...second.tags])] }),
    ...(second.parameters === undefined ? {} : {
      parameters: [
        ...parameters.filter((one) =>
          !second.parameters?.some((other) => other.in === one.in && other.name === one.name)
        ),
        ...second.parameters,
      ],
    }),
    ...(second.responses === undefined ? {} : { responses: { ...responses, ...second.responses } }),
  };
}
