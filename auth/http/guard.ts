/**
 * The guard: who asks, whether it is no forgery, and whether it may.
 *
 * @module
 */

import { mayBeAnonymous } from "../../router/access.ts";
import type { RouteAccess, RouteGuard, RouteRequest } from "../../router/types.ts";
import { challengeOf, isAmbient, varyOf } from "../_challenge.ts";
import { createEmitter } from "../_emit.ts";
import { dependOn, findState, queueCookies, stateOf } from "./_request_state.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { type AuthorizationManager, isAllowed } from "../authorization.ts";
import { AuthError } from "../error.ts";
import { csrfCheck } from "./csrf_guard.ts";
import { type AnyRequest, type CsrfRule, getAuthRuntime, type GuardRuntime } from "./runtime.ts";
import type { Principal } from "../principal.ts";
import type { ActiveSession } from "../session/types.ts";
import {
  type AuthFailed,
  type AuthStrategy,
  chain,
  type Decision,
  runStrategies,
} from "../strategy.ts";
import { activeSessionOf } from "../session/strategy.ts";

/** Options of guards. */
export interface GuardOptions {
  /**
   * Authentication: what `registerAuth()` or `resourceServer()` made.
   *
   * @default what `registerAuth()` put into the default container, looked up when this is called
   */
  readonly runtime?: GuardRuntime | undefined;
  /** How requests say who asks. @default the runtime's */
  readonly strategy?: AuthStrategy | undefined;
  /** What is asked against forged requests. @default the runtime's */
  readonly csrf?: CsrfRule | undefined;
  /** Decides who may do what. @default the runtime's */
  readonly manager?: AuthorizationManager | undefined;
}

/** A guard, and what routers, documents and answers have to know of it. */
export interface AuthGuard {
  readonly guard: RouteGuard<Principal>;
  readonly authorizes: true;
  readonly strategies: readonly AuthStrategy[];
  readonly challenge: string;
}

/** Makes a guard. */
export function createGuard(options: GuardOptions): AuthGuard {
  rejectUnknownOptions<GuardOptions>("Cannot create guard", options, {
    runtime: true,
    strategy: true,
    csrf: true,
    manager: true,
  });
  const runtime = options.runtime ?? getAuthRuntime();
  const { strategy = runtime.strategy, manager = runtime.authorization } = options;
  if (typeof manager?.authorize !== "function") {
    throw new TypeError("Cannot create guard: the authorization manager has no authorize()");
  }
  const { strategies } = chain([strategy]);
  const challenge = challengeOf(strategies);
  const vary = varyOf(strategies);
  const checkForgery = forgeryCheck(runtime, options.csrf ?? runtime.csrfRule, strategies);
  const emit = createEmitter(runtime);

  /** Asks the strategies, or remembers what they said to a guard before. */
  async function ask(req: RouteRequest, args: readonly unknown[]): Promise<Decision> {
    const state = stateOf(req);
    if (state.decided?.strategy === strategy) return state.decided.decision;
    const decision = await runStrategies(strategies, { request: req.raw, args });
    state.decided = { strategy, decision };
    return decision;
  }

  /** Finds who asks. A credential that is wrong, or that somebody else's page made use of, ends the request. */
  async function authenticate(
    req: RouteRequest,
    args: readonly unknown[],
  ): Promise<Principal | undefined> {
    const { by, result } = await ask(req, args);
    if (by === undefined) return undefined;
    if (result.status === "failed") throw refusal(result, by, req, args);
    if (isAmbient(by)) await checkForgery(req.raw);
    return result.principal;
  }

  /** The client gets the code. A session's cookie that is good for nothing goes, or the browser would be stuck with it. */
  function refusal(
    { code, message, challenge }: AuthFailed,
    by: AuthStrategy,
    req: RouteRequest,
    args: readonly unknown[],
  ): AuthError {
    const where = { route: req.route, address: addressOf(runtime, req, args) };
    emit("credential.refused", { strategy: by.name, code, message, ...where });
    const { cookies } = runtime;
    if (by.scheme?.type === "cookie" && by.scheme.name === cookies?.names.sid) {
      queueCookies(stateOf(req), [cookies.clear("sid")]);
    }
    return unauthenticated(challenge ?? challengeOf([by]), code, message);
  }

  async function authorize(
    principal: Principal | undefined,
    { authorization }: RouteAccess,
    req: RouteRequest,
    args: readonly unknown[],
  ): Promise<void> {
    if (authorization === undefined) return;
    const { metadata } = authorization;
    const result = await manager.authorize(principal, { metadata, transport: transportOf(req) });
    if (isAllowed(result)) return;
    const { reason } = result;
    const where = { route: req.route, address: addressOf(runtime, req, args) };
    emit("authz.denied", { reason, sub: principal?.sub, ...where });
    throw new AuthError("access_denied", { reason });
  }

  // Who asks, whether somebody is needed, who may: in this order, and all before the body
  async function guard(
    req: RouteRequest,
    access: RouteAccess,
    ...args: unknown[]
  ): Promise<Principal | undefined> {
    const state = stateOf(req);
    dependOn(state, vary);
    state.challenge = challenge;
    const wasPrivate = state.isPrivate;
    state.isPrivate = true; // until it is known that nobody asks
    const principal = await authenticate(req, args);
    if (principal === undefined && !mayBeAnonymous(access)) throw unauthenticated(challenge);
    await authorize(principal, access, req, args);
    state.principal = principal ?? state.principal;
    state.isPrivate = wasPrivate || principal !== undefined;
    return principal;
  }

  return { guard, authorizes: true, strategies, challenge };
}

/**
 * The principal of a request that a guard let pass, or that has just signed in. Where a route's types know it, read
 * `req.principal`.
 *
 * @param request The router's request, or the standard one.
 * @returns `undefined` for anonymous requests, and where no guard ran.
 */
export function getPrincipal(request: AnyRequest): Principal | undefined {
  return findState(request)?.principal;
}

/**
 * The session behind a request that a guard let pass by its cookie, and its user.
 *
 * @param request The router's request, or the standard one.
 * @returns `undefined` for anonymous requests, those with a credential of another kind, and where no guard ran.
 */
export function getSession(request: AnyRequest): ActiveSession | undefined {
  const principal = getPrincipal(request);
  return principal === undefined ? undefined : activeSessionOf(principal);
}

/** What is asked where a browser may have sent the credential by itself. @throws {TypeError} If nobody can ask it. */
function forgeryCheck(
  { csrf }: GuardRuntime,
  rule: CsrfRule,
  strategies: readonly AuthStrategy[],
): (request: Request) => Promise<void> | undefined {
  if (csrf !== undefined) return csrfCheck("Cannot create guard: csrf", csrf, rule);
  const ambient = strategies.find(isAmbient);
  if (ambient === undefined || rule === "insecureSkip") return () => undefined;
  throw new TypeError(
    `Cannot create guard: strategy ${ambient.name} needs a check against forged requests, which registerAuth() has`,
  );
}

/** For events alone: whatever goes wrong here must not take a refusal's place. */
function addressOf(
  { client, events, warn }: GuardRuntime,
  req: RouteRequest,
  args: readonly unknown[],
): string | undefined {
  if (events === undefined) return undefined;
  try {
    return client(req, ...args).address;
  } catch (error) {
    warn("Cannot tell the address of a refused request: clientAddress failed", error);
    return undefined;
  }
}

function unauthenticated(challenge: string, code?: string, reason?: string): AuthError {
  const headers = { "WWW-Authenticate": challenge };
  return new AuthError("unauthenticated", { headers, code, reason });
}

/** Parameters are decoded when a manager asks for them. */
function transportOf(req: RouteRequest) {
  return {
    kind: "http" as const,
    request: req.raw,
    route: req.route,
    get params() {
      return req.params;
    },
  };
}
