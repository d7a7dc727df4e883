/**
 * Strategies: how a request's credential becomes a principal.
 *
 * @module
 */

import type { Principal } from "./principal.ts";

/** The credential was valid. */
export interface Authenticated {
  /** Tells results apart. */
  readonly status: "authenticated";
  /** Whose it is. */
  readonly principal: Principal;
}

/** A credential was there, and was not valid: the request is refused. */
export interface AuthFailed {
  /** Tells results apart. */
  readonly status: "failed";
  /** Stable code, sent to the client if it matches `/^[a-z0-9_]{1,64}$/`. */
  readonly code: string;
  /** Text for the log; never sent. */
  readonly message: string;
  /** Value of `WWW-Authenticate`: `Bearer error="invalid_token"`. @default the strategy's own */
  readonly challenge?: string;
}

/** There was no credential of the strategy's kind. */
export interface NoCredential {
  /** Tells results apart. */
  readonly status: "no-credential";
}

/** What a strategy says of a request. */
export type StrategyResult = Authenticated | AuthFailed | NoCredential;

/** What a strategy looks at. */
export interface StrategyContext {
  /** The request. Its body is not for strategies to read. */
  readonly request: Request;
  /** What the host hands to `fetch` behind the request: the connection's address, bindings. */
  readonly args?: readonly unknown[];
}

/** Says whether a request carries a credential of one kind, and whether it is valid. */
export interface AuthStrategy {
  /** Name of the strategy. */
  readonly name: string;
  /**
   * Where it finds its credential. `WWW-Authenticate`, `Vary` and the OpenAPI document's security follow from it, and
   * whether guards check requests for forgery: they do unless it is a bearer token or a header field other than
   * `Authorization` and `Cookie`, unless `ambient` says otherwise.
   */
  readonly scheme?:
    | { readonly type: "cookie" | "header"; readonly name: string }
    | { readonly type: "bearer" };
  /**
   * Whether the credential comes along by itself, with requests that other sites begin as well: the browser sends it, or a
   * proxy in front adds it for whoever has signed in there (`X-Forwarded-User`, `Cf-Access-Jwt-Assertion`). Guards check
   * such requests for forgery.
   *
   * @default {true} but for a bearer token, and for a header field other than `Authorization` and `Cookie`
   */
  readonly ambient?: boolean;
  /**
   * Its value of `WWW-Authenticate`, RFC 9110 §11.6.1: `Basic realm="staging"`.
   *
   * @default `Session` for a cookie, `Bearer` for a bearer token, `ApiKey` for a header field
   */
  readonly challenge?: string;
  /** Looks at a request. What it throws is a 500, never a pass. */
  authenticate(context: StrategyContext): StrategyResult | Promise<StrategyResult>;
}

/** Strategies in a row. */
export interface StrategyChain extends AuthStrategy {
  /** What it tries, in order; chains within are taken apart. */
  readonly strategies: readonly AuthStrategy[];
  /** Asks them in order. */
  authenticate(context: StrategyContext): Promise<StrategyResult>;
}

/** RFC 9110 §11.6.1, in visible ASCII and blanks. */
const CHALLENGE_REGEXP = /^[\x21-\x7e][\x20-\x7e]*$/;

const NO_CREDENTIAL: NoCredential = /* @__PURE__ */ Object.freeze({ status: "no-credential" });

/** The credential was valid. @throws {TypeError} If the principal is none. */
export function authenticated(principal: Principal): Authenticated {
  if (typeof principal?.sub !== "string" || principal.sub === "") {
    throw new TypeError("Cannot authenticate: the principal has no sub");
  }
  const { scope } = principal; // of a text, every part would be a scope
  if (scope !== undefined && !Array.isArray(scope)) {
    throw new TypeError("Cannot authenticate: the principal's scope is no list");
  }
  return { status: "authenticated", principal };
}

/**
 * A credential was there, and was not valid.
 *
 * @param code Stable code, sent to the client if it matches `/^[a-z0-9_]{1,64}$/`: `invalid_api_key`.
 * @param message Text for the log; never sent.
 * @param challenge Value of `WWW-Authenticate`. @default the strategy's own
 * @throws {TypeError} If the challenge can stand in no header field.
 */
export function authFailed(code: string, message: string, challenge?: string): AuthFailed {
  if (challenge !== undefined && !CHALLENGE_REGEXP.test(challenge)) {
    throw new TypeError("Cannot refuse credential: the challenge can stand in no header field");
  }
  return { status: "failed", code, message, ...(challenge === undefined ? {} : { challenge }) };
}

/** There was no credential of the strategy's kind. */
export function noCredential(): NoCredential {
  return NO_CREDENTIAL;
}

/**
 * Tries strategies in order. The first that finds a credential of its kind decides: a valid one ends the chain, and so
 * does an invalid one, which later strategies cannot make good. A request without any is anonymous.
 *
 * @throws {TypeError} If there are no strategies, or one of them is none.
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
 *     if (key !== "R2-D2") return authFailed("invalid_robot", "no robot of ours");
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
    throw new TypeError("Cannot chain strategies: they are no list");
  }
  strategies.forEach(checkStrategy);
  const flat = strategies.flatMap(strategiesOf);
  if (flat.length === 0) throw new TypeError("Cannot chain strategies: the list is empty");
  const made: StrategyChain = Object.freeze({
    name: flat.map(({ name }) => name).join(" | "),
    strategies: Object.freeze(flat),
    async authenticate(context: StrategyContext): Promise<StrategyResult> {
      return (await runStrategies(flat, context)).result;
    },
  });
  CHAINS.add(made);
  return made;
}

/** What {@linkcode chain} made. A strategy of somebody else's may have a list too, and mean that all must agree. */
const CHAINS: WeakSet<AuthStrategy> = /* @__PURE__ */ new WeakSet();

function checkStrategy(strategy: AuthStrategy, index: number): void {
  if (typeof strategy?.authenticate !== "function" || typeof strategy.name !== "string") {
    throw new TypeError(
      `Cannot chain strategies: strategies[${index}] has no name, or no authenticate()`,
    );
  }
  const { scheme, challenge = "" } = strategy;
  const name = scheme === undefined || scheme.type === "bearer" ? "X" : scheme.name;
  new Headers([[name, challenge]]); // throws a TypeError if one of them can stand in no header field
}

/** The strategies that a strategy is made of: those of a {@linkcode chain}, or itself. */
function strategiesOf(strategy: AuthStrategy): readonly AuthStrategy[] {
  return isChain(strategy) ? strategy.strategies : [strategy];
}

function isChain(strategy: AuthStrategy): strategy is StrategyChain {
  return CHAINS.has(strategy);
}

/** What came of trying strategies: nobody, or what one of them decided. */
export type Decision =
  | { readonly by: undefined; readonly result: NoCredential }
  | { readonly by: AuthStrategy; readonly result: Authenticated | AuthFailed };

/** Tries strategies in order, until one finds a credential of its kind. */
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

/** Whether a result ends the row. What is no result at all must not count as anonymous. */
function isDecision(
  { name }: AuthStrategy,
  result: StrategyResult,
): result is Authenticated | AuthFailed {
  switch (result?.status) {
    case "authenticated":
      authenticated(result.principal);
      return true;
    case "failed":
      return true;
    case "no-credential":
      return false;
  }
  throw new TypeError(`Cannot authenticate: strategy ${JSON.stringify(name)} gave no result`);
}
