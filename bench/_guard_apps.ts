/**
 * What `guard.ts` compares: what every contestant is, the request it gets, and a floor that is written by hand.
 *
 * @module
 */

import type { App } from "./_apps.ts";

/** Where the applications seem to be: `__Host-` cookies want a secure place. */
export const ORIGIN = "https://example.com";

/** The user that every application has. */
export const CREDENTIALS = {
  identifier: "ada@example.org",
  password: "lovelace wrote the notes",
} as const;

/** Signs what each side signs. */
export const SECRET = "a secret that only the tests know, kept";

/** An application with `GET /me` and `DELETE /me`, which answer `{"sub": "…"}` to a user who is signed in. */
export interface GuardApp extends App {
  /** The user's id, as the application gave it. */
  readonly sub: string;
  /** Which requests it is there for. */
  readonly takes: "reads" | "writes" | "both";
  /** Whether it looks for a session at all. */
  readonly guards: boolean;
  /** The same application without a guard, for what the guard adds; `undefined` if this one has none. */
  readonly base: string | undefined;
  /** Header fields of a request with a session that lasts. */
  readonly live: Readonly<Record<string, string>>;
  /** Those with a session that somebody ended: well-formed, and nowhere in the store. */
  readonly ended: Readonly<Record<string, string>>;
  /** Whether a session counts on after its end, until what was written in a cookie expires. */
  readonly outlivesEnd?: boolean;
}

/** An application that is asked to sign somebody in. */
export interface LoginApp extends App {
  /** A new request that signs the user in. */
  login(): Request;
}

/** What a response's cookies are as a `Cookie` header field, behind those of an earlier response. */
export function cookieOf(response: Response, earlier = ""): string {
  const cookies = response.headers.getSetCookie().map((text) => text.split(";")[0] ?? "");
  return [earlier, ...cookies].filter((text) => text !== "").join("; ");
}

/** A request with JSON, as a page of the same origin sends it. */
export function post(path: string, body: unknown, headers: Record<string, string> = {}): Request {
  return new Request(ORIGIN + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: {
      ...{ "Content-Type": "application/json", "Origin": ORIGIN, "Sec-Fetch-Site": "same-origin" },
      ...headers,
    },
  });
}

/** @throws {Error} If a response is not the one that was asked for. */
export function requireStatus(what: string, response: Response, status: number): Response {
  if (response.status === status) return response;
  throw new Error(`${what}: ${response.status}, not ${status}`);
}

/** Least of all that checks a session: a cookie, the SHA-256 of its value, a look into a map. */
export function floor(): GuardApp {
  const sub = "ada";
  const [token, ended] = [randomToken(), randomToken()];
  const encoder = new TextEncoder();
  const sessions = new Map<string, string>();
  const digest = async (text: string): Promise<string> =>
    encode(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
  const ready = digest(token).then((key) => sessions.set(key, sub));
  async function fetch(request: Request): Promise<Response> {
    await ready;
    const { url, headers } = request;
    if (url.slice(url.indexOf("/", 8)) !== "/me") return new Response(null, { status: 404 });
    const value = /(?:^|; )__Host-sid=([\w-]{43})(?:;|$)/.exec(headers.get("cookie") ?? "")?.[1];
    const found = value === undefined ? undefined : sessions.get(await digest(value));
    if (found === undefined) return Response.json({ error: "unauthenticated" }, { status: 401 });
    return Response.json({ sub: found });
  }
  return {
    ...{
      name: "by hand: cookie, Web Crypto's SHA-256, Map",
      guards: true,
      takes: "reads",
      sub,
      base: undefined,
      fetch,
    },
    live: { Cookie: `__Host-sid=${token}` },
    ended: { Cookie: `__Host-sid=${ended}` },
  };
}

function randomToken(): string {
  return encode(crypto.getRandomValues(new Uint8Array(32)));
}

function encode(bytes: Uint8Array<ArrayBuffer>): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
