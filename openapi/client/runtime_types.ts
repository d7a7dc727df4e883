/**
 * Types that every generated client has; `deno task client:runtime` writes their text to `_runtime_text.ts`.
 *
 * @module
 */

/** Options of `createClient()`. */
export interface ClientOptions {
  /** Where the API is: an absolute URL, or a path of the page's origin. @default the root of the page's origin */
  readonly baseUrl?: string | URL | undefined;
  /** Sends requests: `router.fetch`, for tests in process. @default {fetch} */
  readonly fetch?: ((request: Request) => Response | Promise<Response>) | undefined;
  /** Header fields of every request, such as `X-API-Key`. @default none */
  readonly headers?: Headers | Readonly<Record<string, string>> | undefined;
  /** Whether cookies are sent; `"include"` for an API of another origin. @default {"same-origin"} */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Aborts every call. @default none */
  readonly signal?: AbortSignal | undefined;
  /**
   * Path of the route that issues CSRF tokens, or `false`: requests carry none. @default the document's route, such as
   * `/auth/csrf`; `false` with `tokens` or `credentials: "omit"`
   */
  readonly csrf?: string | false | undefined;
  /** Access and refresh tokens of a client without cookies. @default requests carry none */
  readonly tokens?: TokenStore | undefined;
}

/** Stores the tokens of a sign-in. */
export interface TokenStore {
  /** The current tokens; `undefined` without a sign-in. Called for each request. */
  get(): Tokens | undefined | Promise<Tokens | undefined>;
  /** Stores the tokens of a refresh; `undefined` signs out, after the refresh token was refused. */
  set(tokens: Tokens | undefined): void | Promise<void>;
  /** Path of the route that exchanges a refresh token. @default the document's route, such as `/tokens/refresh` */
  readonly refresh?: string | undefined;
}

/** Tokens, as the sign-in and the refresh respond with them. */
export interface Tokens {
  /** Sent as `Authorization: Bearer`. */
  readonly accessToken: string;
  /** Exchanged once when the access token is refused. @default no refresh */
  readonly refreshToken?: string | undefined;
}

/** Options that every call has. */
export interface CallOptions {
  /** Header fields of this request. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Aborts the call, and the stream of its events. */
  readonly signal?: AbortSignal | undefined;
  /** Other options of `fetch`, such as `redirect`, `cache` and `keepalive`. */
  readonly init?: RequestInit | undefined;
}

/** A response with a status from 200 to 299. */
export interface Success<Status extends number, Data> {
  readonly ok: true;
  readonly status: Status;
  /** The body. */
  readonly data: Data;
  /** The response; its body has been read. */
  readonly response: Response;
}

/** Any other response. */
export interface Failure<Status extends number, Details> {
  readonly ok: false;
  readonly status: Status;
  /** The body; a {@linkcode Problem} if that is not JSON. */
  readonly problem: Details;
  /** The response; its body has been read. */
  readonly response: Response;
}

/** Problem details, RFC 9457. Those made for a response without JSON have the code `unknown`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
}

/** An event of a stream, WHATWG HTML §9.2.6. */
export interface ServerSentEvent<Data> {
  /** Its type; `message` if the stream names none. */
  readonly event: string;
  /** The last id of the stream so far; empty if there is none. */
  readonly id: string;
  readonly data: Data;
}

/** A value of a query parameter; the elements of an array are sent as parameters of the same name. */
export type QueryValue = string | number | boolean | readonly (string | number | boolean)[];

/** Registered status codes from 200 to 299. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
/** Registered status codes from 400 to 499. */
export type ClientErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415)
  | (416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);
/** Registered status codes from 500 to 599. */
export type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 511;
/** Registered status codes from 400 to 599. */
export type ErrorStatus = ClientErrorStatus | ServerErrorStatus;
