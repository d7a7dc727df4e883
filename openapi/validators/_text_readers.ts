/**
 * Writes the code that reads the values of a query or a path: they are texts, and become the numbers, booleans and arrays of
 * their types.
 *
 * @module
 */

import type { SchemaObject } from "../../router/openapi_types.ts";
import { isObject } from "../_json_schema.ts";
import type { CheckContext } from "./_check_context.ts";
import { constraintsIn, type Definitions, flatten, targetOf, typesOf } from "./_json_types.ts";
import { literal } from "./_module_parts.ts";

/** The properties of a query or a path, and the schemas of others. */
interface TextMembers {
  readonly properties: ReadonlyMap<string, SchemaObject>;
  readonly others: readonly SchemaObject[];
}

/** Code for the readers of properties and of others; `undefined` if texts stay as they are. @throws {TypeError} If a type is no text. */
export function textReaders(schema: SchemaObject, context: CheckContext): string | undefined {
  const { properties, others } = membersOf(schema, context.defs);
  const readers = [...properties].flatMap(([name, one]) => {
    const reader = readerOf(one, name, context);
    return reader === undefined ? [] : [`${keyOf(name)}: ${reader}`];
  });
  const [rest] = others;
  const other = rest === undefined ? undefined : readerOf(asOne(others), "others", context);
  if (readers.length === 0 && other === undefined) return undefined;
  if (other !== undefined) { // a property without a reader is not one of the others
    for (const [name, one] of properties) {
      if (readerOf(one, name, context) === undefined) {
        readers.push(`${keyOf(name)}: ${context.parts.use("same")}`);
      }
    }
  }
  context.parts.use("read");
  return `{ ${readers.join(", ")} }, ${other}`;
}

/** A key of an object in code. Written as the others are, `__proto__` would set the prototype. */
function keyOf(name: string): string {
  return name === "__proto__" ? `[${literal(name)}]` : literal(name);
}

/** Whether every text fits, and nothing else is required: what the router has matched is a string. */
export function isAnyText(schema: SchemaObject, defs: Definitions): boolean {
  const { properties, others } = membersOf(schema, defs);
  return [...properties.values(), ...others].every((one) =>
    constraintsIn(one).join() === "type" && [one.type].flat().includes("string")
  );
}

/** Collects the properties of all alternatives. */
function membersOf(schema: SchemaObject, defs: Definitions): TextMembers {
  const properties = new Map<string, SchemaObject>();
  const others: SchemaObject[] = [];
  for (const choice of flatten([schema], defs)) {
    const { properties: own, patternProperties, additionalProperties } = targetOf(choice, defs) ??
      choice;
    for (const [name, one] of Object.entries((own ?? {}) as Record<string, SchemaObject>)) {
      const known = properties.get(name);
      properties.set(name, known === undefined ? one : asOne([known, one]));
    }
    others.push(...Object.values((patternProperties ?? {}) as Record<string, SchemaObject>));
    if (isObject(additionalProperties)) others.push(additionalProperties);
  }
  return { properties, others };
}

function asOne(schemas: readonly SchemaObject[]): SchemaObject {
  const [only = {}] = schemas;
  return schemas.length === 1 ? only : { anyOf: schemas };
}

/** Code for a function that reads texts of a type; `undefined` for texts that stay as they are. */
function readerOf(schema: SchemaObject, name: string, context: CheckContext): string | undefined {
  const { parts, defs } = context;
  if (constraintsIn(schema).length === 0) return undefined;
  const types = typesOf(schema, defs);
  if (types.has("object")) {
    throw new TypeError(
      `${name} is an object, which a query cannot have; use strings, numbers, booleans or arrays of them`,
    );
  }
  const single = scalarReader(schema, name, context);
  if (!types.has("array")) return single;
  const item = readerOf(itemsOf(schema, name, defs), name, context);
  if (item !== undefined && /^list/.test(item)) {
    throw new TypeError(`${name} is an array of arrays, which a query cannot have`);
  }
  if ([...types].every((one) => one === "array" || one === "null")) {
    return `${parts.use("listOf")}(${item ?? parts.use("same")})`;
  }
  if (item === undefined && single === undefined) return undefined;
  return `${parts.use("listOr")}(${item ?? parts.use("same")}, ${single ?? parts.use("same")})`;
}

function scalarReader(
  schema: SchemaObject,
  name: string,
  context: CheckContext,
): string | undefined {
  const { parts, defs } = context;
  const types = typesOf(schema, defs);
  const readers = [
    ...(types.has("number") ? ["toNumber"] : []),
    ...(types.has("boolean") ? ["toBoolean"] : []),
  ];
  const [only] = readers;
  if (only === undefined) return undefined;
  if (readers.length === 1 && !types.has("string")) return parts.use(only);
  const check = parts.call(context.functionOf({ ...schema }, pascal(name)));
  if (check === undefined) return undefined; // every text fits
  return `${parts.use("firstOf")}(${[check, ...readers.map((one) => parts.use(one))].join(", ")})`;
}

/** The schema of an array's items. */
function itemsOf(schema: SchemaObject, name: string, defs: Definitions): SchemaObject {
  const arrays = flatten([schema], defs).map((one) => targetOf(one, defs) ?? one).filter((one) =>
    typesOf(one, defs).has("array")
  );
  if (arrays.some((one) => one.prefixItems !== undefined)) {
    throw new TypeError(`${name} is a tuple, which a query cannot have; use an array`);
  }
  return asOne(arrays.map((one) => isObject(one.items) ? one.items : {}));
}

/** `max-size` becomes `MaxSize`. */
export function pascal(text: string): string {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
