/**
 * The request that handlers and middleware get.
 *
 * @module
 */

import type {
  AnyParams,
  AnyRequestSpec,
  ParamsOf,
  Query,
  QueryOf,
  RequestSpec,
} from "./markers.ts";

/** No locals: nothing was provided. */
// deno-lint-ignore ban-types -- the type that an intersection omits
export type NoLocals = {};

/** The request in a router: the standard request, with path parameters, query, content and locals. */
export interface RouteRequest<
  Content = unknown,
  Params = AnyParams,
  RequestQuery = Query,
  Locals = NoLocals,
> {
  /** The platform's request. `maxBodyBytes` and `bodyTimeout` do not apply to its body: prefer the readers below. */
  readonly raw: Request;
  /** Method, as sent. */
  readonly method: string;
  /**
   * URL, as the server delivered it. Its authority comes from the client's `Host` field: it is untrusted, and `new URL()`
   * may throw.
   */
  readonly url: string;
  /**
   * Canonical path that was matched: decoded once, `%2F`, `%5C` and `%25` left encoded.
   *
   * Deno.serve prepends the unchecked `Host` field to the target, so `Host: a/b` with target `/c` arrives as `/b/c`.
   * Matching, prefixes and guards all see that; a proxy that decides by the target does not, and must reject such a
   * field, as RFC 9112 §3.2 requires.
   */
  readonly path: string;
  /** Header fields. */
  readonly headers: Headers;
  /** Aborted when the client disconnects; in a mount too. On Deno, reading it prints a warning once. */
  readonly signal: AbortSignal;
  /** Pattern of the matched route, or the empty string. */
  readonly route: string;
  /**
   * Path parameters, decoded once, or the output of `schema.params`. A decoded parameter may hold `/`, `\` and `..`:
   * never join one to a file path.
   */
  readonly params: Params;
  /** Query, or the output of `schema.query`. */
  readonly query: RequestQuery;
  /** Parsed JSON, `FormData`, or the output of `schema.body`; `undefined` if the route takes no content. */
  readonly content: Content;
  /** What middleware created by {@linkcode provide} returned for this request. The object inherits nothing. */
  readonly locals: Locals;
  /**
   * Body as a stream that fails with 413 past the limit, at the reader's pace: `bodyTimeout` does not apply. `null` without a
   * body. Read it, or use the readers, not both.
   */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /**
   * Reads the body as UTF-8 text. All readers share the bytes, so they may be called repeatedly, and after `content`.
   *
   * @throws {HttpError} 400 `invalid_text`; like every reader, 413 `payload_too_large` past the limit, and 400
   * `incomplete_body` or `fragmented_body`, and 408 `body_timeout` if the body takes longer than `bodyTimeout`.
   * @throws {TypeError} If `raw` or `body` was read instead.
   */
  text(): Promise<string>;
  /** Reads the body as JSON. @throws {HttpError} 400 `invalid_json`; see {@linkcode text}. */
  json(): Promise<unknown>;
  /** Reads the body as a form. @throws {HttpError} 400 `invalid_form`; see {@linkcode text}. */
  formData(): Promise<FormData>;
  /** Reads the body's bytes. @throws {HttpError} See {@linkcode text}. */
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** A request that a guard accepted. */
export interface GuardedRequest<Content, Params, RequestQuery, Subject, Locals = NoLocals>
  extends RouteRequest<Content, Params, RequestQuery, Locals> {
  /** The principal. */
  readonly principal: Subject;
}

/**
 * A request that only checks again whom an open connection is for: the user may be away.
 *
 * @internal
 */
export interface RecheckRequest {
  /** Whether it is one. @default {false} */
  readonly recheck?: boolean;
}

/**
 * The request type of a route: guarded if there is a subject; `unknown` means none.
 *
 * @internal
 */
export type RequestOf<Content, Params, RequestQuery, Subject, Locals = NoLocals> = unknown extends
  Subject ? RouteRequest<Content, Params, RequestQuery, Locals>
  : GuardedRequest<Content, Params, RequestQuery, Subject, Locals>;

/** The request of an explicit specification. */
export type TypedRequest<
  Spec extends AnyRequestSpec = RequestSpec,
  Subject = unknown,
  Locals = NoLocals,
> = RequestOf<Spec["~content"], ParamsOf<Spec>, QueryOf<Spec>, Subject, Locals>;
