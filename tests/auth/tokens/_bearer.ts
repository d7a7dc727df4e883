/**
 * Tokens of an external issuer, and the results of a strategy.
 *
 * @module
 */

import {
  type AuthStrategy,
  bearerTokenStrategy,
  type BearerTokenStrategyOptions,
  generateJwk,
  type Jwk,
  type JwtClaims,
  publicJwk,
  signJwt,
  type SignJwtOptions,
  type StrategyResult,
} from "../../../auth/mod.ts";
import { START } from "../_services.ts";

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "https://api.example";

/** One key for all tests of a file, since generating one takes time. */
let made: Jwk | undefined;

export interface TestIssuer {
  readonly key: Jwk;
  readonly clock: { now: number };
  readonly strategy: AuthStrategy;
  /** An access token according to RFC 9068; claims that are `undefined` are omitted. */
  token(claims?: JwtClaims, options?: Partial<SignJwtOptions>): Promise<string>;
  /** The result of the strategy for a value of `Authorization`. */
  ask(authorization: string | undefined): Promise<StrategyResult>;
}

export async function createIssuer(
  options: Partial<BearerTokenStrategyOptions> = {},
): Promise<TestIssuer> {
  const key = made ??= await generateJwk("ES256");
  const clock = { now: START };
  const now = () => clock.now;
  const strategy = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: publicJwk(key),
    issuer: ISSUER,
    audience: AUDIENCE,
    now,
    ...options,
  });
  return {
    key,
    clock,
    strategy,
    async token(claims = {}, options = {}) {
      const whole = { iss: ISSUER, aud: AUDIENCE, sub: "u1", ...claims };
      const header = { typ: "at+jwt" };
      const rest = { algorithms: ["ES256"], key, header, expiresIn: 600, now, ...options } as const;
      return await signJwt(whole, rest);
    },
    async ask(authorization) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      const request = new Request("https://api.example/?access_token=x", { headers });
      return await strategy.authenticate({ request });
    },
  };
}
