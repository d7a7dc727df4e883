/**
 * What the compiler's process is asked of a table of types, and what it answers.
 *
 * @module
 */

import type { SchemaObject } from "@gatehouse/http";
import type { Side } from "../../../openapi/_normalize_schema.ts";

/** File that the types of a table are written in. */
export const CASES = "types.ts";

/** A table in a folder. */
export interface TypeRequest {
  readonly side: Side;
  readonly form: boolean;
  /** Number of types. */
  readonly count: number;
  /** Whether the schemas are wanted as the compiler writes them, too. */
  readonly local: boolean;
}

/** The schema of a type and the components that it refers to, or why there is none. */
export type TypeResult =
  | {
    readonly schema: SchemaObject;
    readonly components: Readonly<Record<string, SchemaObject>>;
    /** The schema with `$defs`, if it is wanted. */
    readonly local?: SchemaObject;
  }
  | { readonly error: string };

/** The schemas of a table. */
export interface TypeResults {
  /** Errors that the compiler reports. */
  readonly problems: readonly string[];
  readonly results: readonly TypeResult[];
}
