/**
 * What `jwt.ts` and the bearer rows of `guard.ts` verify: keys, and access tokens as RFC 9068 has them.
 *
 * @module
 */

import {
  generateJwk,
  importJwk,
  type Jwk,
  type JwkSet,
  type JwtClaims,
  publicJwk,
  signJwt,
} from "@gatehouse/http/auth";

/** Algorithms that are measured. */
export const ALGORITHMS = ["HS256", "ES256", "RS256", "EdDSA"] as const;

/** One of them. */
export type Algorithm = typeof ALGORITHMS[number];

/** What Web Crypto is told of each. */
export const PARAMS: Readonly<Record<Algorithm, { name: string; hash?: string }>> = {
  HS256: { name: "HMAC" },
  ES256: { name: "ECDSA", hash: "SHA-256" },
  RS256: { name: "RSASSA-PKCS1-v1_5" },
  EdDSA: { name: "Ed25519" },
};

/** What every side asks of a token beside its signature. */
export const EXPECTED = {
  issuer: "https://issuer.example.com/tenants/8f14e45f",
  audience: "https://api.example.com/notes",
  typ: "at+jwt",
  clockTolerance: 30,
} as const;

/** A token, and what is left of it for whoever only verifies the signature. */
export interface Signed {
  readonly token: string;
  readonly data: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** An issuer's keys and tokens. */
export interface Issuer {
  readonly alg: Algorithm;
  readonly privateJwk: Jwk;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  /** The public key between two others, as where keys rotate; the secret itself for HS256, which no set may have. */
  readonly keys: JwkSet | Jwk;
  /** Tokens that differ, so that none is a text that was seen just before. */
  readonly tokens: readonly [Signed, ...Signed[]];
}

/** How many tokens take turns, beside the first. */
const OTHERS = 63;

/** Makes keys and tokens. */
export async function createIssuer(alg: Algorithm): Promise<Issuer> {
  const privateJwk = await generateJwk(alg);
  const isSecret = alg === "HS256";
  const jwk = isSecret ? privateJwk : publicJwk(privateJwk);
  const others = isSecret ? [] : [await generateJwk(alg), await generateJwk(alg)].map(publicJwk);
  const one = async (): Promise<Signed> => takeApart(await sign(alg, privateJwk, claimsOf()));
  return {
    alg,
    privateJwk,
    privateKey: await importJwk(privateJwk, { usage: "sign" }),
    publicKey: await importJwk(jwk, { usage: "verify" }),
    keys: isSecret ? jwk : { keys: [...others.slice(0, 1), jwk, ...others.slice(1)] },
    tokens: [await one(), ...await Promise.all(Array.from({ length: OTHERS }, one))],
  };
}

/** Eight claims, of which `iat` and `exp` are the signer's; about 350 bytes. */
export function claimsOf(): JwtClaims & { readonly sub: string } {
  return {
    iss: EXPECTED.issuer,
    sub: crypto.randomUUID(),
    aud: EXPECTED.audience,
    client_id: "notes-web",
    jti: crypto.randomUUID(),
    scope: "openid profile email offline_access notes:read notes:write attachments:read",
  };
}

/** Signs by ours. The others have to take it. */
export async function sign(
  alg: Algorithm,
  key: Jwk,
  claims: JwtClaims,
  expiresIn = 3600,
): Promise<string> {
  const header = { typ: EXPECTED.typ };
  return await signJwt(claims, { algorithms: [alg], key, header, expiresIn });
}

/** Takes a token apart at its last dot. */
export function takeApart(token: string): Signed {
  const dot = token.lastIndexOf(".");
  return {
    token,
    data: new TextEncoder().encode(token.slice(0, dot)),
    signature: Uint8Array.fromBase64(token.slice(dot + 1), { alphabet: "base64url" }),
  };
}

/** Gives one token after the other, and begins again. */
export function inTurn({ tokens }: Issuer): () => Signed {
  let at = 0;
  return () => tokens[at++ % tokens.length] ?? tokens[0];
}

/** Tokens that everybody has to refuse, and why. */
export async function badTokens(
  { alg, privateJwk, tokens: [{ token }] }: Issuer,
): Promise<readonly (readonly [why: string, token: string])[]> {
  const middle = token.indexOf(".") + 20;
  const changed = token[middle] === "A" ? "B" : "A";
  const expired = { ...claimsOf(), iat: 1_700_000_000 };
  return [
    ["a claim was changed", token.slice(0, middle) + changed + token.slice(middle + 1)],
    ["it has ended", await sign(alg, privateJwk, expired)],
    ["it is for others", await sign(alg, privateJwk, { ...claimsOf(), aud: "https://b.example" })],
    ["others issued it", await sign(alg, privateJwk, { ...claimsOf(), iss: "https://i.example" })],
    ["another key signed", await sign(alg, await generateJwk(alg), claimsOf())],
  ];
}
