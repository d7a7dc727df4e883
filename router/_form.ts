/**
 * Forms from clients: multipart, RFC 7578, and urlencoded. The runtime parses them.
 *
 * @module
 */

import type { Bytes } from "./_body.ts";
import { HttpError } from "./problem.ts";

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
