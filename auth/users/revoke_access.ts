/**
 * Revocation of everything that gives access to an account.
 *
 * @module
 */

import type {
  ApiKeyStore,
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

/** Revokes everything that gives access to an account: it is disabled, deleted, or recovered from an attacker. */
export async function revokeAccountAccess(stores: AccountStores, sub: string): Promise<void> {
  await settleAll([
    async () => await revokeAccess(stores, sub),
    async () => await stores.apiKeys?.revokeAll(sub),
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
