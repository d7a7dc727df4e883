/**
 * Helpers for tests of OpenAPI documents of the routes of authentication.
 *
 * @module
 */

import type { OpenApiDocument, OpenApiInfo, OperationObject, SchemaObject } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";

export const INFO: OpenApiInfo = { title: "Test", version: "1.0.0" };

/** The operations below `/auth/`, by method and path. */
export function operationsOf({ paths }: OpenApiDocument): Map<string, OperationObject> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) =>
        [`${method.toUpperCase()} ${path}`, operation as OperationObject] as const
      )
    ).filter(([name]) => name.includes("/auth/")),
  );
}

/** Asserts that all members are documented and required ones are present. Supports objects, arrays and scalars only. */
export function assertFits(value: unknown, schema: SchemaObject, at: string): void {
  const { type, properties, required = [], items, enum: values = [value] } = schema as {
    type?: string;
    enum?: readonly unknown[];
    properties?: Record<string, SchemaObject>;
    required?: readonly string[];
    items?: SchemaObject;
  };
  if (type === "object") {
    assert(typeof value === "object" && value !== null, at);
    if (properties === undefined) return; // what a standard describes
    const members = Object.entries(value);
    for (const name of required) assert(Object.hasOwn(value, name), `${at}/${name} is required`);
    for (const [name, member] of members) {
      const own = properties[name];
      assert(own !== undefined, `${at}/${name} is not documented`);
      assertFits(member, own, `${at}/${name}`);
    }
  } else if (type === "array") {
    assert(Array.isArray(value) && items !== undefined, at);
    value.forEach((item, i) => assertFits(item, items, `${at}/${i}`));
  } else {
    assertEquals(typeof value, type === "integer" ? "number" : type, at);
    assert(values.includes(value), `${at} is not one of ${values}`);
  }
}
