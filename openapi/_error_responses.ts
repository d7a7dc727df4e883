/**
 * Error responses of the router: problem details, RFC 9457.
 *
 * @module
 */

import type { MediaTypeObject, ResponseObject, SchemaObject } from "../router/openapi_types.ts";
import { ERROR_PHRASES } from "../router/problem.ts";
import { SCHEMA_REF } from "./_schema_graph.ts";

/** Prefix of a reference to a response of the document. */
const RESPONSE_REF = "#/components/responses/";
/** Name of the schema in {@linkcode problemSchemas}. */
const PROBLEM = "ProblemDetails";

/** A response that operations share. */
interface Refusal {
  /** Its name in the document. */
  readonly name: string;
  readonly description: string;
  /** Example of the problem details. */
  readonly example: Readonly<Record<string, unknown>>;
  /** A header field of the response. */
  readonly header?: readonly [name: string, description: string];
}

/** A status that the router itself rejects requests with. */
export type RefusalStatus = "400" | "401" | "403" | "413" | "415" | "422" | "4XX" | "default";

const REFUSALS: Readonly<Record<RefusalStatus, Refusal>> = {
  "400": {
    name: "BadRequest",
    description: "The target or the body is malformed",
    example: { title: "Bad Request", status: 400, code: "invalid_json" },
  },
  "401": {
    name: "Unauthorized",
    description: "There is no valid credential",
    example: { title: "Unauthorized", status: 401, code: "unauthenticated" },
    header: ["WWW-Authenticate", "The credentials that are taken"], // RFC 9110 §11.6.1
  },
  "403": {
    name: "Forbidden",
    description: "The credential does not allow this",
    example: { title: "Forbidden", status: 403, code: "access_denied" },
  },
  "413": {
    name: "ContentTooLarge",
    description: "The body exceeds its limit",
    example: { title: "Content Too Large", status: 413, code: "payload_too_large" },
  },
  "415": {
    name: "UnsupportedMediaType",
    description: "The body has another media type than those in `Accept`",
    example: { title: "Unsupported Media Type", status: 415, code: "unsupported_media_type" },
    header: ["Accept", "The media types that are taken"], // RFC 9110 §12.5.1
  },
  "422": {
    name: "UnprocessableContent",
    description: "A part of the request breaks the rules in `violations`",
    example: {
      title: "Unprocessable Content",
      status: 422,
      code: "validation_failed",
      violations: [{ in: "body", pointer: "/title", message: "Required" }],
    },
  },
  "4XX": {
    name: "Refused",
    description: "Any other refusal",
    example: { title: "Not Found", status: 404, code: "not_found" },
  },
  default: {
    name: "Problem",
    description: "Anything else that went wrong",
    example: { title: "Internal Server Error", status: 500, code: "internal_error" },
  },
};

/** Refers to the shared response of a status. */
export function refusalRef(status: RefusalStatus): { readonly $ref: string } {
  return { $ref: RESPONSE_REF + REFUSALS[status].name };
}

/** Description of an error status that the metadata does not describe. */
export function errorDescription(status: string): string {
  if (Object.hasOwn(REFUSALS, status)) return REFUSALS[status as RefusalStatus].description;
  return ERROR_PHRASES[Number(status)] ?? (status.startsWith("5") ? "Server error" : "Refused");
}

/** The shared responses that a text refers to, sorted by name. */
export function refusalResponses(text: string): Readonly<Record<string, ResponseObject>> {
  const used = Object.values(REFUSALS)
    .filter(({ name }) => text.includes(`"${RESPONSE_REF}${name}"`))
    .sort((a, b) => a.name < b.name ? -1 : 1);
  return Object.fromEntries(used.map((one) => [one.name, responseOf(one)]));
}

/** Content of a problem response. */
export function problemContent(example?: unknown): Readonly<Record<string, MediaTypeObject>> {
  const schema = { $ref: SCHEMA_REF + PROBLEM };
  return { "application/problem+json": example === undefined ? { schema } : { schema, example } };
}

/** Schema of problem details, RFC 9457 §3.1, with the extension members `code` and `violations`. */
export const problemSchemas: Readonly<Record<string, SchemaObject>> = {
  [PROBLEM]: {
    type: "object",
    description: "Problem details, RFC 9457",
    required: ["type", "title", "status", "code"],
    properties: {
      type: {
        type: "string",
        format: "uri-reference",
        description: "Kind of the problem",
        examples: ["about:blank"],
      },
      title: {
        type: "string",
        description: "Short summary of the kind",
        examples: ["Not Found"],
      },
      status: {
        type: "integer",
        minimum: 400,
        maximum: 599,
        description: "HTTP status code",
        examples: [404],
      },
      code: {
        type: "string",
        pattern: "^[a-z0-9_]{1,64}$",
        description: "Stable code for programs",
        examples: ["not_found"],
      },
      detail: { type: "string", description: "Explanation of this occurrence" },
      violations: {
        type: "array",
        description: "What a validation refused",
        items: {
          type: "object",
          required: ["in", "pointer", "message"],
          properties: {
            in: { type: "string", enum: ["params", "query", "body"] },
            pointer: { type: "string", description: "JSON Pointer (RFC 6901) into that part" },
            code: { type: "string", description: "Stable code for programs, where there is one" },
            message: { type: "string" },
          },
        },
      },
    },
  },
};

function responseOf({ description, example, header }: Refusal): ResponseObject {
  return {
    description,
    ...(header === undefined
      ? {}
      : { headers: { [header[0]]: { description: header[1], schema: { type: "string" } } } }),
    content: problemContent({ type: "about:blank", ...example }),
  };
}
