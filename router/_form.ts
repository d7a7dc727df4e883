/**
 * Forms from clients: multipart, RFC 7578, and urlencoded. The runtime parses them. It gets a type that is written here, so
 * that it cannot read another boundary from the client's field than the one that the parts were counted with.
 *
 * @module
 */

import type { Bytes } from "./_body.ts";
import { HttpError } from "./problem.ts";

/** Most parts of a multipart body, and most fields of an urlencoded one. */
const MAX_PARTS = 1000;
/** Most bytes of the header sections of all parts together: parsers are slow at them. */
const MAX_HEADER_BYTES = 262_144;

/**
 * Parses a form by its type.
 *
 * @throws {HttpError} 400 `invalid_form` if the type is malformed or the body is not of it, has more than 1,000 parts or
 * fields, its parts have more than 256 KiB of header fields, or there is no closing delimiter: runtimes drop a truncated
 * part silently.
 */
export async function parseForm(bytes: Bytes, field: string): Promise<FormData> {
  const { type, parameters } = parseType(field);
  const boundary = parameters.get("boundary") ?? "";
  const text = new TextDecoder("latin1").decode(bytes);
  if (type === MULTIPART) checkParts(text, boundary);
  else if (type !== URLENCODED || countOf(text, "&") >= MAX_PARTS) throw invalidForm();
  const given = type === MULTIPART ? `${type}; boundary="${boundary}"` : type;
  try {
    return await new Response(bytes, { headers: [["Content-Type", given]] }).formData();
  } catch {
    throw invalidForm();
  }
}

const MULTIPART = "multipart/form-data";
const URLENCODED = "application/x-www-form-urlencoded";

/** `type "/" subtype`, RFC 9110 §8.3.1. */
const TYPE_REGEXP = /^[!#$%&'*+.^`|~\w-]+\/[!#$%&'*+.^`|~\w-]+/;
/** One of `*( OWS ";" OWS [ parameter ] )`, RFC 9110 §5.6.6, with its name, and its token or quoted string. */
const PARAMETER_REGEXP =
  /[ \t]*;[ \t]*(?:([!#$%&'*+.^`|~\w-]+)=(?:([!#$%&'*+.^`|~\w-]+)|"((?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*)"))?/y;

/** Parses a Content-Type. A parameter that is given twice is rejected: parsers disagree about which one counts. */
function parseType(field: string): { type: string; parameters: ReadonlyMap<string, string> } {
  const type = TYPE_REGEXP.exec(field)?.[0] ?? "";
  const parameters = new Map<string, string>();
  for (let at = type.length; at < field.length;) {
    PARAMETER_REGEXP.lastIndex = at;
    const [all = "", given, token, quoted = ""] = PARAMETER_REGEXP.exec(field) ?? [];
    const name = given?.toLowerCase();
    if (all === "" || (name !== undefined && parameters.has(name))) throw invalidForm();
    if (name !== undefined) parameters.set(name, token ?? quoted.replace(/\\(.)/g, "$1"));
    at += all.length;
  }
  return { type: type.toLowerCase(), parameters };
}

/** A boundary, RFC 2046 §5.1.1: 1 to 70 characters, none of which needs an escape in a quoted string. */
const BOUNDARY_REGEXP = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/;

/** Counts delimiters anywhere, so that no parser finds more parts, wherever it looks for them. */
function checkParts(text: string, boundary: string): void {
  const delimiter = `--${boundary}`;
  const isClosed = text.startsWith(delimiter + "--") || text.includes(`\r\n${delimiter}--`);
  if (!BOUNDARY_REGEXP.test(boundary) || !isClosed) throw invalidForm();
  let count = 0;
  let headers = MAX_HEADER_BYTES;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    if (++count > MAX_PARTS + 1) throw invalidForm(); // the closing delimiter is one more
    if (at > 0 && text[at - 1] !== "\n") continue;
    const end = text.slice(at, at + headers).indexOf("\r\n\r\n");
    if (end === -1 && at + headers < text.length) throw invalidForm();
    headers -= Math.max(end, 0);
  }
}

/** How often a character occurs, counted up to the most that is accepted. */
function countOf(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) {
    if (++count >= MAX_PARTS) break;
  }
  return count;
}

function invalidForm(): HttpError {
  return new HttpError(400, "invalid_form", { detail: "The body is not a form" });
}
