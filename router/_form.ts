/**
 * Forms from clients: multipart, RFC 7578, and urlencoded. The runtime parses them.
 *
 * @module
 */

import type { Bytes } from "./_body.ts";
import { HttpError } from "./problem.ts";

/**
 * Parses a form by its type.
 *
 * @throws {HttpError} 400 `invalid_form` if it is not of that type, or a multipart body has no closing delimiter:
 * runtimes drop the part that was cut off and say nothing.
 */
export async function parseForm(bytes: Bytes, type: string): Promise<FormData> {
  const boundary = BOUNDARY_REGEXP.exec(type);
  if (boundary !== null && !isClosed(bytes, boundary[1] ?? boundary[2] ?? "")) throw invalidForm();
  try {
    return await new Response(bytes, { headers: [["Content-Type", type]] }).formData();
  } catch {
    throw invalidForm();
  }
}

/** The boundary of a multipart type, quoted or not, RFC 2046 §5.1.1. */
const BOUNDARY_REGEXP = /^multipart\/.*;[ \t]*boundary=(?:"([^"]+)"|([^\s;"]+))/i;
/** Most bytes that may follow the closing delimiter. */
const EPILOGUE_BYTES = 1024;

function isClosed(bytes: Bytes, boundary: string): boolean {
  const delimiter = `--${boundary}--`;
  const tail = bytes.subarray(-(delimiter.length + EPILOGUE_BYTES));
  return new TextDecoder("latin1").decode(tail).includes(delimiter);
}

function invalidForm(): HttpError {
  return new HttpError(400, "invalid_form", { detail: "The body is not a form" });
}
