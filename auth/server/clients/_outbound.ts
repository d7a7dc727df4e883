/**
 * How many requests there may be to addresses that clients have chosen.
 *
 * @module
 */

import { AuthError } from "../../error.ts";

/** Requests at the same time. */
const MAX_IN_FLIGHT = 16;

/** Requests to one host in a minute: the server must not be a means to flood it. */
const MAX_PER_HOST = 20;
const MINUTE = 60;

/** Addresses, and hosts, that are remembered. */
const MAX_ENTRIES = 1_000;

/** Sends a request to a host, within the limits. */
export type Outbound = <Result>(host: string, send: () => Promise<Result>) => Promise<Result>;

/**
 * Limits requests.
 *
 * @param reason Of the `AuthError`, `service_unavailable`, that is thrown if there are too many.
 */
export function limitOutbound(now: () => number, reason: string): Outbound {
  const hosts = new Map<string, { readonly since: number; count: number }>();
  let inFlight = 0;

  return async (host, send) => {
    const at = now();
    const known = hosts.get(host);
    const window = known !== undefined && at - known.since < MINUTE
      ? known
      : { since: at, count: 0 };
    if (inFlight >= MAX_IN_FLIGHT || window.count >= MAX_PER_HOST) {
      throw new AuthError("service_unavailable", { reason });
    }
    window.count++;
    remember(hosts, host, window);
    inFlight++;
    try {
      return await send();
    } finally {
      inFlight--;
    }
  };
}

/** Adds an entry as the newest; the oldest ones go. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_ENTRIES) return;
    map.delete(oldest);
  }
}
