/**
 * `apiKeyStrategy`: an API key in a request header.
 *
 * @module
 */

import { HTTP_TOKEN_REGEXP } from "../_header.ts";
import type { ApiKeyService } from "./api_key_types.ts";
import { createPrincipal } from "../principal.ts";
import { setUserLookup } from "../session/principal_user.ts";
import { authenticated, authFailed, type AuthStrategy, noCredential } from "../strategy.ts";

/** Options of {@linkcode apiKeyStrategy}. */
export interface ApiKeyStrategyOptions {
  /** Verifies keys. */
  readonly apiKeys: Pick<ApiKeyService, "verify">;
  /** Request header that carries the key. Query strings and bodies are ignored, because they are logged. @default {"X-API-Key"} */
  readonly header?: string | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
}

const ACTION = "Cannot create API key strategy";

/**
 * Creates the strategy that authenticates a user by an API key. A key that is malformed, unknown, revoked or expired, whose
 * user is deleted or disabled, or a duplicate header fails with `invalid_api_key`.
 *
 * The principal has the `scope` of the key, even if it is empty; its `authTime` is 0, because the time of the user's
 * authentication is unknown; `claims.apiKeyId` is the public identifier of the key.
 *
 * @throws {TypeError} If the service is missing, or `header` is not a string.
 * @throws {RangeError} If `header` is not a field name.
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
  if (typeof header !== "string") throw new TypeError(`${ACTION}: header must be a string`);
  if (!HTTP_TOKEN_REGEXP.test(header)) { // RFC 9110 §5.1
    throw new RangeError(`${ACTION}: header must be a field name`);
  }
  return Object.freeze<AuthStrategy>({
    name: "api-key",
    scheme: { type: "header", name: header },
    scoped: true,
    async authenticate({ request }) {
      const key = request.headers.get(header); // duplicate fields are joined, which is not a valid key
      if (key === null) return noCredential();
      const verified = await apiKeys.verify(key);
      if (verified === undefined) return authFailed("invalid_api_key", "API key is unknown");
      const { apiKey: { id: apiKeyId, sub, scope }, user } = verified;
      const init = { sub, method: "api-key", scope, claims: { apiKeyId } };
      const principal = createPrincipal(init, { now });
      setUserLookup(principal, () => user);
      return authenticated(principal);
    },
  });
}
