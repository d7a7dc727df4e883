/**
 * What a client gets for a refusal: an error of the schema's own `GraphQLError`, since servers mask all others.
 *
 * @module
 */

import type { SchemaLike } from "./schema_types.ts";

/** Code of a refusal, `extensions.code` of the error. */
export type RefusalCode = "UNAUTHENTICATED" | "FORBIDDEN" | "INTERNAL_SERVER_ERROR";

/** Creates an error, as `GraphQLError` does. */
type ErrorClass = new (message: string, options: ErrorExtensions) => Error;

interface ErrorExtensions {
  readonly extensions: { readonly code: RefusalCode };
}

/** The schema that was protected last: where nothing else says whose error is needed. */
let latestSchema: SchemaLike | undefined;

/** Has errors without a schema be those of this one: most processes have one copy of `graphql`. */
export function useSchemaErrors(schema: SchemaLike): void {
  latestSchema = schema;
}

const CLASSES: WeakMap<SchemaLike, ErrorClass> = /* @__PURE__ */ new WeakMap();

/** Creates the error of a refusal. Its message is fixed: why it was refused is in an event. */
export function refusalError(
  code: RefusalCode,
  schema: SchemaLike | undefined = latestSchema,
): Error {
  const ErrorClass = schema === undefined ? StructuralError : errorClassOf(schema);
  return new ErrorClass(messageOf(code), { extensions: { code } });
}

function messageOf(code: RefusalCode): string {
  switch (code) {
    case "UNAUTHENTICATED":
      return "Authentication required";
    case "FORBIDDEN":
      return "Access denied";
    case "INTERNAL_SERVER_ERROR":
      return "Internal error";
  }
}

function errorClassOf(schema: SchemaLike): ErrorClass {
  const known = CLASSES.get(schema);
  if (known !== undefined) return known;
  const found = findErrorClass(schema);
  CLASSES.set(schema, found);
  return found;
}

/** The class of the error that the type `Boolean` throws for another value: `GraphQLError`, of the copy that made the schema. */
function findErrorClass(schema: SchemaLike): ErrorClass {
  const type = schema.getType("Boolean") as { parseValue?(value: unknown): unknown } | undefined;
  try {
    type?.parseValue?.("x");
  } catch (error) {
    if (error instanceof Error && "extensions" in error) return error.constructor as ErrorClass;
  }
  return StructuralError;
}

/** An error with what executors read of it. */
class StructuralError extends Error {
  override readonly name = "GraphQLError";
  readonly extensions: { readonly code: RefusalCode };

  constructor(message: string, { extensions }: ErrorExtensions) {
    super(message);
    this.extensions = extensions;
  }
}
