/**
 * JSON without duplicate names, RFC 7515 §4 and RFC 7519 §4: of two claims with the same name, one parser takes the first
 * and another the last.
 *
 * @module
 */

import { type Bytes, decodeUtf8 } from "./_bytes.ts";

/**
 * Parses a JSON object.
 *
 * @throws {SyntaxError} If it is not an object, a name is a duplicate within its object, or a name is `__proto__`, which would
 * become the prototype of an object that it is copied to.
 * @throws {TypeError} If bytes are not UTF-8.
 */
export function parseStrictObject(json: string | Bytes): Record<string, unknown> {
  const value = parseStrictJson(typeof json === "string" ? json : decodeUtf8(json));
  if (isJsonObject(value)) return value;
  throw new SyntaxError("Cannot parse JSON: the value must be an object");
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses JSON. @throws {SyntaxError} As {@linkcode parseStrictObject} does. */
export function parseStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (countNames(text) !== countMembers(value)) {
    throw new SyntaxError("Cannot parse JSON: duplicate name");
  }
  return value;
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The number of names in valid JSON: the colons outside of strings. */
function countNames(text: string): number {
  let names = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === COLON) names++;
    else if (code === QUOTE) i = endOfString(text, i);
  }
  return names;
}

/** The index of the closing quote of a string. */
function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) {
    i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  }
  return i;
}

/** The number of parsed members. Iterative, because nested brackets could exceed the stack. */
function countMembers(value: unknown): number {
  let members = 0;
  const open = [value].filter(isObject);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const items: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    if (items !== next) {
      if (Object.hasOwn(next, "__proto__")) {
        throw new SyntaxError("Cannot parse JSON: a name is __proto__");
      }
      members += items.length;
    }
    for (const item of items) if (isObject(item)) open.push(item);
  }
  return members;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
