/**
 * JWK Sets of other servers, RFC 7517 §5: fetched on demand, cached while fresh, and used a while longer if the server does
 * not respond.
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
   * Sends the requests, for example through a proxy. Responses after redirects are rejected.
   *
   * @default globalThis.fetch, read at each request
   */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Also allows `http:` and `https:` to the loopback interface, for development and tests. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
  /**
   * For how many seconds keys are fresh. A smaller `max-age` of the response takes precedence, but not below `cooldown`.
   *
   * @default {600}
   */
  readonly cacheAge?: number | undefined;
  /** Minimum number of seconds between two requests, successful or not. @default {30} */
  readonly cooldown?: number | undefined;
  /** For how many seconds stale keys are used while fetching fails. @default {3_600} */
  readonly staleAge?: number | undefined;
  /** Maximum length of a response in bytes, after decompression. @default {65_536} */
  readonly maxBytes?: number | undefined;
  /** Timeout of a request in milliseconds, to the last byte of the response. @default {5_000} */
  readonly timeoutMs?: number | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called with warnings: keys that can no longer be fetched, published keys that are not used. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Cached keys. */
interface KnownKeys extends PublishedKeys {
  readonly fetchedAt: number;
  readonly freshFor: number;
}

const ACTION = "Cannot set up remote keys";

/** Longer timers fire at once. */
const MAX_NUMBER = 2 ** 31 - 1;

/** The registered media type of JWK Sets, RFC 7517 §8.5.2, and the one that most servers use. */
const ACCEPT = "application/jwk-set+json, application/json";

/**
 * Finds the keys of tokens in the JWK Set of another server, such as an identity provider's `jwks_uri`.
 *
 * The set is fetched for the first token, and again when it is stale or a token names a `kid` that it does not contain, but
 * not before `cooldown` has passed; concurrent requests share one fetch (on Cloudflare Workers, where requests cannot share
 * a promise, each request without cached keys fetches). Unusable keys, secrets (`oct`), private keys and keys with a
 * duplicate `kid` are ignored. A token without `kid` is verified by the only key that fits its algorithm.
 *
 * The URL must be `https:`, without user name and password, and not a literal address of a private network. **Names are not
 * resolved**: a URL from an untrusted source may have a name that resolves into your network, so restrict the outbound
 * connections of this server, or pass a `fetch` that checks. Redirects are not followed.
 *
 * @returns The `keys` for `verifyJwt`. It throws an `AuthError` with code `service_unavailable` (503, reason
 * `jwks_unavailable`) if no keys are fresh or stale for less than `staleAge`; with code `invalid_token` (reason
 * `key_ambiguous`) if two published keys have the token's `kid`.
 * @throws {TypeError} If the URL or an option is rejected.
 * @throws {RangeError} If a numeric option is out of range.
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
  let failure: unknown;
  let isDown = false;
  let inFlight: Promise<void> | undefined;

  /** The time. Later timestamps are from before the clock was set back; they are moved to now, so that they expire. */
  function time(): number {
    const at = now();
    triedAt = Math.min(triedAt, at);
    if (known !== undefined && known.fetchedAt > at) known = { ...known, fetchedAt: at };
    return at;
  }

  /** Cached keys, if they have not been stale for longer. */
  function knownWithin(stale: number): KnownKeys | undefined {
    const at = time();
    return known !== undefined && at - known.fetchedAt < known.freshFor + stale ? known : undefined;
  }

  function findKeys(kid: string | undefined): readonly Jwk[] {
    const usable = knownWithin(staleAge);
    if (usable === undefined) {
      throw new AuthError("service_unavailable", { reason: "jwks_unavailable", cause: failure });
    }
    if (kid === undefined) return usable.keys;
    if (usable.ambiguous.has(kid)) throw tokenError("key_ambiguous");
    return usable.keys.filter((key) => key.kid === kid);
  }

  /** Fetches, or waits for the fetch in flight, unless one was tried within the cooldown. */
  async function refresh(): Promise<void> {
    if (inFlight !== undefined) return await inFlight;
    const isSettled = failure !== undefined || knownWithin(staleAge) !== undefined;
    if (isSettled && time() - triedAt < cooldown) return;
    const fetching = fetchKeys();
    if (isWorkerd()) return await fetching;
    inFlight = fetching.finally(() => inFlight = undefined);
    await inFlight;
  }

  /** Records an error, which callers that find no keys report as the cause. */
  async function fetchKeys(): Promise<void> {
    const startedAt = triedAt = time();
    try {
      const { value, maxAge = cacheAge } = await fetchJson(href, { ...limits, accept: ACCEPT });
      const published = await readPublishedKeys(value, known?.keys ?? []);
      const freshFor = Math.max(cooldown, Math.min(cacheAge, maxAge));
      const fetchedAt = Math.min(startedAt, time());
      // The older of two concurrent fetches may end last
      if (fetchedAt >= (known?.fetchedAt ?? -Infinity)) {
        known = { ...published, fetchedAt, freshFor };
      }
      failure = undefined;
    } catch (error) {
      failure = error;
      triedAt = time();
    }
    const wasDown = isDown;
    isDown = failure !== undefined;
    if (isDown && !wasDown) warn(downMessage(origin, known !== undefined), failure);
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
  const until = isKnown ? "cached keys are used for a while" : "no keys are cached";
  return `Cannot fetch the keys of ${origin}: ${until}`;
}

/** The options with their defaults. */
function readOptions(options: RemoteJwksOptions) {
  const { fetch, insecureLoopback = false, now, warn = warnConsole } = options;
  checkOptionalFunction(ACTION, "fetch", fetch);
  checkOptionalFunction(ACTION, "now", now);
  checkOptionalFunction(ACTION, "warn", warn);
  if (typeof insecureLoopback !== "boolean") {
    throw new TypeError(`${ACTION}: insecureLoopback must be a boolean`);
  }
  const { cacheAge = 600, cooldown = 30, staleAge = 3_600 } = options;
  const { maxBytes = 65_536, timeoutMs = 5_000 } = options;
  const numbers = { cacheAge, cooldown, staleAge, maxBytes, timeoutMs };
  for (const [name, value] of Object.entries(numbers)) checkNumber(name, value);
  return { ...numbers, fetch, insecureLoopback, now: createClock(now), warn };
}

/** Without a cooldown, forged tokens could trigger requests; only `staleAge` may be 0. */
function checkNumber(name: string, value: number): void {
  const min = name === "staleAge" ? 0 : 1;
  if (Number.isSafeInteger(value) && value >= min && value <= MAX_NUMBER) return;
  throw new RangeError(`${ACTION}: ${name} must be an integer from ${min} to ${MAX_NUMBER}`);
}
