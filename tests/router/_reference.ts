/**
 * A reference router to compare the engine with: a list of regular expressions in order of registration.
 *
 * @module
 */

import type { Random } from "./_helpers.ts";

/** A generated segment: its text in the pattern, and its meaning. */
interface MadeSegment {
  readonly text: string;
  readonly regexp: string;
  readonly name?: string;
  readonly optional?: boolean;
}

/** A generated route. */
export interface MadeRoute {
  readonly method: string;
  readonly pattern: string;
  readonly regexp: RegExp;
  readonly names: readonly string[];
}

/** A match, by index of the route. */
export interface ReferenceMatch {
  readonly index: number;
  readonly params: Readonly<Record<string, string>>;
}

/** Every match of a canonical path, in order. */
export function referenceMatch(
  routes: readonly MadeRoute[],
  method: string,
  path: string,
): ReferenceMatch[] {
  return routes.flatMap((route, index) => {
    if (route.method !== "ALL" && route.method !== method) return [];
    const found = route.regexp.exec(path);
    if (found === null) return [];
    const params: Record<string, string> = Object.create(null);
    route.names.forEach((name, i) => {
      const text = found[i + 1];
      if (text !== undefined) params[name] = text;
    });
    return [{ index, params }];
  });
}

/** Names of Object.prototype members. */
const NAMES: readonly string[] = [
  "id",
  "x",
  "org",
  "constructor",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "a-1",
  "$",
  "_",
];
/** Literals that are special to a regular expression, a trie, or an object. */
const LITERALS: readonly string[] = [
  ..."a b users me v1 a.b c++ (d [e] ^f g$ é 🦀 constructor __proto__ @me x@ - ~ a%2Fb".split(" "),
  "",
];
/** Expressions that stay inside a segment. */
const EXPRESSIONS: readonly string[] = [
  ...[
    "[0-9]+",
    "\\d{2}",
    "[a-z]+",
    "a|b",
    "(?:a|me)",
    "(v)1",
    "[^/]+",
    "[^/.]+\\.b",
    "\\w+",
    "x\\.?b",
  ],
];
/** Expressions that match more than one segment; they are the last segment. */
const SPANNING: readonly string[] = [".+", "[^.]+", "a/b", "(?:[a-z]+/)?b", "\\D+"];
const METHODS: readonly string[] = ["GET", "GET", "GET", "GET", "POST", "DELETE", "ALL"];

/** Generates a table of routes that share a few literals, so that they overlap. */
export function makeTable(random: Random): readonly MadeRoute[] {
  const literals = random.list(2, 4, () => random.pick(LITERALS));
  return random.list(1, 8, () => makeRoute(random, literals));
}

function makeRoute(random: Random, literals: readonly string[]): MadeRoute {
  const segments: MadeSegment[] = [];
  const length = 1 + random.below(3) + (random.below(4) === 0 ? 1 : 0);
  const unused = [...NAMES];
  for (let i = 0; i < length; i++) {
    segments.push(makeSegment(random, literals, unused, i === length - 1));
  }
  return {
    method: random.pick(METHODS),
    pattern: segments.map(({ text }) => "/" + text).join(""),
    regexp: new RegExp(`^${segments.map(regexpOf).join("") || "/"}$`, "s"),
    names: segments.flatMap(({ name }) => name === undefined ? [] : [name]),
  };

  function regexpOf({ regexp, optional }: MadeSegment, i: number): string {
    if (regexp === "*") return segments.length === 1 ? "/[^]*" : "(?:/[^]*)?";
    if (optional) return i === 0 ? `/(${regexp})?` : `(?:/(${regexp}))?`;
    return "/" + regexp;
  }
}

function makeSegment(
  random: Random,
  literals: readonly string[],
  unused: string[],
  last: boolean,
): MadeSegment {
  const kind = random.below(10);
  if (kind < 5) return literalSegment(random.pick(literals));
  if (last && kind === 5) return { text: "*", regexp: "*" };
  const name = unused.splice(random.below(unused.length), 1)[0] ?? "last";
  const optional = last && kind === 6;
  const expression = kind < 8
    ? undefined
    : random.pick(last ? [...EXPRESSIONS, ...SPANNING] : EXPRESSIONS);
  const regexp = expression === undefined ? "[^/]+" : nonCapturing(expression);
  const text = `:${name}${expression === undefined ? "" : `{${expression}}`}${optional ? "?" : ""}`;
  return { text, regexp: optional ? regexp : `(${regexp})`, name, optional };
}

function nonCapturing(expression: string): string {
  return `(?:${expression.replace(/\((?!\?)/g, "(?:")})`;
}

function literalSegment(text: string): MadeSegment {
  return { text, regexp: text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") };
}

/** Segments of requests, in addition to those of the routes. */
const REQUESTED: readonly string[] = [
  "a",
  "b",
  "me",
  "users",
  "v1",
  "7",
  "42",
  "a\n",
  "\u2028",
  "x.b",
  "",
  "*",
  "constructor",
  "é",
  "%2F",
  "a\nb",
];

/** Generates a path: like one of the routes, with parameters filled in, cut, extended, or spelled as the pattern itself. */
export function makePath(random: Random, routes: readonly MadeRoute[]): string {
  const parts = random.pick(routes).pattern.slice(1).split("/").map((part) => {
    const dynamic = part.startsWith(":") || part === "*";
    const keep = random.below(dynamic ? 6 : 8);
    return keep === 0 || (dynamic && keep > 1) ? random.pick(REQUESTED) : part;
  });
  const change = random.below(6);
  if (change === 0) parts.pop();
  else if (change === 1) parts.push(random.pick(REQUESTED));
  return "/" + parts.join("/");
}
