/**
 * Helpers for tests of the routes of authentication: the parts of a response that a client sees, and expected error responses
 * with all header fields.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { createTestApp, type TestApp, type TestAppOptions, type TestBrowser } from "./_app.ts";

/** Everything that a client sees of a response except its date, to compare responses that must not differ. */
export interface Seen {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export async function seen(response: Response): Promise<Seen> {
  const headers = [...response.headers].filter(([name]) => name !== "date");
  return { status: response.status, headers, body: await response.text() };
}

/** Contents of an error response. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail?: string;
  readonly violations?: readonly unknown[];
  /** Header fields in addition to those of all error responses. */
  readonly headers?: Readonly<Record<string, string>>;
}

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

export const CREDENTIALS_REFUSED: Refusal = {
  status: 401,
  code: "invalid_credentials",
  headers: { "www-authenticate": "Session" },
};

export const IDENTIFIER_REFUSED: Refusal = {
  status: 400,
  code: "invalid_identifier",
  detail:
    "The identifier must be one e-mail address or name of at most 254 characters, without spaces, quotes, commas and brackets",
};

export const FORGED: Refusal = {
  status: 403,
  code: "csrf_failed",
  detail: "The request carries no valid CSRF token, or comes from another site",
};

export const FAULT: Refusal = { status: 500, code: "internal_error" };

/** Rejected by the throttle. */
export function throttledFor(seconds: number): Refusal {
  const headers = { "retry-after": `${seconds}` };
  return { status: 429, code: "throttled", detail: "Too many attempts", headers };
}

/** Asserts that a response is an error, with exact body and header fields, without a cookie. */
export async function assertRefused(response: Response, refusal: Refusal): Promise<void> {
  const { status, code, headers = {}, ...rest } = refusal;
  const title = TITLES[status];
  const members = Object.entries({
    "cache-control": "no-store",
    "content-type": "application/problem+json",
    vary: "Cookie",
    ...headers,
  });
  assertEquals(await seen(response), {
    status,
    headers: members.sort(([a], [b]) => a < b ? -1 : 1),
    body: JSON.stringify({ type: "about:blank", title, status, code, ...rest }),
  });
}

/** Values of the cookies that a response sets. */
export function cookiesOf(response: Response): Record<string, string> {
  return Object.fromEntries(
    response.headers.getSetCookie().map((cookie) => {
      const [pair = ""] = cookie.split("; ");
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export interface PreparedApp extends TestApp {
  /** A browser that has a token and no session. */
  readonly page: TestBrowser;
}

/** Ada has an account and a session, and another browser is about to send a request. */
export async function prepared(options: TestAppOptions = {}): Promise<PreparedApp> {
  const app = createTestApp(options);
  await app.signedIn();
  const page = app.browser();
  await page.token();
  return { ...app, page };
}

/** Sends unmodified bytes with the page's token. */
export async function sendBody(
  page: TestBrowser,
  path: string,
  body: BodyInit | undefined,
  headers: Record<string, string | undefined> = {},
): Promise<Response> {
  return await page.send(path, {
    method: "POST",
    token: await page.token(),
    ...(body === undefined ? {} : { body }),
    headers: { "Content-Type": "application/json", ...headers },
  });
}

/** Asserts that nothing was hashed, counted or created. */
export async function assertUntouched({ hasher, events, stores }: TestApp): Promise<void> {
  assertEquals(hasher.calls, []);
  assertEquals(events, []);
  assertEquals((await stores.sessions.list("u1")).length, 1);
}

export function bytes(...parts: readonly (string | number)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  return new Uint8Array(
    parts.flatMap((part) => typeof part === "number" ? [part] : [...encoder.encode(part)]),
  );
}
