/**
 * A client for tests and scripts: it keeps cookies, sends CSRF tokens, and signs users in.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { randomId } from "../_random.ts";
import { canonicalIdentifier, type Identifier } from "../identifier.ts";
import { userStoreOf } from "../http/runtime.ts";
import type { AuthRuntime } from "../http/types.ts";
import type { User, UserStore } from "../stores/types.ts";
import { toUserInfo, type UserInfo } from "../users/user_info.ts";
import { createCookieJar } from "./_cookie_jar.ts";

/** An application: a router, or what else has `fetch`. */
export interface TestedApp {
  /** Answers a request. */
  // deno-lint-ignore no-explicit-any -- whatever arguments the application wants
  fetch(request: Request, ...args: any[]): Response | undefined | Promise<Response | undefined>;
}

/** Options of {@linkcode testClient}. */
export interface TestClientOptions {
  /** What `registerAuth()` returned, for {@linkcode TestClient.signIn} and CSRF tokens. @default neither */
  readonly runtime?: AuthRuntime<never> | undefined;
  /**
   * Path of the route that issues CSRF tokens, where there is no `runtime`: `/auth/csrf`. It is asked before each request that
   * changes state. @default no tokens are sent
   */
  readonly csrf?: string | undefined;
  /** Where the application is, if it is not a URL itself. @default {"http://localhost"} */
  readonly origin?: string | undefined;
  /** What the host passes after the request: `[{ remoteAddr }]` on Deno, `[env]` on Workers. @default {[]} */
  readonly args?: readonly unknown[] | undefined;
}

/** A client with cookies of its own: what a browser is to an application. */
export interface TestClient {
  /**
   * Sends a request as a page of the application does: with the cookies, `Sec-Fetch-Site: same-origin` and, if it changes
   * state, a CSRF token. Header fields of `init` have precedence. Redirects are not followed.
   *
   * @param path Path and query, or a URL of the same origin.
   * @throws {TypeError} If it is a URL of another origin.
   */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a GET request. */
  get(path: string): Promise<Response>;
  /** Sends a POST request with a JSON body, or without one. */
  post(path: string, body?: unknown): Promise<Response>;
  /**
   * Opens a session for a user, who is created if there is none, without a password and a second factor: nothing is hashed. It is
   * the session that a sign-in by password opens, in the stores of the option `runtime`.
   *
   * @throws {TypeError} If there is no `runtime`, or browsers store no session cookie of `origin`: it is neither `https:` nor
   * this machine, or not below the cookie's domain.
   * @throws {AuthError} `invalid_identifier`, if the identifier is not valid; `service_unavailable`, if a store fails.
   */
  signIn(identifier: string): Promise<UserInfo>;
}

/**
 * Creates a client of an application, in process or at a URL.
 *
 * `signIn()` needs the option `runtime`: whoever holds that can create users and sessions without this function, too. No route
 * of an application leads here, and no other entry of the package includes it.
 *
 * @throws {TypeError} If an option is unknown, or `origin` is not a URL.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   routerBuilder,
 * } from "@gatehouse/http";
 * import { testClient } from "@gatehouse/http/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   container: createContainer(), // an application leaves it out
 * });
 * const router = routerBuilder()
 *   .withAuth(runtime.integration({ routes: { registration: "closed" } }))
 *   .build()
 *   .post("/notes", (req) => json({ by: req.principal.sub, ...req.content as object }));
 *
 * const client = testClient(router, { runtime });
 * assertEquals((await client.post("/notes", { title: "Milk" })).status, 401);
 *
 * const { sub } = await client.signIn("ada@example.org");
 * const response = await client.post("/notes", { title: "Milk" });
 * assertEquals(await response.json(), { by: sub, title: "Milk" });
 * ```
 */
export function testClient(app: TestedApp | string, options: TestClientOptions = {}): TestClient {
  rejectUnknownOptions("Cannot create test client", options, NAMES);
  const { runtime, csrf, args = [] } = options;
  const base = new URL(typeof app === "string" ? app : options.origin ?? "http://localhost");
  const jar = createCookieJar(createClock(runtime?.now));

  async function request(path: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(path, base.origin);
    if (url.origin !== base.origin) {
      throw new TypeError("Cannot send request: it is for another origin");
    }
    const headers = new Headers(init.headers);
    const isSafe = /^(?:get|head|options)$/i.test(init.method ?? "GET");
    setMissing(headers, "Sec-Fetch-Site", "same-origin");
    if (!isSafe) {
      setMissing(headers, "Origin", base.origin);
      const token = await csrfToken(url);
      if (token !== undefined) setMissing(headers, token.header, token.token);
    }
    setMissing(headers, "Cookie", jar.field(url));
    const sent = new Request(url, { redirect: "manual", ...init, headers });
    const response = typeof app === "string" ? await fetch(sent) : await app.fetch(sent, ...args);
    if (response === undefined) throw new TypeError("Cannot read response: there is none");
    jar.store(url, response.headers.getSetCookie());
    return response;
  }

  /** A request with the cookies alone. */
  function requestOf(url: URL): Request {
    const cookie = jar.field(url);
    return new Request(url, cookie === undefined ? {} : { headers: { Cookie: cookie } });
  }

  /** The token of the session, as a page gets it before it sends a form. */
  async function csrfToken(url: URL): Promise<{ header: string; token: string } | undefined> {
    if (runtime !== undefined) {
      const { token, cookies } = await runtime.csrf.issue(requestOf(url));
      jar.store(url, cookies);
      return { header: runtime.csrf.header, token };
    }
    if (csrf === undefined) return undefined;
    const response = await request(csrf);
    if (!response.ok) {
      await response.body?.cancel();
      throw new TypeError(`Cannot get CSRF token: ${csrf} responded with ${response.status}`);
    }
    const { csrfToken: token, header } = await response.json();
    return { header, token };
  }

  return {
    request,
    get: (path) => request(path),
    post: (path, body) =>
      request(path, {
        method: "POST",
        ...body !== undefined && {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(body),
        },
      }),
    async signIn(identifier) {
      if (runtime === undefined) throw new TypeError("Cannot sign in: it needs the option runtime");
      const users = userStoreOf(runtime);
      const canonical = canonicalIdentifier(identifier);
      const user = await users.findByIdentifier(canonical) ??
        await createUser(users, canonical, runtime.now());
      const { sub, securityStamp } = user;
      const { token } = await runtime.sessions.create({
        sub,
        securityStamp,
        authTime: runtime.now(),
        amr: ["pwd"],
      });
      jar.store(base, [runtime.cookies.set("sid", token)]);
      if (runtime.cookies.read(requestOf(base), "sid").status !== "found") {
        throw new TypeError(`Cannot sign in: browsers store no session cookie of ${base.origin}`);
      }
      return toUserInfo(user);
    },
  };
}

const NAMES: OptionNames<TestClientOptions> = {
  runtime: true,
  csrf: true,
  origin: true,
  args: true,
};

/** Another client may create the same user at the same time. */
async function createUser(users: UserStore, identifier: Identifier, now: number): Promise<User> {
  const sub = randomId();
  await users.create({ sub, identifier, securityStamp: randomId(), createdAt: now });
  const user = await users.findByIdentifier(identifier);
  if (user === null) throw new TypeError("Cannot sign in: the store does not have the new user");
  return user;
}

function setMissing(headers: Headers, name: string, value: string | undefined): void {
  if (value !== undefined && !headers.has(name)) headers.set(name, value);
}
