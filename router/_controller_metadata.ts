/**
 * Decorated methods on their way to a controller.
 *
 * Method decorators run before the decorator of their class, and know nothing of it in TC39 mode. So each notes its
 * method, and `@Controller` claims the methods of its class and of the classes it extends. What nobody claims is
 * reported as soon as controllers are used; it never becomes a route of another class.
 *
 * @module
 */

import type { Method } from "./_engine.ts";
import type { Class, Container } from "./container.ts";
import type { EndpointMetadata } from "./openapi_types.ts";
import type { RouteOptions } from "./handler.ts";

/** Where a method decorator stands, in whatever mode. */
export interface MethodPlace {
  /** Name of the method. */
  readonly name: string;
  /** The method: what a TC39 decorator gets. */
  readonly value?: object;
  /** Shared by the decorators of a class, on runtimes that have `Symbol.metadata`. */
  readonly metadata?: object;
  /** Prototype of the class: what a legacy decorator gets. */
  readonly prototype?: object;
}

/** One route of a method. */
export interface ClaimedRoute {
  readonly method: Method;
  readonly path: string;
  readonly options: Readonly<RouteOptions<never[]>>;
}

/** A decorated method. */
export interface MethodRecord {
  readonly name: string;
  /** Names of its decorators, for messages. */
  readonly decorators: string[];
  /** Its routes, in the order they are written. */
  readonly routes: ClaimedRoute[];
  /** What is said of it by decorators of metadata alone. */
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
 * The record of a decorated method, made at its first decorator.
 *
 * @throws {TypeError} If nothing but the function says which method it is, and it is another method as well.
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
  record.decorators.unshift(decorator); // the one nearest the method runs first
  uncollected.add(record);
  return record;
}

/**
 * Makes a class a controller, with the decorated methods of its own and of the classes it extends. An override without
 * a decorator keeps the route, and so the guard, of what it overrides.
 *
 * @param metadata What the class's decorators share, in TC39 mode. It inherits from that of the class it extends.
 * @throws {TypeError} If the class is a controller, or one of its methods has metadata and no route.
 */
export function collectRoutes(
  controller: Omit<Controller, "records">,
  metadata: object | undefined,
): void {
  const { target } = controller;
  if (controllers.has(target)) {
    throw new TypeError(`Cannot use @Controller on ${nameOf(target)}: it is a controller`);
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

/** The controller that a class is. @throws {TypeError} If it is none. */
export function controllerOf(target: Class<object>): Controller {
  const controller = controllers.get(target);
  if (controller === undefined) {
    throw new TypeError(
      `Cannot use ${
        nameOf(target)
      } as a controller: it has no @Controller above its other decorators`,
    );
  }
  refuseUnclaimed();
  return controller;
}

/** All controllers. @throws {TypeError} If a decorated method belongs to none. */
export function collectedControllers(): readonly Controller[] {
  refuseUnclaimed();
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

function refuseUnclaimed(): void {
  const [record] = uncollected;
  if (record === undefined) return;
  throw new TypeError(
    `Cannot use @${
      record.decorators[0]
    } on ${record.name}: no class with @Controller has the method`,
  );
}

/** An object and those it inherits from, without the one that all inherit from. */
function* prototypes(from: object | undefined): Iterable<object> {
  for (
    let level: object | null = from ?? null;
    level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  ) yield level;
}

/**
 * What the decorators of a class and of those it extends shared, the nearest first. Some compilers let these objects
 * inherit from each other, some keep them at the classes, and where a runtime has no symbol for that they agree on one.
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

/** The records of a method's name, the nearest first. */
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

/** What a message calls a class. */
export function nameOf(target: { readonly name: string }): string {
  return target.name === "" ? "a class without a name" : target.name;
}

/** The method of a name, if a prototype has one of its own. */
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
