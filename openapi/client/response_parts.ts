/**
 * Responses of a generated client: data and problems.
 *
 * @module
 */

import type { Failure, Success } from "./runtime_types.ts";

/** Outcome of a call, without the types of its route. */
export type Outcome = Success<number, unknown> | Failure<number, unknown>;

/** A response, and the outcome if it is not a success. */
export interface Answer {
  readonly response: Response;
  readonly failure?: Failure<number, unknown>;
}

/** Reads the problem of a response that is not a success. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { ok, status } = response;
  if (ok) return { response };
  const isJson = isJsonType(mediaType(response));
  const text = isJson ? await response.text() : void await response.body?.cancel();
  const problem = parsed(text) ?? { // RFC 9457 §4.2.1
    type: "about:blank",
    title: response.statusText,
    status,
    code: "unknown",
  };
  return { response, failure: { ok, status, problem, response } };
}

/**
 * Reads JSON; `undefined` if there is no body.
 *
 * @throws {TypeError} If the media type is another one.
 * @throws {SyntaxError} If the JSON is invalid.
 */
export async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === "") return undefined;
  const type = mediaType(response);
  if (isJsonType(type)) return JSON.parse(text);
  throw new TypeError(`Cannot read response: ${type || "no media type"} is not JSON`);
}

/** The media type of a response in lower case; empty if there is none. */
export function mediaType({ headers }: Response): string {
  return (headers.get("Content-Type") ?? "").toLowerCase().replace(/\s*(?:;.*)?$/, "");
}

/** Whether a media type is JSON, RFC 6839 §3.1. */
export function isJsonType(type: string): boolean {
  return /^application\/(?:.*\+)?json$/.test(type);
}

function parsed(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
