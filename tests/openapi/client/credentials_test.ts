import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createCookieJar } from "../../../auth/testing/_cookie_jar.ts";
import { connect } from "../../../openapi/client/runtime.ts";
import type { ClientOptions, Tokens } from "../../../openapi/client/runtime_types.ts";
import { pbkdf2Hasher } from "../../../auth/mod.ts";
import {
  type AuthRuntime,
  createContainer,
  createTokenRoutes,
  generateSecret,
  inMemoryAuthStores,
  json,
  mountAuthRoutes,
  registerAuth,
  routerBuilder,
} from "../../../mod.ts";

const ORIGIN = "http://localhost";
const API = { csrf: "/auth/csrf", refresh: "/tokens/refresh", routes: {} };
const ADA = { identifier: "ada@example.org", password: "lovelace wrote notes" };

/** An application with cookies and tokens, and the requests that it got. */
interface Site {
  readonly runtime: AuthRuntime<never>;
  readonly requests: Request[];
  /** Moves its clock on. */
  wait(seconds: number): void;
  /** Requests to a path. */
  count(path: string): number;
  /** Sends a request as a page does: with cookies, and with where it comes from. */
  page(): (request: Request) => Promise<Response>;
  /** Sends a request without either. */
  readonly program: (request: Request) => Promise<Response>;
}

async function site(): Promise<Site> {
  let waited = 0;
  const now = () => 1_800_000_000 + waited;
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    hasher: pbkdf2Hasher({ iterations: 1_000 }), // fast: the hash is not under test
    deployment: { clientAddress: () => "192.0.2.1" },
    csrf: "token",
    jwt: { issuer: ORIGIN, audience: ORIGIN },
    container: createContainer(),
    now,
  });
  const router = routerBuilder()
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .build()
    .get("/notes", (req) => json({ by: req.principal.sub }))
    .post("/notes", (req) => json({ by: req.principal.sub }, { status: 201 }));
  mountAuthRoutes(router, createTokenRoutes({ runtime }), "/tokens");
  await runtime.passwords.createUser(ADA);
  const requests: Request[] = [];
  const program = async (request: Request) => {
    requests.push(request.clone());
    return await router.fetch(request);
  };
  return {
    runtime,
    requests,
    program,
    wait: (seconds) => void (waited += seconds),
    count: (path) => requests.filter(({ url }) => new URL(url).pathname === path).length,
    page() {
      const jar = createCookieJar(now);
      return async (request) => {
        const url = new URL(request.url);
        const headers = new Headers(request.headers);
        headers.set("Sec-Fetch-Site", "same-origin");
        const cookie = jar.field(url);
        if (cookie !== undefined) headers.set("Cookie", cookie);
        const response = await program(new Request(request, { headers }));
        jar.store(url, response.headers.getSetCookie());
        return response;
      };
    },
  };
}

/** A client that keeps its tokens in a variable. */
function tokenClient(fetch: ClientOptions["fetch"], first?: Tokens) {
  const stored: (Tokens | undefined)[] = [first];
  const tokens = {
    get: () => stored.at(-1),
    set: (next: Tokens | undefined) => void stored.push(next),
  };
  return { stored, tokens, call: connect(API, { baseUrl: ORIGIN, fetch, tokens }) };
}

async function signedIn(program: ClientOptions["fetch"]): Promise<Tokens> {
  const outcome = await connect(API, { baseUrl: ORIGIN, fetch: program, csrf: false })(
    "POST /tokens/login",
    { body: ADA },
  );
  assert(outcome.ok);
  return outcome.data as Tokens;
}

Deno.test("connect() fetches a CSRF token once, before the first request that changes state", async () => {
  const { page, requests, count } = await site();
  const call = connect(API, { baseUrl: ORIGIN, fetch: page() });
  assertEquals((await call("GET /notes")).status, 401);
  assertEquals(count("/auth/csrf"), 0);
  const [first] = await Promise.all([
    call("POST /auth/login", { body: ADA }),
    call("POST /auth/logout"),
    call("POST /auth/logout"),
  ]);
  assertEquals([first.status, count("/auth/csrf")], [200, 1]);
  assertEquals(
    requests.filter(({ method }) => method === "GET")
      .filter(({ headers }) => headers.has("X-CSRF-Token")),
    [],
  );
});

Deno.test("connect() takes the CSRF token that a sign-in returns", async () => {
  const { page, requests, count } = await site();
  const call = connect(API, { baseUrl: ORIGIN, fetch: page() });
  const entered = await call("POST /auth/login", { body: ADA });
  assert(entered.ok);
  assertEquals((await call("POST /notes", { body: {} })).status, 201);
  const sent = requests.map(({ headers }) => headers.get("X-CSRF-Token"));
  assertEquals(sent.slice(2), [(entered.data as { csrfToken: string }).csrfToken]);
  assertNotEquals(sent[1], sent[2]);
  assertEquals(count("/auth/csrf"), 1);
});

Deno.test("connect() fetches another CSRF token after a rejection, once for all calls", async () => {
  const { page, count } = await site();
  const fetch = page();
  const tab = connect(API, { baseUrl: ORIGIN, fetch });
  const other = connect(API, { baseUrl: ORIGIN, fetch });
  await tab("POST /auth/login", { body: ADA });
  await other("POST /auth/login", { body: ADA }); // another session: the token of the first tab is void
  const before = count("/auth/csrf");
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, () => tab("POST /notes", { body: {} })),
  );
  assertEquals(outcomes.map(({ status }) => status), [201, 201, 201, 201, 201]);
  assertEquals(count("/auth/csrf") - before, 1);
});

Deno.test("connect() returns the second rejection of a CSRF token, and sends no third request", async () => {
  const sent: string[] = [];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: ({ method, url }) => {
      sent.push(`${method} ${new URL(url).pathname}`);
      return method === "GET"
        ? Response.json({ csrfToken: "t", header: "X-CSRF-Token" })
        : Response.json({ code: "csrf_failed" }, { status: 403 });
    },
  });
  assertEquals((await call("POST /notes", { body: {} })).status, 403);
  assertEquals(sent, ["GET /auth/csrf", "POST /notes", "GET /auth/csrf", "POST /notes"]);
});

Deno.test("connect() returns the refusal of a CSRF token, rejects as fetch does, and keeps neither", async () => {
  const answers = [
    () => Response.json({ code: "csrf_failed" }, { status: 403 }),
    () => Promise.reject(new TypeError("network")),
    () => Response.json({ csrfToken: "t", header: "X-CSRF-Token" }),
    () => Response.json({ done: true }),
  ];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: () => answers.shift()?.() ?? new Response(),
  });
  assertEquals((await call("POST /notes", { body: {} })).status, 403);
  assertEquals(await call("POST /notes", { body: {} }).catch((error) => error.message), "network");
  assertEquals((await call("POST /notes", { body: {} })).status, 200);
});

/** Options without CSRF tokens. */
const WITHOUT: readonly (readonly [string, ClientOptions])[] = [
  ["csrf: false", { csrf: false }],
  ["cookies", { credentials: "omit" }],
];
for (const [why, options] of WITHOUT) {
  Deno.test(`connect() sends no CSRF token with ${why}`, async () => {
    const { program, count } = await site();
    const call = connect(API, { baseUrl: ORIGIN, fetch: program, ...options });
    await call("POST /notes", { body: {} });
    assertEquals([count("/auth/csrf"), count("/notes")], [0, 1]);
  });
}

Deno.test("connect() refreshes an expired token once for 200 calls", async () => {
  const { program, count, wait } = await site();
  const first = await signedIn(program);
  const { call, stored } = tokenClient(program, first);
  assertEquals((await call("POST /notes", { body: {} })).status, 201);
  wait(700);
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => call("GET /notes")));
  assertEquals(new Set(outcomes.map(({ status }) => status)), new Set([200]));
  assertEquals([count("/tokens/refresh"), stored.length], [1, 2]);
  assertNotEquals(stored[1]?.refreshToken, first.refreshToken);
  wait(700);
  assertEquals((await call("GET /notes")).status, 200);
  assertEquals([count("/tokens/refresh"), count("/auth/csrf")], [2, 0]);
});

Deno.test("connect() repeats a call whose refusal comes after the refresh, without another one", async () => {
  const { program, count, wait } = await site();
  const first = await signedIn(program);
  wait(700);
  let late: (() => void) | undefined;
  const held = new Promise<void>((resolve) => late = resolve);
  let turn = 0;
  const { call } = tokenClient(async (request) => {
    const isLate = request.url.endsWith("/notes") && turn++ === 0;
    const response = await program(request);
    if (isLate) await held;
    return response;
  }, first);
  const slow = call("GET /notes");
  assertEquals((await call("GET /notes")).status, 200);
  late?.();
  assertEquals([(await slow).status, count("/tokens/refresh")], [200, 1]);
});

Deno.test("connect() signs out when the refresh is refused, and returns the 401", async () => {
  const { program, count, wait, runtime } = await site();
  const first = await signedIn(program);
  await runtime.tokens?.revoke(first.refreshToken ?? "");
  wait(700);
  const { call, stored } = tokenClient(program, first);
  const outcomes = await Promise.all([call("GET /notes"), call("GET /notes")]);
  assertEquals(outcomes.map(({ status }) => status), [401, 401]);
  assertEquals([count("/tokens/refresh"), count("/notes"), stored.slice(1)], [1, 2, [undefined]]);
  await call("GET /notes");
  assertEquals([count("/tokens/refresh"), count("/notes")], [1, 3]);
});

/** What becomes of a refresh, and of the tokens. */
const REFRESHES: readonly (readonly [string, () => Response | Promise<Response>, boolean])[] = [
  ["is not available", () => Response.json({}, { status: 503 }), false],
  ["is throttled", () => Response.json({}, { status: 429 }), false],
  ["fails with the network", () => Promise.reject(new TypeError("network")), false],
  ["returns no token", () => Response.json({ accessToken: 1 }), false],
  ["is refused", () => Response.json({ code: "invalid_refresh_token" }, { status: 401 }), true],
];
for (const [why, refresh, isSignedOut] of REFRESHES) {
  Deno.test(`connect() returns the 401 where the refresh ${why}`, async () => {
    const { call, stored } = tokenClient(
      ({ url }) =>
        url.endsWith("refresh")
          ? refresh()
          : Response.json({ code: "token_expired" }, { status: 401 }),
      { accessToken: "a", refreshToken: "r" },
    );
    assertEquals((await call("GET /notes")).status, 401);
    assertEquals(stored.slice(1), isSignedOut ? [undefined] : []);
  });
}

Deno.test("connect() does not refresh for a refusal that another token would get, too", async () => {
  for (const [status, code] of [[401, "invalid_credentials"], [403, "access_denied"]] as const) {
    const sent: string[] = [];
    const { call } = tokenClient((request) => {
      sent.push(request.url);
      return Response.json({ code }, { status });
    }, { accessToken: "a", refreshToken: "r" });
    assertEquals([(await call("POST /tokens/login")).status, sent.length], [status, 1]);
  }
});

Deno.test("connect() stops after one refresh where the new token is refused as well", async () => {
  const sent: string[] = [];
  const { call } = tokenClient(({ url }) => {
    sent.push(new URL(url).pathname);
    return url.endsWith("refresh")
      ? Response.json({ accessToken: "b", refreshToken: "s" })
      : Response.json({ code: "invalid_token" }, { status: 401 });
  }, { accessToken: "a", refreshToken: "r" });
  assertEquals((await call("GET /notes")).status, 401);
  assertEquals(sent, ["/notes", "/tokens/refresh", "/notes"]);
});

Deno.test("connect() does not sign in again who has signed out during a refresh", async () => {
  const { call, stored, tokens } = tokenClient(({ url }) => {
    if (!url.endsWith("refresh")) return Response.json({ code: "token_expired" }, { status: 401 });
    tokens.set(undefined);
    return Response.json({ accessToken: "b", refreshToken: "s" });
  }, { accessToken: "a", refreshToken: "r" });
  assertEquals((await call("GET /notes")).status, 401);
  assertEquals(stored.at(-1), undefined);
});

Deno.test("connect() refreshes once in all tabs that share tokens", async () => {
  const { program, count, wait } = await site();
  const shared = tokenClient(program, await signedIn(program));
  wait(700);
  const queues = new Map<string, Promise<unknown>>();
  const locks = { // Web Locks §2, as far as exclusive locks go
    request<T>(name: string, run: () => Promise<T>): Promise<T> {
      const result = (queues.get(name) ?? Promise.resolve()).then(run);
      queues.set(name, result.catch(() => {}));
      return result;
    },
  };
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  try {
    const tabs = [1, 2].map(() =>
      connect(API, { baseUrl: ORIGIN, fetch: program, tokens: shared.tokens })
    );
    const outcomes = await Promise.all(tabs.map((tab) => tab("GET /notes")));
    assertEquals(outcomes.map(({ status }) => status), [200, 200]);
    assertEquals(count("/tokens/refresh"), 1);
  } finally {
    Reflect.deleteProperty(navigator, "locks");
  }
});

Deno.test("connect() takes neither token to another origin", async () => {
  const seen: Request[] = [];
  await using evil = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      seen.push(request);
      return new Response();
    },
  );
  const target = `http://127.0.0.1:${evil.addr.port}/notes`;
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/auth/csrf") {
        return Response.json({ csrfToken: "secret", header: "X-CSRF-Token" });
      }
      return Response.redirect(target, 307);
    },
  );
  const baseUrl = `http://127.0.0.1:${server.addr.port}`;
  const clients = [
    connect(API, { baseUrl }),
    connect(API, { baseUrl, headers: { "X-API-Key": "secret" } }),
    connect(API, { baseUrl, tokens: { get: () => ({ accessToken: "secret" }), set() {} } }),
  ];
  for (const call of clients) {
    for (const route of ["GET /moved", "POST /moved"]) {
      const { ok, status } = await call(route);
      assertEquals([ok, status], [false, 307]);
    }
  }
  assertEquals(seen, []);
});
