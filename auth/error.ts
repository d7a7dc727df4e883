/**
 * The error class of authentication, and what a client gets for each error.
 *
 * @module
 */

/** Stable code of an error; the client gets it as `code` of the problem. */
export type AuthErrorCode =
  | "access_denied"
  | "credential_unknown"
  | "csrf_failed"
  | "email_missing"
  | "email_taken"
  | "email_unverified"
  | "identifier_unavailable"
  | "identity_taken"
  | "identity_unknown"
  | "insufficient_authentication"
  | "insufficient_scope"
  | "invalid_challenge"
  | "invalid_code"
  | "invalid_credentials"
  | "invalid_identifier"
  | "invalid_link"
  | "invalid_refresh_token"
  | "invalid_second_factor"
  | "invalid_token"
  | "last_way_in"
  | "mfa_expired"
  | "mfa_required"
  | "oauth_failed"
  | "service_unavailable"
  | "session_ambiguous"
  | "session_expired"
  | "throttled"
  | "token_expired"
  | "too_many_credentials"
  | "too_many_keys"
  | "unauthenticated"
  | "weak_password"
  | "webauthn_failed"
  | "wrong_password";

/** One reason why a part of the body was rejected. */
export interface AuthViolation {
  /** Part of the request. */
  readonly in: "body";
  /** JSON Pointer (RFC 6901) into that part. */
  readonly pointer: string;
  /** Stable code for programs. */
  readonly code: string;
  /** Message for a person. */
  readonly message: string;
}

/** Options of an {@linkcode AuthError}. */
export interface AuthErrorOptions {
  /**
   * A strategy's own code, sent to the client instead of `unauthenticated`: `invalid_api_key`. It is not sent if it does
   * not match `/^[a-z0-9_]{1,64}$/`.
   */
  readonly code?: string | undefined;
  /** What exactly was wrong, for logs and events. Never sent. */
  readonly reason?: string | undefined;
  /** Explanation, safe to show to the client. */
  readonly detail?: string | undefined;
  /** Why parts of the body were rejected, safe to show to the client. */
  readonly violations?: readonly AuthViolation[] | undefined;
  /** Extension members of the problem (RFC 9457 §3.2), sent to the client. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  /** Header fields of the response. @default a 401 has `WWW-Authenticate: Session` */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The underlying error. Never sent. */
  readonly cause?: unknown;
}

/** Marks errors that the router may send; a registered symbol, so that auth and router need no import of each other. */
const PROBLEM_MARK: symbol = /* @__PURE__ */ Symbol.for("gatehouse.problem");

/** A 401 must have a challenge, RFC 9110 §15.5.2; for cookies no scheme is registered. */
const CHALLENGE = { "WWW-Authenticate": "Session" } as const;

/**
 * An error of authentication or authorization. The router sends it as an RFC 9457 problem with the code; in other
 * servers use `status`, `code` and `headers` for the response.
 *
 * @example
 * ```ts
 * import { createRouter } from "@gatehouse/http";
 * import { AuthError } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const router = createRouter().get("/vault", () => {
 *   throw new AuthError("access_denied", { reason: "the vault is closed on Sundays" });
 * });
 * const response = await router.request("/vault");
 * assertEquals(response.status, 403);
 * assertEquals((await response.text()).includes("Sundays"), false);
 * ```
 */
export class AuthError extends Error {
  /** Name of the class. */
  override readonly name = "AuthError";
  /** Stable code for programs: an {@linkcode AuthErrorCode}, or the code of a custom strategy. */
  readonly code: AuthErrorCode | (string & Record<never, never>);
  /** HTTP status code. */
  readonly status: number;
  /** Header fields of the response. */
  readonly headers: Readonly<Record<string, string>>;
  /** What exactly was wrong, for logs and events. Never sent. */
  declare readonly reason: string | undefined;
  /** What the router sends besides status and code. */
  readonly problem: {
    readonly headers: Record<string, string>;
    readonly detail?: string | undefined;
    readonly violations?: readonly AuthViolation[] | undefined;
    readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  };

  /** Creates the error. @throws {TypeError} If the code is unknown. */
  constructor(code: AuthErrorCode, options: AuthErrorOptions = {}) {
    const { reason, detail, violations, extensions, cause } = options;
    super(detail ?? code, cause === undefined ? undefined : { cause });
    this.status = statusOf(code);
    this.code = code === "unauthenticated" && isSendable(options.code) ? options.code : code;
    const { headers: given = {} } = options;
    const isChallenge = (name: string) => name.toLowerCase() === "www-authenticate";
    const needsChallenge = this.status === 401 && !Object.keys(given).some(isChallenge);
    const headers = needsChallenge ? { ...CHALLENGE, ...given } : given;
    this.headers = headers;
    this.problem = { headers: { ...headers }, detail, violations, extensions };
    // Not enumerable: an error that is serialized as JSON must not disclose the reason
    Object.defineProperty(this, "reason", { value: reason });
    Object.defineProperty(this, PROBLEM_MARK, { value: true });
  }
}

const CODE_REGEXP = /^[a-z0-9_]{1,64}$/;

function isSendable(code: string | undefined): code is string {
  return typeof code === "string" && CODE_REGEXP.test(code);
}

function statusOf(code: AuthErrorCode): number {
  switch (code) {
    case "invalid_challenge":
    case "invalid_identifier":
    case "invalid_link":
    case "oauth_failed":
    case "webauthn_failed": // at a registration; a sign-in sends this code with a 401
      return 400;
    case "credential_unknown":
    case "insufficient_authentication":
    case "invalid_code":
    case "invalid_credentials":
    case "invalid_refresh_token":
    case "invalid_second_factor":
    case "invalid_token":
    case "mfa_expired":
    case "mfa_required":
    case "session_ambiguous":
    case "session_expired":
    case "token_expired":
    case "unauthenticated":
      return 401;
    case "access_denied":
    case "csrf_failed":
    case "email_unverified":
    case "identity_unknown":
    case "insufficient_scope":
      return 403;
    case "email_missing":
    case "email_taken":
    case "identifier_unavailable":
    case "identity_taken":
    case "last_way_in":
    case "too_many_credentials":
    case "too_many_keys":
      return 409;
    case "weak_password":
    case "wrong_password":
      return 422;
    case "throttled":
      return 429;
    case "service_unavailable":
      return 503;
  }
  code satisfies never; // an unknown code from JavaScript must not become a success
  throw new TypeError("Cannot create AuthError: unknown code");
}
