/**
 * The records of authentication, and the interfaces of the stores that persist them. Every time is in seconds since the
 * epoch. Where a method's result is a string, the method is a compare-and-swap: of several concurrent callers exactly one
 * wins, and nothing is read in one step and written in another.
 *
 * @module
 */

import type { ApiKeyStore, CredentialStore } from "./credential_types.ts";
import type { FactorStore } from "./factor_types.ts";
import type { IdentityStore } from "./identity_types.ts";
import type { AuthorizationStore, ClientStore } from "./server_types.ts";
import type { SessionStore } from "./session_types.ts";
import type { EmailStore, UserStore } from "./user_types.ts";
import type { LoginThrottle } from "../throttle/rule.ts";

export type { LoginThrottle } from "../throttle/rule.ts";
export type {
  ApiKey,
  ApiKeyStore,
  Credential,
  CredentialStore,
  CredentialUse,
} from "./credential_types.ts";
export type {
  FactorStore,
  NewUserFactors,
  PendingTotp,
  StoredTotp,
  UserFactors,
} from "./factor_types.ts";
export type { Identity, IdentityPatch, IdentityStore, NewIdentity } from "./identity_types.ts";
export type * from "./server_types.ts";
export type { Session, SessionStore } from "./session_types.ts";
export type {
  EmailStore,
  ListUsersOptions,
  NewUser,
  User,
  UserAttributes,
  UserEmail,
  UserPatch,
  UserStore,
} from "./user_types.ts";

/** Persists single-use values: OAuth state, challenges. Values are JSON, but not `null`. */
export interface StateStore {
  /** Stores a value until a time, in place of an earlier one. */
  put(key: string, value: unknown, expiresAt: number): Promise<void>;
  /** Removes and returns a value: one of many callers gets it. `null` from `expiresAt` on. */
  consume(key: string): Promise<unknown | null>;
  /** Stores a mark until a time, unless the key has a value or mark: of concurrent callers one gets `claimed`. */
  claim(key: string, expiresAt: number): Promise<"claimed" | "taken">;
}

/** The refresh tokens that descend from one sign-in. One record, so that one compare-and-swap decides. */
export interface RefreshFamily {
  /** Public identifier: the digest of the first part of every token of the family. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** The user's security stamp when it was created: under another one it is invalid. */
  readonly securityStamp: string;
  /** The session that it belongs to. */
  readonly sessionId?: string;
  /** SHA-256 of the one valid token's secret. */
  readonly currentHash: string;
  /** The last rotation, if its answer may be repeated. */
  readonly previous?: RepeatableRotation | undefined;
  /** Number of rotations. */
  readonly generation: number;
  /** Whether it was revoked. */
  readonly revoked: boolean;
  /** When it was created. */
  readonly createdAt: number;
  /** When the current token expires; a rotation extends it. */
  readonly expiresAt: number;
  /** When the family expires, however often it is rotated. */
  readonly familyExpiresAt: number;
  /** When the user authenticated; rotations do not change it. */
  readonly authTime: number;
  /** Authentication methods, RFC 8176. */
  readonly amr: readonly string[];
  /** Authentication context class. */
  readonly acr?: string;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[];
  /** JSON data of the issuer of the first token: the client. */
  readonly data?: unknown;
}

/** A rotation whose answer may be repeated: who presents the same secret again gets the same successor. */
export interface RepeatableRotation {
  /** SHA-256 of the secret that was presented. */
  readonly hash: string;
  /** From it and that secret the successor is computed. */
  readonly salt: string;
  /** Until when. */
  readonly until: number;
}

/** One rotation of a family. */
export interface RefreshRotation {
  /** The family. */
  readonly familyId: string;
  /**
   * The family as `find()` returned it. A store may compare and swap from it and so spare a second read; where the record
   * has changed since, the current one decides.
   */
  readonly found?: RefreshFamily | undefined;
  /** SHA-256 of the presented secret. */
  readonly fromHash: string;
  /** SHA-256 of the next secret. If it equals `fromHash`, the secret stays the current one; the outcome is the same. */
  readonly toHash: string;
  /** The time. */
  readonly now: number;
  /** When the next token expires; never later than the family. */
  readonly expiresAt: number;
  /** This rotation, if its answer may be repeated: what the store keeps as `previous` of the family. @default none */
  readonly previous?: RepeatableRotation | undefined;
}

/** Which families to revoke. */
export type RefreshSelector =
  | { readonly familyId: string }
  | { readonly sessionId: string }
  | {
    readonly sub: string;
    /** Except families of this session. */
    readonly exceptSessionId?: string;
    /** Only families of this session. */
    readonly onlySessionId?: string;
  };

/** Persists refresh families. A family is not returned from its `familyExpiresAt` on. */
export interface RefreshTokenStore {
  /** Adds a family. */
  create(family: RefreshFamily): Promise<void>;
  /** Finds a family, including a revoked one. */
  find(familyId: string): Promise<RefreshFamily | null>;
  /**
   * Replaces the current secret, in one compare-and-swap. The result is the first of these that applies: `not_found`,
   * `revoked`, `repeated` for the secret of `previous` before its `until`, which changes nothing, `reused` for any secret except the current one, which revokes the family in the same step, `expired`, `rotated`.
   */
  rotate(
    rotation: RefreshRotation,
  ): Promise<"rotated" | "repeated" | "reused" | "expired" | "revoked" | "not_found">;
  /** Revokes families. */
  revoke(by: RefreshSelector): Promise<void>;
  /** Families of a user that are not revoked, in any order, including those whose current token has expired. */
  list(sub: string): Promise<readonly RefreshFamily[]>;
}

/** A signing key as it is stored. */
export interface StoredKey {
  /** Key id: its RFC 7638 thumbprint. */
  readonly kid: string;
  /** Algorithm, RFC 7518. */
  readonly alg: string;
  /** The private key: a JWK, or a JWK encrypted as a compact JWE, RFC 7516. */
  readonly key: unknown;
  /** When it was created. */
  readonly createdAt: number;
  /** When it starts to sign. */
  readonly activeAt: number;
  /** When it stops to sign. */
  readonly retiredAt?: number;
}

/** All signing keys: one record with one version. */
export interface KeyRing {
  /** Changes with every save. */
  readonly version: string;
  /** The keys. */
  readonly keys: readonly StoredKey[];
}

/** Persists the signing keys. */
export interface KeyStore {
  /**
   * Whether stored keys outlive the process, as in a database: private keys must then be encrypted.
   *
   * @default {false}
   */
  readonly persistent?: boolean | undefined;
  /** The keys as they were last saved, if there are any. A stale replica would restore revoked keys. */
  load(): Promise<KeyRing | null>;
  /** Replaces the keys if they still have the version that was read; `null` if there are none. */
  save(keys: readonly StoredKey[], expected: string | null): Promise<"saved" | "lost">;
}

/** One store of each kind. */
export interface AuthStores {
  /** Users. */
  readonly users: UserStore;
  /** E-mail addresses of users. */
  readonly emails: EmailStore;
  /** Sessions. */
  readonly sessions: SessionStore;
  /** Passkeys. */
  readonly credentials: CredentialStore;
  /** Single-use values. */
  readonly states: StateStore;
  /** Refresh families. */
  readonly refreshTokens: RefreshTokenStore;
  /** Signing keys. */
  readonly keys: KeyStore;
  /** Counts of attempts. */
  readonly throttle: LoginThrottle;
  /** API keys. */
  readonly apiKeys: ApiKeyStore;
  /** Identities at OAuth providers. */
  readonly identities: IdentityStore;
  /** Second factors. */
  readonly factors: FactorStore;
  /** Authorizations of an authorization server, with their codes. */
  readonly authorizations: AuthorizationStore;
  /** Clients of an authorization server. */
  readonly clients: ClientStore;
}
