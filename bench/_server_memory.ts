/**
 * Memory of 100,000 authorization requests of browsers without a session, on memory stores: `_server_memory.ts` prints bytes for
 * each while they wait, and for as many again after these have expired. Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { inMemoryAuthStores } from "../auth/mod.ts";
import { handleOAuthServerRequest } from "../auth/server/mod.ts";
import { benchServer, CHALLENGE, CLIENT_ID, ISSUER, REDIRECT_URI } from "./_server_requests.ts";

const COUNT = 100_000;

/** What was measured. */
export interface AuthorizeMemory {
  readonly requests: number;
  /** Bytes of heap for each request that waits. */
  readonly bytes: number;
  /** The same after so many others have come when the first ones had expired. */
  readonly laterBytes: number;
}

function heapUsed(): number {
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  return Deno.memoryUsage().heapUsed;
}

async function main(): Promise<AuthorizeMemory> {
  let at = 1_800_000_000;
  const now = () => at;
  const { server } = await benchServer({ stores: inMemoryAuthStores({ now }), now });
  const query = new URLSearchParams({
    response_type: "code",
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT_URI,
    scope: "openid",
    state: "af0ifjsldkj",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
  });

  async function send(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const request = new Request(`${ISSUER}/oauth/authorize?${query}`);
      const { status } = await handleOAuthServerRequest(server, request);
      if (status !== 303) throw new Error(`Cannot measure: status ${status}`);
    }
  }

  await send(1_000);
  at += 700;
  const before = heapUsed();
  await send(COUNT);
  const bytes = (heapUsed() - before) / COUNT;
  at += 700;
  await send(COUNT);
  return { requests: COUNT, bytes, laterBytes: (heapUsed() - before) / COUNT };
}

if (import.meta.main) console.log(JSON.stringify(await main()));
