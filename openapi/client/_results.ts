/**
 * Types of the results of a route, from its responses.
 *
 * @module
 */

import type { ResponseObject } from "../../router/openapi_types.ts";
import type { SchemaTypes } from "./_schema_types.ts";
import { isJsonType } from "./response_parts.ts";
import type { RouteContent } from "./runtime.ts";

/** Results of a route. */
export interface Results {
  /** The type of the union. */
  readonly type: string;
  /** How the run time reads successes. */
  readonly data: RouteContent["data"];
}

/** Form of a successful response. */
interface Content {
  readonly kind: "json" | NonNullable<RouteContent["data"]>;
  readonly type: string;
}

const EVENTS = "text/event-stream";
/** Statuses that a range stands for. */
const RANGES: Readonly<Record<string, string>> = {
  "2XX": "SuccessStatus",
  "3XX": "300 | 301 | 302 | 303 | 304 | 307 | 308",
};

/** The results of a route, and how the run time has to read them. */
export function resultsOf(
  responses: Readonly<Record<string, ResponseObject>>,
  types: SchemaTypes,
  indent: string,
): Results {
  const all = Object.entries(responses);
  const successes = all.filter(([status]) => status.startsWith("2"))
    .map(([status, { content }]) => ({ status, ...contentOf(content, types, indent) }));
  const kinds = new Set(
    successes.filter(({ type }) => type !== "undefined").map(({ kind }) => kind),
  );
  const [kind = "json"] = successes.length === 0 || kinds.size > 1 ? ["any" as const] : kinds;
  return {
    type: [
      ...successes.length === 0
        ? ["Success<SuccessStatus, unknown>"]
        : byType(successes, (status, type) => `Success<${status}, ${type}>`),
      ...failureTypes(all.filter(([status]) => !status.startsWith("2")), types, indent),
    ].join(" | "),
    data: kind === "json" ? undefined : kind,
  };
}

function contentOf(
  content: ResponseObject["content"],
  types: SchemaTypes,
  indent: string,
): Content {
  const media = Object.entries(content ?? {});
  const json = media.find(([type]) => isJsonType(type));
  if (json !== undefined) return { kind: "json", type: types.typeOf(json[1].schema, indent) };
  const [first] = media;
  if (first === undefined) return { kind: "json", type: "undefined" };
  const [name, { schema }] = first;
  if (name === EVENTS) {
    return schema === undefined
      ? { kind: "textEvents", type: "AsyncIterable<ServerSentEvent<string>>" }
      : { kind: "events", type: `AsyncIterable<ServerSentEvent<${types.typeOf(schema, indent)}>>` };
  }
  return name.startsWith("text/")
    ? { kind: "text", type: "string" }
    : { kind: "blob", type: "Blob" };
}

/** Failures. A status whose problem has the type of all others is not listed. */
function failureTypes(
  responses: readonly (readonly [status: string, response: ResponseObject])[],
  types: SchemaTypes,
  indent: string,
): readonly string[] {
  const problems = new Map(responses.map(([status, { content = {} }]) => {
    const json = Object.entries(content).find(([type]) => isJsonType(type));
    return [status, json === undefined ? "Problem" : types.typeOf(json[1].schema, indent)];
  }));
  const other = problems.get("default") ?? "Problem";
  const [client, server] = [problems.get("4XX") ?? other, problems.get("5XX") ?? other];
  const listed = [...problems].map(([status, type]) => ({ status, type }))
    .filter(({ status }) => /^[345]\d\d$/.test(status) || status === "3XX")
    .filter(({ status, type }) => type !== { "4": client, "5": server }[status.charAt(0)]);
  const rest = client === server ? [{ status: "ErrorStatus", type: client, range: /^[45]/ }] : [
    { status: "ClientErrorStatus", type: client, range: /^4/ },
    { status: "ServerErrorStatus", type: server, range: /^5/ },
  ];
  return [
    ...failures(listed),
    ...failures(rest.map(({ status, type, range }) => {
      const own = listed.map((one) => one.status).filter((one) => range.test(one));
      return { status: own.length === 0 ? status : `Exclude<${status}, ${own.join(" | ")}>`, type };
    })),
  ];
}

interface TypedStatus {
  readonly status: string;
  readonly type: string;
}

function failures(all: readonly TypedStatus[]): readonly string[] {
  return byType(all, (status, type) => `Failure<${status}, ${type}>`);
}

/** One type for all statuses of the same content. */
function byType(
  all: readonly TypedStatus[],
  write: (status: string, type: string) => string,
): readonly string[] {
  return [...new Set(all.map(({ type }) => type))].map((type) => {
    const members = all.filter((one) => one.type === type);
    return write(members.map(({ status }) => RANGES[status] ?? status).join(" | "), type);
  });
}
