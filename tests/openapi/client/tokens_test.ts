import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { type Api, connect } from "../../../openapi/client/runtime.ts";
import type { ClientOptions, Tokens } from "../../../openapi/client/runtime_types.ts";
import { ADA, API, ORIGIN, site } from "./_site.ts";

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

for (const host of ["a host with Web Locks", "another host"]) {
  Deno.test(`connect() refreshes an expired token once for 200 calls on ${host}`, async () => {
    if (host === "another host") {
      Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
    }
    try {
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
    } finally {
      Reflect.deleteProperty(navigator, "locks");
    }
  });
}

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
  ["is at a wrong path", () => Response.json({}, { status: 404 }), false],
  ["returns nothing", () => new Response(null, { status: 204 }), false],
  ["returns no token", () => Response.json({ accessToken: 1 }), false],
  ["is invalid", () => Response.json({}, { status: 400 }), true],
  ["is forbidden", () => Response.json({}, { status: 403 }), true],
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

/** Refusals that another token would get, too. */
const REFUSALS: readonly (readonly [status: number, code: string])[] = [
  [401, "invalid_credentials"],
  [403, "access_denied"],
  [403, "token_expired"],
];

Deno.test("connect() does not refresh for a refusal that another token would get, too", async () => {
  for (const [status, code] of REFUSALS) {
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

Deno.test("connect() keeps the refresh token where a refresh returns none, at a path of the store", async () => {
  const stored: (Tokens | undefined)[] = [{ accessToken: "a", refreshToken: "r" }];
  const call = connect(API, {
    baseUrl: ORIGIN,
    fetch: ({ url, headers }) => {
      if (url === `${ORIGIN}/own/refresh`) return Response.json({ accessToken: "b" });
      const isFresh = headers.get("Authorization") === "Bearer b";
      return isFresh ? new Response() : Response.json({ code: "token_expired" }, { status: 401 });
    },
    tokens: {
      get: () => stored.at(-1),
      set: (next) => void stored.push(next),
      refresh: "/own/refresh",
    },
  });
  assertEquals((await call("GET /notes")).status, 200);
  assertEquals(stored.slice(1), [{ accessToken: "b", refreshToken: "r" }]);
});

/** What makes a refresh impossible. */
const UNREFRESHABLE: readonly (readonly [string, Api, Tokens])[] = [
  ["a refresh token", API, { accessToken: "a" }],
  ["a route of refreshes", { routes: {} }, { accessToken: "a", refreshToken: "r" }],
];
for (const [what, api, first] of UNREFRESHABLE) {
  Deno.test(`connect() sends no refresh without ${what}`, async () => {
    const sent: string[] = [];
    const call = connect(api, {
      baseUrl: ORIGIN,
      fetch: ({ url }) => {
        sent.push(new URL(url).pathname);
        return Response.json({ code: "token_expired" }, { status: 401 });
      },
      tokens: { get: () => first, set() {} },
    });
    assertEquals((await call("GET /notes")).status, 401);
    assertEquals(sent, ["/notes"]);
  });
}

/** What others do while a call is refused or refreshed, and the requests. */
const MEANWHILE: readonly (readonly [string, string, Tokens | undefined, readonly string[]])[] = [
  ["signed out before", "/notes", undefined, ["/notes a"]],
  ["signed out during", "/tokens/refresh", undefined, ["/notes a", "/tokens/refresh"]],
  ["signed in again before", "/notes", { accessToken: "c" }, ["/notes a", "/notes c"]],
  ["signed in again during", "/tokens/refresh", { accessToken: "c", refreshToken: "s" }, [
    "/notes a",
    "/tokens/refresh",
    "/notes c",
  ]],
];
for (const [what, when, next, requests] of MEANWHILE) {
  Deno.test(`connect() takes the tokens that are there if somebody has ${what} a refresh`, async () => {
    const sent: string[] = [];
    const { call, stored, tokens } = tokenClient(({ url, headers }) => {
      const { pathname } = new URL(url);
      const token = headers.get("Authorization")?.replace("Bearer", "") ?? "";
      sent.push(pathname + token);
      if (pathname === when) tokens.set(next);
      if (pathname === "/tokens/refresh") {
        return Response.json({ accessToken: "b", refreshToken: "q" });
      }
      if (token === " c") return new Response();
      return Response.json({ code: "token_expired" }, { status: 401 });
    }, { accessToken: "a", refreshToken: "r" });
    assertEquals((await call("GET /notes")).status, next === undefined ? 401 : 200);
    assertEquals([sent, stored.at(-1)], [requests, next]);
  });
}

Deno.test("connect() refreshes tokens for a stream that it opens again, after the same event", async () => {
  const sent: string[] = [];
  let isExpired = false;
  const { tokens } = tokenClient(undefined, { accessToken: "a", refreshToken: "r" });
  const call = connect({ ...API, routes: { "GET /changes": { data: "textEvents" } } }, {
    baseUrl: ORIGIN,
    tokens,
    fetch: ({ url, headers }) => {
      const token = headers.get("Authorization");
      sent.push(`${new URL(url).pathname} ${token} ${headers.get("Last-Event-ID")}`);
      if (url.endsWith("refresh")) return Response.json({ accessToken: "b", refreshToken: "s" });
      if (isExpired && token === "Bearer a") {
        return Response.json({ code: "token_expired" }, { status: 401 });
      }
      isExpired = true;
      return new Response("retry: 0\nid: 7\ndata: x\n\n", {
        headers: { "Content-Type": "text/event-stream" },
      });
    },
  });
  const outcome = await call("GET /changes");
  assert(outcome.ok);
  let count = 0;
  for await (const _ of outcome.data as AsyncIterable<unknown>) if (++count === 2) break;
  assertEquals(sent, [
    "/changes Bearer a null",
    "/changes Bearer a 7",
    "/tokens/refresh null null",
    "/changes Bearer b 7",
  ]);
});

Deno.test("connect() refreshes once in all tabs that share tokens", async () => {
  const { program, count, wait } = await site();
  const shared = tokenClient(program, await signedIn(program));
  wait(700);
  const tabs = [1, 2].map(() =>
    connect(API, { baseUrl: ORIGIN, fetch: program, tokens: shared.tokens })
  );
  const outcomes = await Promise.all(tabs.map((tab) => tab("GET /notes")));
  assertEquals(outcomes.map(({ status }) => status), [200, 200]);
  assertEquals(count("/tokens/refresh"), 1);
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
