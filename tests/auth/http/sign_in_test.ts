/** Sign-in and sign-out of a browser. */

import {
  AuthError,
  createRouter,
  empty,
  getPrincipal,
  getSession,
  json,
  type SignInOptions,
} from "@gatehouse/http";
import { assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { ADA, START, types } from "../_services.ts";
import { createTestApp, type TestAppOptions } from "./_app.ts";
import { authenticate, enterApp, signedIn } from "./_sign_in.ts";

Deno.test("signIn() creates a session in a handler of the application", async () => {
  const { client, app, cookies } = await signedIn();
  assertEquals(client.jar.names(), ["__Host-csrf", "__Host-dev", "__Host-sid"]);
  assertEquals(await (await client.send("/me")).json(), { sub: "u1", method: "session" });
  assertEquals(types(app.events), ["login.succeeded", "session.created"]);
  for (const cookie of cookies) assertMatch(cookie, /; Path=\/;.* Secure; HttpOnly; SameSite=Lax$/);
});

Deno.test("signIn() returns principal, session and token, which the next request can use", async () => {
  const { client, data } = await signedIn({ app: { csrf: "token" } });
  const { principal, session, csrfToken } = data;
  assertEquals(principal.sub, "u1");
  assertEquals(principal.method, "password");
  assertEquals(principal.sessionId, session.id);
  assertEquals(principal.authTime, START);
  assertEquals([session.createdAt, session.expiresAt], [START, START + 86_400]);
  const post = (token: string | false) =>
    client.send("/notes", { method: "POST", json: {}, token });
  assertEquals((await post(false)).status, 403);
  assertEquals((await post(csrfToken)).status, 201);
});

Deno.test("signIn() sets the principal for the rest of the request", async () => {
  const app = createTestApp();
  const seen: unknown[] = [];
  app.router.post("/enter", async (req) => {
    seen.push(getPrincipal(req)?.sub);
    await app.runtime.signIn(req, await authenticate(app), { method: "password" });
    seen.push(getPrincipal(req)?.sub, getPrincipal(req.raw)?.method, getSession(req));
    await app.runtime.signOut(req);
    seen.push(getPrincipal(req));
    return empty();
  }, { auth: false, raw: true });
  await app.browser().send("/enter", { method: "POST" });
  assertEquals(seen, [undefined, "u1", "password", undefined, undefined]);
});

Deno.test("signIn() replaces the presented session", async () => {
  const { client, app, send } = await signedIn();
  const before = client.jar.get("__Host-sid") ?? "";
  await send();
  const after = client.jar.get("__Host-sid") ?? "";
  assertNotEquals(before, after);
  assertEquals(await app.runtime.sessions.verify(before), undefined);
  assertEquals((await app.runtime.sessions.list("u1")).length, 1);
});

/** Cookies of a browser that are not a valid session. */
const PRESETS: readonly (readonly [why: string, cookie: string])[] = [
  ["a planted cookie", "__Host-sid=" + "A".repeat(43)],
  ["a malformed cookie", "__Host-sid=planted"],
  ["an empty cookie", "__Host-sid="],
  ["two cookies", "__Host-sid=a; __Host-sid=b"],
];

for (const [why, Cookie] of PRESETS) {
  Deno.test(`signIn() does not adopt a value from ${why}`, async () => {
    const app = enterApp();
    const client = app.browser();
    await client.send("/enter", { method: "POST", json: {}, headers: { Cookie } });
    const token = client.jar.get("__Host-sid") ?? "";
    assertMatch(token, /^[\w-]{43}$/);
    assertEquals(Cookie.includes(token), false);
    assertEquals((await client.send("/me")).status, 200);
  });
}

/** Lifetimes of the session's cookie. */
const AGES: readonly (readonly [
  why: string,
  options: TestAppOptions,
  remember: boolean | undefined,
  age: number | undefined,
])[] = [
  ["a browser session", {}, undefined, undefined],
  ["a browser session, explicitly", {}, false, undefined],
  ["30 days", {}, true, 2_592_000],
  [
    "the configured persistent limit",
    {
      session: { absolute: 600, persistent: { absolute: 7_200, idle: 3_600 } },
    },
    true,
    7_200,
  ],
  [
    "400 days, the maximum",
    {
      session: { persistent: { absolute: 34_560_000, idle: 34_560_000 } },
    },
    true,
    34_560_000,
  ],
];

for (const [why, options, remember, age] of AGES) {
  Deno.test(`signIn() keeps the session for ${why}`, async () => {
    const { client, app, cookies } = await signedIn({
      app: options,
      options: remember === undefined ? {} : { remember },
    });
    const [sid = ""] = cookies;
    assertEquals(/Max-Age=(\d+)/.exec(sid)?.[1], age?.toString());
    assertEquals(cookies.filter((cookie) => cookie.includes("Max-Age")).length, age ? 2 : 1);
    client.close();
    assertEquals(client.jar.names().includes("__Host-sid"), age !== undefined);
    if (age === undefined) return;
    assertEquals((await client.send("/me")).status, 200);
    app.clock.now += age;
    assertEquals(client.jar.names().includes("__Host-sid"), false);
  });
}

Deno.test("signIn() sets a device cookie only after a password, and only with a throttle", async () => {
  const skipped = await signedIn({ app: { throttle: "insecureSkip" } });
  assertEquals(skipped.client.jar.names(), ["__Host-csrf", "__Host-sid"]);
  const app = enterApp({}, ({ identifier: _, ...authentication }) => authentication);
  const client = app.browser();
  await client.send("/enter", { method: "POST", json: {} });
  assertEquals(client.jar.names(), ["__Host-csrf", "__Host-sid"]);
});

Deno.test("signIn() records amr and acr of the authentication", async () => {
  const key = { amr: ["hwk"], acr: "2", authTime: START - 60 };
  const app = enterApp({}, ({ sub, securityStamp }) => ({ sub, securityStamp, ...key }));
  const client = app.browser();
  const enter = async (options: SignInOptions) =>
    await (await client.send("/enter", { method: "POST", json: options })).json();
  const { principal: { sessionId: _, ...principal } } = await enter({});
  assertEquals(principal, { sub: "u1", method: "session", ...key });
  assertEquals((await enter({ method: "passkey" })).principal.method, "passkey");
});

Deno.test("signIn() and guards use the application's clock", async () => {
  const now = 5_000_000_000; // which the machine's clock would reject
  const { client, data } = await signedIn({ app: { clock: { now } } });
  assertEquals(data.principal.authTime, now);
  assertEquals((await client.send("/me")).status, 200);
});

Deno.test("signIn() revokes all presented sessions, up to eight", async () => {
  const app = enterApp();
  const { sessions } = app.runtime;
  const authentication = await authenticate(app);
  const tokens: string[] = [];
  for (let i = 0; i < 9; i++) tokens.push((await sessions.create(authentication)).token);
  const Cookie = tokens.map((token) => `__Host-sid=${token}`).join("; ");
  await app.browser().send("/enter", { method: "POST", json: {}, headers: { Cookie } });
  const alive = await Promise.all(tokens.map((token) => sessions.verify(token)));
  assertEquals(alive.map((one) => one !== undefined), [...Array(8).fill(false), true]);
});

Deno.test("signIn() records the User-Agent, which is in the list of sessions", async () => {
  const app = enterApp();
  const headers = { "User-Agent": "Firefox on a toaster" };
  await app.browser().send("/enter", { method: "POST", json: {}, headers });
  const [session] = await app.runtime.sessions.list("u1");
  assertEquals(session?.userAgent, "Firefox on a toaster");
});

Deno.test("signIn() sets its cookies even if the handler then rejects", async () => {
  const app = createTestApp();
  app.router.post("/enter", async (req) => {
    await app.runtime.signIn(req, await authenticate(app));
    throw new AuthError("access_denied");
  }, { auth: false, raw: true });
  const client = app.browser();
  assertEquals((await client.send("/enter", { method: "POST" })).status, 403);
  assertEquals((await client.send("/me")).status, 200);
});

Deno.test("signIn() sets each cookie once, however often it is called in one request", async () => {
  const app = createTestApp();
  app.router.post("/enter", async (req) => {
    const authentication = await authenticate(app);
    await app.runtime.signIn(req, authentication);
    await app.runtime.signOut(req);
    await app.runtime.signIn(req.raw, authentication, { remember: true });
    return json("done");
  }, { auth: false, raw: true });
  const client = app.browser();
  const response = await client.send("/enter", { method: "POST" });
  const names = response.headers.getSetCookie().map((cookie) => cookie.split("=")[0]).sort();
  assertEquals(names, ["__Host-csrf", "__Host-dev", "__Host-presid", "__Host-sid"]);
  assertEquals((await client.send("/me")).status, 200);
});

Deno.test("signIn() leaves no unused session, however often it is called in one request", async () => {
  const app = createTestApp();
  const authentication = await authenticate(app);
  app.router
    .post("/twice", async (req) => {
      await app.runtime.signIn(req, authentication);
      await app.runtime.signIn(req, authentication);
      return json("done");
    }, { auth: false, raw: true })
    .post("/leave", async (req) => {
      await app.runtime.signIn(req, authentication);
      await app.runtime.signOut(req);
      return json("done");
    }, { auth: false, raw: true });
  const client = app.browser();
  await client.send("/twice", { method: "POST" });
  assertEquals((await app.runtime.sessions.list("u1")).length, 1);
  await client.send("/leave", { method: "POST" });
  assertEquals((await app.runtime.sessions.list("u1")).length, 0);
});

Deno.test("signIn() works inside a mount, with the derived request", async () => {
  const app = createTestApp();
  const inner = createRouter<unknown[]>().post("/enter", async (req) => {
    await app.runtime.signIn(req.raw, await authenticate(app));
    return json("done");
  }, { raw: true });
  app.router.mount("/inner", inner, { auth: false });
  const client = app.browser();
  assertEquals((await client.send("/inner/enter", { method: "POST" })).status, 200);
  assertEquals((await client.send("/me")).status, 200);
});

Deno.test("signIn() warns if the response was sent without its cookies", async () => {
  const app = createTestApp();
  const authentication = await authenticate(app);
  let late: Promise<unknown> | undefined;
  app.router.post("/enter", (req) => {
    late = app.runtime.signIn(req, authentication);
    return json("too early");
  }, { auth: false, raw: true });
  const response = await app.browser().send("/enter", { method: "POST" });
  assertEquals(response.headers.getSetCookie(), []);
  await late;
  assertEquals(app.warnings, [
    "Cannot set session cookies: the response was already sent; await signIn() and signOut()",
  ]);
});

Deno.test("signIn() of a link in a mail, a GET from another site, passes", async () => {
  const app = createTestApp();
  const authentication = await authenticate(app);
  const headers = { "Sec-Fetch-Site": "cross-site" };
  const request = new Request("https://example.com/link", { headers });
  assertEquals((await app.runtime.signIn(request, authentication)).principal.sub, "u1");
});

Deno.test("signIn() rejects an invalid authentication, and queues nothing", async () => {
  const { runtime } = createTestApp();
  const request = new Request("https://example.com/");
  for (const value of [undefined, null, {}, { sub: "u1" }, "u1"]) {
    await assertRejects(() => runtime.signIn(request, value as never));
    assertEquals(getPrincipal(request), undefined);
  }
});

Deno.test("signOut() revokes the session, and deletes its cookies", async () => {
  const { client, app } = await signedIn();
  const token = client.jar.get("__Host-sid") ?? "";
  const response = await client.send("/leave", { method: "POST" });
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(client.jar.names(), ["__Host-csrf", "__Host-dev", "__Host-presid"]);
  assertEquals(await app.runtime.sessions.verify(token), undefined);
  assertEquals((await client.send("/me")).status, 401);
});

Deno.test("signOut() succeeds without a session, with an expired one, and twice", async () => {
  const app = enterApp();
  for (const value of [undefined, "dead", ""]) {
    const client = app.browser();
    if (value !== undefined) client.jar.set("__Host-sid", value);
    assertEquals((await client.send("/leave", { method: "POST" })).status, 204);
    assertEquals((await client.send("/leave", { method: "POST" })).status, 204);
    assertEquals(client.jar.names(), ["__Host-csrf", "__Host-presid"]);
  }
});

Deno.test("signOut() does not revoke other sessions of the user", async () => {
  const { client, app } = await signedIn();
  const other = app.browser();
  await other.send("/enter", { method: "POST", json: {} });
  await client.send("/leave", { method: "POST" });
  assertEquals((await other.send("/me")).status, 200);
});

Deno.test("signOut() invalidates CSRF tokens of the session", async () => {
  const { client, data } = await signedIn();
  await client.send("/leave", { method: "POST" });
  const response = await client.post("/auth/login", ADA, { token: data.csrfToken });
  assertEquals(response.status, 403);
  assertEquals((await client.login()).status, 200);
});
