/**
 * The context of one request: what handlers see of it, and what the pipeline stores. Values are computed on first access
 * and cached.
 *
 * @module
 */

import {
  type BodyRules,
  type Bytes,
  checkLength,
  decodeUtf8,
  limitedStream,
  readBody,
} from "./_body.ts";
import { type Match, placeName } from "./_engine.ts";
import type { ScopeOption } from "./access.ts";
import { parseForm } from "./_form.ts";
import { parseJson } from "./_json.ts";
import { originalRequest, signalOf } from "./original_request.ts";
import { Bare, EMPTY, parseQuery } from "./_query.ts";
import type { AnyParams, Query } from "./markers.ts";
import { decodeParam, type Target } from "./path.ts";
import type { Pattern } from "./pattern.ts";
import { HttpError } from "./problem.ts";
import type { SchemaPart } from "./schema.ts";
import type { GuardedRequest, NoLocals } from "./request.ts";

/** The part of a registered route that its requests need. */
export interface MatchedRoute extends BodyRules {
  readonly pattern: Pattern;
}

/** What a router's requests share. */
export interface RouterRules extends BodyRules {
  /** Passes an error to `onError`. */
  readonly report: (error: unknown, ctx: RequestContext) => void;
  /** Steps before those of a route. */
  readonly steps: readonly object[];
}

/**
 * The request that handlers get.
 *
 * @internal
 */
export class RequestContext implements GuardedRequest<unknown, AnyParams, Query, unknown> {
  readonly raw: Request;
  readonly method: string;
  readonly url: string;
  readonly target: Target;
  /** Extra arguments of `fetch`. */
  readonly args: readonly unknown[];
  /** The request that has the body: `raw`, or the one that a mount derived from it. */
  source: Request;
  content: unknown = undefined;
  principal: unknown = undefined;
  /** Scopes that the entered route names, for guards among its middleware. */
  namedScope: ScopeOption | undefined = undefined;
  readonly match: Match<MatchedRoute>;
  readonly defaultRules: RouterRules;
  readonly #delivered: boolean;
  #original: Request | undefined = undefined;
  /** Which of the matches was entered. */
  index = 0;
  #params: AnyParams | undefined = undefined;
  #query: Query | undefined = undefined;
  #locals: NoLocals | undefined = undefined;
  #bytes: Promise<Bytes> | undefined = undefined;
  #body: ReadableStream<Bytes> | null | undefined = undefined;

  constructor(
    raw: Request,
    method: string,
    url: string,
    target: Target,
    match: Match<MatchedRoute>,
    defaultRules: RouterRules,
    delivered: boolean,
    args: readonly unknown[],
  ) {
    this.raw = raw;
    this.source = raw;
    this.method = method;
    this.url = url;
    this.target = target;
    this.args = args;
    this.match = match;
    this.defaultRules = defaultRules;
    this.#delivered = delivered;
  }

  /** Moves to another match. The outputs of the previous one's schemas and guard are dropped. */
  enter(index: number): void {
    if (index === this.index) return;
    this.index = index;
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

  /** Passes an error to `onError`, of what goes on after the response. */
  report(error: unknown): void {
    this.defaultRules.report(error, this);
  }

  get path(): string {
    return this.target.path;
  }

  get headers(): Headers {
    return this.raw.headers;
  }

  get signal(): AbortSignal {
    return signalOf(this.raw);
  }

  get route(): string {
    return this.match[0][this.index]?.[0].value.pattern.source ?? "";
  }

  get params(): AnyParams {
    return this.#params ??= readParams(this.match, this.index);
  }

  get query(): Query {
    return this.#query ??= parseQuery(this.url, this.target.end);
  }

  get locals(): NoLocals {
    return this.#locals ??= new Bare();
  }

  /** Stores a schema's output. */
  write(part: SchemaPart, value: unknown): undefined {
    if (part === "body") this.content = value;
    else if (part === "query") this.#query = value as Query;
    else this.#params = value as AnyParams;
  }

  get body(): ReadableStream<Bytes> | null {
    return this.#body ??= limitedStream(this.source, () => this.#rules.maxBodyBytes);
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

  /** Passes on the body's bytes, which are read once; the current match's limit applies to every call. */
  #read<T>(use: (bytes: Bytes) => T | Promise<T>): Promise<T> {
    // No server enforces the length of a body that a mount or a bridge has substituted.
    const delivered = this.#delivered && this.source === this.raw;
    this.#bytes ??= readBody(this.source, this.#rules, delivered);
    return this.#bytes.then((bytes) => use(checkLength(bytes, this.#rules.maxBodyBytes)));
  }

  get #rules(): BodyRules {
    return this.match[0][this.index]?.[0].value ?? this.defaultRules;
  }
}

function textOf(bytes: Bytes): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined) return text;
  throw new HttpError(400, "invalid_text", { detail: "The body is not UTF-8" });
}

/** Reads the parameters of a match from its stash, decoded once. */
function readParams([entries, stash]: Match<MatchedRoute>, index: number): AnyParams {
  const entry = entries[index];
  if (entry === undefined || entry[0].params.length === 0) return EMPTY;
  const params = new Bare() as Record<string, string>;
  const [{ params: names }, places] = entry;
  for (let i = 0; i < names.length; i++) {
    const place = places[placeName(i)];
    const text = typeof place === "number" ? stash[place] : place;
    if (text !== undefined) params[names[i] as string] = decodeParam(text);
  }
  return params;
}
