/**
 * Validation by Standard Schema v1 (https://standardschema.dev): Zod, Valibot, ArkType and any other library that
 * has a `~standard` property. None of them is imported.
 *
 * @module
 */

import { andThen } from "./_promise.ts";
import { HttpError, type Violation } from "./problem.ts";

/** A validator as Standard Schema v1 defines it, by structure. */
export interface StandardSchemaV1<Input = unknown, Output = Input> {
  /** The standard's properties. */
  readonly "~standard": StandardSchemaProps<Input, Output>;
}

/** Properties of a {@linkcode StandardSchemaV1}. */
export interface StandardSchemaProps<Input = unknown, Output = Input> {
  /** Version of the standard. */
  readonly version: 1;
  /** Name of the library. */
  readonly vendor: string;
  /** Validates a value and returns the output or the issues. */
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  /** Types only; never present at run time. */
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/** Result of a validation: `issues` is absent on success. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One validation error. */
export interface StandardIssue {
  /** Human-readable message. */
  readonly message: string;
  /** Path in the value. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Output type of a schema. */
export type InferOutput<S extends StandardSchemaV1> = NonNullable<
  S["~standard"]["types"]
>["output"];

/** Schemas of a route. Each output becomes the type and the value of its part of the request. */
export interface RouteSchema<Content = unknown, Params = unknown, Query = unknown, Data = unknown> {
  /** Checks `req.content`: the parsed JSON, or the `FormData` of a multipart route. */
  readonly body?: StandardSchemaV1<unknown, Content>;
  /** Checks `req.params`. */
  readonly params?: StandardSchemaV1<unknown, Params>;
  /** Checks `req.query`. */
  readonly query?: StandardSchemaV1<unknown, Query>;
  /** Types and documents the response. It is not checked at run time. */
  readonly response?: StandardSchemaV1<unknown, Data>;
}

/**
 * Validators of routes, by method and full pattern: `{ "POST /orders": { body } }`. `gatehouse http openapi generate
 * --validators` writes them from TypeScript types.
 */
export type RouteValidators = Readonly<
  Record<string, Pick<RouteSchema, "params" | "query" | "body">>
>;

/** Finds the validators of a route by its method and full pattern. */
export type FindValidators = (
  method: string,
  pattern: string,
) => RouteValidators[string] | undefined;

/** The parts of a request that a schema can check. */
export type SchemaPart = "params" | "query" | "body";

/** Maximum violations in one response. */
const MAX_VIOLATIONS = 50;

/**
 * Validates a value and returns the schema's output.
 *
 * @throws {HttpError} 422 `validation_failed` with `violations` if the value is invalid.
 */
export function validate(schema: StandardSchemaV1, value: unknown, part: SchemaPart): unknown {
  return andThen(schema["~standard"].validate(value), (result) => unwrap(result, part));
}

function unwrap(result: StandardResult<unknown>, part: SchemaPart): unknown {
  if (result.issues === undefined) return result.value;
  throw new HttpError(422, "validation_failed", {
    violations: result.issues.slice(0, MAX_VIOLATIONS).map((issue) => violation(issue, part)),
  });
}

function violation({ message, path = [] }: StandardIssue, part: SchemaPart): Violation {
  return { in: part, pointer: path.map(pointerToken).join(""), message };
}

/** One reference token of a JSON Pointer, RFC 6901 §3. */
function pointerToken(step: PropertyKey | { readonly key: PropertyKey }): string {
  const key = typeof step === "object" ? step.key : step;
  return "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}
