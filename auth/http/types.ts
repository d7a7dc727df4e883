/**
 * Types that guards, sign-ins and routes share.
 *
 * @module
 */

import type { RequestLike } from "../../router/original_request.ts";
import type {
  AccessRules,
  AuthIntegration,
  RegisteredRules,
  RouteOptions,
  RouteRequest,
} from "../../router/types.ts";
import type { AuthorizationManager } from "../authorization.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";
import type { PasswordService } from "../password/password_types.ts";
import type {
  Authentication,
  AuthMethod,
  PasswordAuthentication,
  Principal,
} from "../principal.ts";
import type { CookiePolicy } from "../session/cookie_policy.ts";
import type { CsrfService } from "../session/csrf.ts";
import type { SessionInfo, SessionService } from "../session/types.ts";
import type { StrategyChain } from "../strategy.ts";
import type { LoginClient, ThrottleService } from "../throttle/throttle_types.ts";
import type { TokenService } from "../tokens/token_types.ts";
import type { UserService } from "../users/user_service.ts";
import type { AccountService } from "../accounts/account_types.ts";
import type { SecondFactors } from "../factors/sign_in_types.ts";
import type { OAuthClient } from "../oauth/client_types.ts";
import type { IdentityService } from "../oauth/identity_types.ts";
import type { WebAuthnService } from "../webauthn/service_types.ts";

export type { RequestLike };

/**
 * The CSRF check of guards, for requests that change state and whose credential a browser may have attached
 * automatically: they must come from the application's own pages (`origin`), carry a `token` as well, or are not checked.
 */
export type CsrfRule = "origin" | "token" | "insecureSkip";

/** Whether a guarded route or mount must have the option `authorization`, which may be `"none"`. */
export type AuthorizationPolicy = "optional" | "required";

/** Responds to an {@linkcode AuthError} in the application's own way. If it returns nothing, the response is the problem. */
export type RefusalHandler = (
  error: AuthError,
  req: RouteRequest,
  ...args: unknown[]
) => Response | undefined | Promise<Response | undefined>;

/** What routes may say to a guard: metadata of the authorization manager's type, and the application's scopes. */
export type GuardRules<Metadata> = AccessRules<Metadata, RegisteredRules["scope"]>;

/**
 * What guards need: {@linkcode AuthRuntime} has it, and so has a {@linkcode resourceServer}. `Metadata` is what the
 * authorization manager understands.
 */
export interface GuardRuntime<in Metadata = RegisteredRules["metadata"]> {
  /** Authenticates requests. */
  readonly strategy: StrategyChain;
  /** The CSRF check of guards. */
  readonly csrfRule: CsrfRule;
  /** Decides who may do what; see the option of {@linkcode registerAuth}. */
  readonly authorization: AuthorizationManager<Metadata>;
  /** Whether guarded routes must have the option `authorization`. @default {"optional"} */
  readonly authorizationPolicy?: AuthorizationPolicy | undefined;
  /** Issues and checks CSRF tokens; absent where browsers attach no credential automatically. */
  readonly csrf?: CsrfService | undefined;
  /** Checks the origin of requests where there are no tokens: `csrf: "origin"` of a {@linkcode resourceServer}. */
  readonly checkOrigin?: ((request: Request) => void) | undefined;
  /** Names and attributes of cookies; absent where there are none. */
  readonly cookies?: CookiePolicy | undefined;
  /** Called for every event. */
  readonly events: AuthEventListener | undefined;
  /** Called with warnings. */
  readonly warn: (message: string, error?: unknown) => void;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /**
   * The client of a request, as {@linkcode PasswordService.verify} takes it: its address, and its device if that is known.
   *
   * @param args What the host passed to `fetch` after the request, which handlers get after `req`. Without it the address is
   * unknown on Deno and Bun.
   */
  client(request: RequestLike, ...args: unknown[]): LoginClient;
}

/**
 * The services of an application, created by {@linkcode registerAuth}. Frozen. `Metadata` is what the authorization manager
 * understands; `AuthRuntime<never>` is any runtime.
 */
export interface AuthRuntime<in Metadata = RegisteredRules["metadata"]>
  extends GuardRuntime<Metadata> {
  /** Creates users, and verifies and changes passwords. */
  readonly passwords: PasswordService;
  /** Manages accounts. */
  readonly users: UserService;
  /** Creates, verifies, lists and revokes sessions. {@linkcode signIn} also sets the cookies. */
  readonly sessions: SessionService;
  /** Issues, refreshes and revokes tokens for API clients; absent without the option `jwt`. */
  readonly tokens: TokenService | undefined;
  /** Registers passkeys, and signs in with them; absent without the option `webauthn`. */
  readonly webauthn: WebAuthnService | undefined;
  /** Finds, creates and links accounts of identities at OAuth providers; absent without `stores.identities`. */
  readonly identities: IdentityService | undefined;
  /** Accounts by e-mail; absent without the option `accounts`. */
  readonly accounts: AccountService | undefined;
  /** Second factors; absent without the option `secondFactors`. */
  readonly secondFactors: SecondFactors | undefined;
  /** Issues and checks CSRF tokens. */
  readonly csrf: CsrfService;
  /** Names and attributes of cookies. */
  readonly cookies: CookiePolicy;
  /** Limits login attempts; absent where they are not limited. */
  readonly throttle: ThrottleService | undefined;
  /** The keys that are derived from the secret. */
  readonly keys: DerivedKeys;
  /**
   * Creates a session in place of the one that the request presents. Await it: `applyAuthHeaders`, which
   * `integration()` and `withAuthRoutes` include, puts its cookies into the response; a router without them needs
   * `finally: [applyAuthHeaders]`.
   *
   * Checks the origin of the request against login CSRF, see {@linkcode CsrfService.checkOrigin}, before anything changes: a
   * client that sends no origin needs a CSRF token, or {@linkcode createTokenRoutes}. Safe methods pass: a route for links in
   * mails or the callback of a provider needs a value that only this browser has.
   *
   * @param authentication The result of {@linkcode PasswordService.verify}, {@linkcode WebAuthnService.verifyAuthentication}, or
   * another kind of sign-in.
   * @throws {AuthError} `csrf_failed`, if the request comes from another site's page, or from an unknown one without a token;
   * `mfa_required`, if the user has a second factor: the response sets the cookie for `POST /login/second-factor`.
   * @throws {TypeError} If `authentication` was not returned by a service.
   */
  signIn(
    request: RequestLike,
    authentication: Authentication | PasswordAuthentication,
    options?: SignInOptions,
  ): Promise<SignedIn>;
  /** Revokes the session that the request presents, if there is one, and clears its cookies. */
  signOut(request: RequestLike): Promise<void>;
  /** The routes of authentication as data, see {@linkcode createAuthRoutes}. @throws {TypeError} If an option is unknown. */
  routes(options?: Omit<AuthRoutesOptions, "runtime">): readonly AuthRoute[];
  /** Guard, routes and hooks for `withAuth()` of a builder or router. @throws {TypeError} If `routes` is missing, or an option is unknown. */
  integration(
    options: IntegrationOptions,
  ): AuthIntegration<Principal, unknown[], GuardRules<Metadata>>;
}

/** Authentication with tokens: the result of {@linkcode registerAuth} with the option `jwt`. */
export interface TokenRuntime<in Metadata = RegisteredRules["metadata"]>
  extends AuthRuntime<Metadata> {
  /** Issues, refreshes and revokes tokens for API clients. */
  readonly tokens: TokenService;
}

/** Authentication with passkeys: the result of {@linkcode registerAuth} with the option `webauthn`. */
export interface PasskeyRuntime<in Metadata = RegisteredRules["metadata"]>
  extends AuthRuntime<Metadata> {
  /** Registers passkeys, and signs in with them. */
  readonly webauthn: WebAuthnService;
}

/** Options of {@linkcode AuthRuntime.signIn}. */
export interface SignInOptions {
  /** Whether the session is persistent: "keep me signed in". @default {false} */
  readonly remember?: boolean | undefined;
  /** How the subject proved its identity on this request. @default {"password"} for a password, else `session` */
  readonly method?: AuthMethod | undefined;
}

/** The result of a sign-in. */
export interface SignedIn {
  /** The principal of this and later requests. */
  readonly principal: Principal;
  /** The new session. */
  readonly session: SessionInfo;
  /** CSRF token of the new session; older ones are no longer valid. */
  readonly csrfToken: string;
}

/** Options of {@linkcode createAuthRoutes}. */
export interface AuthRoutesOptions {
  /** Authentication. @default what `registerAuth()` put into the default container, looked up when this is called */
  readonly runtime?: AuthRuntime<never> | undefined;
  /**
   * Whether anyone may create an account; `closed` omits `/register`, and disables sign-ups with a passkey.
   *
   * @default {"open"}
   */
  readonly registration?: "open" | "closed" | undefined;
  /**
   * Whether a sign-in also returns an access token and a refresh token, and `/refresh` exchanges the latter. Needs the option
   * `jwt` of {@linkcode registerAuth}. For clients that are not browsers, see {@linkcode createTokenRoutes}.
   *
   * @default {false}
   */
  readonly tokens?: boolean | undefined;
  /**
   * Clients of OAuth providers, by the name in the routes' path: 1 to 32 of a-z, 0-9 and `-`. The redirect URI of each ends in
   * `/oauth/<name>/callback`. Needs `stores.identities` of {@linkcode registerAuth}.
   *
   * @default none
   */
  readonly oauth?: Readonly<Record<string, OAuthClient>> | undefined;
  /**
   * Path of the page that a browser is sent to when a sign-in with a provider fails, with `?error=` and the code of the problem.
   *
   * @default the response is the problem
   */
  readonly oauthFailurePath?: string | undefined;
}

/** Options of {@linkcode createTokenRoutes}. */
export type TokenRoutesOptions = Omit<AuthRoutesOptions, "tokens" | "oauth" | "oauthFailurePath">;

/** A route of authentication, as data. */
export interface AuthRoute {
  /** Method. */
  readonly method: "GET" | "POST";
  /** Path below the base path. */
  readonly path: string;
  /** Handles the request. */
  readonly handler: (req: RouteRequest, ...args: unknown[]) => Promise<Response>;
  /** Options: public, since these routes check for themselves. */
  readonly options: RouteOptions<unknown[]> & { readonly auth: false };
}

/** Options of the routes of {@linkcode AuthRuntime.integration}. */
export interface IntegrationRoutesOptions extends Omit<AuthRoutesOptions, "runtime"> {
  /** Whether anyone may create an account; `closed` omits `/register`, and disables sign-ups with a passkey. */
  readonly registration: "open" | "closed";
}

/** Options of {@linkcode AuthRuntime.integration}. */
export interface IntegrationOptions {
  /** Path that the routes of authentication are below. @default {"/auth"} */
  readonly basePath?: string | undefined;
  /** Options of these routes; `false` omits the routes. */
  readonly routes: IntegrationRoutesOptions | false;
  /** Responds to refusals in the application's own way, for example by a page. If it returns nothing, the response is the problem. */
  readonly catch?: RefusalHandler | undefined;
}
