/**
 * Stands in for `jsr:@std/crypto` while developing, so that nothing but the npm registry is needed.
 *
 * `npm:deno-std` lacks the Wasm of the real package, so this is not its code: single buffers go to
 * Web Crypto, as there, and streams to `node:crypto`, which also hashes them chunk by chunk. SHA-1,
 * SHA-256, SHA-384 and SHA-512 are all that it knows.
 *
 * @module
 */

import { createHash } from "node:crypto";

/** The part of the real package that native modules use. */
export interface StdCrypto {
  readonly subtle: {
    digest(
      algorithm: string,
      data: BufferSource | AsyncIterable<BufferSource> | Iterable<BufferSource>,
    ): Promise<ArrayBuffer>;
  };
}

/** Web Crypto whose `digest` takes streams as well. */
export const crypto: StdCrypto = {
  subtle: {
    async digest(algorithm, data) {
      if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) {
        return await globalThis.crypto.subtle.digest(algorithm, data);
      }
      const hash = createHash(algorithm.replace("-", "").toLowerCase());
      for await (const chunk of data) {
        hash.update(
          ArrayBuffer.isView(chunk)
            ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
            : new Uint8Array(chunk),
        );
      }
      return new Uint8Array(hash.digest()).buffer;
    },
  },
};
