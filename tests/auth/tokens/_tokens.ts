/**
 * Tokens of a user, signed by keys of the service.
 *
 * @module
 */

import { assert } from "@std/assert";
import { keyService } from "../../../auth/keys/key_service.ts";
import type { StrategyResult } from "../../../auth/strategy.ts";
import { tokenService } from "../../../auth/tokens/token_service.ts";
import type { TokenService, TokenServiceOptions } from "../../../auth/tokens/token_types.ts";
import { type RefreshOptions, type WithRefresh, withRefresh } from "./_refresh.ts";

export { decode } from "../_decode.ts";

export const ISSUER = "https://example.com";
export const AUDIENCE = "https://api.example.com";

export interface TokensOptions extends RefreshOptions {
  readonly tokens?: Partial<TokenServiceOptions>;
}

export interface WithTokens extends WithRefresh {
  readonly tokens: TokenService;
  /** Another service on the same stores. */
  another(options: Partial<TokenServiceOptions>): TokenService;
}

/** The service, and Ada, `u1`, with the stamp `s1`. */
export async function withTokens(options: TokensOptions = {}): Promise<WithTokens> {
  const services = await withRefresh(options);
  const now = () => services.clock.now;
  const keys = keyService({ store: services.stores.keys, now });
  const { refresh } = services;
  const parties = { issuer: ISSUER, audience: AUDIENCE };
  const another = (more: Partial<TokenServiceOptions>) =>
    tokenService({ keys, refresh, ...parties, now, ...options.tokens, ...more });
  return { ...services, tokens: another({}), another };
}

/** The result of a service for a request with an access token. */
export async function present(
  { strategy }: Pick<TokenService, "strategy">,
  accessToken: string,
): Promise<StrategyResult> {
  const headers = { Authorization: `Bearer ${accessToken}` };
  return await strategy.authenticate({ request: new Request(AUDIENCE, { headers }) });
}

/** The refresh token of a response. */
export function refreshTokenOf({ refreshToken }: { readonly refreshToken?: string }): string {
  assert(refreshToken !== undefined);
  return refreshToken;
}
