/**
 * Problem details for HTTP APIs, RFC 9457: the one shape of every error response.
 *
 * @module
 */

import { HOST } from "./internals.ts";
import type { TypedResponse } from "./response.ts";

/** One validation error. */
export interface Violation {
  /** Part of the request. */
  readonly in: "params" | "query" | "body";
  /** JSON Pointer (RFC 6901) into that part; empty for the part as a whole. */
  readonly pointer: string;
  /** Stable machine-readable code, if there is one. */
  readonly code?: string;
  /** Human-readable message. */
  readonly message: string;
}

/** Optional members of a problem. */
export interface ProblemOptions {
  /** Explanation of this occurrence, safe to show to the client. */
  detail?: string;
  /** Validation errors. */
  violations?: readonly Violation[];
  /** Extension members, RFC 9457 §3.2: any JSON by other names than those of {@linkcode ProblemDetails}. */
  extensions?: Readonly<Record<string, unknown>>;
  /** Header fields of the response. `Content-Type` is ignored. */
  headers?: HeadersInit;
  /** URI that documents the kind of problem. @default {"about:blank"} */
  type?: string;
  /** Short summary of the kind of problem. @default the phrase of the status, or `Error` for rare ones */
  title?: string;
}

/** Options of {@linkcode HttpError}. */
export interface HttpErrorOptions extends ProblemOptions {
  /** Cause of the error. Never sent. */
  cause?: unknown;
}

/** Body of an `application/problem+json` response, RFC 9457 §3.1, with our members `code` and `violations`. */
export interface ProblemDetails {
  /** URI of the kind of problem. */
  readonly type: string;
  /** Short summary of the kind. */
  readonly title: string;
  /** HTTP status code. */
  readonly status: number;
  /** Stable machine-readable code. */
  readonly code: string;
  /** Explanation of this occurrence. */
  readonly detail?: string;
  /** Validation errors. */
  readonly violations?: readonly Violation[];
}

/** An error that the router sends to the client. */
export interface ProblemError extends Error {
  /** HTTP status code, 400 to 599. */
  readonly status: number;
  /** Stable machine-readable code, `/^[a-z0-9_]{1,64}$/`. */
  readonly code: string;
  /** Other members of the problem. */
  readonly problem?: ProblemOptions;
}

/** Marks errors that may be sent. A symbol, so that parsed JSON cannot have it. */
const PROBLEM_MARK: symbol = Symbol.for("gatehouse.problem");
const CODE_REGEXP = /^[a-z0-9_]{1,64}$/;

/**
 * Marks an error class's instances as safe to send.
 *
 * @returns The same error.
 */
export function markProblem<E extends ProblemError>(error: E): E {
  return Object.defineProperty(error, PROBLEM_MARK, { value: true });
}

/** Whether an error was marked as safe to send. */
export function isProblemError(error: unknown): error is ProblemError {
  try {
    return error instanceof Error && Reflect.get(error, PROBLEM_MARK) === true;
  } catch {
    return false; // a thrown proxy whose traps throw
  }
}

/**
 * An error that the router answers with a problem, wherever it is thrown.
 *
 * @example
 * ```ts
 * import { createRouter, HttpError } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/tea", () => {
 *   throw new HttpError(418, "teapot", { detail: "Short and stout" });
 * });
 * const response = await router.request("/tea");
 * assertEquals(response.status, 418);
 * assertEquals((await response.json()).code, "teapot");
 * ```
 */
export class HttpError extends Error implements ProblemError {
  /** Name of the class. */
  override readonly name = "HttpError";
  /** HTTP status code. */
  readonly status: number;
  /** Stable machine-readable code. */
  readonly code: string;
  /** Other members of the problem. */
  readonly problem: ProblemOptions;

  /**
   * Creates the error.
   *
   * @throws {RangeError} If `status` is not an integer from 400 to 599, or `code` is not `/^[a-z0-9_]{1,64}$/`.
   */
  constructor(status: number, code: string, options: HttpErrorOptions = {}) {
    const { cause, ...problem } = options;
    super(problem.detail ?? code, cause === undefined ? undefined : { cause });
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new RangeError(`Cannot create HttpError: status ${status} is not from 400 to 599`);
    }
    if (!CODE_REGEXP.test(code)) {
      throw new RangeError("Cannot create HttpError: code does not match /^[a-z0-9_]{1,64}$/");
    }
    this.status = status;
    this.code = code;
    this.problem = problem;
    markProblem(this);
  }
}

/** Creates an `application/problem+json` response. */
export function problem<const Status extends number>(
  status: Status,
  code: string,
  options: ProblemOptions = {},
): TypedResponse<never, Status> {
  const text = problemText(status, code, options);
  return problemResponse(text, status, options.headers) as TypedResponse<never, Status>;
}

/** The response to an unknown path. Its text is made once, since nothing in it varies. */
export function notFound(): Response {
  return problemResponse(notFoundText ??= problemText(404, "not_found", {}), 404);
}

let notFoundText: string | undefined;

function problemText(
  status: number,
  code: string,
  {
    type = "about:blank",
    title = ERROR_PHRASES[status] ?? "Error",
    detail,
    violations,
    extensions,
  }: ProblemOptions,
): string {
  // Omits what is undefined; a function toJSON among the extensions would replace all members
  const own = { toJSON: undefined, type, title, status, code, detail, violations };
  return JSON.stringify({ ...extensions, ...own });
}

/** Deno sets a field in less time than it takes a list of them. */
function problemResponse(text: string, status: number, headers?: HeadersInit): Response {
  const init = headers === undefined ? { status } : { status, headers };
  const response = HOST.createResponse?.(text, PROBLEM_TYPE, init) ?? new Response(text, init);
  if (HOST.createResponse === undefined || headers !== undefined) {
    response.headers.set("Content-Type", PROBLEM_TYPE); // also in place of a given one
  }
  return response;
}

const PROBLEM_TYPE = "application/problem+json";

/** The response to a thrown value: the problem of a {@linkcode ProblemError}, else a 500 without details. */
export function errorResponse(error: unknown): Response {
  return isProblemError(error)
    ? problem(error.status, error.code, error.problem)
    : problem(500, "internal_error");
}

/**
 * Phrases of the error statuses that applications send, RFC 9110 §15.5 and §15.6, RFC 6585, RFC 8470 and RFC 7725.
 * Those of proxies and WebDAV are left out: every bundle has this table.
 */
export const ERROR_PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
