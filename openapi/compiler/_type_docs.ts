/**
 * What JSDoc says of a type: its text is the description, and its tags are keywords of JSON Schema.
 *
 * @module
 */

import type ts from "typescript";
import type { SchemaObject } from "../../router/openapi_types.ts";
import { symbolOrigin, type TypeContext } from "./_type_context.ts";

/** What the documentation of a symbol says; `wrong` if a tag of it cannot be right. */
export type Documentation =
  | { readonly keywords: SchemaObject }
  | { readonly wrong: string };

/** Reads the text behind a tag. It throws what is wrong with it. */
type TagReader = (text: string, schema: SchemaObject) => unknown;

interface Tag {
  /** The type that values have which the keyword is about; any if left out. */
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

/** Reads the documentation of a symbol. @param schema What it is said of. */
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
        if (of !== undefined && !mayBe(schema, of)) throw new TypeError(`is for a type ${of}`);
        keywords[name] = value;
      }
    } catch (error) {
      if (symbolOrigin(context, symbol) === "package") continue; // nobody here can mend it
      const tag = `@${name} ${text}`.trim();
      return { wrong: `says ${tag}, which ${error instanceof Error ? error.message : error}` };
    }
  }
  if (examples.length > 0) keywords.examples = examples;
  const { type: _, ...others } = keywords;
  const isInteger = keywords.type === "integer" || keywords.format === "int32" ||
    keywords.format === "int64"; // OpenAPI 3.1 §4.4
  return { keywords: isInteger ? { ...integerType(schema), ...others } : keywords };
}

/** The type of a schema of numbers that are integers, and still may be null or something else. */
function integerType({ type }: SchemaObject): SchemaObject {
  if (type === "number") return { type: "integer" };
  const types: readonly unknown[] = Array.isArray(type) ? type : [];
  return types.includes("number")
    ? { type: types.map((one) => one === "number" ? "integer" : one) }
    : {};
}

/** A comment as a text. Of a link its label is left, or the name that it leads to. */
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
  }).join("").replaceAll("\r\n", "\n"); // a checkout on Windows says the same
}

/** `Pet|the pet` or `Pet the pet` is "the pet", and `Pet` is code. */
function linkText(text: string): string {
  const [, target = "", label = ""] = /^\s*([^\s|]+)[\s|]*([\s\S]*)$/.exec(text) ?? [];
  return label.trim() === "" ? `\`${target}\`` : label.trim();
}

/** The value of an example: a block of code is for people, unless it is JSON. */
function codeOf(text: string): string | undefined {
  const fence = /```(\w*)[^\n]*\n([\s\S]*?)```/.exec(text);
  if (fence === null) return text;
  return fence[1] === "json" ? fence[2]?.trim() : undefined;
}

/** Whether a schema takes values of a type, as far as it says itself. */
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
  if (text === "" || !Number.isFinite(value)) throw new TypeError("is no number");
  return value;
}

function readCount(text: string): number {
  const value = readNumber(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError("is no count");
  return value;
}

/** An expression, with or without slashes around it; JSON Schema knows no other flag than `u`. */
function readPattern(text: string): string {
  const [, inner = readText(text), flags = ""] = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text) ?? [];
  if (!/^u?$/.test(flags)) throw new TypeError("has a flag that JSON Schema does not know");
  try {
    new RegExp(inner, "u");
    return inner;
  } catch {
    throw new TypeError("is no regular expression for Unicode");
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

/** `integer`, in braces or not. Other types in braces are what compilers leave of JavaScript. */
function readInteger(text: string): "integer" | undefined {
  if (/^\{(?!\s*integer\s*\}$)/.test(text)) return undefined;
  if (text.replace(/[{}]/g, "").trim() !== "integer") throw new TypeError('can only be "integer"');
  return "integer";
}

/** A value: JSON, in braces or not; a text need not have quotes. `undefined` is none. */
function readValue(text: string, schema: SchemaObject): unknown {
  if (text === "undefined") return undefined;
  const value = readAnyValue(text, schema);
  const values: readonly unknown[] = Array.isArray(schema.enum) ? schema.enum : [];
  if (values.length > 0 && !values.includes(value)) throw new TypeError("is none of its values");
  return value;
}

function readAnyValue(text: string, schema: SchemaObject): unknown {
  const isText = schema.type === "string";
  const inner = /^\{([^:]*)\}$/s.exec(text)?.[1]?.trim();
  for (const one of [text, ...(inner === undefined ? [] : [inner])]) {
    const json = parsed(/^-?[\d_]+$/.test(one) ? one.replaceAll("_", "") : one); // 1_000, as in code
    if (json !== undefined && (!isText || typeof json === "string")) {
      if (!mayBe(schema, typeOf(json))) throw new TypeError("is of another type");
      return json;
    }
  }
  if (text === "") throw new TypeError("is empty");
  const quoted = /^(['`])(.*)\1$/s.exec(text)?.[2]; // as in code
  if (quoted !== undefined && mayBe(schema, "string")) return quoted;
  if (isText) return inner ?? text;
  if (mayBe(schema, "string") && !/^[{[]/.test(text)) return text;
  throw new TypeError("is no JSON");
}

/** The type of a value, as JSON Schema calls it. */
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
