/**
 * Verification of DPoP proofs, RFC 9449 §4.3, at authorization servers and APIs.
 *
 * @module
 */

import { digestText } from "../_kdf.ts";
import { isJsonObject, parseStrictObject } from "../_strict_json.ts";
import { parseUrl } from "../_origin.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import { hasSecret } from "../jwt/has_secret.ts";
import type { AsymmetricAlgorithm } from "../jwt/jwa.ts";
import { jwkThumbprint } from "../jwt/jwk.ts";
import { jwsVerifier } from "../jwt/jws.ts";
import { type Jwk, type JwsHeader, tokenError, type VerifiedJws } from "../jwt/types.ts";
import type { ProofRefusal } from "../oauth_reasons.ts";
import type { StateStore } from "../stores/types.ts";
import { dpopNonces } from "./nonces.ts";

/** Algorithms of proofs: those of the FAPI 2.0 Security Profile §5.4.1. Metadata and challenges list them. */
export const DPOP_ALGORITHMS: readonly AsymmetricAlgorithm[] = /* @__PURE__ */ Object.freeze(
  ["ES256", "PS256", "Ed25519", "EdDSA"] as const,
);

/** The scheme, case-insensitive; also of a second credential after the first, so that none is missed. */
const SCHEME_REGEXP = /(?:^|,)[ \t]*dpop(?:[ \t,]|$)/i;

/** §7.1: token68 of RFC 9110 §11.2. */
const CREDENTIALS_REGEXP = /^dpop +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Reads the token of the field `Authorization`. A malformed token becomes an empty one, which is rejected.
 *
 * @returns `undefined` if the field has no credential of this scheme.
 */
export function readDpopToken(field: string | null): { readonly token: string } | undefined {
  if (field === null || !SCHEME_REGEXP.test(field)) return undefined;
  return { token: CREDENTIALS_REGEXP.exec(field)?.[1] ?? "" };
}

/** Options of {@linkcode proofVerifier}. */
export interface ProofVerifierOptions {
  /** Keeps the identifiers of proofs, which may be used once. */
  readonly states: Pick<StateStore, "claim">;
  /** Keys of nonces, which proofs must have then. @default no nonces */
  readonly nonceKeys: Pick<DerivedKeys, "sign" | "verify"> | undefined;
  /** The server whose nonces they are. */
  readonly issuer: string;
  readonly now: () => number;
}

/** A request with a proof, and what the proof must be for. */
export interface ProofQuery {
  /** The field `DPoP`; several ones are joined by commas, which no proof has. */
  readonly proof: string | null;
  readonly method: string;
  /** The URL as clients know it; the query is ignored. */
  readonly url: string;
  /** The access token of the request, and the thumbprint in it. */
  readonly token?: { readonly value: string; readonly jkt: string | undefined };
  /** Whether the identifier of the proof was claimed for this request before. @default {false} */
  readonly isClaimed?: boolean;
}

/** Result of a {@linkcode ProofVerifier}. */
export type ProofOutcome =
  | {
    readonly kind: "verified";
    /** Thumbprint of the key, RFC 7638. */
    readonly jkt: string;
    /** A newer nonce for the next proof. */
    readonly nonce?: string | undefined;
  }
  | {
    readonly kind: "refused";
    readonly reason: ProofRefusal;
    /** The nonce that the next proof needs. */
    readonly nonce?: string;
  };

/** Verifies the proof of a request. */
export type ProofVerifier = (query: ProofQuery) => Promise<ProofOutcome>;

/** Error code of a challenge for a proof, or for its token, §7.1 and §9. */
export function challengeErrorOf(
  reason: ProofRefusal,
): "invalid_dpop_proof" | "invalid_token" | "use_dpop_nonce" {
  if (reason === "dpop_nonce_required") return "use_dpop_nonce";
  return reason === "dpop_key_mismatch" ? "invalid_token" : "invalid_dpop_proof";
}

/** Longest proof, in bytes: with an RSA key of 8,192 bits it has half of that. */
const MAX_BYTES = 8_192;

/** How far `iat` may be from the time of this server, in seconds, §11.1. */
const MAX_AGE = 60;

/**
 * For how long an identifier is kept, in seconds. A proof can be accepted for 120: with an `iat` that is ahead, or with a nonce of a
 * process whose clock is ahead. The rest is for processes whose clocks are behind.
 */
const CLAIM_SECONDS = 3 * MAX_AGE;

/** Creates a verifier. */
export function proofVerifier(options: ProofVerifierOptions): ProofVerifier {
  const { states, nonceKeys, issuer, now } = options;
  const nonces = nonceKeys && dpopNonces({ keys: nonceKeys, issuer, now });
  const verify = jwsVerifier({
    algorithms: DPOP_ALGORITHMS,
    keys: embeddedKey,
    typ: "dpop+jwt",
    maxBytes: MAX_BYTES,
  });
  const refused = (reason: ProofRefusal): ProofOutcome => ({ kind: "refused", reason });

  return async ({ proof, method, url, token, isClaimed = false }) => {
    // 1, 2, 4 to 7: one field, one JWT, its type and algorithm, and the signature by the public key in it
    if (proof === null) return refused("dpop_proof_missing");
    const verified = await verify(proof).then(readProof).catch(() => undefined);
    if (verified === undefined) return refused("dpop_proof_malformed");

    // 3, 8, 9: the required claims
    const { jti, htm, htu, iat, ath, nonce } = verified.claims;
    const isComplete = typeof jti === "string" && jti !== "" && typeof htm === "string" &&
      typeof htu === "string" && typeof iat === "number";
    if (!isComplete) return refused("dpop_proof_malformed");
    if (htm !== method || comparableUri(htu) !== comparableUri(url)) {
      return refused("dpop_proof_mismatch");
    }

    // 10, 11: nonce, or else the time. Clients with a nonce may have a wrong clock, §8
    const age = await nonces?.check(nonce);
    if (age === "invalid") {
      return { kind: "refused", reason: "dpop_nonce_required", nonce: await nonces?.issue() ?? "" };
    }
    if (age === undefined && Math.abs(now() - iat) > MAX_AGE) return refused("dpop_proof_expired");

    // 12: the token, and the key that it is bound to
    const jkt = await jwkThumbprint(verified.jwk);
    if (token !== undefined) {
      if (ath !== await digestText(token.value)) return refused("dpop_proof_mismatch");
      if (jkt !== token.jkt) return refused("dpop_key_mismatch");
    }

    // §11.1: each proof once. The key of the state is as long whatever the client has sent
    if (!isClaimed) {
      const key = `dpop:${await digestText(`${jkt} ${jti}`)}`;
      const claim = await states.claim(key, now() + CLAIM_SECONDS);
      if (claim !== "claimed") return refused("dpop_proof_replayed");
    }
    return { kind: "verified", jkt, nonce: age === "valid" ? await nonces?.issue() : undefined };
  };
}

/** Reads the option `nonceKeys`. @throws {TypeError} If it has not the required methods. */
export function readNonceKeys(
  action: string,
  { nonceKeys }: { readonly nonceKeys?: Pick<DerivedKeys, "sign" | "verify"> | undefined },
): Pick<DerivedKeys, "sign" | "verify"> | undefined {
  const methods = nonceKeys === undefined ? [] : [nonceKeys?.sign, nonceKeys?.verify];
  if (methods.every((method) => typeof method === "function")) return nonceKeys;
  throw new TypeError(
    `${action}: nonceKeys must have sign() and verify(), as deriveKeys() returns`,
  );
}

/** @throws {AuthError} If the header contains no public key. */
function embeddedKey({ jwk }: JwsHeader): Jwk {
  const isPublic = isJsonObject(jwk) && typeof jwk["kty"] === "string" &&
    !hasSecret(jwk as Jwk);
  if (!isPublic) throw tokenError("key_unknown");
  return jwk as Jwk;
}

function readProof(
  { header, payload }: VerifiedJws,
): { readonly jwk: Jwk; readonly claims: Readonly<Record<string, unknown>> } {
  return { jwk: header["jwk"] as Jwk, claims: parseStrictObject(payload) };
}

/** Percent-encoded octets. */
const OCTET_REGEXP = /%[\da-f]{2}/gi;

/** RFC 3986 §2.3. */
const UNRESERVED_REGEXP = /[\w.~-]/;

/** A URI without query and fragment, normalized as §4.3 recommends, RFC 3986 §6.2.2 and §6.2.3. Other text stays what it is. */
function comparableUri(text: string): string {
  const url = parseUrl(text);
  if (url === undefined) return text;
  url.search = "";
  url.hash = "";
  return url.href.replace(OCTET_REGEXP, (octet) => {
    const character = String.fromCharCode(parseInt(octet.slice(1), 16));
    return UNRESERVED_REGEXP.test(character) ? character : octet.toUpperCase();
  });
}
