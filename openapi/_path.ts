/**
 * Path templates, OpenAPI 3.1 §4.8.8.2, from the router's patterns.
 *
 * @module
 */

import { expandOptional, type Pattern, type Segment } from "../router/pattern.ts";

/** A parameter of a template. */
export interface TemplateParameter {
  /**
   * Name in the route, `path` for a wildcard; `undefined` for a parameter of an outer router that an inner one shadows.
   */
  readonly name: string | undefined;
  /** Name in the template. */
  readonly label: string;
  /** Whether it matches the rest of the path. */
  readonly isWildcard: boolean;
  /** Regular expression that the whole value matches. */
  readonly regexp: string | undefined;
}

/** One path of a document. */
export interface Template {
  /** The path, with its parameters as `{name}`. */
  readonly path: string;
  /** The path with unnamed parameters, which must be unique. */
  readonly shape: string;
  /** Its parameters, in order. */
  readonly parameters: readonly TemplateParameter[];
}

/** Parameter names of each shape. */
export type ShapeLabels = Map<string, readonly string[]>;

/**
 * The templates of a route: two if its last parameter is optional, the shorter one first.
 *
 * @param outer Segments of the prefixes that the route's router is mounted at.
 * @param labels Names used for the shapes so far. OpenAPI treats templates that differ only in parameter names as
 * identical, so the first names are kept.
 */
export function templatesOf(
  outer: readonly Segment[],
  pattern: Pattern,
  labels: ShapeLabels,
): readonly Template[] {
  return expandOptional(pattern).map((own) => {
    const inner = outer.length > 0 && isRoot(own) ? [] : own;
    const segments = [...outer, ...inner];
    const shape = segments.map((segment) => "/" + textOf(segment, () => "{}")).join("");
    const names = segments.flatMap(nameOf);
    const found = labels.get(shape) ?? labelsOf(names);
    labels.set(shape, found);
    const bound = segments.filter((segment) => segment.kind !== "literal");
    const parameters = bound.map((segment, i): TemplateParameter => ({
      name: names.lastIndexOf(names[i] ?? "") === i ? names[i] : undefined, // an inner parameter shadows an outer one of the same name
      label: found[i] ?? "",
      isWildcard: segment.kind === "wildcard",
      regexp: segment.kind === "param" ? segment.regexp : undefined,
    }));
    let next = 0;
    const path = segments.map((segment) => "/" + textOf(segment, () => `{${found[next++]}}`))
      .join("");
    return { path, shape, parameters };
  });
}

/** A literal is encoded as in a URL, so that it has no special meaning in a template. */
function textOf(segment: Segment, parameter: () => string): string {
  return segment.kind === "literal" ? encodeLiteral(segment.text) : parameter();
}

function nameOf(segment: Segment): readonly string[] {
  return segment.kind === "literal" ? [] : [segment.kind === "wildcard" ? "path" : segment.name];
}

/** Parameter names that are valid in templates, without duplicates. */
function labelsOf(names: readonly string[]): readonly string[] {
  const labels: string[] = [];
  for (const name of names) {
    const base = name.replaceAll("$", "_");
    let label = base;
    for (let n = 2; labels.includes(label); n++) label = `${base}_${n}`;
    labels.push(label);
  }
  return labels;
}

function isRoot(segments: readonly Segment[]): boolean {
  const [only] = segments;
  return segments.length === 1 && only?.kind === "literal" && only.text === "";
}

/** A `%` in a literal starts an escape that canonical paths keep. */
function encodeLiteral(text: string): string {
  return encodeURI(text.toWellFormed()).replaceAll("%25", "%")
    .replace(/[?#:*]/g, (one) => "%" + one.charCodeAt(0).toString(16).toUpperCase());
}
