/**
 * Keys that another server publishes, RFC 7517 §5: fetched when they are needed, kept while they are fresh, and for a while
 * longer when that server does not answer.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { fetchJson } from "../_fetch_json.ts";
import { type Jwk, type JwsHeader, type KeyResolver, tokenError } from "./types.ts";
import { checkOptionalFunction } from "../_options.ts";
import { publicUrl } from "../_public_url.ts";
import { type PublishedKeys, readPublishedKeys } from "./_remote_key_set.ts";
import { onceEach, warnConsole } from "../_report.ts";
import { isWorkerd } from "../_workerd.ts";
import { AuthError } from "../error.ts";

/** Options of {@linkcode remoteJwks}. */
export interface RemoteJwksOptions {
  /**
   * Makes the requests, for a proxy or a resolver that knows private addresses. What it follows by itself is refused.
   *
   * @default globalThis.fetch, looked up at each request
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Also takes `http:` and `https:` to this machine itself, for development and tests. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
  /**
   * For how many seconds keys are fresh. A smaller `max-age` of the answer counts instead, but never less than `cooldown`.
   *
   * @default {600}
   */
  readonly cacheAge?: number | undefined;
  /** Seconds from one request to the next, whatever tokens say and whether it failed or not. @default {30} */
  readonly cooldown?: number | undefined;
  /** For how many seconds more keys are used while no fresh ones can be had. @default {3_600} */
  readonly staleAge?: number | undefined;
  /** Largest answer, in bytes, after decompression. @default {65_536} */
  readonly maxBytes?: number | undefined;
  /** For how many milliseconds a request may last, to its answer's last byte. @default {5_000} */
  readonly timeoutMs?: number | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Is told when the keys can no longer be fetched, and of published keys that are not used. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Keys, and for how long. */
interface KnownKeys extends PublishedKeys {
  readonly fetchedAt: number;
  readonly freshFor: number;
}

const ACTION = "Cannot set up remote keys";

/** Timers that last longer end at once. */
const MAX_NUMBER = 2 ** 31 - 1;

/** The registered type of key sets, RFC 7517 §8.5.2, and what most servers say. */
const ACCEPT = "application/jwk-set+json, application/json";

/**
 * Finds the keys of tokens in a set that another server publishes, such as an identity provider's `jwks_uri`.
 *
 * The set is fetched when the first token comes, and again when it is no longer fresh or a token names a key that is not in
 * it, but not before `cooldown` has passed; requests that come at once wait for one fetch (on Cloudflare Workers, where
 * none may wait for another's, each that knows no keys makes its own). Keys that cannot be used, secrets (`oct`), private
 * keys and keys of which two have the same `kid` are left out. A token without `kid` is verified by the one key that fits
 * its algorithm.
 *
 * The address is `https:`, without user name and password, and to no literal address of a private network. **Names are not
 * resolved**: an address that comes from somebody else may have a name that leads into your network, so keep this server
 * from reaching what it need not, or give a `fetch` that looks. Redirects are not followed.
 *
 * @returns What `verifyJwt` takes as `keys`. It throws an `AuthError`, `service_unavailable` (503, reason
 * `jwks_unavailable`), when no keys are known that are fresh, or were not longer ago than `staleAge`; and `invalid_token`
 * (reason `key_ambiguous`) when two published keys have the token's `kid`.
 * @throws {TypeError} If the address or an option is refused.
 * @throws {RangeError} If an option that is a number is out of range.
 *
 * @example
 * ```ts
 * import { generateJwk, publicJwk, remoteJwks, signJwt, verifyJwt } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const key = await generateJwk("ES256");
 * const keys = remoteJwks("https://id.example.com/.well-known/jwks.json", {
 *   fetch: () => Promise.resolve(Response.json({ keys: [publicJwk(key)] })), // for this example
 * });
 *
 * const algorithms = ["ES256"] as const;
 * const token = await signJwt({ sub: "ada" }, { algorithms, key, expiresIn: 600 });
 * const { claims } = await verifyJwt(token, { algorithms, keys });
 * assertEquals(claims.sub, "ada");
 * ```
 */
export function remoteJwks(uri: string | URL, options: RemoteJwksOptions = {}): KeyResolver {
  const { cacheAge, cooldown, staleAge, now, warn, ...limits } = readOptions(options);
  const { href, origin } = publicUrl(ACTION, uri, options);
  const warnOnce = onceEach(warn);
  let known: KnownKeys | undefined;
  let triedAt = -Infinity;
  let problem: unknown;
  let isDown = false;
  let inFlight: Promise<void> | undefined;

  /** The time. What was done later than that was done before the clock was set back; counted from now it ends, too. */
  function time(): number {
    const at = now();
    triedAt = Math.min(triedAt, at);
    if (known !== undefined && known.fetchedAt > at) known = { ...known, fetchedAt: at };
    return at;
  }

  /** Known keys, if they have not been stale for longer than that. */
  function knownWithin(stale: number): KnownKeys | undefined {
    const at = time();
    return known !== undefined && at - known.fetchedAt < known.freshFor + stale ? known : undefined;
  }

  function findKeys(kid: string | undefined): readonly Jwk[] {
    const usable = knownWithin(staleAge);
    if (usable === undefined) {
      throw new AuthError("service_unavailable", { reason: "jwks_unavailable", cause: problem });
    }
    if (kid === undefined) return usable.keys;
    if (usable.ambiguous.has(kid)) throw tokenError("key_ambiguous");
    return usable.keys.filter((key) => key.kid === kid);
  }

  /** Fetches, or waits for who does, unless it has been tried just now. */
  async function refresh(): Promise<void> {
    if (inFlight !== undefined) return await inFlight;
    const isSettled = problem !== undefined || knownWithin(staleAge) !== undefined;
    if (isSettled && time() - triedAt < cooldown) return;
    const fetching = fetchKeys();
    if (isWorkerd()) return await fetching;
    inFlight = fetching.finally(() => inFlight = undefined);
    await inFlight;
  }

  /** What goes wrong is told to those who find no keys. */
  async function fetchKeys(): Promise<void> {
    const startedAt = triedAt = time();
    try {
      const { value, maxAge = cacheAge } = await fetchJson(href, { ...limits, accept: ACCEPT });
      const published = await readPublishedKeys(value, known?.keys ?? []);
      const freshFor = Math.max(cooldown, Math.min(cacheAge, maxAge));
      const fetchedAt = Math.min(startedAt, time());
      // Of two that were under way at once the older may come last
      if (fetchedAt >= (known?.fetchedAt ?? -Infinity)) {
        known = { ...published, fetchedAt, freshFor };
      }
      problem = undefined;
    } catch (error) {
      problem = error;
      triedAt = time();
    }
    const wasDown = isDown;
    isDown = problem !== undefined;
    if (isDown && !wasDown) warn(downMessage(origin, known !== undefined), problem);
    if (!isDown) known?.warnings.forEach((warning) => warnOnce(warning));
  }

  return async ({ kid }: JwsHeader) => {
    if (knownWithin(0) === undefined) await refresh();
    const found = findKeys(kid);
    if (found.length > 0) return found;
    await refresh();
    return findKeys(kid);
  };
}

function downMessage(origin: string, isKnown: boolean): string {
  const until = isKnown ? "those that are known serve for a while" : "none are known";
  return `Cannot fetch the keys of ${origin}: ${until}`;
}

/** The options, with what stands for those that were left out. */
function readOptions(options: RemoteJwksOptions) {
  const { fetch, insecureLoopback = false, now, warn = warnConsole } = options;
  checkOptionalFunction(ACTION, "fetch", fetch);
  checkOptionalFunction(ACTION, "now", now);
  checkOptionalFunction(ACTION, "warn", warn);
  if (typeof insecureLoopback !== "boolean") {
    throw new TypeError(`${ACTION}: insecureLoopback is neither true nor false`);
  }
  const { cacheAge = 600, cooldown = 30, staleAge = 3_600 } = options;
  const { maxBytes = 65_536, timeoutMs = 5_000 } = options;
  const numbers = { cacheAge, cooldown, staleAge, maxBytes, timeoutMs };
  for (const [name, value] of Object.entries(numbers)) checkNumber(name, value);
  return { ...numbers, fetch, insecureLoopback, now: createClock(now), warn };
}

/** No cooldown would let everybody who makes up tokens make requests, too; only `staleAge` may be 0. */
function checkNumber(name: string, value: number): void {
  const least = name === "staleAge" ? 0 : 1;
  if (Number.isSafeInteger(value) && value >= least && value <= MAX_NUMBER) return;
  throw new RangeError(`${ACTION}: ${name} is not an integer from ${least} to ${MAX_NUMBER}`);
}
