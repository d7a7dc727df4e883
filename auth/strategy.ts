/**
 * Strategies: how a request's credential becomes a principal.
 *
 * @module
 */

import type { Principal } from "./principal.ts";

/** The credential was valid. */
export interface Authenticated {
  /** Discriminates results. */
  readonly status: "authenticated";
  /** The subject that the credential belongs to. */
  readonly principal: Principal;
}

/** The request has a credential of the strategy's kind that is not valid: it is rejected. */
export interface AuthFailed {
  /** Discriminates results. */
  readonly status: "failed";
  /** Stable code, sent to the client if it matches `/^[a-z0-9_]{1,64}$/`. */
  readonly code: string;
  /** Message for the log; never sent. */
  readonly message: string;
  /** Value of `WWW-Authenticate`: `Bearer error="invalid_token"`. @default the strategy's own */
  readonly challenge?: string;
}

/** The request has no credential of the strategy's kind. */
export interface NoCredential {
  /** Discriminates results. */
  readonly status: "no-credential";
}

/** The result of a strategy for one request. */
export type StrategyResult = Authenticated | AuthFailed | NoCredential;

/** The input of a strategy. */
export interface StrategyContext {
  /** The request. Strategies must not read its body. */
  readonly request: Request;
  /** The arguments that the host passes to `fetch` after the request: connection info, bindings. */
  readonly args?: readonly unknown[];
  /**
   * Whether an open connection is checked again: a WebSocket, whose user may be away. The credential's time of use must not
   * change, or the connection would keep it from expiring.
   *
   * @default {false}
   */
  readonly recheck?: boolean | undefined;
}

/** Finds and verifies credentials of one kind. */
export interface AuthStrategy {
  /** Name of the strategy. */
  readonly name: string;
  /**
   * Where the credential is. `WWW-Authenticate`, `Vary` and the security scheme in the OpenAPI document follow from it,
   * and the default of `ambient`.
   */
  readonly scheme?:
    | { readonly type: "cookie" | "header"; readonly name: string }
    | { readonly type: "bearer"; readonly scheme?: "DPoP" };
  /**
   * Whether the credential is sent automatically, with cross-site requests too: by the browser, or by a proxy that adds
   * it for users who have signed in there (`X-Forwarded-User`, `Cf-Access-Jwt-Assertion`). Guards check such requests for
   * forgery.
   *
   * @default {true} except for a bearer token and a header field other than `Authorization` and `Cookie`
   */
  readonly ambient?: boolean;
  /** Whether every principal has a `scope`, so that only routes that name one accept it. @default {false} */
  readonly scoped?: boolean;
  /**
   * The value of `WWW-Authenticate`, RFC 9110 §11.6.1: `Basic realm="staging"`.
   *
   * @default `Session` for a cookie, `Bearer` for a bearer token, `ApiKey` for a header field
   */
  readonly challenge?: string;
  /** Authenticates a request. If it throws, the response is a 500. */
  authenticate(context: StrategyContext): StrategyResult | Promise<StrategyResult>;
}

/** Strategies that are tried in order. */
export interface StrategyChain extends AuthStrategy {
  /** The strategies, in order; nested chains are flattened. */
  readonly strategies: readonly AuthStrategy[];
  /** Tries them in order. */
  authenticate(context: StrategyContext): Promise<StrategyResult>;
}

/** RFC 9110 §11.6.1, in visible ASCII and spaces. */
const CHALLENGE_REGEXP = /^[\x21-\x7e][\x20-\x7e]*$/;

const NO_CREDENTIAL: NoCredential = /* @__PURE__ */ Object.freeze({ status: "no-credential" });

/** The result for a valid credential. */
export function authenticated(principal: Principal): Authenticated {
  return { status: "authenticated", principal };
}

/**
 * The result for a credential that is not valid.
 *
 * @param code Stable code, sent to the client if it matches `/^[a-z0-9_]{1,64}$/`: `invalid_api_key`.
 * @param message Message for the log; never sent.
 * @param challenge Value of `WWW-Authenticate`. @default the strategy's own
 * @throws {TypeError} If the challenge is not a valid field value.
 */
export function authFailed(code: string, message: string, challenge?: string): AuthFailed {
  if (challenge !== undefined && !CHALLENGE_REGEXP.test(challenge)) {
    throw new TypeError("Cannot reject credential: challenge must be a valid field value");
  }
  return { status: "failed", code, message, ...(challenge === undefined ? {} : { challenge }) };
}

/** The result for a request without a credential of the strategy's kind. */
export function noCredential(): NoCredential {
  return NO_CREDENTIAL;
}

/**
 * Tries strategies in order. The first one that finds a credential of its kind decides: a valid credential ends the
 * chain, and so does an invalid one, even if a later strategy would accept the request. A request without any credential
 * is anonymous.
 *
 * @throws {TypeError} If `strategies` is not a non-empty array of strategies.
 *
 * @example
 * ```ts
 * import {
 *   authenticated,
 *   authFailed,
 *   type AuthStrategy,
 *   chain,
 *   createPrincipal,
 *   noCredential,
 * } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const robots: AuthStrategy = {
 *   name: "robot",
 *   scheme: { type: "header", name: "X-Robot" },
 *   authenticate({ request }) {
 *     const key = request.headers.get("X-Robot");
 *     if (key === null) return noCredential();
 *     if (key !== "R2-D2") return authFailed("invalid_robot", "unknown robot");
 *     return authenticated(createPrincipal({ sub: "robot-1", method: "robot" }));
 *   },
 * };
 *
 * const strategy = chain([robots]);
 * const request = new Request("https://example.com/", { headers: { "X-Robot": "C-3PO" } });
 * assertEquals((await strategy.authenticate({ request })).status, "failed");
 * ```
 */
export function chain(strategies: readonly AuthStrategy[]): StrategyChain {
  if (!Array.isArray(strategies)) {
    throw new TypeError("Cannot chain strategies: strategies must be an array");
  }
  strategies.forEach(checkStrategy);
  const flat = strategies.flatMap(strategiesOf);
  if (flat.length === 0) throw new TypeError("Cannot chain strategies: strategies is empty");
  const result: StrategyChain = Object.freeze({
    name: flat.map(({ name }) => name).join(" | "),
    strategies: Object.freeze(flat),
    async authenticate(context: StrategyContext): Promise<StrategyResult> {
      return (await runStrategies(flat, context)).result;
    },
  });
  CHAINS.add(result);
  return result;
}

/** What {@linkcode chain} returned. Other strategies may have a member `strategies` too, and require all to succeed. */
const CHAINS: WeakSet<AuthStrategy> = /* @__PURE__ */ new WeakSet();

function checkStrategy(strategy: AuthStrategy, index: number): void {
  if (typeof strategy?.authenticate !== "function" || typeof strategy.name !== "string") {
    throw new TypeError(
      `Cannot chain strategies: strategies[${index}] must have a name and authenticate()`,
    );
  }
  const { scheme, challenge = "" } = strategy;
  const name = scheme === undefined || scheme.type === "bearer" ? "X" : scheme.name;
  new Headers([[name, challenge]]); // throws a TypeError for an invalid name or value
}

/** The strategies of a {@linkcode chain}, or the strategy itself. */
function strategiesOf(strategy: AuthStrategy): readonly AuthStrategy[] {
  return isChain(strategy) ? strategy.strategies : [strategy];
}

function isChain(strategy: AuthStrategy): strategy is StrategyChain {
  return CHAINS.has(strategy);
}

/** The outcome of trying strategies: anonymous, or the result of the one that decided. */
export type Decision =
  | { readonly by: undefined; readonly result: NoCredential }
  | { readonly by: AuthStrategy; readonly result: Authenticated | AuthFailed };

/** Tries strategies in order until one finds a credential of its kind. */
export async function runStrategies(
  strategies: readonly AuthStrategy[],
  context: StrategyContext,
): Promise<Decision> {
  for (const strategy of strategies) {
    const result = await strategy.authenticate(context);
    if (isDecision(strategy, result)) return { by: strategy, result };
  }
  return { by: undefined, result: NO_CREDENTIAL };
}

/** Whether a result ends the chain. An invalid result must not count as anonymous. */
function isDecision(
  { name }: AuthStrategy,
  result: StrategyResult,
): result is Authenticated | AuthFailed {
  switch (result?.status) {
    case "authenticated":
      checkPrincipal(result.principal);
      return true;
    case "failed":
      return true;
    case "no-credential":
      return false;
  }
  throw new TypeError(`Cannot authenticate: strategy ${JSON.stringify(name)} returned no result`);
}

function checkPrincipal(principal: Principal): void {
  if (typeof principal?.sub !== "string" || principal.sub === "") {
    throw new TypeError("Cannot authenticate: sub of the principal must be a non-empty string");
  }
  const { scope } = principal; // includes() of a string would match parts of it
  if (scope !== undefined && !Array.isArray(scope)) {
    throw new TypeError("Cannot authenticate: scope of the principal must be an array");
  }
}
