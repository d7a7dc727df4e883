/**
 * All stores of authentication over one adapter of a database.
 *
 * @module
 */

import { repoApiKeyStore, repoCredentialStore } from "./_repo_credentials.ts";
import { repoRefreshTokenStore } from "./_repo_refresh_tokens.ts";
import { repoSessionStore } from "./_repo_sessions.ts";
import { repoKeyStore, repoStateStore } from "./_repo_states.ts";
import { repoLoginThrottle } from "./_repo_throttle.ts";
import { repoUserStore } from "./_repo_users.ts";
import type { StorageAdapter } from "./adapter.ts";
import type { AuthStores } from "./types.ts";

export { type RepoStoreOptions } from "./_repo.ts";
export { repoApiKeyStore, repoCredentialStore } from "./_repo_credentials.ts";
export { repoRefreshTokenStore } from "./_repo_refresh_tokens.ts";
export { repoSessionStore } from "./_repo_sessions.ts";
export { repoKeyStore, repoStateStore } from "./_repo_states.ts";
export { repoLoginThrottle } from "./_repo_throttle.ts";
export { repoUserStore } from "./_repo_users.ts";

/**
 * Makes all stores over one adapter: what several processes share who have one database.
 *
 * | collection | key | what |
 * |---|---|---|
 * | `users` | `sub` | accounts; the identifier is unique |
 * | `sessions` | SHA-256 of the token | sessions, by user too |
 * | `credentials` | credential id | passkeys, by user too |
 * | `states` | as given | what may be used once |
 * | `refresh_families` | family id | refresh tokens, by user and session too |
 * | `signing_keys` | `ring` | signing keys, encrypted by `keyService` |
 * | `throttle` | digest | counts of attempts |
 * | `api_keys` | id | API keys, by user too |
 *
 * Processes whose clocks differ by up to five minutes may share it. One that is ahead does not find what has ended by its
 * clock alone, and so cannot revoke it: by others it is found until its end.
 *
 * @throws {TypeError} If the adapter has no `atomic` hook, which most of the stores need.
 *
 * @example
 * ```ts
 * import { registerAuth, authStores, createContainer } from "@gatehouse/http";
 * import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
 * import { assertEquals } from "@std/assert";
 *
 * const kv = await Deno.openKv(":memory:"); // a path or nothing, to keep it
 * const { passwords, users } = registerAuth({
 *   secret: "a secret of at least 32 bytes, kept",
 *   stores: authStores(denoKvAdapter(kv)),
 *   container: createContainer(), // an application leaves it out
 * });
 * const user = await passwords.createUser({
 *   identifier: "ada@example.com",
 *   password: "seven green bottles on a wall",
 * });
 * assertEquals(await users.disable(user.sub), true);
 * kv.close();
 * ```
 */
export function authStores(adapter: StorageAdapter): AuthStores {
  const options = { adapter };
  return {
    users: repoUserStore(options),
    sessions: repoSessionStore(options),
    credentials: repoCredentialStore(options),
    states: repoStateStore(options),
    refreshTokens: repoRefreshTokenStore(options),
    keys: repoKeyStore(options),
    throttle: repoLoginThrottle(options),
    apiKeys: repoApiKeyStore(options),
  };
}
