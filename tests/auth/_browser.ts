/**
 * A browser for authentication: a cookie jar, the origin headers of requests, and the CSRF token that a page keeps.
 *
 * @module
 */

import { assert, assertEquals, assertFalse } from "@std/assert";
import type { PasswordCredentials } from "../../auth/password/password_types.ts";
import { ADA } from "./_services.ts";

/** A request of a page. */
export interface BrowserInit {
  readonly method?: string;
  /** A JSON body. */
  readonly json?: unknown;
  readonly body?: BodyInit;
  /** Additional header fields; `undefined` omits a default one: `{ "Sec-Fetch-Site": undefined }`. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** A token instead of the page's, or none. */
  readonly token?: string | false;
}

/** Cookies by name. */
export interface Jar {
  get(name: string): string | undefined;
  /** @param until When it expires; at the end of the browser session by default. */
  set(name: string, value: string, until?: number): void;
  delete(name: string): void;
  /** Names, sorted. */
  names(): readonly string[];
  /** Value of `Cookie`; empty without cookies. */
  field(): string;
  /** Deletes session cookies. */
  endVisit(): void;
}

export interface TestBrowser {
  /** Its cookies. */
  readonly jar: Jar;
  /** Makes a request from a page of the application, with the cookies for every `SameSite`. */
  send(path: string, init?: BrowserInit): Promise<Response>;
  /** Sends JSON with the token, which it fetches first if there is none. */
  post(path: string, json?: unknown, init?: BrowserInit): Promise<Response>;
  /** The page's token: the last one that it received, or a new one. */
  token(): Promise<string>;
  register(credentials?: PasswordCredentials): Promise<Response>;
  login(credentials?: PasswordCredentials & { readonly remember?: boolean }): Promise<Response>;
  logout(): Promise<Response>;
  /** Stores cookies as if a response had set them. */
  keep(cookies: readonly string[]): void;
  /** Closes the browser: deletes session cookies and the page's token. */
  close(): void;
}

export interface BrowserOptions {
  readonly origin: string;
  readonly now: () => number;
  readonly fetch: (request: Request) => Promise<Response>;
}

interface Kept {
  readonly value: string;
  /** When it expires; `undefined` at the end of the browser session. */
  readonly until: number | undefined;
}

export function createBrowser({ origin, now, fetch }: BrowserOptions): TestBrowser {
  const jar = createJar(now);
  let known: string | undefined;

  async function send(path: string, init: BrowserInit = {}): Promise<Response> {
    const { method = "GET", token, body, headers = {} } = init;
    const given = "json" in init ? JSON.stringify(init.json) : body;
    const own: Record<string, string | undefined> = {
      "Sec-Fetch-Site": "same-origin",
      ...("json" in init ? { "Content-Type": "application/json" } : {}),
      Cookie: jar.field() || undefined,
      ...(token === undefined || token === false ? {} : { "X-CSRF-Token": token }),
      ...headers,
    };
    const fields = Object.entries(own).filter((field): field is [string, string] =>
      field[1] !== undefined
    );
    const response = await fetch(
      new Request(new URL(path, origin), {
        method,
        headers: fields,
        ...(given === undefined ? {} : { body: given }),
      }),
    );
    await note(response);
    return response;
  }

  /** Stores the cookies of a response, and the token of its body. */
  async function note(response: Response): Promise<void> {
    const cookies = response.headers.getSetCookie();
    if (cookies.some((cookie) => /^__Host-(?:\w+-)?csrf=/.test(cookie))) known = undefined;
    keep(cookies);
    if (response.headers.get("Content-Type") !== "application/json") return;
    const text = await response.clone().text();
    const data = text === "" ? undefined : JSON.parse(text); // a response to HEAD has no body
    if (typeof data?.csrfToken === "string") known = data.csrfToken;
  }

  function keep(cookies: readonly string[]): void {
    const names = cookies.map(nameOf);
    assertEquals(new Set(names).size, names.length, "RFC 6265bis §4.1.1 allows each name once");
    for (const cookie of cookies) keepOne(cookie);
  }

  function keepOne(cookie: string): void {
    const [pair = "", ...rest] = cookie.split("; ");
    const attributes = new Map(rest.map((text) => {
      const [name = "", value = ""] = text.split("=");
      return [name.toLowerCase(), value];
    }));
    checkPrefix(pair, attributes);
    const name = nameOf(cookie);
    const until = endOf(attributes);
    if (until !== undefined && until <= now()) jar.delete(name);
    else jar.set(name, pair.slice(name.length + 1), until);
  }

  /** RFC 6265bis §5.7: `Max-Age` has precedence over `Expires`. */
  function endOf(attributes: ReadonlyMap<string, string>): number | undefined {
    const age = attributes.get("max-age");
    if (age !== undefined) return now() + Number(age);
    const expires = attributes.get("expires");
    return expires === undefined ? undefined : Date.parse(expires) / 1000;
  }

  async function token(): Promise<string> {
    if (known === undefined) assertEquals((await send("/auth/csrf")).status, 200);
    assert(known !== undefined);
    return known;
  }

  async function post(path: string, json?: unknown, init: BrowserInit = {}): Promise<Response> {
    const body = json === undefined ? {} : { json };
    return await send(path, { method: "POST", ...body, token: await token(), ...init });
  }

  return {
    jar,
    send,
    post,
    token,
    register: (credentials = ADA) => post("/auth/register", credentials),
    login: (credentials = ADA) => post("/auth/login", credentials),
    logout: () => post("/auth/logout"),
    keep,
    close() {
      known = undefined;
      jar.endVisit();
    },
  };
}

/** Creates a jar that deletes expired cookies. */
function createJar(now: () => number): Jar {
  const kept = new Map<string, Kept>();
  const isOver = ({ until }: Kept) => until !== undefined && until <= now();
  const alive = () => [...kept].filter(([, cookie]) => !isOver(cookie));
  return {
    get: (name) => alive().find(([known]) => known === name)?.[1].value,
    set: (name, value, until) => void kept.set(name, { value, until }),
    delete: (name) => kept.delete(name),
    names: () => alive().map(([name]) => name).sort(),
    field: () => alive().map(([name, { value }]) => `${name}=${value}`).join("; "),
    endVisit() {
      for (const [name, { until }] of kept) if (until === undefined) kept.delete(name);
    },
  };
}

function nameOf(cookie: string): string {
  return cookie.slice(0, cookie.indexOf("="));
}

/** The requirements of prefixes, RFC 6265bis §4.1.3, and of all cookies of the package. */
function checkPrefix(pair: string, attributes: ReadonlyMap<string, string>): void {
  assert(/^__(?:Host|Secure)-/.test(pair), "The cookie has no prefix");
  assert(attributes.has("secure"), "The cookie is not Secure");
  assert(attributes.has("httponly"), "The cookie is not HttpOnly");
  assertEquals(attributes.get("path"), "/");
  if (pair.startsWith("__Host-")) assertFalse(attributes.has("domain"));
}
