/**
 * The authenticated subject of a request.
 *
 * @module
 */

import { readClock, SKEW_SECONDS } from "./_clock.ts";

/** How a subject proved its identity on this request. Custom strategies use their own names. */
export type AuthMethod =
  | "password"
  | "session"
  | "bearer"
  | "api-key"
  | "oauth"
  | "webauthn"
  | "email"
  | (string & Record<never, never>);

/** The authenticated subject. Created by {@linkcode createPrincipal}, and frozen. */
export interface Principal {
  /** Stable subject id. */
  readonly sub: string;
  /** How the subject proved its identity on this request. */
  readonly method: AuthMethod;
  /** Authentication methods, RFC 8176: `["pwd"]`, `["hwk", "user"]`. */
  readonly amr?: readonly string[];
  /** Authentication context class, OpenID Connect Core §2. */
  readonly acr?: string;
  /** When the original authentication happened, in seconds since the epoch; 0 if unknown. */
  readonly authTime: number;
  /** Granted scopes. */
  readonly scope?: readonly string[];
  /** Public identifier of the session, if the request was authenticated by one. */
  readonly sessionId?: string;
  /** Extra claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** The members of a principal for {@linkcode createPrincipal}. */
export interface PrincipalInit extends Pick<Principal, "sub" | "method"> {
  /** Authentication methods, RFC 8176. */
  readonly amr?: readonly string[] | undefined;
  /** Authentication context class. */
  readonly acr?: string | undefined;
  /** Granted scopes. */
  readonly scope?: readonly string[] | undefined;
  /** Public identifier of the session. */
  readonly sessionId?: string | undefined;
  /** Extra claims: a plain object. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When the original authentication happened, in seconds since the epoch.
   *
   * @default the current time for `password`, `oauth`, `webauthn` and `email`; 0 otherwise, so that a
   * check for a recent authentication fails closed
   */
  readonly authTime?: number | undefined;
}

/** A session at an OAuth provider. */
export interface ProviderSession {
  /** Name of the provider: `google`. */
  readonly name: string;
  /** Issuer identifier. */
  readonly issuer: string;
  /** The provider's id of its session, OpenID Connect Front-Channel Logout §3, if it said one. */
  readonly sid?: string;
}

/** A completed authentication, from which a session is created. */
export interface Authentication {
  /** Subject id of the user. */
  readonly sub: string;
  /** The user's security stamp at that time. Sessions become invalid when the stamp changes. */
  readonly securityStamp: string;
  /** When it happened, in seconds since the epoch. */
  readonly authTime: number;
  /** Authentication methods, RFC 8176. */
  readonly amr: readonly string[];
  /** Authentication context class. */
  readonly acr?: string;
  /** The session at the OAuth provider that the user signed in with. */
  readonly provider?: ProviderSession;
}

/** An authentication by password, from which a session and a device cookie are created. */
export interface PasswordAuthentication extends Authentication {
  /** The canonical identifier. */
  readonly identifier: string;
}

/** Options of {@linkcode createPrincipal}. */
export interface PrincipalOptions {
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** Methods that authenticate at the time of the request, and do not refer to an earlier authentication. */
const FRESH_METHODS: readonly AuthMethod[] = ["password", "oauth", "webauthn", "email"];

/**
 * Creates a principal that is deeply frozen: nested arrays and plain objects are copied and frozen too.
 *
 * @throws {TypeError} If `sub` or `method` is not a non-empty string, `amr` or `scope` not an array of such strings, or
 * `claims` not a plain object of at most 64 levels.
 * @throws {RangeError} If `authTime` is negative or in the future: in milliseconds it would always be recent.
 *
 * @example
 * ```ts
 * import { createPrincipal } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const principal = createPrincipal({ sub: "u1", method: "api-key", scope: ["notes:read"] });
 * assertEquals(principal.scope, ["notes:read"]);
 * assertEquals(principal.authTime, 0);
 * ```
 */
export function createPrincipal(init: PrincipalInit, options: PrincipalOptions = {}): Principal {
  const { sub, method, amr, acr, scope, sessionId, claims } = init;
  const now = readClock(options.now);
  requireString("sub", sub);
  requireString("method", method);
  if (acr !== undefined) requireString("acr", acr);
  if (sessionId !== undefined) requireString("sessionId", sessionId);
  const authTime = init.authTime ?? (FRESH_METHODS.includes(method) ? now : 0);
  if (!Number.isFinite(authTime) || authTime < 0 || authTime > now + SKEW_SECONDS) {
    throw new RangeError(
      "Cannot create principal: authTime must be seconds since the epoch, and not in the future",
    );
  }
  return Object.freeze({
    sub,
    method,
    ...(amr === undefined ? {} : { amr: freezeStrings("amr", amr) }),
    ...(acr === undefined ? {} : { acr }),
    authTime,
    ...(scope === undefined ? {} : { scope: freezeStrings("scope", scope) }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(claims === undefined ? {} : { claims: freezeClaims(claims) }),
  });
}

/**
 * Checks an authentication before a session or a token is created from it. Without a subject or a security stamp it could
 * not be revoked.
 *
 * @param cannot Start of the message: `Cannot create session`.
 * @throws {TypeError} If it is not an authentication.
 */
export function requireAuthentication(
  authentication: Authentication,
  at: number,
  cannot: string = "Cannot create session",
): Authentication {
  const { sub, securityStamp, authTime, amr } = authentication;
  const isValid = [sub, securityStamp].every((text) => typeof text === "string" && text !== "") &&
    Number.isFinite(authTime) && authTime <= at + SKEW_SECONDS && Array.isArray(amr);
  if (isValid) return authentication;
  throw new TypeError(
    `${cannot}: the authentication must have sub, securityStamp, amr, and an authTime in seconds, not in the future`,
  );
}

function requireString(name: string, value: unknown): void {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(`Cannot create principal: ${name} must be a non-empty string`);
  }
}

function freezeStrings(name: string, strings: readonly string[]): readonly string[] {
  if (!Array.isArray(strings)) {
    throw new TypeError(`Cannot create principal: ${name} must be an array`);
  }
  for (const string of strings) requireString(`${name}[]`, string);
  return Object.freeze([...strings]);
}

/** Deepest nesting of claims. */
const MAX_DEPTH = 64;

function freezeClaims(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof claims !== "object" || claims === null || !isPlain(claims)) {
    throw new TypeError("Cannot create principal: claims must be a plain object");
  }
  const copies = new Map<object, object>(); // of objects that occur more than once, or contain themselves

  /** Copies arrays and plain objects recursively; other values are kept as they are. */
  function freezeCopy(value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    const isArray = Array.isArray(value);
    if (!isArray && !isPlain(value)) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) {
      throw new TypeError(
        `Cannot create principal: claims are nested deeper than ${MAX_DEPTH} levels`,
      );
    }
    const copy = isArray ? [] : Object.create(null);
    copies.set(value, copy);
    for (const [key, member] of isArray ? value.entries() : Object.entries(value)) {
      copy[key] = freezeCopy(member, depth + 1);
    }
    return Object.freeze(copy);
  }

  return freezeCopy(claims, 1) as Record<string, unknown>;
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
