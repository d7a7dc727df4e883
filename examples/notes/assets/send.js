// Calls the service's routes for the pages' scripts.
// @ts-check

import { createClient } from "./client.js";

const client = createClient();

/**
 * Calls a route. A failure of the network is a refusal, too: its code is `offline`.
 *
 * @template {keyof import("./client.js").Routes} Route
 * @param {Route} route
 * @param {import("./client.js").Routes[Route]["call"]} call
 * @returns {Promise<
 *   | { ok: true, content: import("./client.js").DataOf<Route>, refusal?: undefined }
 *   | { ok: false, content?: undefined, refusal: import("./messages.js").Refusal }
 * >}
 */
export async function send(route, ...call) {
  try {
    const outcome = await client(route, ...call);
    if (outcome.ok) return { ok: true, content: outcome.data };
    const { status, problem, response } = outcome;
    const retryAfter = Number(response.headers.get("Retry-After") ?? NaN);
    return { ok: false, refusal: { ...problem, status, retryAfter } };
  } catch {
    return { ok: false, refusal: { status: 0, code: "offline" } };
  }
}
