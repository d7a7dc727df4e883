/**
 * Types of JSON Schemas, 2020-12. Where a schema says nothing, the type is `unknown`.
 *
 * @module
 */

import type { ComponentsObject, SchemaObject } from "../../router/openapi_types.ts";
import { isObject, pointerToken } from "../_json_schema.ts";
import { docComment, literalType, propertyName } from "./_text.ts";

/** Writes types of schemas. */
export interface SchemaTypes {
  /**
   * The type of a schema.
   *
   * @param indent Indentation of the line that it is in.
   */
  typeOf(schema: unknown, indent: string): string;
  /** The schema of a component, if a value is a reference to it, otherwise the value. */
  resolve(schema: unknown): unknown;
  /** Declarations of all components. */
  declarations(): string;
}

/** What a type is in. */
interface Place {
  readonly indent: string;
  /** Components whose type is this one, without an object or array between: a type cannot be itself. */
  readonly aliases: ReadonlySet<string>;
}

const REF_REGEXP = /^#\/components\/schemas\/([^/]*)$/;
const NUMBERS: readonly unknown[] = ["number", "integer"];

/** Creates what writes types of a document's schemas. */
export function schemaTypes(
  { schemas = {} }: ComponentsObject,
  names: ReadonlyMap<string, string>,
): SchemaTypes {
  function componentOf(ref: unknown): string | undefined {
    const token = typeof ref === "string" ? REF_REGEXP.exec(ref)?.[1] : undefined;
    const name = token === undefined ? undefined : pointerToken(token);
    return name !== undefined && Object.hasOwn(schemas, name) ? name : undefined;
  }

  function typeOf(schema: unknown, place: Place): string {
    if (schema === false) return "never";
    if (!isObject(schema)) return "unknown";
    const parts = [
      ...refTypes(schema, place),
      ...valueTypes(schema, place),
      ...["anyOf", "oneOf"].flatMap((keyword) => unionTypes(schema[keyword], place)),
      ...arrayOf(schema.allOf).map((one) => typeOf(one, place)),
    ];
    const type = intersection(parts);
    return schema.nullable === true ? union([type, "null"]) : type;
  }

  function refTypes({ $ref }: SchemaObject, { aliases }: Place): readonly string[] {
    const component = $ref === undefined ? undefined : componentOf($ref);
    if (component === undefined) return [];
    return isCircular(component, aliases) ? [] : [names.get(component) ?? "unknown"];
  }

  /** Whether the type of a component would be one that it is declared as. */
  function isCircular(component: string, aliases: ReadonlySet<string>): boolean {
    if (aliases.size === 0) return false;
    if (aliases.has(component)) return true;
    const inner = new Set([...aliases, component]);
    return directRefs(schemas[component]).some((one) => isCircular(one, inner));
  }

  function directRefs(schema: unknown): readonly string[] {
    if (!isObject(schema)) return [];
    return [
      ...[componentOf(schema.$ref)].filter((one) => one !== undefined),
      ...["anyOf", "oneOf", "allOf"].flatMap((keyword) =>
        arrayOf(schema[keyword]).flatMap(directRefs)
      ),
    ];
  }

  function unionTypes(schemas: unknown, place: Place): readonly string[] {
    const types = arrayOf(schemas).map((one) => typeOf(one, place));
    return types.length === 0 ? [] : [union(types)];
  }

  /** The type of the keywords that say what a value is. */
  function valueTypes(schema: SchemaObject, place: Place): readonly string[] {
    if (schema.const !== undefined) return [literalType(schema.const)];
    if (Array.isArray(schema.enum)) return [union(schema.enum.map(literalType))];
    const types = schema.type === undefined ? impliedTypes(schema) : [schema.type].flat();
    if (types.length === 0) return [];
    return [union(types.map((type) => {
      if (NUMBERS.includes(type)) return "number";
      if (type === "string") return schema.format === "binary" ? "Blob" : "string";
      if (type === "boolean" || type === "null") return type;
      if (type === "array") return arrayType(schema, place);
      return type === "object" ? objectType(schema, place) : "unknown";
    }))];
  }

  /** `items` and `properties` without a `type` hold for other values too, which no document means. */
  function impliedTypes(schema: SchemaObject): readonly string[] {
    if (schema.properties !== undefined || isObject(schema.additionalProperties)) return ["object"];
    return schema.items !== undefined || schema.prefixItems !== undefined ? ["array"] : [];
  }

  function arrayType(schema: SchemaObject, { indent }: Place): string {
    const place = { indent, aliases: new Set<string>() };
    const first = arrayOf(schema.prefixItems).map((one) => typeOf(one, place));
    const rest = schema.items === false ? undefined : typeOf(schema.items, place);
    if (first.length === 0) return `${grouped(rest ?? "never")}[]`;
    const least = typeof schema.minItems === "number" ? schema.minItems : 0;
    const members = first.map((type, i) => i < least ? type : `(${type})?`);
    return `[${[...members, ...rest === undefined ? [] : [`...${grouped(rest)}[]`]].join(", ")}]`;
  }

  function objectType(schema: SchemaObject, { indent }: Place): string {
    const place = { indent: `${indent}  `, aliases: new Set<string>() };
    const required = new Set(arrayOf(schema.required).filter((one) => typeof one === "string"));
    const properties = isObject(schema.properties) ? schema.properties : {};
    const all = { ...Object.fromEntries([...required].map((name) => [name, true])), ...properties };
    const types = Object.entries(all).map(([name, one]) => ({
      name,
      type: typeOf(one, place),
      doc: schemaComment(one, place.indent),
      mark: required.has(name) ? "" : "?",
    }));
    const index = indexType(schema, types, place);
    if (types.length === 0) {
      return index === undefined ? "{ [name: string]: never }" : `{ [name: string]: ${index} }`;
    }
    return [
      "{\n",
      ...types.map(({ name, type, doc, mark }) =>
        `${doc}${place.indent}${propertyName(name)}${mark}: ${type};\n`
      ),
      index === undefined ? "" : `${place.indent}[name: string]: ${index};\n`,
      `${indent}}`,
    ].join("");
  }

  /** The type of an object's other properties, which has to include those of the named ones. */
  function indexType(
    schema: SchemaObject,
    named: readonly { readonly type: string; readonly mark: string }[],
    place: Place,
  ): string | undefined {
    const { additionalProperties: more, patternProperties } = schema;
    const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
    const isOpen = more === true || isObject(more) || (more === undefined && named.length === 0);
    if (!isOpen && patterns.length === 0) return undefined;
    const types = [...patterns, ...isOpen ? [more] : []].map((one) => typeOf(one, place));
    const optional = named.some(({ mark }) => mark === "?") ? ["undefined"] : [];
    return union([...types, ...named.map(({ type }) => type), ...optional]);
  }

  return {
    typeOf: (schema, indent) => typeOf(schema, { indent, aliases: new Set() }),
    resolve(schema) {
      const seen = new Set<string>();
      for (let one = schema;;) {
        const component = isObject(one) ? componentOf(one.$ref) : undefined;
        if (component === undefined || seen.has(component)) return one;
        seen.add(component);
        one = schemas[component];
      }
    },
    declarations: () =>
      Object.entries(schemas).map(([component, schema]) => {
        const name = names.get(component);
        const place = { indent: "", aliases: new Set([component]) };
        const type = typeOf(schema, place);
        const isInterface = type.startsWith("{\n") && type.indexOf("\n}") === type.length - 2;
        const doc = schemaComment(schema, "");
        return isInterface
          ? `${doc}export interface ${name} ${type}\n`
          : `${doc}export type ${name} = ${type};\n`;
      }).join("\n"),
  };
}

function schemaComment(schema: unknown, indent: string): string {
  if (!isObject(schema)) return "";
  const { description, deprecated } = schema;
  const text = typeof description === "string" ? [description] : [];
  return docComment(text, indent, deprecated === true);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function intersection(types: readonly string[]): string {
  const stated = [...new Set(types)].filter((type) => type !== "unknown");
  return stated.length < 2 ? stated[0] ?? "unknown" : stated.map(grouped).join(" & ");
}

function union(types: readonly string[]): string {
  if (types.includes("unknown")) return "unknown";
  return [...new Set(types)].join(" | ") || "never";
}

/** A type that operators bind to as a whole. */
function grouped(type: string): string {
  return / [|&] /.test(type) ? `(${type})` : type;
}
