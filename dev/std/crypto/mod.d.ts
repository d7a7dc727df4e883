/** The part of `@std/crypto` that native modules use, with its signatures. */

/** Digests of what arrives in pieces, which Web Crypto has none of. */
export interface StdSubtleCrypto {
  digest(algorithm: "SHA-256", data: AsyncIterable<BufferSource>): Promise<ArrayBuffer>;
}

export const crypto: { readonly subtle: StdSubtleCrypto };
