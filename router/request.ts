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

/** A request on its way through the router: the standard one, with what the route knows of it. */
export interface RouteRequest<Content = unknown, Params = AnyParams, RequestQuery = Query> {
  /** The standard request. Its body is unlimited: read it through the readers here where a limit should hold. */
  readonly raw: Request;
  /** Method, as sent. */
  readonly method: string;
  /**
   * URL, as the server delivered it. Its authority comes from the client's `Host` field; do not trust it, and expect
   * `new URL()` to refuse some.
   */
  readonly url: string;
  /**
   * Canonical path that was matched: decoded once, `%2F`, `%5C` and `%25` left encoded.
   *
   * Deno.serve puts the `Host` field in front of the target, unchecked, so `Host: a/b` with target `/c` arrives as
   * `/b/c`. Matching, scopes and guards all see that; a proxy in front that decides by the target does not, and must
   * refuse such a field, as RFC 9112 §3.2 asks of it.
   */
  readonly path: string;
  /** Header fields. */
  readonly headers: Headers;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
  /** Pattern of the matched route, the empty string where none matched. */
  readonly route: string;
  /**
   * Path parameters, decoded once, or the output of `schema.params`. A decoded parameter may hold `/`, `\` and `..`:
   * never join one to a file path.
   */
  readonly params: Params;
  /** Query, or the output of `schema.query`. */
  readonly query: RequestQuery;
  /** Parsed JSON, `FormData`, or the output of `schema.body`; `undefined` where the route takes no content. */
  readonly content: Content;
  /** Body as a stream that fails with 413 past the limit; `null` without a body. Read it, or use the readers, not both. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /**
   * Reads the body as UTF-8 text. All readers share the bytes, so that they may be called again, and after `content`.
   *
   * @throws {HttpError} 400 `invalid_text`; like every reader, 413 `payload_too_large` past the limit, and 400
   * `incomplete_body` or `fragmented_body`.
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

/** A request that a guard let pass. */
export interface GuardedRequest<Content, Params, RequestQuery, Subject>
  extends RouteRequest<Content, Params, RequestQuery> {
  /** Who asks. */
  readonly principal: Subject;
}

/** @internal The request type of a route: guarded where there is a subject. `unknown` means there is none. */
export type RequestOf<Content, Params, RequestQuery, Subject> = unknown extends Subject
  ? RouteRequest<Content, Params, RequestQuery>
  : GuardedRequest<Content, Params, RequestQuery, Subject>;

/** The request of a stated specification. */
export type TypedRequest<Spec extends AnyRequestSpec = RequestSpec, Subject = unknown> = RequestOf<
  Spec["~content"],
  ParamsOf<Spec>,
  QueryOf<Spec>,
  Subject
>;
