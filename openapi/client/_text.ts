/**
 * Text of a document in TypeScript: literals, names of properties, comments. None of it can become code.
 *
 * @module
 */

import { isObject } from "../_json_schema.ts";

/** Characters that show nothing, or change the order of what is shown. */
const INVISIBLE_REGEXP = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A JSON value as an expression. @param space Indentation. @default on one line */
export function jsonText(value: unknown, space = 0): string {
  // Line breaks in strings are escaped already
  return JSON.stringify(value, null, space).replace(
    INVISIBLE_REGEXP,
    (char) => char === "\n" ? char : char.split("").map(escaped).join(""),
  );
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The name of a property, quoted unless it is an identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : jsonText(name);
}

/** A JSON value as a type. */
export function literalType(value: unknown): string {
  if (typeof value === "string") return jsonText(value);
  if (Array.isArray(value)) return `[${value.map(literalType).join(", ")}]`;
  if (!isObject(value)) return typeof value === "number" ? numberType(value) : String(value);
  const members = Object.entries(value).map(([name, one]) =>
    `${propertyName(name)}: ${literalType(one)}`
  );
  return `{ ${members.join("; ")} }`;
}

function numberType(value: number): string {
  return Number.isFinite(value) ? String(value) : "number";
}

/** A JSDoc comment of some paragraphs, with a line break after it; empty without text. */
export function docComment(
  paragraphs: readonly (string | undefined)[],
  indent: string,
  isDeprecated = false,
): string {
  const text = paragraphs.map((one) => one?.trim()).filter((one) => one).join("\n\n");
  const lines = [
    ...text === "" ? [] : text.split(/\r\n|[\n\r\u2028\u2029]/).map(commentLine),
    ...isDeprecated ? ["@deprecated"] : [],
  ];
  if (lines.length < 2) return lines.map((line) => `${indent}/** ${line} */\n`).join("");
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...body, `${indent} */`, ""].join("\n");
}

/** What would end the comment is broken up, and `@`, which starts a tag or a directive of the compiler, escaped. */
function commentLine(line: string): string {
  return line.trimEnd().replaceAll("*/", "*\\/").replace(/(^|[^\w`])@/g, "$1\\@")
    .replace(INVISIBLE_REGEXP, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}
