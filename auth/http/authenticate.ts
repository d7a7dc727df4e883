/**
 * How the guards of requests and of GraphQL authenticate: strategies run once, the check against forgery, and the client's
 * address for events.
 *
 * @module
 */

import { isAmbient } from "../_challenge.ts";
import type { Principal } from "../principal.ts";
import { type AuthStrategy, type Decision, runStrategies } from "../strategy.ts";
import { enterRealm, identityOf, type Realm, stateOf } from "./_request_state.ts";
import { csrfCheck } from "./csrf_guard.ts";
import type { CsrfRule, GuardRuntime, RequestLike } from "./types.ts";

/** How {@linkcode decideOnce} authenticates. */
export interface DecisionOptions {
  /** Whose principals these are. */
  readonly realm: Realm;
  /** The strategy that was configured. */
  readonly strategy: AuthStrategy;
  /** The strategies that it consists of. */
  readonly strategies: readonly AuthStrategy[];
  /** What the host passed to `fetch` after the request. */
  readonly args: readonly unknown[];
  /** Whether an open connection is checked again. @default {false} */
  readonly recheck?: boolean | undefined;
}

/** Runs strategies, unless an earlier guard of the request ran the same ones. */
export async function decideOnce(
  request: Request,
  { realm, strategy, strategies, args, recheck }: DecisionOptions,
): Promise<Decision> {
  const identity = identityOf(stateOf(request), realm);
  if (identity.decided?.strategy === strategy) return identity.decided.decision;
  const decision = await runStrategies(strategies, { request, args, recheck });
  identity.decided = { strategy, decision };
  return decision;
}

/** Who a request is from, as `getPrincipal()` returns it: for requests that no guard of a router has authenticated. */
export function setPrincipal(
  request: Request,
  { realm, principal }: { readonly realm: Realm; readonly principal: Principal | undefined },
): void {
  enterRealm(request, realm);
  identityOf(stateOf(request), realm).principal = principal;
}

/** The check where a browser may have attached the credential automatically. @throws {TypeError} If there is no CSRF service. */
export function forgeryCheck(
  { csrf, checkOrigin }: GuardRuntime<never>,
  rule: CsrfRule,
  strategies: readonly AuthStrategy[],
): (request: Request) => Promise<void> | undefined {
  if (csrf !== undefined) return csrfCheck("Cannot create guard: csrf", csrf, rule);
  const ambient = strategies.find(isAmbient);
  if (ambient === undefined || rule === "insecureSkip") return () => undefined;
  if (checkOrigin !== undefined && rule === "origin") {
    return (request) => void checkOrigin(request);
  }
  throw new TypeError(
    `Cannot create guard: strategy ${ambient.name} needs a CSRF check`,
  );
}

/** For events only: an error here must not replace the refusal. */
export function addressOf(
  { client, events, warn }: GuardRuntime<never>,
  request: RequestLike,
  args: readonly unknown[],
): string | undefined {
  if (events === undefined) return undefined;
  try {
    return client(request, ...args).address;
  } catch (error) {
    warn("Cannot read client address", error);
    return undefined;
  }
}
