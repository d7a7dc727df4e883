/**
 * Helpers of CSRF tests: a cookie jar, requests of pages, and reasons of rejections.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { cookiePolicy } from "../../../auth/session/cookie_policy.ts";
import {
  type CsrfService,
  csrfService,
  type CsrfServiceOptions,
} from "../../../auth/session/csrf.ts";
import { deriveKeys } from "../../../auth/derived_keys.ts";
import { AuthError } from "../../../auth/error.ts";

export const SECRET = "a secret that only the tests know, kept";
export const URL_HERE: string = "https://example.com/notes";
export const OWN: Readonly<Record<string, string>> = { "Sec-Fetch-Site": "same-origin" };
export const SESSION_A: string = "A".repeat(43);
export const SESSION_B: string = "B".repeat(43);

/** A browser's cookies, by name. */
export type Jar = Readonly<Record<string, string>>;

export function cookieField(jar: Jar): string {
  return Object.entries(jar).map(([name, value]) => `${name}=${value}`).join("; ");
}

/** A browser's cookies after a response. */
export function stored(jar: Jar, cookies: readonly string[]): Jar {
  return {
    ...jar,
    ...Object.fromEntries(cookies.map((cookie) => (cookie.split(";")[0] ?? "").split("="))),
  };
}

export function request(headers: HeadersInit, method = "POST", url: string = URL_HERE): Request {
  return new Request(url, { method, headers });
}

/** A request of the application's own page with a jar and a token. */
export function sent(jar: Jar, token?: string, others: Record<string, string> = OWN): Request {
  const field = token === undefined ? {} : { "X-CSRF-Token": token };
  return request({ Cookie: cookieField(jar), ...field, ...others });
}

/** Why a request is rejected; `undefined` if it is accepted. Any other error fails the test. */
export async function refusal(
  csrf: CsrfService,
  request: Request,
  by: "check" | "checkOrigin" = "check",
): Promise<string | undefined> {
  try {
    await csrf[by](request);
    return undefined;
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    assertEquals([error.code, error.status], ["csrf_failed", 403]);
    return error.reason;
  }
}

/** A token for a browser, and the browser's cookies including it. */
export async function issued(
  csrf: CsrfService,
  jar: Jar,
  session?: string | null,
): Promise<{ token: string; jar: Jar }> {
  const { token, cookies } = await csrf.issue(
    request({ Cookie: cookieField(jar) }, "GET"),
    session,
  );
  return { token, jar: stored(jar, cookies) };
}

/** A service with the shared secret and cookies by default. */
export function service(options: Partial<CsrfServiceOptions> = {}): CsrfService {
  return csrfService({ keys: deriveKeys(SECRET), cookies: cookiePolicy(), ...options });
}

export const csrf: CsrfService = service();
export const IN_A: Jar = { "__Host-sid": SESSION_A };
export const IN_B: Jar = { "__Host-sid": SESSION_B };
