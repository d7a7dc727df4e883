/**
 * `createAuthContext` and `requireSubject`: who a GraphQL operation is from.
 *
 * @module
 */

import { defaultContainer } from "../../router/builder/container.ts";
import { isAmbient, varyOf } from "../_challenge.ts";
import { createEmitter } from "../_emit.ts";
import { rejectUnknownOptions } from "../_options.ts";
import type { AuthorizationManager } from "../authorization.ts";
import { AuthError } from "../error.ts";
import { addressOf, decideOnce, forgeryCheck, setPrincipal } from "../http/authenticate.ts";
import type { GuardOptions } from "../http/guard.ts";
import { resourceServer } from "../http/resource_server.ts";
import { AUTH_RUNTIME, getAuthRuntime } from "../http/runtime.ts";
import type { GuardRuntime } from "../http/types.ts";
import type { Principal } from "../principal.ts";
import { chain, type Decision, runStrategies } from "../strategy.ts";
import { refusalError } from "./_error.ts";
import { type IncomingLike, toRequest } from "./_to_request.ts";
import { AUTH_STATE, type AuthState, type Identity, registerState, stateOf } from "./_state.ts";
import type { SchemaLike } from "./schema_types.ts";

export type { IncomingLike };

/** Options of {@linkcode createAuthContext}. */
export interface AuthContextOptions extends Omit<GuardOptions<never>, "manager"> {
  /**
   * Authentication: the result of `registerAuth()` or `resourceServer()`.
   *
   * @default what `registerAuth()` put into the default container, if it was called; else `strategy` is required
   */
  readonly runtime?: GuardOptions<never>["runtime"];
}

/** What a server knows of an operation besides its request. */
export interface OperationOptions {
  /**
   * Payload of `connection_init`, for operations over a WebSocket: members named as the header fields of credentials, such as
   * `Authorization`, count as these.
   */
  readonly connectionParams?: Readonly<Record<string, unknown>> | null | undefined;
  /** What the host passed to `fetch` after the request, for the client's address in events. */
  readonly args?: readonly unknown[] | undefined;
}

/** The context of an operation, for `contextValue`; spread it into a larger one. */
export interface GraphqlAuthContext {
  /** The authenticated subject; `undefined` for anonymous requests, and for those with an invalid credential. */
  readonly principal: Principal | undefined;
  /** The request. */
  readonly request: Request;
}

/**
 * Creates the function that makes a GraphQL server's context from a request, a standard or a Node.js one: it authenticates it,
 * and checks requests against forgery as guards of routes do. An invalid credential does not fail the request: fields with a
 * declaration are refused with `UNAUTHENTICATED`.
 *
 * Each operation needs a context of its own.
 *
 * @returns The function. It rejects if a strategy throws.
 * @throws {TypeError} If there is neither a runtime nor a strategy, a strategy accepts a credential that browsers attach
 * automatically and there is no CSRF service, or an option is unknown.
 */
export function createAuthContext(
  options: AuthContextOptions = {},
): (
  request: Request | IncomingLike,
  operation?: OperationOptions,
) => Promise<GraphqlAuthContext> {
  rejectUnknownOptions<AuthContextOptions>("Cannot create context", options, {
    runtime: true,
    strategy: true,
    csrf: true,
  });
  const runtime = runtimeOf(options);
  const { strategy = runtime.strategy } = options;
  const { strategies } = chain([strategy]);
  const checkForgery = forgeryCheck(runtime, options.csrf ?? runtime.csrfRule, strategies);
  const fields = varyOf(strategies).filter((name) => name.toLowerCase() !== "cookie");
  const emit = createEmitter(runtime);

  /** Who the request is from, for `getPrincipal()` too. A forged one is from nobody. */
  async function identify(decision: Decision, request: Request, args: readonly unknown[]) {
    const identity = await check(decision, request, args);
    setPrincipal(request, { realm: runtime.strategy, principal: identity.principal });
    return identity;
  }

  async function check(
    { by, result }: Decision,
    request: Request,
    args: readonly unknown[],
  ): Promise<Identity> {
    if (by === undefined) return { status: "anonymous" };
    const address = () => addressOf(runtime, request, args);
    if (result.status === "failed") {
      const { code, message } = result;
      const refused = { strategy: by.name, code, message, route: "graphql" };
      emit("credential.refused", { ...refused, address: address() });
      return { status: "failed" };
    }
    try {
      if (isAmbient(by)) await checkForgery(request);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      return { status: "failed" }; // reported by `csrf.failed`
    }
    return { status: "authenticated", principal: result.principal };
  }

  return async (incoming, { connectionParams, args = [] } = {}) => {
    const request = toRequest(incoming, { connectionParams, fields });
    const decision = await decideOnce(request, {
      realm: runtime.strategy,
      strategy,
      strategies,
      args,
    });
    const first = await identify(decision, request, args);
    const state: AuthState = registerState({
      identity: first,
      memo: new WeakMap(),
      reported: new WeakSet(),
      request,
      manager: runtime.authorization as AuthorizationManager, // metadata is the application's
      now: runtime.now,
      deny: (reason, route) => {
        const sub = state.identity.principal?.sub;
        emit("authz.denied", { reason, route, sub, address: addressOf(runtime, request, args) });
      },
      warn: runtime.warn,
      async renew() {
        state.memo = new WeakMap();
        state.reported = new WeakSet();
        if (first.status !== "authenticated") return;
        state.identity = await renewed(first.principal);
      },
    });

    /** Anyone else than at the start is not whom the stream was opened for. */
    async function renewed({ sub }: Principal): Promise<Identity> {
      try {
        const identity = await identify(
          await runStrategies(strategies, { request, args, recheck: true }),
          request,
          args,
        );
        return identity.principal?.sub === sub ? identity : { status: "failed" };
      } catch (error) {
        runtime.warn("Cannot authenticate the event of a GraphQL subscription", error);
        return { status: "unavailable" };
      }
    }

    const context = { principal: first.principal, request, [AUTH_STATE]: state };
    return context;
  };
}

/**
 * The principal of a context, for resolvers that cannot work without one.
 *
 * @param info The resolver's `info`. Needed only in processes with more than one copy of `graphql`: servers mask errors that
 * are not of the schema's own.
 * @throws {GraphQLError} `UNAUTHENTICATED`, for an anonymous request, an invalid credential, and any other context.
 */
export function requireSubject(
  context: unknown,
  info?: { readonly schema: SchemaLike },
): Principal {
  const principal = stateOf(context)?.identity.principal;
  if (principal !== undefined) return principal;
  throw refusalError("UNAUTHENTICATED", info?.schema);
}

/** A strategy alone needs no runtime, unless browsers attach its credential automatically. */
function runtimeOf({ runtime, strategy }: AuthContextOptions): GuardRuntime<never> {
  if (runtime !== undefined) return runtime;
  if (strategy === undefined || defaultContainer.has(AUTH_RUNTIME)) return getAuthRuntime();
  return resourceServer({ strategies: [strategy] });
}
