/**
 * `apiKeyStrategy`: an API key in a header field as a credential.
 *
 * @module
 */

import { HTTP_TOKEN_REGEXP } from "../_header.ts";
import type { ApiKeyService } from "./api_key_types.ts";
import { createPrincipal } from "../principal.ts";
import { authenticated, authFailed, type AuthStrategy, noCredential } from "../strategy.ts";

/** Options of {@linkcode apiKeyStrategy}. */
export interface ApiKeyStrategyOptions {
  /** Verifies keys. */
  readonly apiKeys: Pick<ApiKeyService, "verify">;
  /** Request header that carries the key. Queries and bodies are not looked at: they end up in logs. @default {"X-API-Key"} */
  readonly header?: string | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

const ACTION = "Cannot create API key strategy";

/**
 * Makes the strategy that finds a user by an API key. One that is malformed, unknown, revoked or past its end, whose user
 * is gone or disabled, or that is there twice, fails: `invalid_api_key`.
 *
 * The principal has the key's `scope` and no more, the empty one too; its `authTime` is 0, since nobody knows when the user
 * was there; `claims.apiKeyId` is the key's public identifier.
 *
 * @throws {TypeError} If the service is missing, or `header` is no text.
 * @throws {RangeError} If `header` is not the name of a field.
 *
 * @example
 * ```ts
 * import { apiKeyService, apiKeyStrategy, inMemoryAuthStores } from "@gatehouse/http/auth";
 * import { assert, assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * await stores.users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 * const apiKeys = apiKeyService(stores);
 * const { key } = await apiKeys.create("u1", { scope: ["notes:read"] });
 *
 * const strategy = apiKeyStrategy({ apiKeys });
 * const request = new Request("https://example.com/notes", { headers: { "X-API-Key": key } });
 * const result = await strategy.authenticate({ request });
 * assert(result.status === "authenticated");
 * assertEquals(result.principal.sub, "u1");
 * assertEquals(result.principal.scope, ["notes:read"]);
 * ```
 */
export function apiKeyStrategy(options: ApiKeyStrategyOptions): AuthStrategy {
  const { apiKeys, header = "X-API-Key", now } = options;
  if (typeof apiKeys?.verify !== "function") throw new TypeError(`${ACTION}: apiKeys are missing`);
  if (typeof header !== "string") throw new TypeError(`${ACTION}: header is no text`);
  if (!HTTP_TOKEN_REGEXP.test(header)) { // RFC 9110 §5.1
    throw new RangeError(`${ACTION}: header is not the name of a field`);
  }
  return Object.freeze<AuthStrategy>({
    name: "api-key",
    scheme: { type: "header", name: header },
    async authenticate({ request }) {
      const key = request.headers.get(header); // two fields come as one, which is no key
      if (key === null) return noCredential();
      const verified = await apiKeys.verify(key);
      if (verified === undefined) return authFailed("invalid_api_key", "There is no such API key");
      const { id: apiKeyId, sub, scope } = verified.apiKey;
      const init = { sub, method: "api-key", scope, claims: { apiKeyId } };
      return authenticated(createPrincipal(init, { now }));
    },
  });
}
