/**
 * Which patterns one RegExpRouter can hold together.
 *
 * @module
 */

import type { Segment } from "./pattern.ts";

/**
 * What the RegExpRouter can distinguish: at each position either literals or one expression, besides wildcards. It checks
 * that as well, but only after it has added part of the pattern.
 */
export interface Shape {
  readonly children: Map<string, Shape>;
  /** The expression at this position, the empty string for literals. */
  kind: string | undefined;
}

const ANY_LABEL = "[^/]+";

/** Creates an empty shape. */
export function createShape(): Shape {
  return { children: new Map(), kind: undefined };
}

/** Whether a pattern is compatible with those of a shape. */
export function fits(shape: Shape, segments: readonly Segment[]): boolean {
  let place: Shape | undefined = shape;
  for (const segment of segments) {
    if (segment.kind === "wildcard" || place === undefined) return true;
    if (place.kind !== undefined && place.kind !== kindOf(segment)) return false;
    place = place.children.get(childKey(segment));
  }
  return true;
}

/** Adds a pattern to a shape. */
export function insert(shape: Shape, segments: readonly Segment[]): void {
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
