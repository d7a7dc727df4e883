/**
 * DPoP proofs of clients.
 *
 * @module
 */

import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { utf8 } from "../../../auth/_bytes.ts";
import { digestText } from "../../../auth/_kdf.ts";
import {
  type AsymmetricAlgorithm,
  generateJwk,
  type Jwk,
  jwkThumbprint,
  publicJwk,
  signJws,
} from "../../../auth/mod.ts";
import { START } from "../_services.ts";

/** Claims of a proof; those that are `undefined` are omitted. */
export type ProofClaims = Readonly<Record<string, unknown>>;

/** What a proof is for. */
export interface ProofTarget {
  readonly method: string;
  readonly url: string;
  /** The access token, for `ath`. */
  readonly token?: string;
}

/** A client's key. */
export interface ProofKey {
  /** The private key. */
  readonly key: Jwk;
  readonly jkt: string;
  /** A proof, with changes of its claims and its header. */
  prove(target: ProofTarget, claims?: ProofClaims, header?: ProofClaims): Promise<string>;
}

let proofs = 0;

/** Generates a key. Proofs are made at `START`. */
export async function proofKey(alg: AsymmetricAlgorithm = "ES256"): Promise<ProofKey> {
  const key = await generateJwk(alg);
  const { kid: _, alg: __, ...jwk } = publicJwk(key);
  return {
    key,
    jkt: await jwkThumbprint(jwk),
    async prove({ method, url, token }, claims = {}, header = {}) {
      const ath = token === undefined ? {} : { ath: await digestText(token) };
      const payload = {
        jti: `proof-${proofs++}`,
        htm: method,
        htu: url,
        iat: START,
        ...ath,
        ...claims,
      };
      return await signJws(JSON.stringify(payload), {
        algorithms: [alg],
        key,
        header: { typ: "dpop+jwt", jwk, ...header },
      });
    },
  };
}

/** A JWT whose parts are given, and not signed. */
export function unsigned(
  header: ProofClaims,
  payload: ProofClaims,
  signature = "AAAA",
): string {
  const [first, second] = [header, payload].map((part) =>
    encodeBase64Url(utf8(JSON.stringify(part)))
  );
  return `${first}.${second}.${signature}`;
}
