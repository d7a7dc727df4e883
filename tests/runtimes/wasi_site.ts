/**
 * What a component and the servers around it know of each other.
 *
 * @module
 */

import type { Jwk } from "../../auth/jwt/types.ts";
import type { StaticAssetPackage } from "../../static/mod.ts";

/** The issuer of all tokens. */
export const ISSUER = "https://issuer.example";

/** What the tokens are for. */
export const AUDIENCE = "https://api.example";

/** The algorithms of the issuer's keys; two of them are not in StarlingMonkey. */
export const ALGORITHMS = ["ES256", "ES384", "RS256", "PS256", "EdDSA"] as const;

/** What the component is told when it is built. */
export interface WasiAppOptions {
  /** Origin of the server that has the issuer's keys and the records of sessions. */
  readonly backend: string;
  /** The key of tokens by HS256. */
  readonly secret: Jwk;
  readonly assets: StaticAssetPackage;
}
