/**
 * The part of jose that is used here. Nothing imports jose by a literal specifier, so that its types are not there.
 *
 * @module
 */

import type { Jwk, JwkSet } from "../../auth/jwt/types.ts";

/** A key as jose takes it. */
export type JoseKey = CryptoKey | Jwk | Uint8Array;

/** What jose verified. */
export interface JoseVerified {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly protectedHeader: Readonly<Record<string, unknown>>;
}

/** Signs a token step by step. */
export interface JoseSigner {
  setProtectedHeader(header: Readonly<Record<string, unknown>>): JoseSigner;
  sign(key: JoseKey): Promise<string>;
}

/** Options of `jwtVerify`. */
export interface JoseVerifyOptions {
  readonly algorithms: readonly string[];
  readonly currentDate?: Date;
  readonly clockTolerance?: number;
  readonly typ?: string;
  readonly issuer?: string;
  readonly audience?: string;
}

/** Finds keys, as jose does it. */
export type JoseKeySet = (header: unknown, token: unknown) => Promise<CryptoKey>;

/** The package `jose`, as far as it is used here. */
export interface Jose {
  readonly SignJWT: new (payload: object) => JoseSigner;
  jwtVerify(
    token: string,
    key: JoseKey | JoseKeySet,
    options: JoseVerifyOptions,
  ): Promise<JoseVerified>;
  generateKeyPair(
    alg: string,
    options: { extractable: boolean },
  ): Promise<{ readonly privateKey: CryptoKey; readonly publicKey: CryptoKey }>;
  generateSecret(alg: string, options: { extractable: boolean }): Promise<CryptoKey>;
  importJWK(jwk: Jwk, alg: string): Promise<CryptoKey | Uint8Array>;
  exportJWK(key: CryptoKey): Promise<Jwk>;
  exportSPKI(key: CryptoKey): Promise<string>;
  exportPKCS8(key: CryptoKey): Promise<string>;
  calculateJwkThumbprint(jwk: Jwk, hash?: "sha256" | "sha384" | "sha512"): Promise<string>;
  createLocalJWKSet(set: JwkSet): JoseKeySet;
  createRemoteJWKSet(url: URL, options?: { cooldownDuration?: number }): JoseKeySet;
}
