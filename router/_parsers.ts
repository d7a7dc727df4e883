/**
 * Parsers of bodies: JSON, RFC 8259, which is rejected if it is nested too deeply or has an own `__proto__`, and forms,
 * multipart (RFC 7578) and urlencoded, which the runtime parses.
 *
 * @module
 */

import type { Bytes } from "./_body.ts";
import { HttpError } from "./problem.ts";

/** Maximum nesting; code that reads the value may recurse. */
const MAX_DEPTH = 1000;

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

/** Most parts of a multipart body. */
const MAX_PARTS = 1000;

/**
 * Parses a form by its type.
 *
 * @throws {HttpError} 400 `invalid_form` if it is not of that type, has more than 1,000 parts, or no closing delimiter:
 * runtimes drop a truncated part silently.
 */
export async function parseForm(bytes: Bytes, type: string): Promise<FormData> {
  const boundary = BOUNDARY_REGEXP.exec(type);
  if (boundary !== null) checkParts(bytes, `--${boundary[1] ?? boundary[2] ?? ""}`);
  try {
    return await new Response(bytes, { headers: [["Content-Type", type]] }).formData();
  } catch {
    throw invalidForm();
  }
}

/** The boundary of a multipart type, quoted or not, RFC 2046 §5.1.1. */
const BOUNDARY_REGEXP = /^multipart\/.*;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i;

function checkParts(bytes: Bytes, delimiter: string): void {
  const text = new TextDecoder("latin1").decode(bytes);
  if (!text.includes(delimiter + "--")) throw invalidForm();
  let parts = 0;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    if (++parts > MAX_PARTS + 1) throw invalidForm(); // the closing delimiter is one more
  }
}

function invalidForm(): HttpError {
  return new HttpError(400, "invalid_form", { detail: "The body is not a form" });
}
