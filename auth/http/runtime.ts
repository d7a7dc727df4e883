/**
 * `AuthRuntime`: authentication put together, and how parts of an application find it.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/container.ts";
import type { AuthIntegration } from "../../router/types.ts";
import type { AuthorizationManager } from "../authorization.ts";
import type { CookiePolicy } from "../session/cookie_policy.ts";
import type { CsrfService } from "../session/csrf.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { RefusalHandler } from "./errors.ts";
import type { AuthRoute, AuthRoutesOptions } from "./routes.ts";
import type { PasswordService } from "../password/password_service.ts";
import type { Authentication, PasswordAuthentication, Principal } from "../principal.ts";
import type { SessionService } from "../session/types.ts";
import type { SignedIn, SignInOptions } from "./sign_in.ts";
import type { StrategyChain } from "../strategy.ts";
import type { LoginClient, ThrottleService } from "../throttle/throttle_service.ts";
import type { TokenService } from "../tokens/token_types.ts";
import type { UserService } from "../users/user_service.ts";

/** Name that a container has the runtime under. */
export const AUTH_RUNTIME = "auth.Runtime" as const;

/** A standard request, or what a router of ours made of it. */
export type AnyRequest = Request | { readonly raw: Request };

/**
 * What guards ask of requests that change something and whose credential the browser may have sent by itself: that they
 * come from the application's own pages (`origin`), with a `token` as well, or nothing.
 */
export type CsrfRule = "origin" | "token" | "insecureSkip";

/** Options of {@linkcode AuthRuntime.integration}. */
export interface IntegrationOptions {
  /** Path that the routes of authentication are beneath. @default {"/auth"} */
  readonly basePath?: string | undefined;
  /** Options of these routes, by which people may register themselves unless they say `closed`; `false` leaves them out. */
  readonly routes?: Omit<AuthRoutesOptions, "runtime"> | false | undefined;
  /** Answers for refusals in the application's own way, say by a page. Nothing returned means the problem. */
  readonly catch?: RefusalHandler | undefined;
}

/** What guards need: {@linkcode AuthRuntime} has it, and so has a {@linkcode resourceServer}. */
export interface GuardRuntime {
  /** How requests say who asks. */
  readonly strategy: StrategyChain;
  /** What guards ask against forged requests. */
  readonly csrfRule: CsrfRule;
  /** Decides who may do what; see the option of {@linkcode registerAuth}. */
  readonly authorization: AuthorizationManager;
  /** Makes and checks tokens against forged requests; absent where no browser sends a credential by itself. */
  readonly csrf?: CsrfService | undefined;
  /** Names and attributes of cookies; absent where there are none. */
  readonly cookies?: CookiePolicy | undefined;
  /** Is told of what happens. */
  readonly events: AuthEventListener | undefined;
  /** Is told of what should not stay as it is. */
  readonly warn: (message: string, error?: unknown) => void;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /**
   * Who asks: the client's address, and the browser if it is known.
   *
   * @param args What the host handed to `fetch` behind the request, and handlers get behind `req`; without it, on Deno and
   * Bun, the address is not known.
   */
  client(request: AnyRequest, ...args: unknown[]): LoginClient;
}

/** Authentication, put together by {@linkcode registerAuth}. Frozen. */
export interface AuthRuntime extends GuardRuntime {
  /** Creates users, and verifies and changes passwords. */
  readonly passwords: PasswordService;
  /** Looks after accounts. */
  readonly users: UserService;
  /** Begins, verifies, lists and ends sessions. {@linkcode signIn} also sets the cookies. */
  readonly sessions: SessionService;
  /** Issues, refreshes and revokes tokens for programs; absent without the option `jwt`. */
  readonly tokens: TokenService | undefined;
  /** Makes and checks tokens against forged requests. */
  readonly csrf: CsrfService;
  /** Names and attributes of cookies. */
  readonly cookies: CookiePolicy;
  /** Counts attempts; absent where nobody does. */
  readonly throttle: ThrottleService | undefined;
  /** The secret's keys. */
  readonly keys: DerivedKeys;
  /**
   * Who tries to sign in, as {@linkcode PasswordService.verify} wants to know: the client's address, and the browser if
   * it is known.
   *
   * @param args What the host handed to `fetch` behind the request, and handlers get behind `req`; without it, on Deno and
   * Bun, the address is not known.
   */
  client(request: AnyRequest, ...args: unknown[]): LoginClient;
  /**
   * Begins a session in place of the one that the request presents. Await it: `applyAuthHeaders`, which
   * `integration()` and `withAuthRoutes` bring along, puts its cookies into the response; a router without them needs
   * `finally: [applyAuthHeaders]`.
   *
   * Where people sign in by a form of yours, let other sites not do it for them: `use: [csrfGuard({ csrf, mode: "origin" })]`
   * on its route.
   *
   * @param authentication What {@linkcode PasswordService.verify} or a sign-in of another kind made.
   * @throws {TypeError} If it is none.
   */
  signIn(
    request: AnyRequest,
    authentication: Authentication | PasswordAuthentication,
    options?: SignInOptions,
  ): Promise<SignedIn>;
  /** Ends the session that the request presents, if there is one, and takes its cookies away. */
  signOut(request: AnyRequest): Promise<void>;
  /** The routes of authentication, see {@linkcode createAuthRoutes}. @throws {TypeError} If an option is unknown. */
  routes(options?: Omit<AuthRoutesOptions, "runtime">): readonly AuthRoute[];
  /** Guard, routes and hooks for `withAuth()` of a builder or router. @throws {TypeError} If an option is unknown. */
  integration(options?: IntegrationOptions): AuthIntegration<Principal>;
}

/** Authentication with tokens: what {@linkcode registerAuth} makes of the option `jwt`. */
export interface TokenRuntime extends AuthRuntime {
  /** Issues, refreshes and revokes tokens for programs. */
  readonly tokens: TokenService;
}

/**
 * Finds what {@linkcode registerAuth} made.
 *
 * @param container Where it was registered. @default {defaultContainer}
 * @throws {TypeError} If nothing was.
 */
export function getAuthRuntime(container: Container = defaultContainer): AuthRuntime {
  if (!container.has(AUTH_RUNTIME)) {
    throw new TypeError(
      "Cannot find authentication: call registerAuth() first, or give the option runtime",
    );
  }
  return container.resolve<AuthRuntime>(AUTH_RUNTIME);
}
