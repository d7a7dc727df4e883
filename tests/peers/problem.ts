/**
 * What a gate has against a document, and how that is written in one line.
 *
 * @module
 */

/** Who found a problem: Redocly's rules, OpenAPI's own JSON Schema, or our assertions. */
export type Gate = "redocly" | "schema" | "own";

/** One thing that is wrong with a document. */
export interface Problem {
  readonly gate: Gate;
  /** The rule, keyword or assertion that is broken. */
  readonly rule: string;
  /** Where, as the fragment of a JSON Pointer, RFC 6901 §6, without percent-encoding. */
  readonly pointer: string;
  readonly message: string;
}

/** Writes a problem in one line: `own nullable at #/components/schemas/Note: …`. */
export function formatProblem({ gate, rule, pointer, message }: Problem): string {
  return `${gate} ${rule} at ${pointer}: ${message.replace(/\s+/g, " ")}`;
}

/** Appends names to the fragment of a JSON Pointer. */
export function joinPointer(pointer: string, ...names: readonly (string | number)[]): string {
  const escaped = names.map((name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1"));
  return [pointer, ...escaped].join("/");
}
