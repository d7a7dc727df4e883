/**
 * Revocation of everything that gives access to an account.
 *
 * @module
 */

import type {
  ApiKeyStore,
  CredentialStore,
  RefreshSelector,
  RefreshTokenStore,
  SessionStore,
} from "../stores/types.ts";

/** Stores of sessions and refresh tokens. */
export interface AccessStores {
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
}

/** Stores of everything that gives access to an account. */
export interface AccountStores extends AccessStores {
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
}

/** Stores of everything that a user has, including the passkeys. */
export interface OwnedStores extends AccountStores {
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
}

/**
 * Revokes all sessions and refresh families of a user; both are tried before an error is thrown. API keys stay valid: a
 * password that its owner changes must not break the owner's API clients.
 */
export async function revokeAccess(
  { sessions, refreshTokens }: AccessStores,
  sub: string,
): Promise<void> {
  await settleAll([
    async () => await sessions?.revokeAll(sub),
    async () => await refreshTokens?.revoke({ sub }),
  ]);
}

/** Revokes everything that gives access to an account, except passkeys: a disabled user cannot sign in with them. */
export async function revokeAccountAccess(stores: AccountStores, sub: string): Promise<void> {
  await settleAll([
    async () => await revokeAccess(stores, sub),
    async () => await stores.apiKeys?.revokeAll(sub),
  ]);
}

/**
 * Revokes everything that gives access to an account, and deletes its passkeys: it is deleted, or recovered from an attacker,
 * who may have added one.
 */
export async function revokeEverything(stores: OwnedStores, sub: string): Promise<void> {
  const { credentials } = stores;
  await settleAll([
    async () => await revokeAccountAccess(stores, sub),
    async () => {
      for (const { id } of await credentials?.list(sub) ?? []) await credentials?.delete(id);
    },
  ]);
}

/** Revokes sessions and their refresh families. */
export async function revokeSessionAccess(
  revokeSessions: () => Promise<void>,
  { refreshTokens }: AccessStores,
  families: RefreshSelector,
): Promise<void> {
  await settleAll([
    async () => await revokeSessions(),
    async () => await refreshTokens?.revoke(families),
  ]);
}

async function settleAll(tasks: readonly (() => Promise<void>)[]): Promise<void> {
  for (const result of await Promise.allSettled(tasks.map((task) => task()))) {
    if (result.status === "rejected") throw result.reason;
  }
}
