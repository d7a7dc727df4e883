/**
 * One request on its way: what handlers see of it, and what the pipeline keeps of it. Everything is read when asked
 * for, and nothing twice.
 *
 * @module
 */

import { type Bytes, checkLength, decodeUtf8, limitedStream, readBody } from "./_body.ts";
import { type Match, placeName } from "./_engine.ts";
import { parseForm } from "./_form.ts";
import { parseJson } from "./_json.ts";
import { originalRequest } from "./original_request.ts";
import { parseQuery } from "./_query.ts";
import type { Route } from "./_route.ts";
import type { AnyParams, Query } from "./markers.ts";
import { decodeParam, type Target } from "./path.ts";
import { HttpError } from "./problem.ts";
import type { SchemaPart } from "./schema.ts";
import type { GuardedRequest } from "./types.ts";

/** @internal The request that handlers get. */
export class RequestContext implements GuardedRequest<unknown, AnyParams, Query, unknown> {
  readonly raw: Request;
  readonly method: string;
  readonly url: string;
  readonly target: Target;
  readonly match: Match<Route>;
  /** The request that has the body: `raw`, or the one that a mount made of it. */
  source: Request;
  content: unknown = undefined;
  principal: unknown = undefined;
  readonly #defaultLimit: number;
  readonly #served: boolean;
  #original: Request | undefined = undefined;
  #index = 0;
  #params: AnyParams | undefined = undefined;
  #query: Query | undefined = undefined;
  #bytes: Promise<Bytes> | undefined = undefined;
  #body: ReadableStream<Bytes> | null | undefined = undefined;

  constructor(
    raw: Request,
    method: string,
    url: string,
    target: Target,
    match: Match<Route>,
    defaultLimit: number,
    served: boolean,
  ) {
    this.raw = raw;
    this.source = raw;
    this.method = method;
    this.url = url;
    this.target = target;
    this.match = match;
    this.#defaultLimit = defaultLimit;
    this.#served = served;
  }

  /** Moves to another match: what the last one's schemas and guard made of the request is forgotten. */
  enter(index: number): void {
    if (index === this.#index) return;
    this.#index = index;
    this.#params =
      this.#query =
      this.content =
      this.principal =
        undefined;
  }

  /** The request that the outermost router was called with: what per-request state is stored under. */
  get original(): Request {
    return this.#original ??= originalRequest(this.raw);
  }

  get path(): string {
    return this.target.path;
  }

  get headers(): Headers {
    return this.raw.headers;
  }

  get signal(): AbortSignal {
    return this.raw.signal;
  }

  get route(): string {
    return this.match[0][this.#index]?.[0].value.pattern.source ?? "";
  }

  get params(): AnyParams {
    return this.#params ??= readParams(this.match, this.#index);
  }

  get query(): Query {
    return this.#query ??= parseQuery(this.url, this.target.end);
  }

  /** Puts a schema's output in place. Its type is the route's affair. */
  write(part: SchemaPart, value: unknown): undefined {
    if (part === "body") this.content = value;
    else if (part === "query") this.#query = value as Query;
    else this.#params = value as AnyParams;
  }

  get body(): ReadableStream<Bytes> | null {
    return this.#body ??= limitedStream(this.source, this.#limit);
  }

  text(): Promise<string> {
    return this.#read(textOf);
  }

  json(): Promise<unknown> {
    return this.#read((bytes) => parseJson(decodeUtf8(bytes)));
  }

  formData(): Promise<FormData> {
    return this.#read((bytes) => parseForm(bytes, this.headers.get("content-type") ?? ""));
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#read((bytes) => bytes.slice().buffer);
  }

  /** Uses the body's bytes, read once for all readers; every time under the limit of the match that asks. */
  #read<T>(use: (bytes: Bytes) => T | Promise<T>): Promise<T> {
    // A body that a mount or a bridge has put in place of the server's is framed by nobody.
    const framed = this.#served && this.source === this.raw;
    this.#bytes ??= readBody(this.source, this.#limit, framed);
    return this.#bytes.then((bytes) => use(checkLength(bytes, this.#limit)));
  }

  get #limit(): number {
    return this.match[0][this.#index]?.[0].value.maxBodyBytes ?? this.#defaultLimit;
  }
}

function textOf(bytes: Bytes): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new HttpError(400, "invalid_text", { detail: "The body is not UTF-8" });
}

/** Takes the parameters of a match out of its stash, decoded once. */
function readParams([entries, stash]: Match<Route>, index: number): AnyParams {
  const params: Record<string, string> = Object.create(null);
  const entry = entries[index];
  if (entry === undefined) return params;
  const [{ params: names }, places] = entry;
  for (let i = 0; i < names.length; i++) {
    const place = places[placeName(i)];
    const text = typeof place === "number" ? stash[place] : place;
    if (text !== undefined) params[names[i] as string] = decodeParam(text);
  }
  return params;
}
