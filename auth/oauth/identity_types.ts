/**
 * Types of the identity service.
 *
 * @module
 */

import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { Authentication } from "../principal.ts";
import type { SessionService } from "../session/types.ts";
import type {
  CredentialStore,
  EmailStore,
  Identity,
  IdentityStore,
  UserStore,
} from "../stores/types.ts";
import type { UserInfo } from "../users/user_info.ts";
import type { LogoutToken, OAuthClient, OAuthResult, OAuthTokens } from "./client_types.ts";

/** What becomes of somebody who signs in for the first time. */
export type RegistrationDecision =
  | {
    /** Creates an account. */
    readonly do: "create";
    /** Its identifier. @default the verified e-mail address, or a name that nobody can type */
    readonly identifier?: string | undefined;
  }
  | {
    /** Refuses the sign-in. */
    readonly do: "refuse";
  };

/** Who gets an account at the first sign-in: anybody, nobody, or whom a function admits. */
export type IdentityRegistration =
  | "open"
  | "closed"
  | ((result: OAuthResult) => RegistrationDecision | Promise<RegistrationDecision>);

/** Options of identities that an application chooses. */
export interface IdentityOptions {
  /** Who gets an account at the first sign-in. @default the routes' option `registration`, else `open` */
  readonly registration?: IdentityRegistration | undefined;
  /** Whether the provider's tokens are kept, encrypted, for {@linkcode IdentityService.tokens}. @default {false} */
  readonly keepTokens?: boolean | undefined;
  /**
   * Whether an identity is linked to the account that has verified the same e-mail address, if the provider says that it has
   * verified it, too. Whoever controls that provider controls the account. Needs `stores.emails`.
   *
   * @default {false}, the sign-in fails with `identifier_unavailable`
   */
  readonly linkByVerifiedEmail?: boolean | undefined;
}

/** Options of {@linkcode identityService}. */
export interface IdentityServiceOptions extends IdentityOptions {
  /** Persists identities. */
  readonly identities: IdentityStore;
  /** Persists users. */
  readonly users: UserStore;
  /** Persists the addresses of accounts: those that a provider has verified are. @default they have none */
  readonly emails?: Pick<EmailStore, "findByEmail" | "save"> | undefined;
  /** Lists and revokes sessions. */
  readonly sessions: Pick<SessionService, "list" | "revokeByProvider">;
  /** Persists passkeys, with which a user without identities can sign in. */
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  /** Encrypts kept tokens; required with `keepTokens`. */
  readonly keys?: Pick<DerivedKeys, "encrypt" | "decrypt"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** An identity, as its user sees it. */
export type IdentityInfo = Pick<
  Identity,
  "id" | "provider" | "issuer" | "linkedAt" | "usedAt" | "label"
>;

/** The account of a provider's response. */
export interface ResolvedIdentity {
  /** For `runtime.signIn()`. */
  readonly authentication: Authentication;
  /** Whether the account existed, was created, or the identity was linked to it. */
  readonly account: "known" | "created" | "linked";
  /** The user. */
  readonly user: UserInfo;
}

/** Options of {@linkcode IdentityService.resolve}. */
export interface ResolveOptions {
  /** Who gets an account, unless the service says it. @default {"open"} */
  readonly registration?: "open" | "closed" | undefined;
}

/**
 * Finds, creates and links accounts of identities. An identity is an issuer and a subject; accounts are not found or linked
 * by e-mail address, which another person may have registered, unless both sides have verified it and `linkByVerifiedEmail` is set.
 */
export interface IdentityService {
  /**
   * The account of a provider's response: the one that the identity is linked to, the one to link it to, or a new one.
   *
   * @throws {AuthError} `identity_unknown`, if registration is closed; `identifier_unavailable`, if another account has the
   * e-mail address; `identity_taken`, if the identity to link belongs to another account; `oauth_failed` (reason
   * `link_session_ended`), if the session that began the link has ended; `access_denied`, if the account is disabled.
   * @throws {TypeError} If `result` was not returned by {@linkcode OAuthClient.callback}.
   */
  resolve(result: OAuthResult, options?: ResolveOptions): Promise<ResolvedIdentity>;
  /** Identities of a user, the last used one first. */
  list(sub: string): Promise<readonly IdentityInfo[]>;
  /**
   * Removes an identity. Sessions stay valid.
   *
   * @throws {AuthError} `last_way_in`, if the user could not sign in any more.
   * @returns Whether the user had it.
   */
  unlink(sub: string, id: string): Promise<boolean>;
  /** Revokes the sessions that a logout token names. @returns How many there were. */
  endSessions(logout: LogoutToken): Promise<number>;
  /**
   * The tokens of a user at a provider, refreshed if they expire within a minute: by one of all processes, the others wait.
   *
   * @returns `undefined` if none are kept, or the provider refuses the refresh token.
   * @throws {AuthError} `service_unavailable`, if the provider does not answer; `oauth_failed`, if it answers something else.
   */
  tokens(client: OAuthClient, sub: string): Promise<OAuthTokens | undefined>;
}
