/**
 * Records and store of identities: whom a user is at other providers.
 *
 * @module
 */

/** An identity at a provider, and the account that it is linked to. */
export interface Identity {
  /** SHA-256 of issuer and subject, base64url: two accounts cannot have one identity. */
  readonly id: string;
  /** Issuer identifier of the provider. */
  readonly issuer: string;
  /** Identifies the user at the issuer. */
  readonly subject: string;
  /** Subject id of the account. */
  readonly sub: string;
  /** Name of the provider: `google`. */
  readonly provider: string;
  /** When it was linked. */
  readonly linkedAt: number;
  /** When it was last used to sign in. */
  readonly usedAt: number;
  /** What the provider said last, for the user's list: an e-mail address or a name. */
  readonly label?: string;
  /** The provider's tokens, encrypted. */
  readonly tokens?: string;
  /** Until when one caller may refresh the tokens. */
  readonly refreshingUntil?: number;
  /** Changes with every update. */
  readonly version: string;
}

/** An identity before it is stored. */
export type NewIdentity = Omit<Identity, "version">;

/** What {@linkcode IdentityStore.update} replaces; absent members are left unchanged, `null` removes them. */
export interface IdentityPatch {
  /** When it was last used to sign in. */
  readonly usedAt?: number | undefined;
  /** What the provider said last. */
  readonly label?: string | null | undefined;
  /** The provider's tokens, encrypted. */
  readonly tokens?: string | null | undefined;
  /** Until when one caller may refresh the tokens. */
  readonly refreshingUntil?: number | null | undefined;
}

/** Persists identities. */
export interface IdentityStore {
  /** Adds an identity, unless it exists: of concurrent callers one creates it. */
  create(identity: NewIdentity): Promise<"created" | "taken">;
  /** Finds an identity by its id. */
  find(id: string): Promise<Identity | null>;
  /** Identities of a user, in any order. */
  list(sub: string): Promise<readonly Identity[]>;
  /** Updates an identity that still has the version that was read. */
  update(
    id: string,
    version: string,
    patch: IdentityPatch,
  ): Promise<"updated" | "lost" | "not_found">;
  /** Deletes an identity if it is linked to this account. */
  delete(id: string, sub: string): Promise<"deleted" | "not_found">;
}
