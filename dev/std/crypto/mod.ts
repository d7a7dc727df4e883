/**
 * Stands in for `jsr:@std/crypto` while developing, so that nothing but the npm registry is needed.
 *
 * The code is the real package, as `npm:deno-std` republishes it; `mod.d.ts` declares what we use
 * of it.
 *
 * @module
 */

// @ts-types="./mod.d.ts"
export * from "npm:deno-std@1.4.0/crypto/crypto.js";
