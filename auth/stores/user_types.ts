/**
 * Accounts, and the interface of the store that persists them.
 *
 * @module
 */

/** Data of the application about a user: a JSON object of at most 4 KiB. */
export type UserAttributes = Readonly<Record<string, unknown>>;

/** A user's account: the part of it that authentication needs, and the application's own data. */
export interface User {
  /** Stable subject id. */
  readonly sub: string;
  /** What the user signs in with, in canonical form; unique. */
  readonly identifier: string;
  /** The password's hash as the hasher wrote it; absent if the user has no password. */
  readonly passwordHash?: string;
  /**
   * Changes with the user's credentials. A session that was created under another stamp is invalid, so the write that changes
   * a password also invalidates all sessions.
   */
  readonly securityStamp: string;
  /** Whether the account is disabled: its sessions, tokens and keys are invalid. */
  readonly disabled?: boolean;
  /**
   * A way to sign in whose removal has begun: the credential id of a passkey, or `identity:` and the id of an identity. It must
   * not sign in, and the next removal deletes it if it is stored.
   */
  readonly pendingRemoval?: string;
  /** Data of the application. */
  readonly attributes?: UserAttributes;
  /** When the account was created. */
  readonly createdAt: number;
  /** Changes with every update. */
  readonly version: string;
}

/** A user before it is stored. */
export type NewUser = Omit<User, "version">;

/**
 * What {@linkcode UserStore.update} replaces; absent members are left unchanged. `disabled` needs a new stamp: sessions of
 * a disabled account would be valid again when it is enabled.
 */
export type UserPatch =
  & {
    /** What the user signs in with, in canonical form; unique. */
    readonly identifier?: string;
    /** The password's hash; `null` removes it. */
    readonly passwordHash?: string | null;
    /** A way to sign in whose removal begins. */
    readonly pendingRemoval?: string;
    /** Data of the application, in place of what there was; `null` removes it. */
    readonly attributes?: UserAttributes | null;
  }
  & (
    | {
      /** Invalidates every session that was created under the old one. */
      readonly securityStamp?: string;
      readonly disabled?: undefined;
    }
    | {
      readonly securityStamp: string;
      /** Whether the account is disabled. */
      readonly disabled: boolean;
    }
  );

/** Which users {@linkcode UserStore.list} returns. */
export interface ListUsersOptions {
  /** Maximum number of users. */
  readonly limit: number;
  /** Only users after this `sub`, whose user need not exist any more. */
  readonly after?: string | undefined;
}

/** Persists users. */
export interface UserStore {
  /** Adds a user, unless the identifier is taken. Rejects if the `sub` is taken, which is an error of the caller. */
  create(user: NewUser): Promise<"created" | "identifier_taken">;
  /** Finds a user by its canonical identifier. */
  findByIdentifier(identifier: string): Promise<User | null>;
  /** Finds a user by its subject id. */
  findBySub(sub: string): Promise<User | null>;
  /** Users in the order of the UTF-8 bytes of their `sub`. */
  list(options: ListUsersOptions): Promise<readonly User[]>;
  /**
   * Updates a user that still has the version that was read; `lost` if it was updated meanwhile, `identifier_taken` if
   * another user has the new identifier.
   */
  update(
    sub: string,
    version: string,
    patch: UserPatch,
  ): Promise<"updated" | "lost" | "not_found" | "identifier_taken">;
  /** Deletes a user, if it exists. */
  delete(sub: string): Promise<void>;
}

/** The e-mail address of a user. A verified one is unique; others may be of several users, of whom it is of one at most. */
export interface UserEmail {
  /** Subject id of the user. */
  readonly sub: string;
  /** The address, in canonical form. */
  readonly email: string;
  /** When the user showed that mail to it arrives; absent if that was not shown. */
  readonly verifiedAt?: number;
  /** Changes with every save. */
  readonly version: string;
}

/** Persists the e-mail addresses of users, one for each. */
export interface EmailStore {
  /** The address of a user. */
  findBySub(sub: string): Promise<UserEmail | null>;
  /** The user who has verified an address, in canonical form. */
  findByEmail(email: string): Promise<UserEmail | null>;
  /**
   * Replaces the address if the user still has the version that was read, `null` for none; `email_taken` if it is verified, and
   * another user has verified it, too.
   */
  save(
    email: Omit<UserEmail, "version">,
    expected: string | null,
  ): Promise<"saved" | "lost" | "email_taken">;
  /** Deletes the address of a user, if there is one. */
  delete(sub: string): Promise<void>;
}
