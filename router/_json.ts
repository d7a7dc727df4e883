/**
 * JSON from clients, RFC 8259: parsed, then rejected if it is nested too deeply or has an own `__proto__`.
 *
 * @module
 */

import { HttpError } from "./problem.ts";

/** Maximum nesting: validators recurse, several calls for a level, and must not exhaust the stack. */
const MAX_DEPTH = 500;

/**
 * Parses a JSON text.
 *
 * @throws {HttpError} 400 `invalid_json`. The parser's message is dropped, since it quotes the input.
 */
export function parseJson(text: string | undefined): unknown {
  if (text === undefined) throw invalidJson("The body is not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson(text === "" ? "The body is empty" : "The body is not JSON");
  }
  if (text.length > 2 * MAX_DEPTH && depth(text) > MAX_DEPTH) {
    throw invalidJson("The body is nested too deeply");
  }
  if ((text.includes("__proto__") || text.includes("\\u")) && hasProtoKey(value)) {
    throw invalidJson("The body has a member named __proto__");
  }
  return value;
}

function invalidJson(detail: string): HttpError {
  return new HttpError(400, "invalid_json", { detail });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Nesting of a valid JSON text. Strings are skipped, since brackets in them do not nest. */
function depth(text: string): number {
  let deepest = 0;
  let open = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = stringEnd(text, i);
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++open);
    else if (code === 0x5d || code === 0x7d) open--;
  }
  return deepest;
}

/** Index of the quote that closes the string which opens at `start`. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1);; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
}

/** Whether an object anywhere in the value has its own `__proto__`, which a later merge could assign as the prototype. */
function hasProtoKey(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== "object" || item === null) continue;
    if (Object.hasOwn(item, "__proto__")) return true;
    for (const member of Object.values(item)) open.push(member);
  }
  return false;
}
