/**
 * The responses of an operation, from its handler, its metadata and the router's error responses.
 *
 * @module
 */

import { JSON_TYPE_REGEXP } from "../router/content_type.ts";
import type {
  EndpointMetadata,
  MediaTypeObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from "../router/openapi_types.ts";
import {
  errorDescription,
  problemContent,
  refusalRef,
  type RefusalStatus,
} from "./_error_responses.ts";

/** Responses by status. */
export type Responses = Readonly<Record<string, ResponseObject | ReferenceObject>>;

/** Input of {@linkcode responsesOf}. */
export interface ResponsesSource {
  readonly metadata: EndpointMetadata<SchemaObject>;
  /** Statuses that the handler sends; `undefined` stands for unknown ones. */
  readonly statuses: readonly (string | undefined)[];
  /** Schema of the data that the handler sends with a status, if known. */
  readonly dataOf: DataOf;
  /** Media types of that data. @default JSON */
  readonly mediaTypesOf?: MediaTypesOf | undefined;
  /** Statuses that the router itself rejects requests with. */
  readonly refusals: readonly RefusalStatus[];
}

type DataOf = (status: string) => SchemaObject | undefined;
type MediaTypesOf = (status: string) => readonly string[];

/** Media type of server-sent events. Its schema is that of the data of an event, as JSON. */
export const EVENT_STREAM_TYPE = "text/event-stream";

/** Whether data of a media type has a schema that types and validators can tell. */
function isTyped(type: string): boolean {
  return JSON_TYPE_REGEXP.test(type) || type === EVENT_STREAM_TYPE;
}

/** Reason phrases of successful statuses, RFC 9110 §15. */
const PHRASES: Readonly<Record<string, string>> = {
  "101": "Switching Protocols",
  "200": "OK",
  "201": "Created",
  "202": "Accepted",
  "203": "Non-Authoritative Information",
  "204": "No Content",
  "205": "Reset Content",
  "206": "Partial Content",
  "301": "Moved Permanently",
  "302": "Found",
  "303": "See Other",
  "304": "Not Modified",
  "307": "Temporary Redirect",
  "308": "Permanent Redirect",
};

const STATUS_REGEXP = /^(?:[1-5](?:\d\d|XX)|default)$/;
/** Successful statuses whose responses have content, RFC 9110 §15. */
const CONTENT_STATUS_REGEXP = /^2(?!0[45])(?:\d\d|XX)$/;

/**
 * The responses of an operation, ordered by status.
 *
 * @throws {TypeError} If the metadata has an invalid status, or a success that the handler does not send.
 */
export function responsesOf(
  { metadata, statuses, dataOf, mediaTypesOf = () => ["application/json"], refusals }:
    ResponsesSource,
): Responses {
  const written = Object.entries(metadata.responses ?? {});
  for (const [status] of written) {
    if (!STATUS_REGEXP.test(status)) throw new TypeError(`"${status}" is not a response status`);
  }
  const stray = written.map(([status]) => status).find((status) =>
    /^2\d\d$/.test(status) && statuses.length > 0 && !statuses.includes(undefined) &&
    !statuses.includes(status)
  );
  if (stray !== undefined) {
    throw new TypeError(
      `its metadata has a ${stray}, but its handler sends ${statuses.join(", ")}`,
    );
  }
  const given = new Map<string, Partial<ResponseObject>>(written);
  for (const status of statuses) {
    if (status !== undefined && STATUS_REGEXP.test(status) && !given.has(status)) {
      given.set(status, {});
    }
  }
  const hasSuccess = written.some(([status]) => /^(?:2|3(?!04))/.test(status)); // a 304 replaces a 200
  if (!hasSuccess && statuses.includes(undefined) && !given.has("200")) given.set("200", {});
  const others = ([...refusals, "4XX", "default"] as const).filter((status) => !given.has(status));
  const found: readonly (readonly [string, ResponseObject | ReferenceObject])[] = [
    ...[...given].map(([status, one]) =>
      [status, responseOf(status, one, dataOf, mediaTypesOf)] as const
    ),
    ...others.map((status) => [status, refusalRef(status)] as const),
  ];
  return Object.fromEntries(found.toSorted(([a], [b]) => a < b ? -1 : 1)); // 404, 4XX, default
}

function responseOf(
  status: string,
  given: Partial<ResponseObject>,
  dataOf: DataOf,
  mediaTypesOf: MediaTypesOf,
): ResponseObject {
  if (/^[1-3]/.test(status)) return successResponse(status, given, dataOf, mediaTypesOf);
  const description = errorDescription(status);
  if (given.content !== undefined) return { description, ...given };
  const data = dataOf(status);
  const sent = data === undefined ? {} : { "application/json": { schema: data } };
  return { description, ...given, content: { ...problemContent(), ...sent } };
}

function successResponse(
  status: string,
  given: Partial<ResponseObject>,
  dataOf: DataOf,
  mediaTypesOf: MediaTypesOf,
): ResponseObject {
  const description = given.description ?? PHRASES[status] ?? "Success";
  const { content, ...rest } = given;
  if (content === undefined) {
    const data = CONTENT_STATUS_REGEXP.test(status) ? dataOf(status) : undefined;
    return {
      ...rest,
      description,
      ...(data === undefined ? {} : { content: contentOf(mediaTypesOf(status), data) }),
    };
  }
  const isOpen = Object.entries(content).some(([type, { schema }]) =>
    schema === undefined && isTyped(type)
  );
  return {
    ...rest,
    description,
    content: isOpen ? withSchema(content, dataOf(status)) : content,
  };
}

function contentOf(
  types: readonly string[],
  schema: SchemaObject,
): Readonly<Record<string, MediaTypeObject>> {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

/** Adds a schema to media types of JSON and of events that have none. */
export function withSchema(
  content: Readonly<Record<string, MediaTypeObject>>,
  schema: SchemaObject | undefined,
): Readonly<Record<string, MediaTypeObject>> {
  if (schema === undefined) return content;
  return Object.fromEntries(
    Object.entries(content).map(([type, media]) => [
      type,
      isTyped(type) ? { schema, ...media } : media,
    ]),
  );
}
