/**
 * Token requests of the authorization server in memory, beside the signatures that they cannot do without, without anything that
 * only one runtime has: `server.ts` bundles this for Deno, Node and Bun.
 *
 * @module
 */

import { inMemoryAuthStores } from "../auth/mod.ts";
import { handleOAuthServerRequest } from "../auth/server/mod.ts";
import { benchServer, codeForm, refreshForm, tokenRequest } from "./_server_requests.ts";

/** What one runtime measured: microseconds, medians. */
export interface ServerTimes {
  readonly code: number;
  readonly refresh: number;
  /** Two signatures and one verification, ES256. */
  readonly primitives: number;
  /** Medians of the ratios of the rounds. */
  readonly codeOverPrimitives: number;
  readonly refreshOverPrimitives: number;
}

/** Requests of a round, prepared before their time is taken. */
const BATCH = 50;

/** Measures the three in turns. */
export async function compareServer({ rounds }: { readonly rounds: number }): Promise<ServerTimes> {
  const { server, issueCode } = await benchServer({ stores: inMemoryAuthStores() });
  const kept: string[] = [];

  async function send(request: Request): Promise<void> {
    const response = await handleOAuthServerRequest(server, request);
    if (response.status !== 200) throw new Error(`Cannot measure: status ${response.status}`);
    const { refresh_token } = await response.json();
    kept.push(refresh_token);
  }

  const codes = async () => tokenRequest(codeForm(await issueCode()));
  const refreshes = () => Promise.resolve(tokenRequest(refreshForm(kept.shift() ?? "")));
  const primitives = await primitivesOf();
  const [code, refresh, bare]: [number[], number[], number[]] = [[], [], []];
  for (let round = -3; round < rounds; round++) { // the first ones warm up
    const times = [
      await timeBatch(codes, send),
      await timeBatch(refreshes, send),
      await timeBatch(() => Promise.resolve(undefined), primitives),
    ] as const;
    if (round < 0) continue;
    code.push(times[0]);
    refresh.push(times[1]);
    bare.push(times[2]);
  }
  return {
    code: 1_000 * median(code),
    refresh: 1_000 * median(refresh),
    primitives: 1_000 * median(bare),
    codeOverPrimitives: median(code.map((ms, i) => ms / (bare[i] ?? NaN))),
    refreshOverPrimitives: median(refresh.map((ms, i) => ms / (bare[i] ?? NaN))),
  };
}

async function primitivesOf(): Promise<() => Promise<void>> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const pair = await crypto.subtle.generateKey(curve, false, ["sign", "verify"]);
  const { privateKey, publicKey } = pair as CryptoKeyPair;
  const data = new TextEncoder().encode("x".repeat(400));
  return async () => {
    await crypto.subtle.sign(algorithm, privateKey, data);
    const signature = await crypto.subtle.sign(algorithm, privateKey, data);
    await crypto.subtle.verify(algorithm, publicKey, signature, data);
  };
}

/** Milliseconds of one call. */
async function timeBatch<Input>(
  prepare: () => Promise<Input>,
  run: (input: Input) => Promise<void>,
): Promise<number> {
  const inputs: Input[] = [];
  for (let i = 0; i < BATCH; i++) inputs.push(await prepare());
  const from = performance.now();
  for (const input of inputs) await run(input);
  return (performance.now() - from) / BATCH;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
