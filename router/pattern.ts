/**
 * Route patterns: Hono's syntax, validated at registration and converted to the canonical form of request paths.
 *
 * `/users/:id` · `/users/:id?` · `/users/:id{[0-9]+}` · `/files/*` · `*`
 *
 * @module
 */

import { decodePath } from "./path.ts";

/** One segment of a pattern. */
export type Segment =
  | { readonly kind: "literal"; readonly text: string }
  | {
    readonly kind: "param";
    readonly name: string;
    readonly regexp?: string;
    readonly optional: boolean;
  }
  | { readonly kind: "wildcard" };

/** A parsed pattern. */
export interface Pattern {
  /** The pattern as written. */
  readonly source: string;
  /** Its segments; a pattern that is only `/` has one empty literal. */
  readonly segments: readonly Segment[];
}

const PARAM_REGEXP = /^:([\w$-]+)(?:\{(.+)\})?(\?)?$/s;
const GROUP_REGEXP = /^\{(?:\{[\d,]+\}|[^{}])+\}/;
/** The engine's special characters, which it would also interpret in literals next to a parameter. */
const ENGINE_MARK_REGEXP = /[@#]\d|[|?{}:*]/;
/** The parts of an expression that match one character: an escape, a class, a dot, a slash. */
const ATOM_REGEXP = /\\(?:x[\da-f]{2}|u[\da-f]{4}|[0-7]{1,3}|.)|\[(?:\\.|[^\]\\])*\]|\.|\//gi;

/**
 * Parses a pattern.
 *
 * @throws {TypeError} If the pattern is malformed, or the engine would interpret it differently.
 */
export function parsePattern(source: string): Pattern {
  const text = source === "*" ? "/*" : source;
  if (!text.startsWith("/")) throw patternError(source, "it does not start with /");
  const parts = splitSegments(text.slice(1), source);
  const segments = parts.map((part, i) => parseSegment(part, i === parts.length - 1, source));
  const names = segments.filter((segment) => segment.kind === "param").map((segment) =>
    segment.name
  );
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) throw patternError(source, `parameter ":${repeated}" is duplicated`);
  if (!isStatic(segments)) {
    for (const segment of segments) {
      if (segment.kind === "literal" && ENGINE_MARK_REGEXP.test(segment.text)) {
        throw patternError(
          source,
          `"${segment.text}" cannot be combined with a parameter or wildcard`,
        );
      }
    }
  }
  return { source, segments };
}

/** Whether a pattern consists of literals only. */
export function isStatic(segments: readonly Segment[]): boolean {
  return segments.every((segment) => segment.kind === "literal");
}

/** The variants of a pattern: two with an optional parameter, else one. */
export function expandOptional({ segments }: Pattern): readonly (readonly Segment[])[] {
  const last = segments.at(-1);
  if (last?.kind !== "param" || !last.optional) return [segments];
  const without = segments.slice(0, -1);
  return [
    without.length === 0 ? [{ kind: "literal", text: "" }] : without,
    [...without, { ...last, optional: false }],
  ];
}

/** Segments in the engine's syntax. Parameters are named by position: `p0`, `p1`, … */
export function engineText(segments: readonly Segment[]): string {
  let params = 0;
  return segments.map((segment) => {
    switch (segment.kind) {
      case "literal":
        return "/" + segment.text;
      case "wildcard":
        return "/*";
      case "param":
        return `/:p${params++}` +
          (segment.regexp === undefined ? "" : `{${dotAll(segment.regexp)}}`);
    }
  }).join("");
}

/** Lets dots match line breaks, which clients send as `%0A`: a guard at `/admin/:rest{.+}` would miss those paths. */
function dotAll(regexp: string): string {
  return regexp.replace(ATOM_REGEXP, (atom) => atom === "." ? "[^]" : atom);
}

/**
 * Parses the prefix of a mount or of `under()`. A trailing slash is dropped.
 *
 * @throws {TypeError} If it has an optional parameter, a wildcard, or an expression that may span segments.
 */
export function parsePrefix(source: string): Pattern {
  const pattern = parsePattern(source);
  const segments = dropEmptyEnd(pattern.segments);
  for (const segment of segments) {
    if (
      segment.kind === "wildcard" ||
      (segment.kind === "param" && (segment.optional || maySpan(segment.regexp)))
    ) {
      throw patternError(
        source,
        "a prefix takes no wildcard, optional parameter or expression that spans segments",
      );
    }
  }
  return { source, segments };
}

/** Creates a test for paths at or under a prefix. */
export function prefixTest({ segments }: Pattern): (path: string) => boolean {
  if (segments.length === 0) return () => true;
  if (isStatic(segments)) {
    const text = engineText(segments);
    const subtree = text + "/";
    return (path) => path === text || path.startsWith(subtree);
  }
  const regexp = new RegExp(
    `^${segments.map((segment) => "/" + segmentRegExp(segment)).join("")}(?=/|$)`,
  );
  return (path) => regexp.test(path);
}

function dropEmptyEnd(segments: readonly Segment[]): readonly Segment[] {
  const last = segments.at(-1);
  return last?.kind === "literal" && last.text === "" ? segments.slice(0, -1) : segments;
}

/** Splits at the slashes outside `{…}`. */
function splitSegments(text: string, source: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "{") {
      const group = GROUP_REGEXP.exec(text.slice(i));
      if (group === null) {
        throw patternError(source, "its { } are unbalanced or nested beyond {n,m}");
      }
      i += group[0].length - 1;
    } else if (text[i] === "/") {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function parseSegment(part: string, last: boolean, source: string): Segment {
  if (part === "*") {
    if (!last) throw patternError(source, "a wildcard must be the last segment");
    return { kind: "wildcard" };
  }
  if (part.startsWith(":")) return parseParam(part, last, source);
  return parseLiteral(part, source);
}

function parseParam(part: string, last: boolean, source: string): Segment {
  const match = PARAM_REGEXP.exec(part);
  if (match === null) throw patternError(source, `"${part}" is not :name, :name? or :name{regexp}`);
  const [, name = "", regexp, mark] = match;
  const optional = mark !== undefined;
  if (optional && !last) {
    throw patternError(source, `"${part}" is optional before the last segment`);
  }
  if (regexp === undefined) return { kind: "param", name, optional };
  const checked = checkRegExp(regexp, source);
  if (!last && maySpan(checked)) {
    throw patternError(source, `"${part}" may span segments before the last`);
  }
  return { kind: "param", name, optional, regexp: checked };
}

/** Rejects expressions that the engine would interpret differently. */
function checkRegExp(regexp: string, source: string): string {
  let matchesNothing: boolean;
  try {
    new RegExp(regexp); // by itself: `a)|(b` would be valid in a group
    matchesNothing = new RegExp(`^(?:${regexp})$`).test("");
  } catch {
    throw patternError(source, `{${regexp}} is not a regular expression`);
  }
  if (matchesNothing) {
    throw patternError(
      source,
      `{${regexp}} matches the empty string; use + instead of *, or :name?`,
    );
  }
  if (/\\[1-9k]|\(\?[^:]|[\n\r\u2028\u2029]/.test(regexp)) {
    throw patternError(
      source,
      "its expression has a look-around, a named group, a back reference or a line break",
    );
  }
  if (/(?<!\[)\^|\$|[@#]\d/.test(regexp)) {
    throw patternError(
      source,
      "its expression has an anchor, or @ or # before a digit",
    );
  }
  return `(?:${nonCapturing(regexp)})`; // without the group, `a|b` would split the whole route
}

/** Turns `(…)` into `(?:…)`, since a capture would shift the indexes of the engine's own. */
function nonCapturing(regexp: string): string {
  return regexp.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)/gs, (found) => {
    if (found === "(") return "(?:";
    return found.replace(/\\.|\(/gs, (part) => part === "(" || part === "\\(" ? "\\x28" : part);
  });
}

/** Whether an expression can match a slash, and so more than one segment. */
function maySpan(regexp: string | undefined): boolean {
  return (regexp?.match(ATOM_REGEXP) ?? []).some((atom) => new RegExp(`^${atom}$`).test("/"));
}

function parseLiteral(part: string, source: string): Segment {
  if (/[:*?#]/.test(part)) {
    throw patternError(source, `"${part}" has one of : * ? # inside a segment`);
  }
  const text = decodePath(part);
  if (text === undefined) {
    throw patternError(source, `"${part}" has a malformed escape or a control character`);
  }
  if (text === "." || text === "..") throw patternError(source, "it has a dot segment");
  return { kind: "literal", text };
}

function segmentRegExp(segment: Segment): string {
  switch (segment.kind) {
    case "literal":
      return segment.text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
    case "wildcard":
      return ".*";
    case "param":
      return segment.regexp ?? "[^/]+";
  }
}

function patternError(source: string, why: string): TypeError {
  return new TypeError(`Cannot use path "${source}": ${why}`);
}
