/**
 * The entry of the applications with tokens on workerd: one isolate, whose requests share what they know. Stores and the
 * connection between the two take their time, as they would there.
 *
 * @module
 */

import { createTokenApp, type TokenApp } from "./token_app.ts";

const DELAY_MS = 50;

let app: TokenApp | undefined;

/** A timer of the request that asks; no other request may wait for it. */
function delay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, DELAY_MS));
}

/** Serves. A request with the field `Leaves` ends at once, as if its client had gone: workerd drops what it waits for. */
const worker: { fetch(request: Request): Promise<Response> } = {
  async fetch(request) {
    const answer = (app ??= createTokenApp({ delay })).fetch(request);
    if (!request.headers.has("Leaves")) return await answer;
    answer.catch(() => {});
    return new Response(null, { status: 204 });
  },
};

export default worker;
