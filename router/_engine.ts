/**
 * The one place that knows Hono's routers. The RegExpRouter is used directly, without Hono's Context, and fenced:
 *
 * - Patterns are checked by `pattern.ts`; parameters get positional names, so that theirs cannot meet the router's own.
 * - Static paths live in a Map, since one beside a parameter (`/users/me`, `/users/:id`) is more than it can hold.
 * - Patterns that it cannot hold together (`/:a/x`, `/b/:c`) go to a further RegExpRouter, and matches are merged in
 *   order of registration. Hono would send the whole application to its TrieRouter, which is slower, reads `/users/:id`
 *   in a request as the pattern itself, and sees `/admin/*` twice.
 *
 * @module
 */

import { RegExpRouter } from "hono/router/reg-exp-router";
import { engineText, expandOptional, isStatic, type Pattern, type Segment } from "./pattern.ts";

/** Methods that routes are registered for, `ALL` among them. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "ALL"] as const;

/** A method that routes are registered for. */
export type Method = typeof METHODS[number];

/** One way to write a registered pattern: with its optional parameter, or without. */
export interface Variant<T> {
  readonly value: T;
  readonly method: Method;
  readonly order: number;
  /** Names of the parameters, by position. */
  readonly params: readonly string[];
}

/** Where a match has its parameters: `p0`, `p1`, … are indexes in the stash, or the texts themselves. */
export type Places = Readonly<Record<string, number | string>>;

const PLACE_NAMES: readonly string[] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];

/** Name of a parameter's place. Names that are made anew for each request would make V8 forget its optimised code. */
export function placeName(index: number): string {
  return PLACE_NAMES[index] ?? `p${index}`;
}

/** One match. */
export type Entry<T> = readonly [variant: Variant<T>, places: Places];

/** All matches of a path, in order of registration. */
export type Match<T> = readonly [
  entries: readonly Entry<T>[],
  stash: readonly (string | undefined)[],
];

/** Finds what was registered for a method and a path. */
export interface Engine<T> {
  /** Registers a value. @throws {TypeError} After the first match. */
  add(method: Method, pattern: Pattern, value: T): void;
  /** Everything registered for the method, or for all, that matches the canonical path. */
  match(method: string, path: string): Match<T>;
  /** Methods that a value is registered for at this path, `ALL` left out. */
  methodsOf(path: string): readonly Method[];
}

/** Creates an engine. */
export function createEngine<T>(): Engine<T> {
  const groups: Group<T>[] = [];
  const statics = new Map<string, Map<string, Slot<T>>>(
    METHODS.map((method) => [method, new Map()]),
  );
  const staticGets = statics.get("GET");
  const used = new Set<Method>();
  let order = 0;
  let sealed = false;

  function add(method: Method, pattern: Pattern, value: T): void {
    if (sealed) {
      throw new TypeError(
        `Cannot add route ${method} ${pattern.source}: the router has begun to answer`,
      );
    }
    if (method !== "ALL") used.add(method);
    for (const segments of expandOptional(pattern)) {
      const variant = { value, method, order: order++, params: paramNames(segments) };
      if (isStatic(segments)) addStatic(engineText(segments), variant);
      else groupFor(segments).router.add(method, engineText(segments), variant);
    }
  }

  function addStatic(path: string, variant: Variant<T>): void {
    for (const method of variant.method === "ALL" ? METHODS : [variant.method]) {
      const slot = statics.get(method)?.get(path);
      if (slot !== undefined) slot.variants.push(variant);
      else statics.get(method)?.set(path, { variants: [variant], match: undefined });
    }
  }

  function groupFor(segments: readonly Segment[]): Group<T> {
    const fitting = groups.find(({ shape }) => fits(shape, segments));
    const group = fitting ?? { router: new RegExpRouter<Variant<T>>(), shape: createShape() };
    if (fitting === undefined) groups.push(group);
    insert(group.shape, segments);
    return group;
  }

  function match(method: string, path: string): Match<T> {
    sealed = true;
    const table = method === "GET" ? staticGets : statics.get(method) ?? statics.get("ALL");
    const slot = table?.get(path);
    if (slot !== undefined) return slot.match ??= matchSlot(slot.variants, known(method), path);
    return matchGroups(known(method), path);
  }

  function matchGroups(method: Method, path: string): Match<T> {
    const first = groups[0];
    if (first === undefined) return NO_MATCH;
    let found = first.router.match(method, path) as Match<T>;
    for (let i = 1; i < groups.length; i++) {
      const next = groups[i]?.router.match(method, path) as Match<T>;
      if (next[0].length > 0) {
        found = found[0].length === 0 ? next : merge([...resolved(found), ...resolved(next)]);
      }
    }
    return found;
  }

  /** Joins the static routes of a path with the patterns that match it. */
  function matchSlot(variants: readonly Variant<T>[], method: Method, path: string): Match<T> {
    const own = variants.map((variant): Entry<T> => [variant, NO_PLACES]);
    return merge([...own, ...resolved(matchGroups(method, path))]);
  }

  function methodsOf(path: string): readonly Method[] {
    return [...used].filter((method) =>
      match(method, path)[0].some(([variant]) => variant.method === method)
    );
  }

  return { add, match, methodsOf };
}

/** What is registered for a method at a static path, and once asked for, all that matches it. */
interface Slot<T> {
  readonly variants: Variant<T>[];
  match: Match<T> | undefined;
}

/** A RegExpRouter, and the shape of what it holds. */
interface Group<T> {
  readonly router: RegExpRouter<Variant<T>>;
  readonly shape: Shape;
}

/**
 * What the RegExpRouter can tell apart: at each place either literals or one expression, besides wildcards. It checks
 * that too, but only after it has begun to take the pattern in.
 */
interface Shape {
  readonly children: Map<string, Shape>;
  /** The expression at this place, the empty string for literals. */
  kind: string | undefined;
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);
const NO_PLACES: Places = Object.freeze({});
const NO_MATCH: Match<never> = [[], []];
const ANY_LABEL = "[^/]+";

/** The name that the routers know a method by. Clients may send any token, `constructor` too. */
function known(method: string): Method {
  return KNOWN_METHODS.has(method) ? method as Method : "ALL";
}

function createShape(): Shape {
  return { children: new Map(), kind: undefined };
}

function fits(shape: Shape, segments: readonly Segment[]): boolean {
  let place: Shape | undefined = shape;
  for (const segment of segments) {
    if (segment.kind === "wildcard" || place === undefined) return true;
    if (place.kind !== undefined && place.kind !== kindOf(segment)) return false;
    place = place.children.get(childKey(segment));
  }
  return true;
}

function insert(shape: Shape, segments: readonly Segment[]): void {
  let place = shape;
  for (const segment of segments) {
    if (segment.kind === "wildcard") return;
    place.kind = kindOf(segment);
    const key = childKey(segment);
    const child = place.children.get(key) ?? createShape();
    place.children.set(key, child);
    place = child;
  }
}

function kindOf(segment: Segment): string {
  return segment.kind === "param" ? segment.regexp ?? ANY_LABEL : "";
}

function childKey(segment: Segment): string {
  return segment.kind === "literal" ? segment.text : "";
}

/** Entries that carry their parameters' texts, so that entries of several routers can stand in one list. */
function resolved<T>([entries, stash]: Match<T>): readonly Entry<T>[] {
  return entries.map(([variant, places]): Entry<T> => {
    const texts: Record<string, string> = {};
    for (const [name, place] of Object.entries(places)) {
      const text = typeof place === "number" ? stash[place] : place;
      if (text !== undefined) texts[name] = text;
    }
    return [variant, texts];
  });
}

function merge<T>(entries: Entry<T>[]): Match<T> {
  return [entries.sort(([a], [b]) => a.order - b.order), []];
}

function paramNames(segments: readonly Segment[]): readonly string[] {
  return segments.flatMap((segment) => segment.kind === "param" ? [segment.name] : []);
}
