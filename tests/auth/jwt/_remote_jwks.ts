/**
 * A server that publishes keys and a clock, both controlled by a test.
 *
 * @module
 */

import type { AuthError } from "../../../auth/error.ts";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import { generateJwk, publicJwk } from "../../../auth/jwt/jwk.ts";
import type { Jwk, JwsHeader } from "../../../auth/jwt/types.ts";
import { signJwt, verifyJwt } from "../../../auth/jwt/jwt.ts";
import { remoteJwks, type RemoteJwksOptions } from "../../../auth/jwt/remote_jwks.ts";
import { refusal } from "../_refusal.ts";

export const START = 1_700_000_000;
export const ADDRESS = "https://id.example.com/jwks";
export const ALGORITHMS: readonly JwaAlgorithm[] = ["ES256", "RS256", "Ed25519", "HS256"];

/** A fetch that publishes keys. */
export interface Publisher {
  /** Its response. */
  answer: () => Response | Promise<Response>;
  /** The current time. */
  now: number;
  /** Number of requests. */
  fetches: number;
  /** Warnings that were emitted. */
  readonly warnings: string[];
  /** Resolves keys with the resolver under test. */
  find(kid?: string): Promise<readonly Jwk[]>;
  /** Reason why a key is not found. */
  refusal(kid?: string): Promise<AuthError>;
  /** The subject of a token, if it is valid. */
  verify(token: string): Promise<string | undefined>;
}

/** Publishes keys to one resolver. */
export function publish(keys: readonly unknown[], options: RemoteJwksOptions = {}): Publisher {
  const warnings: string[] = [];
  const resolver = remoteJwks(ADDRESS, {
    now: () => publisher.now,
    warn: (message) => void warnings.push(message),
    async fetch() {
      publisher.fetches++;
      return await publisher.answer();
    },
    ...options,
  });
  const find = async (kid?: string) => await resolver(headerOf(kid)) as readonly Jwk[];
  const publisher: Publisher = {
    answer: () => setOf(keys),
    now: START,
    fetches: 0,
    warnings,
    find,
    refusal: (kid) => refusal(() => find(kid)),
    async verify(token) {
      const now = () => publisher.now;
      const { claims } = await verifyJwt(token, { algorithms: ALGORITHMS, keys: resolver, now });
      return claims.sub;
    },
  };
  return publisher;
}

/** A response with a set of keys. */
export function setOf(keys: readonly unknown[], headers: Record<string, string> = {}): Response {
  return Response.json({ keys }, { headers });
}

/** An error response. */
export function unavailable(): Response {
  return new Response("down", { status: 503 });
}

/** The header of a token with or without a `kid`. */
export function headerOf(kid?: string): JwsHeader {
  return { alg: "ES256", ...(kid === undefined ? {} : { kid }) };
}

/** A key pair, and tokens that it signs. */
export interface Signer {
  readonly kid: string;
  readonly privateJwk: Jwk;
  readonly publicJwk: Jwk;
  /** Signs a token that is valid for a day. @param kid The `kid` of its header; "" for none. */
  sign(kid?: string): Promise<string>;
}

/** Generates a key pair. */
export async function signer(alg: JwaAlgorithm = "ES256"): Promise<Signer> {
  const privateJwk = await generateJwk(alg);
  const { kid = "" } = privateJwk;
  return {
    kid,
    privateJwk,
    publicJwk: publicJwk(privateJwk),
    sign(said = kid) {
      const { kid: _, ...key } = privateJwk;
      const header = said === "" ? {} : { kid: said };
      const now = () => START;
      return signJwt({ sub: "ada" }, { algorithms: [alg], key, header, expiresIn: 86_400, now });
    },
  };
}
