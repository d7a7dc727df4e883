/**
 * The only module that uses Hono's routers: the RegExpRouter directly, without Hono's Context, and with restrictions:
 *
 * - Static paths live in a Map, since a RegExpRouter cannot hold one next to a parameter (`/users/me`, `/users/:id`).
 * - Many patterns are grouped by their literal prefix, `/api/users` of `/api/users/:id`, so that the cost of a match does
 *   not grow with the number of routes.
 * - Patterns that one RegExpRouter cannot hold together (`/:a/x`, `/b/:c`) go to another one. Hono would move the whole
 *   application to its TrieRouter, which is slower, matches a literal `/users/:id` in a request to the pattern, and
 *   reports `/admin/*` twice.
 * - Parameters get positional names, so that they cannot collide with the router's.
 *
 * @module
 */

import { RegExpRouter } from "hono/router/reg-exp-router";
import { engineText, expandOptional, isStatic, type Pattern, type Segment } from "./pattern.ts";

/** Methods that routes are registered for, including `ALL`. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "ALL"] as const;

/** A method that routes are registered for. */
export type Method = typeof METHODS[number];

/** What routers hold every pattern under, too, so that one match finds all methods of a path. No client can send it. */
const ANY = "any method";

/** A method, as routers name it. */
type Row = Method | typeof ANY;

const ROWS: readonly Row[] = [...METHODS, ANY];

/** One way to write a registered pattern: with its optional parameter, or without. */
export interface Variant<T> {
  readonly value: T;
  readonly method: Method;
  readonly order: number;
  /** Names of the parameters, by position. */
  readonly params: readonly string[];
}

/** Where the parameters of a match are: `p0`, `p1`, … are indexes in the stash, or the values themselves. */
export type Places = Readonly<Record<string, number | string>>;

const PLACE_NAMES: readonly string[] = ["p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"];

/** Name of a parameter's position. Strings created per request would deoptimize V8's code. */
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
  /** Registers a value. Only before the first match. */
  add(method: Method, pattern: Pattern, value: T): void;
  /** Everything registered for the method, or for all, that matches the canonical path. */
  match(method: string, path: string): Match<T>;
  /** Methods with a value at this path, without `ALL`. */
  methodsOf(path: string): readonly Method[];
}

/** Creates an engine. */
export function createEngine<T>(): Engine<T> {
  const patterns: PatternOf<T>[] = [];
  let buckets: Buckets<T> | undefined; // created at the first match
  const statics = new Map<string, Map<string, Slot<T>>>(ROWS.map((row) => [row, new Map()]));
  const staticGets = statics.get("GET");
  let order = 0;

  function add(method: Method, pattern: Pattern, value: T): void {
    for (const segments of expandOptional(pattern)) {
      const variant = { value, method, order: order++, params: paramNames(segments) };
      if (isStatic(segments)) addStatic(engineText(segments), variant);
      else patterns.push({ segments, variant });
    }
  }

  function addStatic(path: string, variant: Variant<T>): void {
    for (const row of variant.method === "ALL" ? ROWS : [variant.method, ANY]) {
      const slot = statics.get(row)?.get(path);
      if (slot !== undefined) slot.variants.push(variant);
      else statics.get(row)?.set(path, { variants: [variant], match: undefined });
    }
  }

  function match(method: string, path: string): Match<T> {
    if (method === "GET") return matchIn(staticGets, method, path);
    const row = known(method);
    return matchIn(statics.get(row), row, path);
  }

  function matchIn(table: Map<string, Slot<T>> | undefined, row: Row, path: string): Match<T> {
    const slot = table?.get(path);
    return slot === undefined
      ? matchPatterns(row, path)
      : slot.match ??= matchSlot(slot.variants, row, path);
  }

  /** Looks up the path's prefixes that patterns have, and matches with the routers stored under them. */
  function matchPatterns(row: Row, path: string): Match<T> {
    const { byPrefix, depths } = buckets ??= makeBuckets(patterns);
    let found: Match<T> = NO_MATCH;
    for (let depth = 0, end = 0;; depth++) {
      const groups = depths[depth] ? byPrefix.get(path.slice(0, end)) : undefined;
      for (let i = 0; groups !== undefined && i < groups.length; i++) {
        const next = routerOf(groups[i] as Group<T>).match(row, path) as Match<T>;
        if (next[0].length === 0) continue;
        found = found[0].length === 0 ? next : merge([...resolved(found), ...resolved(next)]);
      }
      if (end === path.length || depth + 1 >= depths.length) return found;
      const slash = path.indexOf("/", end + 1);
      end = slash === -1 ? path.length : slash;
    }
  }

  /** Joins the static routes of a path with the patterns that match it. */
  function matchSlot(variants: readonly Variant<T>[], row: Row, path: string): Match<T> {
    const own = variants.map((variant): Entry<T> => [variant, NO_PLACES]);
    return merge([...own, ...resolved(matchPatterns(row, path))]);
  }

  function methodsOf(path: string): readonly Method[] {
    const [entries] = matchIn(statics.get(ANY), ANY, path);
    if (entries.length === 0) return []; // most requests that nothing answers
    return [...new Set(entries.map(([{ method }]) => method))].filter((one) => one !== "ALL");
  }

  return { add, match, methodsOf };
}

/** What is registered for a method at a static path and, once requested, all matches. */
interface Slot<T> {
  readonly variants: Variant<T>[];
  match: Match<T> | undefined;
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);
const NO_PLACES: Places = Object.freeze({});
const NO_MATCH: Match<never> = [[], []];

/** The literals before the first parameter or wildcard. */
function literalPrefix(segments: readonly Segment[]): { text: string; depth: number } {
  const first = segments.findIndex((segment) => segment.kind !== "literal");
  const literals = first === -1 ? segments : segments.slice(0, first);
  return { text: literals.length === 0 ? "" : engineText(literals), depth: literals.length };
}

/** The method as routers name it. Clients may send any token, including `constructor`. */
function known(method: string): Method {
  return KNOWN_METHODS.has(method) ? method as Method : "ALL";
}

/** A registered pattern. */
interface PatternOf<T> {
  readonly segments: readonly Segment[];
  readonly variant: Variant<T>;
}

/** Patterns by their literal prefixes. */
interface Buckets<T> {
  readonly byPrefix: ReadonlyMap<string, readonly Group<T>[]>;
  /** By number of literal segments: whether a pattern has such a prefix. */
  readonly depths: readonly (boolean | undefined)[];
}

/** Patterns that one RegExpRouter holds. It is created on demand: a request needs few of a large application's. */
interface Group<T> {
  router: RegExpRouter<Variant<T>> | undefined;
  readonly patterns: PatternOf<T>[];
  readonly shape: Shape;
}

/** Up to this number of patterns, a single expression is faster than looking up prefixes. */
const FEW_PATTERNS = 100;

function makeBuckets<T>(patterns: readonly PatternOf<T>[]): Buckets<T> {
  const byPrefix = new Map<string, Group<T>[]>();
  const depths: boolean[] = [];
  for (const pattern of patterns) {
    const { text, depth } = patterns.length <= FEW_PATTERNS
      ? { text: "", depth: 0 }
      : literalPrefix(pattern.segments);
    const groups = byPrefix.get(text) ?? [];
    byPrefix.set(text, groups);
    depths[depth] = true;
    addToGroup(groups, pattern);
  }
  return { byPrefix, depths };
}

/** Adds a pattern to the first group that can hold it, or to a new one. */
function addToGroup<T>(groups: Group<T>[], pattern: PatternOf<T>): void {
  const fitting = groups.find(({ shape }) => fits(shape, pattern.segments));
  const group = fitting ?? { router: undefined, patterns: [], shape: createShape() };
  if (fitting === undefined) groups.push(group);
  insert(group.shape, pattern.segments);
  group.patterns.push(pattern);
}

function routerOf<T>(group: Group<T>): RegExpRouter<Variant<T>> {
  if (group.router === undefined) {
    group.router = new RegExpRouter();
    for (const { segments, variant } of group.patterns) {
      const text = engineText(segments);
      group.router.add(variant.method, text, variant);
      if (variant.method !== "ALL") group.router.add(ANY, text, variant);
    }
  }
  return group.router;
}

/** Entries that hold their parameters' values, so that entries of several routers can be merged. */
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

/**
 * What one RegExpRouter can distinguish: at each position either literals or one expression, besides wildcards. It checks
 * that as well, but only after it has added part of the pattern.
 */
interface Shape {
  readonly children: Map<string, Shape>;
  /** The expression at this position, the empty string for literals. */
  kind: string | undefined;
}

const ANY_LABEL = "[^/]+";

/** Creates an empty shape. */
function createShape(): Shape {
  return { children: new Map(), kind: undefined };
}

/** Whether a pattern is compatible with those of a shape. */
function fits(shape: Shape, segments: readonly Segment[]): boolean {
  let place: Shape | undefined = shape;
  for (const segment of segments) {
    if (segment.kind === "wildcard" || place === undefined) return true;
    if (place.kind !== undefined && place.kind !== kindOf(segment)) return false;
    place = place.children.get(childKey(segment));
  }
  return true;
}

/** Adds a pattern to a shape. */
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
