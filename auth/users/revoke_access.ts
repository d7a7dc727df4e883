/**
 * Ending what a user or a session can still do.
 *
 * @module
 */

import type {
  ApiKeyStore,
  RefreshSelector,
  RefreshTokenStore,
  SessionStore,
} from "../stores/types.ts";

/** Where it is kept. */
export interface AccessStores {
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
}

/** Where everything is kept by which an account can be used. */
export interface AccountStores extends AccessStores {
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
}

/**
 * Ends all sessions and refresh families of a user: both, before it is told that one could not be ended. API keys go on: a
 * new password must not stop the user's programs.
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

/** Ends all that a closed account could still be used by. */
export async function revokeAccountAccess(stores: AccountStores, sub: string): Promise<void> {
  await settleAll([
    async () => await revokeAccess(stores, sub),
    async () => await stores.apiKeys?.revokeAll(sub),
  ]);
}

/** Ends sessions, and refresh families with them. */
export async function revokeSessionAccess(
  end: () => Promise<void>,
  { refreshTokens }: AccessStores,
  families: RefreshSelector,
): Promise<void> {
  await settleAll([
    async () => await end(),
    async () => await refreshTokens?.revoke(families),
  ]);
}

async function settleAll(works: readonly (() => Promise<void>)[]): Promise<void> {
  for (const result of await Promise.allSettled(works.map((work) => work()))) {
    if (result.status === "rejected") throw result.reason;
  }
}
