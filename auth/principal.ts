/**
 * The authenticated subject of a request.
 *
 * @module
 */

import { createClock, SKEW_SECONDS } from "./_clock.ts";

/** How a subject proved its identity on this request. Strategies of your own have names of their own. */
export type AuthMethod =
  | "password"
  | "session"
  | "bearer"
  | "api-key"
  | "oauth"
  | "webauthn"
  | (string & Record<never, never>);

/** The authenticated subject. Made by {@linkcode createPrincipal}, and frozen. */
export interface Principal {
  /** Stable subject id. */
  readonly sub: string;
  /** How the subject proved its identity on this request. */
  readonly method: AuthMethod;
  /** Authentication methods, RFC 8176: `["pwd"]`, `["hwk", "user"]`. */
  readonly amr?: readonly string[];
  /** Authentication context class, OpenID Connect Core §2. */
  readonly acr?: string;
  /** When the original authentication happened, in seconds since the epoch; 0 if nobody knows. */
  readonly authTime: number;
  /** Granted scopes. */
  readonly scope?: readonly string[];
  /** The session's public identifier, if a session stands behind the request. */
  readonly sessionId?: string;
  /** Extra claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

/** What {@linkcode createPrincipal} takes: a principal, perhaps without a time. */
export interface PrincipalInit extends Pick<Principal, "sub" | "method"> {
  /** Authentication methods, RFC 8176. */
  readonly amr?: readonly string[] | undefined;
  /** Authentication context class. */
  readonly acr?: string | undefined;
  /** Granted scopes. */
  readonly scope?: readonly string[] | undefined;
  /** The session's public identifier. */
  readonly sessionId?: string | undefined;
  /** Extra claims: a plain object. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When the original authentication happened, in seconds since the epoch.
   *
   * @default the current time for `password`, `oauth` and `webauthn`; 0 otherwise, so that a demand for a recent
   * authentication fails closed
   */
  readonly authTime?: number | undefined;
}

/** A completed authentication: what a session is made from. */
export interface Authentication {
  /** Subject id of the user. */
  readonly sub: string;
  /** The user's security stamp at that moment. A session made from it dies with the stamp. */
  readonly securityStamp: string;
  /** When it happened, in seconds since the epoch. */
  readonly authTime: number;
  /** By which methods, RFC 8176. */
  readonly amr: readonly string[];
  /** Authentication context class. */
  readonly acr?: string;
}

/** An authentication by password: what a session, and a known browser, are made from. */
export interface PasswordAuthentication extends Authentication {
  /** The canonical identifier. */
  readonly identifier: string;
}

/** Options of {@linkcode createPrincipal}. */
export interface PrincipalOptions {
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

/** The methods that are an authentication themselves, and not the memory of one. */
const FRESH_METHODS: readonly AuthMethod[] = ["password", "oauth", "webauthn"];

/**
 * Makes a principal that nobody can change any more: lists and plain objects within are copied and frozen too.
 *
 * @throws {TypeError} If `sub` or `method` is not a text with something in it, a list is none of texts, or `claims` is no
 * plain object or more than 64 levels deep.
 * @throws {RangeError} If `authTime` is not a number from 0 on, or in the future: in milliseconds, it would always be recent.
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
  const now = createClock(options.now);
  requireText("sub", sub);
  requireText("method", method);
  if (acr !== undefined) requireText("acr", acr);
  if (sessionId !== undefined) requireText("sessionId", sessionId);
  const authTime = init.authTime ?? (FRESH_METHODS.includes(method) ? now() : 0);
  if (!Number.isFinite(authTime) || authTime < 0 || authTime > now() + SKEW_SECONDS) {
    throw new RangeError(
      "Cannot create principal: authTime is not a number of seconds since the epoch that has come",
    );
  }
  return Object.freeze({
    sub,
    method,
    ...(amr === undefined ? {} : { amr: freezeTexts("amr", amr) }),
    ...(acr === undefined ? {} : { acr }),
    authTime,
    ...(scope === undefined ? {} : { scope: freezeTexts("scope", scope) }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(claims === undefined ? {} : { claims: freezeClaims(claims) }),
  });
}

/**
 * An authentication that a session or a token can be made from. Without an owner or a stamp it would be nobody's, and end
 * with nothing.
 *
 * @param cannot What fails without it: `Cannot create session`.
 * @throws {TypeError} If it is none.
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
    `${cannot}: the authentication lacks sub, stamp, amr, or a time in seconds that has come`,
  );
}

function requireText(name: string, value: unknown): void {
  if (typeof value !== "string" || value === "") {
    throw new TypeError(`Cannot create principal: ${name} is not a text with something in it`);
  }
}

function freezeTexts(name: string, list: readonly string[]): readonly string[] {
  if (!Array.isArray(list)) throw new TypeError(`Cannot create principal: ${name} is no list`);
  for (const text of list) requireText(`${name}[]`, text);
  return Object.freeze([...list]);
}

/** Levels of claims that are copied. */
const MAX_DEPTH = 64;

function freezeClaims(claims: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (typeof claims !== "object" || claims === null || !isPlain(claims)) {
    throw new TypeError("Cannot create principal: claims is no plain object");
  }
  const copies = new Map<object, object>(); // of what is there twice, or holds itself

  /** Copies lists and plain objects, through and through; anything else stays what it is. */
  function freezeCopy(value: unknown, depth: number): unknown {
    if (typeof value !== "object" || value === null) return value;
    const isList = Array.isArray(value);
    if (!isList && !isPlain(value)) return value;
    const known = copies.get(value);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) {
      throw new TypeError(`Cannot create principal: claims are over ${MAX_DEPTH} levels deep`);
    }
    const copy = isList ? [] : Object.create(null);
    copies.set(value, copy);
    for (const [key, member] of isList ? value.entries() : Object.entries(value)) {
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
