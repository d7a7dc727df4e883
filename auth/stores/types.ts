/**
 * What authentication keeps, and the interfaces of whatever keeps it. Every time is in seconds since the epoch. Where a
 * method's result is a text and not a boolean, it is a compare-and-swap: of several callers at once exactly one hears
 * that it won, and nothing is read in one step and written in another.
 *
 * @module
 */

import type { ApiKeyStore, CredentialStore } from "./credential_types.ts";
import type { LoginThrottle } from "../throttle/rule.ts";

export type { LoginThrottle } from "../throttle/rule.ts";
export type { ApiKey, ApiKeyStore, Credential, CredentialStore } from "./credential_types.ts";

/** A user's account, as far as authentication knows it. */
export interface User {
  /** Stable subject id. */
  readonly sub: string;
  /** What the user signs in by, in its one spelling; unique. */
  readonly identifier: string;
  /** The password's hash as the hasher wrote it; absent where the user has no password. */
  readonly passwordHash?: string;
  /**
   * Changes with the user's credentials. A session that was made under another stamp is dead, so that a changed password
   * ends all sessions in the one write that changes it.
   */
  readonly securityStamp: string;
  /** Whether the account is closed to its owner: sessions, tokens and keys of it are dead. */
  readonly disabled?: boolean;
  /** When the account was created. */
  readonly createdAt: number;
  /** Changes with every update. */
  readonly version: string;
}

/** A user before it is stored. */
export type NewUser = Omit<User, "version">;

/**
 * What {@linkcode UserStore.update} replaces; a member that is absent stays. Who closes an account or opens it changes the
 * stamp too: sessions that slept meanwhile would wake up with it.
 */
export type UserPatch =
  & {
    /** What the user signs in by, in its one spelling; unique. */
    readonly identifier?: string;
    /** The password's hash. */
    readonly passwordHash?: string;
  }
  & (
    | {
      /** Ends every session that was made under the old one. */
      readonly securityStamp?: string;
      readonly disabled?: undefined;
    }
    | {
      readonly securityStamp: string;
      /** Whether the account is closed to its owner. */
      readonly disabled: boolean;
    }
  );

/** Keeps users. */
export interface UserStore {
  /** Adds a user, unless another has the identifier. Rejects if another has the `sub`, which is the caller's mistake. */
  create(user: NewUser): Promise<"created" | "identifier_taken">;
  /** Finds a user by the one spelling of its identifier. */
  findByIdentifier(identifier: string): Promise<User | null>;
  /** Finds a user by its subject id. */
  findBySub(sub: string): Promise<User | null>;
  /**
   * Changes a user that still has the version that was read; `lost` if somebody else was first, `identifier_taken` if
   * another user has the new identifier.
   */
  update(
    sub: string,
    version: string,
    patch: UserPatch,
  ): Promise<"updated" | "lost" | "not_found" | "identifier_taken">;
  /** Removes a user; nothing happens if there is none. */
  delete(sub: string): Promise<void>;
}

/** A session. The token that stands for it is not kept, only its digest. */
export interface Session {
  /** Public identifier. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** SHA-256 of the token, base64url; unique. */
  readonly tokenHash: string;
  /** The user's security stamp when the session began. */
  readonly securityStamp: string;
  /** When the session began. */
  readonly createdAt: number;
  /** When it was used last, to the minute. */
  readonly activeAt: number;
  /** When it ends, whatever happens. */
  readonly expiresAt: number;
  /** Whether it outlives the browser's window, by the limits of such sessions. */
  readonly persistent?: boolean;
  /** When the user authenticated. */
  readonly authTime: number;
  /** By which methods, RFC 8176. */
  readonly amr: readonly string[];
  /** Authentication context class. */
  readonly acr?: string;
  /** The browser's `User-Agent`, cut to 256 characters, for the user's list of sessions. */
  readonly userAgent?: string;
}

/**
 * Keeps sessions. From its `expiresAt` on it returns a session no more; it removes what has ended by itself, with its other
 * writes or from time to time, since nobody asks it to.
 */
export interface SessionStore {
  /** Adds a session. */
  create(session: Session): Promise<void>;
  /** Finds a session by its token's digest. */
  findByTokenHash(tokenHash: string): Promise<Session | null>;
  /** Sets `activeAt` to `to` if it is still `from`. A session that is gone is `lost`, and must not come back. */
  touch(id: string, from: number, to: number): Promise<"updated" | "lost">;
  /** Removes a session; nothing happens if there is none. */
  revoke(id: string): Promise<void>;
  /** Removes all sessions of a user but one. */
  revokeAll(sub: string, exceptId?: string): Promise<void>;
  /** Sessions of a user, in any order. */
  list(sub: string): Promise<readonly Session[]>;
}

/** Keeps what may be used once: OAuth state, challenges. Values are JSON, and not `null`. */
export interface StateStore {
  /** Keeps a value until a time, in place of an earlier one. */
  put(key: string, value: unknown, expiresAt: number): Promise<void>;
  /** Takes a value out: of many callers one gets it, and `null` from `expiresAt` on. */
  consume(key: string): Promise<unknown | null>;
}

/** The refresh tokens that follow from one sign-in. One record, so that one compare-and-swap decides. */
export interface RefreshFamily {
  /** First part of every token of the family. */
  readonly id: string;
  /** Subject id of the user. */
  readonly sub: string;
  /** The user's security stamp when it began: under another one it is dead. */
  readonly securityStamp: string;
  /** The session that it belongs to. */
  readonly sessionId?: string;
  /** SHA-256 of the one valid token's secret. */
  readonly currentHash: string;
  /** How often it was rotated. */
  readonly generation: number;
  /** Whether it has ended. */
  readonly revoked: boolean;
  /** When it began. */
  readonly createdAt: number;
  /** When the current token ends; a rotation moves it. */
  readonly expiresAt: number;
  /** When the family ends, whatever happens. */
  readonly familyExpiresAt: number;
  /** When the user authenticated; no rotation moves it. */
  readonly authTime: number;
  /** By which methods, RFC 8176. */
  readonly amr: readonly string[];
  /** Authentication context class. */
  readonly acr?: string;
  /** Granted scopes, RFC 6749 §3.3. */
  readonly scope?: readonly string[];
  /** Data of whoever began it, JSON: the client. */
  readonly data?: unknown;
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
  /** SHA-256 of the next secret. The presented one again keeps it, and still tells whether it is the current one. */
  readonly toHash: string;
  /** The time. */
  readonly now: number;
  /** When the next token ends; never later than the family. */
  readonly expiresAt: number;
}

/** What a family is found by. */
export type RefreshSelector =
  | { readonly familyId: string }
  | { readonly sessionId: string }
  | {
    readonly sub: string;
    /** Families of this session stay. */
    readonly exceptSessionId?: string;
    /** Families of other sessions stay, and those of none. */
    readonly onlySessionId?: string;
  };

/** Keeps refresh families. From its `familyExpiresAt` on it returns a family no more. */
export interface RefreshTokenStore {
  /** Adds a family. */
  create(family: RefreshFamily): Promise<void>;
  /** Finds a family, a revoked one too. */
  find(familyId: string): Promise<RefreshFamily | null>;
  /**
   * Replaces the current secret, in one compare-and-swap. The answer is the first of these that holds: `not_found`,
   * `revoked`, `reused` for any secret but the current one, which revokes the family in the same step, `expired`, `rotated`.
   */
  rotate(
    rotation: RefreshRotation,
  ): Promise<"rotated" | "reused" | "expired" | "revoked" | "not_found">;
  /** Ends families for good. */
  revoke(by: RefreshSelector): Promise<void>;
  /** Families of a user that are not revoked, in any order; one whose current token alone has ended is among them. */
  list(sub: string): Promise<readonly RefreshFamily[]>;
}

/** A signing key as it is kept. */
export interface StoredKey {
  /** Key id: its RFC 7638 thumbprint. */
  readonly kid: string;
  /** Algorithm, RFC 7518. */
  readonly alg: string;
  /** The private key: a JWK, or that encrypted, as a compact JWE, RFC 7516. */
  readonly key: unknown;
  /** When it was made. */
  readonly createdAt: number;
  /** From when on it signs. */
  readonly activeAt: number;
  /** From when on it signs no more. */
  readonly retiredAt?: number;
}

/** All signing keys: one record with one version. */
export interface KeyRing {
  /** Changes with every save. */
  readonly version: string;
  /** The keys. */
  readonly keys: readonly StoredKey[];
}

/** Keeps the ring of signing keys. */
export interface KeyStore {
  /**
   * Whether what it keeps outlives the process, as in a database: private keys must be encrypted then.
   *
   * @default {false}
   */
  readonly persistent?: boolean | undefined;
  /** The ring, if there is one, as it was saved last: a copy that lags brings back what was revoked. */
  load(): Promise<KeyRing | null>;
  /** Replaces the ring that was read, or makes the first one (`null`). */
  save(keys: readonly StoredKey[], expected: string | null): Promise<"saved" | "lost">;
}

/** One store of each kind. */
export interface AuthStores {
  /** Users. */
  readonly users: UserStore;
  /** Sessions. */
  readonly sessions: SessionStore;
  /** Passkeys. */
  readonly credentials: CredentialStore;
  /** What may be used once. */
  readonly states: StateStore;
  /** Refresh families. */
  readonly refreshTokens: RefreshTokenStore;
  /** The ring of signing keys. */
  readonly keys: KeyStore;
  /** Counts of attempts. */
  readonly throttle: LoginThrottle;
  /** API keys. */
  readonly apiKeys: ApiKeyStore;
}
