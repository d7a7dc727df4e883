/**
 * The guard: authentication, CSRF check and authorization of a request.
 *
 * @module
 */

import { mayBeAnonymous } from "../../router/access.ts";
import type {
  AccessRules,
  Middleware,
  RegisteredRules,
  RouteAccess,
  RouteGuard,
  RouteRequest,
} from "../../router/types.ts";
import type { RecheckRequest } from "../../router/request.ts";
import { challengeOf, isAmbient, varyOf } from "../_challenge.ts";
import { createEmitter } from "../_emit.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { type AuthorizationManager, type HttpTransport, isAllowed } from "../authorization.ts";
import { AuthError } from "../error.ts";
import type { Principal } from "../principal.ts";
import { type AuthFailed, type AuthStrategy, chain } from "../strategy.ts";
import {
  addVary,
  enterRealm,
  identityOf,
  queueCookies,
  type RequestState,
  stateOf,
} from "./_request_state.ts";
import { missingScope, withScope } from "./_scope_check.ts";
import { checkStepUp } from "./_step_up.ts";
import { addressOf, decideOnce, forgeryCheck } from "./authenticate.ts";
import { getAuthRuntime } from "./runtime.ts";
import type { AuthorizationPolicy, CsrfRule, GuardRuntime } from "./types.ts";

/** Options of guards. `Metadata` is what the manager understands, `Known` what the runtime's does. */
export interface GuardOptions<Metadata = RegisteredRules["metadata"], Known = Metadata> {
  /**
   * Authentication: the result of `registerAuth()` or `resourceServer()`.
   *
   * @default what `registerAuth()` put into the default container, looked up when this is called
   */
  readonly runtime?: GuardRuntime<Known> | undefined;
  /** Authenticates requests. @default the runtime's */
  readonly strategy?: AuthStrategy | undefined;
  /** The CSRF check. @default the runtime's */
  readonly csrf?: CsrfRule | undefined;
  /** Decides who may do what. @default the runtime's */
  readonly manager?: AuthorizationManager<Metadata> | undefined;
}

/** A guard, and what routers, documents and responses need to know of it. */
export interface AuthGuard<Metadata> {
  readonly guard: RouteGuard<Principal, unknown[], AccessRules<Metadata>>;
  readonly authorize: (
    req: RouteRequest,
    principal: Principal | undefined,
    access: RouteAccess<AccessRules<Metadata>>,
    ...args: unknown[]
  ) => void | Promise<void>;
  /** Emits the event of a denial. @returns The error, to be thrown. */
  readonly deny: (
    error: AuthError,
    principal: Principal | undefined,
    req: RouteRequest,
    args: readonly unknown[],
  ) => AuthError;
  readonly authorizationPolicy: AuthorizationPolicy;
  readonly before: readonly Middleware<unknown[]>[];
  readonly strategies: readonly AuthStrategy[];
  readonly challenge: string;
}

/** Creates a guard. */
export function createGuard<Metadata, Known>(
  options: GuardOptions<Metadata, Known>,
): AuthGuard<Metadata> {
  rejectUnknownOptions<GuardOptions<Metadata, Known>>("Cannot create guard", options, {
    runtime: true,
    strategy: true,
    csrf: true,
    manager: true,
  });
  const runtime: GuardRuntime<never> = options.runtime ?? getAuthRuntime();
  const { strategy = runtime.strategy } = options;
  // without a manager of its own, Metadata is what the runtime's understands
  const { manager = runtime.authorization as AuthorizationManager<Metadata> } = options;
  if (typeof manager?.authorize !== "function") {
    throw new TypeError("Cannot create guard: the authorization manager has no authorize()");
  }
  const { authorizationPolicy = "optional", strategy: realm } = runtime;
  const { strategies } = chain([strategy]);
  const challenge = challengeOf(strategies);
  const vary = varyOf(strategies);
  const checkForgery = forgeryCheck(runtime, options.csrf ?? runtime.csrfRule, strategies);
  const emit = createEmitter(runtime);

  /** Before the schemas of path and query: authentication, the CSRF check, and the step-up check. */
  async function guard(
    req: RouteRequest,
    access: RouteAccess<AccessRules<Metadata>>,
    ...args: unknown[]
  ): Promise<Principal | undefined> {
    const state = stateOf(req);
    const identity = identityOf(state, realm);
    enterRealm(req, realm);
    addVary(state, vary);
    identity.challenge = challenge;
    state.isRefused = true; // until it has passed
    const { by, principal } = await authenticate(state, req, access, args);
    if (by !== undefined && isAmbient(by)) await checkForgery(req.raw);
    if (principal === undefined && !mayBeAnonymous(access)) {
      throw unauthenticated(challenge, access.scope);
    }
    const tooWeak = principal && checkStepUp(principal, access, { challenge, now: runtime.now });
    if (tooWeak !== undefined) throw deny(tooWeak, principal, req, args);
    identity.principal = principal ?? identity.principal;
    state.isPrivate ||= principal !== undefined;
    state.isRefused = false;
    return principal;
  }

  /** After them, and before the body: scopes, and the authorization manager. */
  function authorize(
    req: RouteRequest,
    principal: Principal | undefined,
    { scope, authorization = "none" }: RouteAccess<AccessRules<Metadata>>,
    ...args: unknown[]
  ): void | Promise<void> {
    if (authorization === "none" && principal?.scope === undefined) return;
    const state = stateOf(req);
    state.isRefused = true; // until it has passed
    const missing = missingScope(principal, scope, challenge);
    if (missing !== undefined) throw deny(missing, principal, req, args);
    if (authorization === "none") return void (state.isRefused = false);
    return askManager(principal, authorization.metadata, req, args)
      .then(() => void (state.isRefused = false));
  }

  /** Which strategy found a credential, and whose it is. An invalid credential is a 401. */
  async function authenticate(
    state: RequestState,
    req: RouteRequest,
    access: RouteAccess,
    args: readonly unknown[],
  ): Promise<{ readonly by?: AuthStrategy; readonly principal?: Principal }> {
    const { recheck } = req as RecheckRequest;
    const options = { realm, strategy, strategies, args, recheck };
    const { by, result } = await decideOnce(req.raw, options);
    if (by === undefined) return {};
    if (result.status === "failed") throw refuse(result, by, state, req, access, args);
    return { by, principal: result.principal };
  }

  /** An invalid session cookie is cleared, or the browser would keep sending it. */
  function refuse(
    { code, message, challenge }: AuthFailed,
    by: AuthStrategy,
    state: RequestState,
    req: RouteRequest,
    { scope }: RouteAccess,
    args: readonly unknown[],
  ): AuthError {
    const location = { route: req.route, address: addressOf(runtime, req, args) };
    emit("credential.refused", { strategy: by.name, code, message, ...location });
    const { cookies } = runtime;
    if (by.scheme?.type === "cookie" && by.scheme.name === cookies?.names.sid) {
      queueCookies(state, [cookies.clear("sid")]);
    }
    return unauthenticated(challenge ?? challengeOf([by]), scope, code, message);
  }

  async function askManager(
    principal: Principal | undefined,
    metadata: Metadata,
    req: RouteRequest,
    args: readonly unknown[],
  ): Promise<void> {
    const result = await manager.authorize(principal, { metadata, transport: transportOf(req) });
    if (isAllowed(result)) return;
    const { reason } = result;
    throw deny(new AuthError("access_denied", { reason }), principal, req, args);
  }

  /** The event has the route and the reason, the response has neither. */
  function deny(
    error: AuthError,
    principal: Principal | undefined,
    req: RouteRequest,
    args: readonly unknown[],
  ): AuthError {
    const location = { route: req.route, address: addressOf(runtime, req, args) };
    emit("authz.denied", { reason: error.reason ?? error.code, sub: principal?.sub, ...location });
    return error;
  }

  const claim: Middleware<unknown[]> = (req) => enterRealm(req, realm);
  return { guard, authorize, deny, authorizationPolicy, before: [claim], strategies, challenge };
}

function unauthenticated(
  challenge: string,
  scope: RouteAccess["scope"],
  code?: string,
  reason?: string,
): AuthError {
  const headers = { "WWW-Authenticate": withScope(challenge, scope) };
  return new AuthError("unauthenticated", { headers, code, reason });
}

/** Parameters and query are decoded when a manager reads them, unless a schema has. */
function transportOf(req: RouteRequest): HttpTransport {
  return {
    kind: "http",
    request: req.raw,
    route: req.route,
    get params() {
      return req.params;
    },
    get query() {
      return req.query;
    },
  };
}
