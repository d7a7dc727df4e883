/**
 * Passwords of data breaches, by the range API of Pwned Passwords (haveibeenpwned.com) or a mirror of it: NIST SP 800-63B-4
 * §3.1.1.2.
 *
 * The service gets the first 5 of 40 hexadecimal digits of a SHA-1 digest, and returns the rest of all digests that start so
 * (k-anonymity). With padding, the length of the response says nothing of the password either.
 *
 * @module
 */

import { encodeHex, utf8 } from "../_bytes.ts";
import { createClock } from "../_clock.ts";
import { createEmitter } from "../_emit.ts";
import { FetchError, type FetchFunction, fetchLimitedText } from "../_fetch_json.ts";
import { checkOptionalFunction, rejectUnknownOptions } from "../_options.ts";
import { publicUrl } from "../_public_url.ts";
import { warnConsole } from "../_report.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener } from "../events.ts";

/** Options of {@linkcode pwnedPasswords}. */
export interface PwnedPasswordsOptions {
  /**
   * Prefix of the ranges' URLs: `https:`. The digits follow as the last segment of the path.
   *
   * @default {"https://api.pwnedpasswords.com/range/"}
   */
  readonly endpoint?: string | URL | undefined;
  /** Also allows `http:` and `https:` to the loopback interface, for development and tests. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
  /** Seconds for the whole request, up to 60; fractions are allowed. @default {1} */
  readonly timeout?: number | undefined;
  /** How often a password must occur in breaches to be refused. @default {1} */
  readonly threshold?: number | undefined;
  /**
   * What happens to a password if the service cannot be asked: `"allow"` accepts it, `"refuse"` throws `service_unavailable`.
   *
   * @default {"allow"}
   */
  readonly onFailure?: "allow" | "refuse" | undefined;
  /** Sends the requests. @default {globalThis.fetch} */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The time of events, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called with `breach_query.failed` if the service cannot be asked. */
  readonly events?: AuthEventListener | undefined;
  /** Called with a warning if the service cannot be asked. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

const ENDPOINT = "https://api.pwnedpasswords.com/range/";
const ACTION = "Cannot set up breached passwords";

const PREFIX_LENGTH = 5;

/** A range with padding has about 40 KB. */
const MAX_BYTES = 262_144;

const MAX_TIMEOUT = 60;

/** The other 35 digits of a digest, and how often it was found; 0 in padding. */
const ROW_REGEXP = /^([0-9A-F]{35}):(\d{1,10})$/i;

/**
 * Creates the function `breached` of {@linkcode passwordPolicy}. It sends one request for each password that has no other
 * problem; redirects are not followed.
 *
 * @returns Whether a password occurs in breaches `threshold` times or more. It rejects with an {@linkcode AuthError}
 * `service_unavailable` if the service cannot be asked and `onFailure` is `"refuse"`.
 * @throws {TypeError} If an option is unknown or has the wrong type, or the endpoint is not allowed.
 * @throws {RangeError} If a number is out of range.
 *
 * @example
 * ```ts
 * import { passwordPolicy, pwnedPasswords } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands for the service here: omit it in an application
 * const fetch = (_url: string) => Promise.resolve(new Response("AD6438836DBE526AA231ABDE2D0EEF74D42:384\r\n"));
 *
 * const policy = passwordPolicy({ breached: pwnedPasswords({ fetch }) });
 * const codesOf = async (password: string) => (await policy.check(password)).map(({ code }) => code);
 * assertEquals(await codesOf("correct horse battery staple"), ["breached"]);
 * assertEquals(await codesOf("five quiet herons at dawn"), []);
 * ```
 */
export function pwnedPasswords(
  options: PwnedPasswordsOptions = {},
): (password: string) => Promise<boolean> {
  checkOptions(options);
  const { endpoint = ENDPOINT, insecureLoopback, timeout = 1, threshold = 1 } = options;
  const { onFailure = "allow", fetch, events, warn = warnConsole } = options;
  const base = readEndpoint(endpoint, insecureLoopback);
  const request = {
    accept: "text/plain",
    headers: { "Add-Padding": "true" },
    maxBytes: MAX_BYTES,
    timeoutMs: timeout * 1_000,
    fetch: fetch as FetchFunction | undefined,
  };
  const emit = createEmitter({ events, now: createClock(options.now), warn });

  function fail(error: FetchError): false {
    const accepted = onFailure === "allow";
    emit("breach_query.failed", { reason: error.failure, accepted });
    warn(`Cannot compare a password with those of data breaches: ${error.state}`);
    if (accepted) return false;
    throw new AuthError("service_unavailable", { reason: "breach_query_failed", cause: error });
  }

  return async (password) => {
    const digest = await sha1Hex(password);
    const url = new URL(digest.slice(0, PREFIX_LENGTH), base).href;
    try {
      const range = await fetchLimitedText(url, request);
      return countIn(range, digest.slice(PREFIX_LENGTH)) >= threshold;
    } catch (error) {
      if (error instanceof FetchError) return fail(error);
      throw error;
    }
  };
}

async function sha1Hex(password: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", utf8(password));
  return encodeHex(new Uint8Array(digest)).toUpperCase();
}

/** How often a digest was found. One row that is none rejects the whole range: it may be the page of a proxy. */
function countIn(range: string, suffix: string): number {
  const lines = range.trimEnd().split(/\r?\n/);
  let found = 0;
  for (const line of lines) {
    const [, digits, count] = ROW_REGEXP.exec(line) ?? [];
    if (digits === undefined) throw new FetchError("content", "the response is not a range");
    if (digits.toUpperCase() === suffix) found = Math.max(found, Number(count));
  }
  return found;
}

function readEndpoint(endpoint: string | URL, insecureLoopback: boolean | undefined): URL {
  const url = publicUrl(ACTION, endpoint, { insecureLoopback });
  if (url.search !== "" || url.hash !== "") {
    throw new TypeError(`${ACTION}: the endpoint must not have a query or a fragment`);
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function checkOptions(options: PwnedPasswordsOptions): void {
  rejectUnknownOptions<PwnedPasswordsOptions>(ACTION, options, {
    endpoint: true,
    insecureLoopback: true,
    timeout: true,
    threshold: true,
    onFailure: true,
    fetch: true,
    now: true,
    events: true,
    warn: true,
  });
  for (const name of ["fetch", "now", "events", "warn"] as const) {
    checkOptionalFunction(ACTION, name, options[name]);
  }
  const { timeout = 1, threshold = 1, onFailure = "allow" } = options;
  if (!(typeof timeout === "number" && timeout > 0 && timeout <= MAX_TIMEOUT)) {
    throw new RangeError(`${ACTION}: timeout must be a number of seconds up to ${MAX_TIMEOUT}`);
  }
  if (!Number.isSafeInteger(threshold) || threshold < 1) {
    throw new RangeError(`${ACTION}: threshold must be a positive integer`);
  }
  if (onFailure !== "allow" && onFailure !== "refuse") {
    throw new TypeError(`${ACTION}: onFailure must be "allow" or "refuse"`);
  }
}
