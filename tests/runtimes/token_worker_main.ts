/**
 * The entry of the applications with tokens on workerd: one isolate, whose requests share what they know. Everything is
 * kept in D1 if there is one, and else in memory, where stores take their time as they would there; so does the connection
 * between the two applications.
 *
 * @module
 */

import { authStores } from "../../mod.ts";
import { sqlAdapter } from "../../auth/stores/engines/sql.ts";
import { type D1Database, d1Query } from "./d1.ts";
import { createTokenApp, type TokenApp } from "./token_app.ts";

const DELAY_MS = 50;

let app: TokenApp | undefined;

/** A timer of the request that asks; no other request may wait for it. */
function delay(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, DELAY_MS));
}

/** The one application. Requests that come before it is there look for the table themselves, and wait for no other. */
async function findApp(database: D1Database | undefined): Promise<TokenApp> {
  if (app !== undefined) return app;
  if (database === undefined) return app = createTokenApp({ delay });
  const adapter = sqlAdapter({ dialect: "sqlite", query: d1Query(database) });
  await adapter.migrate();
  return app ??= createTokenApp({ delay, stores: authStores(adapter) });
}

/** Serves. A request with the field `Leaves` ends at once, as if its client had gone: workerd drops what it waits for. */
const worker: { fetch(request: Request, env: { readonly DB?: D1Database }): Promise<Response> } = {
  async fetch(request, { DB }) {
    const answer = findApp(DB).then((found) => found.fetch(request));
    if (!request.headers.has("Leaves")) return await answer;
    answer.catch(() => {});
    return new Response(null, { status: 204 });
  },
};

export default worker;
