/** POST /auth/logout: 204 whatever the session's state, and what is over then. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createTestApp, type TestApp, type TestBrowser } from "./_app.ts";
import { assertRefused, cookiesOf, FORGED } from "./_routes.ts";
import { ADA, repeat, types } from "../_services.ts";

const BARE = "Path=/; Secure; HttpOnly; SameSite=Lax";
const GONE =
  "__Host-sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Secure; HttpOnly; SameSite=Lax";

/** What every logout answers: no body, the session's cookie away, a token for whoever comes next. */
async function assertSignedOut(response: Response): Promise<void> {
  const [sid = "", presid = "", csrf = "", ...others] = response.headers.getSetCookie();
  assertEquals([sid, others], [GONE, []]);
  const values = cookiesOf(response);
  assertEquals(presid, `__Host-presid=${values["__Host-presid"]}; ${BARE}`);
  assertEquals(csrf, `__Host-csrf=${values["__Host-csrf"]}; ${BARE}`);
  assertEquals([...response.headers].filter(([name]) => name !== "set-cookie"), [
    ["cache-control", "no-store"],
    ["vary", "Cookie"],
  ]);
  assertEquals([response.status, await response.text()], [204, ""]);
}

/** What the browser presents, and how many sessions end of it. */
const PRESENTED: readonly (readonly [
  why: string,
  page: (app: TestApp) => Promise<TestBrowser> | TestBrowser,
  ended: number,
])[] = [
  ["a session", (app) => app.signedIn(), 1],
  ["a lasting session", (app) => app.signedIn({ remember: true }), 1],
  ["no session", (app) => app.browser(), 0],
  ["a session that nobody began", (app) => withSid(app, "A".repeat(43)), 0],
  ["a session's cookie that is no token", (app) => withSid(app, "planted"), 0],
  ["a session that has ended already", async (app) => {
    const page = await app.signedIn();
    await app.runtime.sessions.revokeToken(page.jar.get("__Host-sid") ?? "");
    app.events.length = 0;
    return page;
  }, 0],
  ["a session past its limit", async (app) => {
    const page = await app.signedIn();
    app.clock.now += 1_000_000;
    return page;
  }, 1],
  ["a session of somebody who is gone", async (app) => {
    const page = await app.signedIn();
    await app.stores.users.delete("u1");
    return page;
  }, 1],
];

function withSid({ browser }: TestApp, sid: string): TestBrowser {
  const page = browser();
  page.jar.set("__Host-sid", sid);
  return page;
}

for (const [why, open, ended] of PRESENTED) {
  Deno.test(`POST /auth/logout of ${why} is a 204 that takes the cookie away`, async () => {
    const app = createTestApp();
    const page = await open(app);
    const sid = page.jar.get("__Host-sid") ?? "";
    await page.token();
    await assertSignedOut(await page.logout());
    assertEquals(types(app.events), repeat(ended, () => "session.revoked"));
    assertEquals(await app.runtime.sessions.verify(sid), undefined);
    assertEquals(app.hasher.calls, []);
  });
}

Deno.test("POST /auth/logout again, and again, is the same", async () => {
  const page = await createTestApp().signedIn();
  for (let i = 0; i < 3; i++) await assertSignedOut(await page.logout());
});

Deno.test("POST /auth/logout by 20 at once is the same for all of them", async () => {
  const { signedIn, runtime, events } = createTestApp();
  const page = await signedIn();
  const [sid = "", token] = [page.jar.get("__Host-sid"), await page.token()];
  const Cookie = page.jar.field();
  const send = () => page.send("/auth/logout", { method: "POST", token, headers: { Cookie } });
  const responses = await Promise.all(repeat(20, send));
  for (const response of responses) await assertSignedOut(response);
  assertEquals(await runtime.sessions.verify(sid), undefined);
  assertEquals(new Set(types(events)), new Set(["session.revoked"]));
});

Deno.test("POST /auth/logout ends the session and its token for good, wherever they were copied to", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  const token = await page.token();
  const copy = app.browser();
  copy.keep([`__Host-sid=${page.jar.get("__Host-sid")}; ${BARE}`]);
  copy.keep([`__Host-csrf=${page.jar.get("__Host-csrf")}; ${BARE}`]);
  assertEquals((await copy.send("/me")).status, 200);
  const other = await app.signedIn();
  await page.logout();

  for (const client of [page, copy]) {
    assertEquals((await client.send("/me")).status, 401);
    assertEquals((await client.post("/notes", {}, { token })).status, 401);
  }
  await assertRefused(await page.post("/auth/login", ADA, { token }), FORGED);
  assertEquals((await other.send("/me")).status, 200);
  assertNotEquals(await page.token(), token);
  assertEquals((await page.login()).status, 200);
});

Deno.test("POST /auth/logout ends the refresh families of its session alone", async () => {
  const { signedIn, stores, clock } = createTestApp();
  const page = await signedIn();
  const { session } = await (await page.send("/auth/session")).json();
  const until = clock.now + 1_000;
  const fresh = { sub: "u1", securityStamp: "s", currentHash: "h", generation: 0, revoked: false };
  const from = { createdAt: clock.now, authTime: clock.now, amr: ["pwd"] };
  const times = { ...from, expiresAt: until, familyExpiresAt: until };
  for (const [id, sessionId] of [["one", session.id], ["two", session.id], ["other", "s9"]]) {
    await stores.refreshTokens.create({ id: `${id}`, sessionId, ...fresh, ...times });
  }
  await page.logout();
  const revoked = async (id: string) => (await stores.refreshTokens.find(id))?.revoked ?? true;
  assertEquals([await revoked("one"), await revoked("two")], [true, true]);
  assertEquals(await revoked("other"), false);
});

Deno.test("POST /auth/logout keeps the browser known, so that nobody locks its user out", async () => {
  const { browser } = createTestApp();
  const page = browser();
  await page.register();
  const dev = page.jar.get("__Host-dev");
  await page.logout();
  assert(dev !== undefined && page.jar.get("__Host-dev") === dev);
});

Deno.test("POST /auth/logout with two session cookies is a 403: it cannot know which one is meant", async () => {
  const { signedIn, runtime } = createTestApp();
  const page = await signedIn();
  const token = await page.token();
  const sid = page.jar.get("__Host-sid") ?? "";
  for (const second of [sid, "x"]) {
    const Cookie = `${page.jar.field()}; __Host-sid=${second}`;
    const response = await page.post("/auth/logout", undefined, { token, headers: { Cookie } });
    await assertRefused(response, FORGED);
  }
  assert(await runtime.sessions.verify(sid) !== undefined);
});

Deno.test("POST /auth/logout of a session that is not the token's is a 403", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  await page.token();
  const other = (await app.signedIn()).jar.get("__Host-sid") ?? "";
  page.jar.set("__Host-sid", other);
  await assertRefused(await page.logout(), FORGED);
  assert(await app.runtime.sessions.verify(other) !== undefined);
});

Deno.test("POST /auth/logout that meets a touch of the same session wins, however they come", async () => {
  for (const first of ["touch", "revoke"] as const) {
    let other: (() => Promise<unknown>) | undefined;
    const run = async () => {
      const now = other;
      other = undefined;
      await now?.();
    };
    const app = createTestApp({
      wrap: ({ sessions }) => ({
        sessions: {
          ...sessions,
          async touch(...args) {
            if (first === "touch") await run();
            return await sessions.touch(...args);
          },
          async revoke(id) {
            if (first === "revoke") await run();
            await sessions.revoke(id);
          },
        },
      }),
    });
    const page = await app.signedIn();
    await page.token();
    const [sid = "", Cookie] = [page.jar.get("__Host-sid"), page.jar.field()];
    app.clock.now += 120;
    const ask = () => page.send("/me", { headers: { Cookie } });
    if (first === "touch") {
      other = () => page.logout();
      assertEquals((await ask()).status, 401);
    } else {
      other = ask;
      assertEquals((await page.logout()).status, 204);
    }
    assertEquals(await app.runtime.sessions.verify(sid), undefined);
    assertEquals((await ask()).status, 401);
  }
});

Deno.test("POST /auth/logout and a hundred guarded requests at once leave nobody in", async () => {
  const app = createTestApp();
  const page = await app.signedIn();
  await page.token();
  const Cookie = page.jar.field();
  app.clock.now += 120;
  const ask = async () => {
    const response = await page.send("/me", { headers: { Cookie } });
    await response.body?.cancel();
    return response.status;
  };
  const asked = repeat(50, ask);
  const ended = page.logout();
  const statuses = await Promise.all([...asked, ...repeat(50, ask)]);
  assertEquals((await ended).status, 204);
  assertEquals(statuses.filter((status) => status !== 200 && status !== 401), []);
  assertEquals(await ask(), 401);
});
