/**
 * Revocation of everything that gives access to an account.
 *
 * @module
 */

import type {
  ApiKeyStore,
  CredentialStore,
  EmailStore,
  FactorStore,
  IdentityStore,
  RefreshSelector,
  RefreshTokenStore,
  SessionStore,
} from "../stores/types.ts";

/** Stores of what gives access to an account. */
export interface AccessStores {
  readonly sessions?: Pick<SessionStore, "revokeAll"> | undefined;
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  readonly identities?: Pick<IdentityStore, "list" | "delete"> | undefined;
  readonly emails?: Pick<EmailStore, "delete"> | undefined;
  readonly factors?: Pick<FactorStore, "delete"> | undefined;
}

/**
 * Revokes what a user has in the given stores, which the caller names one by one: all sessions, refresh tokens and API keys;
 * passkeys, identities, second factors and the e-mail address are deleted. All are tried before an error is thrown.
 */
export async function revokeAccess(
  { sessions, refreshTokens, apiKeys, credentials, identities, emails, factors }: AccessStores,
  sub: string,
): Promise<void> {
  await settleAll([
    async () => await sessions?.revokeAll(sub),
    async () => await refreshTokens?.revoke({ sub }),
    async () => await apiKeys?.revokeAll(sub),
    async () => {
      for (const { id } of await credentials?.list(sub) ?? []) await credentials?.delete(id);
    },
    async () => {
      for (const { id } of await identities?.list(sub) ?? []) await identities?.delete(id, sub);
    },
    async () => await emails?.delete(sub),
    async () => await factors?.delete(sub),
  ]);
}

/** Revokes sessions and their refresh families. */
export async function revokeSessionAccess(
  revokeSessions: () => Promise<void>,
  { refreshTokens }: Pick<AccessStores, "refreshTokens">,
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
