/**
 * All stores of authentication over one adapter of a database.
 *
 * @module
 */

import { repoApiKeyStore, repoCredentialStore } from "./_repo_credentials.ts";
import { repoEmailStore } from "./_repo_emails.ts";
import { repoFactorStore } from "./_repo_factors.ts";
import { repoIdentityStore } from "./_repo_identities.ts";
import { repoRefreshTokenStore } from "./_repo_refresh_tokens.ts";
import { repoAuthorizationStore, repoClientStore } from "./_repo_server.ts";
import { repoSessionStore } from "./_repo_sessions.ts";
import { repoKeyStore, repoStateStore } from "./_repo_states.ts";
import { repoLoginThrottle } from "./_repo_throttle.ts";
import { repoUserStore } from "./_repo_users.ts";
import type { StorageAdapter } from "./adapter.ts";
import type { AuthStores } from "./types.ts";

export { type RepoStoreOptions } from "./_repo.ts";
export { repoApiKeyStore, repoCredentialStore } from "./_repo_credentials.ts";
export { repoEmailStore } from "./_repo_emails.ts";
export { repoFactorStore } from "./_repo_factors.ts";
export { repoIdentityStore } from "./_repo_identities.ts";
export { repoRefreshTokenStore } from "./_repo_refresh_tokens.ts";
export { repoAuthorizationStore, repoClientStore } from "./_repo_server.ts";
export { repoSessionStore } from "./_repo_sessions.ts";
export { repoKeyStore, repoStateStore } from "./_repo_states.ts";
export { repoLoginThrottle } from "./_repo_throttle.ts";
export { repoUserStore } from "./_repo_users.ts";

/**
 * Creates all stores over one adapter. Several processes can share one database.
 *
 * | collection | key | records |
 * |---|---|---|
 * | `users` | `sub` | users, also all of them; the identifier is unique |
 * | `emails` | `sub` | e-mail addresses of users; verified ones are unique |
 * | `sessions` | SHA-256 of the token | sessions, also by user and by session at a provider |
 * | `credentials` | credential id | passkeys, also by user |
 * | `states` | as given | single-use values |
 * | `refresh_families` | family id | refresh tokens, also by user and session |
 * | `signing_keys` | `ring` | signing keys, encrypted by `keyService` |
 * | `throttle` | digest | counts of attempts |
 * | `api_keys` | id | API keys, also by user |
 * | `identities` | id | identities at OAuth providers, also by user |
 * | `factors` | `sub` | second factors of users |
 * | `authorizations` | id | authorizations of an authorization server, with their codes |
 * | `oauth_clients` | client id | clients of an authorization server, also all of them |
 *
 * The clocks of the processes may differ by up to five minutes. A process whose clock is ahead cannot find, and so cannot
 * revoke, what has expired by its clock only.
 *
 * @throws {TypeError} If the adapter has no `atomic` hook, which most of the stores need.
 *
 * @example
 * ```ts
 * import { authStores, createContainer, generateSecret, registerAuth } from "@gatehouse/http";
 * import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
 * import { assertEquals } from "@std/assert";
 *
 * const kv = await Deno.openKv(":memory:"); // a path or nothing to persist it
 * const { passwords, users } = registerAuth({
 *   secret: generateSecret(),
 *   stores: authStores(denoKvAdapter(kv)),
 *   deployment: "direct",
 *   container: createContainer(), // omitted in an application
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
    emails: repoEmailStore(options),
    sessions: repoSessionStore(options),
    credentials: repoCredentialStore(options),
    states: repoStateStore(options),
    refreshTokens: repoRefreshTokenStore(options),
    keys: repoKeyStore(options),
    throttle: repoLoginThrottle(options),
    apiKeys: repoApiKeyStore(options),
    identities: repoIdentityStore(options),
    factors: repoFactorStore(options),
    authorizations: repoAuthorizationStore(options),
    clients: repoClientStore(options),
  };
}
