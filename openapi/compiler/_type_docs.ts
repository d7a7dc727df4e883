/**
 * JSDoc of types: the comment is the description, and tags are keywords of JSON Schema.
 *
 * @module
 */

import type * as ts from "./_compiler.ts";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { symbolOrigin, type TypeContext } from "./_type_context.ts";

/** The documentation of a symbol; `wrong` if one of its tags is invalid. */
export type Documentation =
  | { readonly keywords: SchemaObject }
  | { readonly wrong: string };

/** Reads the value of a tag. @throws {TypeError} If it is invalid. */
type TagReader = (text: string, schema: SchemaObject) => unknown;

interface Tag {
  /** Type of the values that the keyword applies to. @default any */
  readonly of?: "number" | "string" | "array" | "object";
  readonly read: TagReader;
}

/** Keywords that tags set, JSON Schema Validation §6, §7 and §9. */
const TAGS: Readonly<Record<string, Tag>> = {
  minimum: { of: "number", read: readNumber },
  maximum: { of: "number", read: readNumber },
  exclusiveMinimum: { of: "number", read: readNumber },
  exclusiveMaximum: { of: "number", read: readNumber },
  multipleOf: { of: "number", read: readNumber },
  minLength: { of: "string", read: readCount },
  maxLength: { of: "string", read: readCount },
  pattern: { of: "string", read: readPattern },
  minItems: { of: "array", read: readCount },
  maxItems: { of: "array", read: readCount },
  uniqueItems: { of: "array", read: readFlag },
  minProperties: { of: "object", read: readCount },
  maxProperties: { of: "object", read: readCount },
  type: { of: "number", read: readInteger },
  format: { read: readText },
  title: { read: readText },
  deprecated: { read: () => true },
  default: { read: readValue },
};

/** Reads the documentation of a symbol. @param schema The schema it applies to. */
export function documentationOf(
  context: TypeContext,
  symbol: ts.Symbol,
  schema: SchemaObject,
): Documentation {
  const { checker } = context;
  const tags = symbol.getJsDocTags(checker).map(({ name, text = [] }) => ({
    name,
    text: plainText(text).trim(),
  }));
  const description = [
    plainText(symbol.getDocumentationComment(checker)),
    ...tags.filter(({ name, text }) => name === "deprecated" && text !== "")
      .map(({ text }) => `Deprecated: ${text}`),
  ].join("\n\n").trim();
  const keywords: Record<string, unknown> = description === "" ? {} : { description };
  const examples: unknown[] = [];
  for (const { name, text } of tags) {
    try {
      if (name === "example") {
        const code = codeOf(text);
        if (code !== undefined) examples.push(readValue(code, schema));
      } else if (Object.hasOwn(TAGS, name)) {
        const { of, read } = TAGS[name] ?? { read: readText };
        const value = read(text, schema);
        if (value === undefined) continue;
        if (of !== undefined && !mayBe(schema, of)) {
          throw new TypeError(`applies only to type ${of}`);
        }
        keywords[name] = value;
      }
    } catch (error) {
      if (symbolOrigin(context, symbol) === "package") continue; // the application cannot fix it
      const tag = `@${name} ${text}`.trim();
      return {
        wrong: `has the tag ${tag}, which ${error instanceof Error ? error.message : error}`,
      };
    }
  }
  if (examples.length > 0) keywords.examples = examples;
  const { type: _, ...others } = keywords;
  const isInteger = keywords.type === "integer" || keywords.format === "int32" ||
    keywords.format === "int64"; // OpenAPI 3.1 §4.4
  return { keywords: isInteger ? { ...integerType(schema), ...others } : keywords };
}

/** The type of an integer schema, which may also allow null or other types. */
function integerType({ type }: SchemaObject): SchemaObject {
  if (type === "number") return { type: "integer" };
  const types: readonly unknown[] = Array.isArray(type) ? type : [];
  return types.includes("number")
    ? { type: types.map((one) => one === "number" ? "integer" : one) }
    : {};
}

/** The text of a comment. A link is replaced by its label, or by its target. */
function plainText(parts: readonly ts.SymbolDisplayPart[]): string {
  let link: { name: string; label: string } | undefined;
  return parts.map(({ kind, text }) => {
    if (kind === "linkName" && link !== undefined) link.name += text;
    else if (kind === "linkText" && link !== undefined) link.label += text;
    else if (kind !== "link") return text;
    else if (link === undefined) link = { name: "", label: "" };
    else {
      const { name, label } = link;
      link = undefined;
      return linkText(name === "" ? label : `${name} ${label}`);
    }
    return "";
  }).join("").replaceAll("\r\n", "\n"); // the same on a checkout with CRLF line endings
}

/** `Pet|the pet` and `Pet the pet` become "the pet", `Pet` becomes code. */
function linkText(text: string): string {
  const [, target = "", label = ""] = /^\s*([^\s|]+)[\s|]*([\s\S]*)$/.exec(text) ?? [];
  return label.trim() === "" ? `\`${target}\`` : label.trim();
}

/** The value of an example. A code block is ignored unless it is JSON. */
function codeOf(text: string): string | undefined {
  const fence = /```(\w*)[^\n]*\n([\s\S]*?)```/.exec(text);
  if (fence === null) return text;
  return fence[1] === "json" ? fence[2]?.trim() : undefined;
}

/** Whether a schema may accept values of a type. */
function mayBe({ type, ...others }: SchemaObject, wanted: string): boolean {
  if (type !== undefined) {
    const types = Array.isArray(type) ? type : [type];
    return types.includes(wanted) || (wanted === "number" && types.includes("integer"));
  }
  return ["$ref", "allOf", "anyOf", "oneOf", "enum", "const"].some((one) => one in others) ||
    Object.keys(others).length === 0;
}

function readNumber(text: string): number {
  const value = Number(text.replace(/(?<=\d)_(?=\d)/g, ""));
  if (text === "" || !Number.isFinite(value)) throw new TypeError("is not a number");
  return value;
}

function readCount(text: string): number {
  const value = readNumber(text);
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new TypeError("is not a non-negative integer");
  }
  return value;
}

/** A regular expression, with or without slashes. JSON Schema supports no flag but `u`. */
function readPattern(text: string): string {
  const [, inner = readText(text), flags = ""] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text) ?? [];
  if (!/^u?$/.test(flags)) throw new TypeError("has a flag that JSON Schema does not support");
  try {
    new RegExp(inner, "u");
    return inner;
  } catch {
    throw new TypeError("is not a valid regular expression in Unicode mode");
  }
}

function readText(text: string): string {
  if (text === "") throw new TypeError("is empty");
  return text;
}

function readFlag(text: string): true {
  if (text !== "" && text !== "true") throw new TypeError("takes no value");
  return true;
}

/** `integer`, with or without braces. Other types in braces are JSDoc types of JavaScript. */
function readInteger(text: string): "integer" | undefined {
  if (/^\{(?!\s*integer\s*\}$)/.test(text)) return undefined;
  if (text.replace(/[{}]/g, "").trim() !== "integer") throw new TypeError('must be "integer"');
  return "integer";
}

/** A value: JSON, with or without braces; strings need no quotes. `undefined` stands for no value. */
function readValue(text: string, schema: SchemaObject): unknown {
  if (text === "undefined") return undefined;
  const value = readAnyValue(text, schema);
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
  if (values.length > 0 && !values.includes(value)) throw new TypeError("is not one of its values");
  return value;
}

function readAnyValue(text: string, schema: SchemaObject): unknown {
  const isText = schema.type === "string";
  const inner = /^\{([^:]*)\}$/s.exec(text)?.[1]?.trim();
  for (const one of [text, ...(inner === undefined ? [] : [inner])]) {
    const json = parsed(/^-?[\d_]+$/.test(one) ? one.replaceAll("_", "") : one); // 1_000 is a literal in code
    if (json !== undefined && (!isText || typeof json === "string")) {
      if (!mayBe(schema, typeOf(json))) throw new TypeError("is of another type");
      return json;
    }
  }
  if (text === "") throw new TypeError("is empty");
  const quoted = /^(['`])(.*)\1$/s.exec(text)?.[2]; // a string literal in code
  if (quoted !== undefined && mayBe(schema, "string")) return quoted;
  if (isText) return inner ?? text;
  if (mayBe(schema, "string") && !/^[{[]/.test(text)) return text;
  throw new TypeError("is not valid JSON");
}

/** The type of a value in JSON Schema. */
function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
