/**
 * What verifications leave behind: nothing, if nothing is kept by token. Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { verifyJwt } from "@gatehouse/http/auth";
import { claimsOf, EXPECTED, type Issuer, sign } from "./_jwt_tokens.ts";

/** How many tokens are made, and verified, at once. */
const BATCH = 200;

/** Bytes for each of many tokens that were signed and verified, each another. */
export async function retainedByAccepted(issuer: Issuer, count: number): Promise<number> {
  const { alg, privateJwk, keys } = issuer;
  return await retained(count, async () => {
    const token = await sign(alg, privateJwk, claimsOf());
    await verifyJwt(token, { ...EXPECTED, algorithms: [alg], keys });
  });
}

/** Bytes for each of many that were refused, each with a header of its own: nobody has signed them. */
export async function retainedByRefused(issuer: Issuer, count: number): Promise<number> {
  const { alg, privateJwk, keys, tokens: [{ token: good }] } = issuer;
  const rest = good.slice(good.indexOf("."));
  return await retained(count, async () => {
    const header = { alg, typ: EXPECTED.typ, kid: privateJwk.kid, n: crypto.randomUUID() };
    const token = btoa(JSON.stringify(header)).replace(/=+$/, "") + rest;
    const options = { ...EXPECTED, algorithms: [alg], keys };
    const taken = await verifyJwt(token, options).then(() => true, () => false);
    if (taken) throw new Error("A token was taken that nobody signed");
  });
}

async function retained(count: number, work: () => Promise<void>): Promise<number> {
  const batch = (): Promise<unknown> => Promise.all(Array.from({ length: BATCH }, work));
  const warmUp = Math.ceil(count / 10 / BATCH);
  for (let i = 0; i < warmUp; i++) await batch();
  const before = heapAfterCollection();
  const batches = Math.ceil(count / BATCH);
  for (let i = 0; i < batches; i++) await batch();
  return (heapAfterCollection() - before) / (batches * BATCH);
}

/** The heap, and the buffers outside of it. */
function heapAfterCollection(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) throw new Error("Cannot measure memory: run with --v8-flags=--expose-gc");
  gc();
  gc();
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}
