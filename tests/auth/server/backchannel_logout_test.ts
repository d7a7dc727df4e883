/** OpenID Connect Back-Channel Logout 1.0: clients are told that a session has ended. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { AuthError, inMemoryAuthStores, keyService, verifyJwt } from "../../../auth/mod.ts";
import { rememberSignIn, takeSignIns } from "../../../auth/server/core/sign_ins.ts";
import { AuthorizationServer } from "../../../auth/server/mod.ts";
import { partsOf } from "../../../auth/server/server.ts";
import type { AuthStores } from "../../../auth/stores/types.ts";
import { ADA } from "../_services.ts";
import { recordedCodes } from "./_authorize.ts";
import { pausesOf } from "../_pauses.ts";
import { authenticate } from "../http/_sign_in.ts";
import {
  answerLogout,
  LOGOUT_CLIENTS,
  type LogoutSite,
  logoutSite,
  visitLogout,
} from "./_logout.ts";
import { assertTokenError, claimsOf, headerOf, ISSUER, serverSite } from "./_site.ts";
import { changingClients, granted, isAlive } from "./_tokens.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const OFFLINE = { scope: "openid offline_access notes:read" } as const;

/** Warnings of the delivery. */
function warningsOf({ app }: LogoutSite): readonly string[] {
  return app.warnings.filter((warning) => warning.startsWith("Cannot tell"));
}

Deno.test("metadata() says that clients are told, oidcc-backchannel-logout-discovery-endpoint-verification", () => {
  const metadata = logoutSite().server.metadata();
  assertEquals(metadata["backchannel_logout_supported"], true);
  assertEquals(metadata["backchannel_logout_session_supported"], true);
  assertEquals(metadata["end_session_endpoint"], `${ISSUER}/oauth/logout`);
  assertEquals("backchannel_logout_supported" in serverSite().server.metadata(), false);
});

Deno.test("tellClients() posts a logout token after a sign-out, BCL-2.4, oidcc-backchannel-rp-initiated-logout", async () => {
  const site = logoutSite();
  const browser = await site.signedIn();
  const { id_token } = await granted(site, { client_id: "web" }, { browser });
  const sid = claimsOf(id_token)["sid"];
  const response = await answerLogout(site, browser, await visitLogout(browser, {}));
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const [request] = site.sent;
  assertEquals(await site.told(), ["web"]);
  assert(request !== undefined);

  const { url, init, token } = request;
  assertEquals(url, "https://web.example/logout?of=notes");
  assertEquals([init.method, init.redirect], ["POST", "manual"]);
  assertEquals(
    new Request(url, init).headers.get("Content-Type"),
    "application/x-www-form-urlencoded;charset=UTF-8",
  );
  assertEquals(String(init.body), `logout_token=${token}`);

  const { kid, ...header } = headerOf(token);
  assertEquals(header, { typ: "logout+jwt", alg: "ES256" });
  assertEquals(typeof kid, "string");
  const { jti, ...claims } = claimsOf(token);
  const { now } = site.app.clock;
  assertEquals(claims, {
    iss: ISSUER,
    sub: "u1",
    aud: "web",
    iat: now,
    exp: now + 120,
    sid,
    events: { [EVENT]: {} },
  });
  assertMatch(String(jti), /^[\w-]{22}$/);
  const verified = await verifyJwt(token, {
    algorithms: ["ES256"],
    keys: await (await site.send("/.well-known/jwks.json")).json(),
    issuer: ISSUER,
    audience: "web",
    typ: "logout+jwt",
    now: () => now,
  });
  assertEquals(verified.claims.sub, "u1");
});

Deno.test("tellClients() signs as ID tokens are signed, for no longer than the keys allow, BCL-2.4", async () => {
  const now = () => clock.now;
  const keys = keyService({
    store: inMemoryAuthStores({ now }).keys,
    algorithms: ["ES256", "EdDSA"],
    maxTokenAge: 60,
    now,
  });
  const site = logoutSite({
    server: {
      keyService: keys,
      idTokenAlgorithm: "EdDSA",
      lifetimes: { accessToken: 60, idToken: 60 },
    },
  });
  const { clock } = site.app;
  const { id_token } = await granted(site, { client_id: "web" });
  await site.server.endSession("u1", String(claimsOf(id_token)["sid"]));
  const [{ token } = { token: "" }] = site.sent;
  const { iat, exp } = claimsOf(token);
  assertEquals([headerOf(token)["alg"], Number(exp) - Number(iat)], ["EdDSA", 60]);
});

/** How sessions end, and whose clients are told: of the first session `spa`, of the second one `web`. */
const ENDS: readonly (readonly [
  why: string,
  end: (site: LogoutSite, sessionId: string) => Promise<unknown>,
  told: readonly string[],
])[] = [
  ["revoked", ({ app }, id) => app.runtime.sessions.revoke("u1", id), ["app"]],
  ["of another user", ({ app }, id) => app.runtime.sessions.revoke("u2", id), []],
  ["one of those that end", ({ app }) => app.runtime.sessions.revokeAll("u1"), ["app", "web"]],
  ["the one that goes on", ({ app }, id) => app.runtime.sessions.revokeOthers("u1", id), ["web"]],
  ["of a user who is disabled", ({ app }) => app.runtime.users.disable("u1"), ["app", "web"]],
  ["of a user who is removed", ({ app }) => app.runtime.users.remove("u1"), ["app", "web"]],
  [
    "of a user who gets a new password",
    ({ app }) => app.runtime.passwords.reset("u1", "another long password"),
    ["app", "web"],
  ],
  ["ended by endSession()", ({ server }, id) => server.endSession("u1", id), ["app"]],
  ["ended by endSession() of another user", ({ server }, id) => server.endSession("u2", id), []],
  ["ended by endSession() of another session", ({ server }) => server.endSession("u1", "x"), []],
];
for (const [why, end, told] of ENDS) {
  Deno.test(`onEvent() and endSession() tell ${told.join(" and ") || "nobody"} of a session that is ${why}`, async () => {
    const site = logoutSite();
    const { id_token } = await granted(site, { client_id: "spa" });
    await granted(site, { client_id: "web" });
    assertEquals(await site.told(), []);
    await end(site, String(claimsOf(id_token)["sid"]));
    assertEquals(await site.told(), told);
    await end(site, String(claimsOf(id_token)["sid"])).catch(() => {});
    assertEquals(await site.told(), [], "again");
  });
}

for (const path of ["/leave", "/enter"] as const) {
  Deno.test(`onEvent() tells all clients of a browser's session at POST ${path}`, async () => {
    const site = logoutSite();
    const browser = await site.signedIn();
    const other = await granted(site, { client_id: "spa" });
    await granted(site, { client_id: "spa" }, { browser });
    await granted(site, { client_id: "spa" }, { browser });
    await granted(site, { client_id: "web", ...OFFLINE }, { browser });
    await granted(site, { client_id: "own" }, { browser });
    await browser.send(path, { method: "POST", json: {} });
    assertEquals(await site.told(), ["app", "web"]);
    const events = site.log.filter(({ type }) => type.startsWith("logout."));
    assertEquals(events.map((event) => "clientId" in event && event.clientId).sort(), [
      "spa",
      "web",
    ]);
    await site.server.endSession("u1", String(claimsOf(other.id_token)["sid"]));
    assertEquals(await site.told(), ["app"]);
  });
}

Deno.test("tellClients() tells a client once, of 40 concurrent calls of two servers", async () => {
  const site = logoutSite();
  const second = new AuthorizationServer({ ...site.options });
  const { id_token } = await granted(site, { client_id: "spa" });
  const sid = String(claimsOf(id_token)["sid"]);
  await Promise.all(
    Array.from({ length: 40 }, (_, i) => (i % 2 ? site.server : second).endSession("u1", sid)),
  );
  assertEquals(await site.told(), ["app"]);
});

Deno.test("rememberSignIn() loses none of 12 concurrent sign-ins", async () => {
  const site = logoutSite();
  const codes: string[] = [];
  for (let i = 0; i < 12; i++) codes.push(await site.code(await site.signedIn()));
  const responses = await Promise.all(codes.map((code) => site.redeem(code)));
  assertEquals(responses.map(({ status }) => status), Array(12).fill(200));
  await site.app.runtime.sessions.revokeAll("u1");
  assertEquals((await site.told()).length, 12);
});

Deno.test("rememberSignIn() keeps the newest 100 sign-ins of a user, each once, and takeSignIns() takes them", async () => {
  const now = () => 1_800_000_000;
  const { authorizations: codes } = inMemoryAuthStores({ now });
  const { lifetimes } = partsOf(logoutSite().server).context;
  const context = { codes, issuer: ISSUER, lifetimes, now };
  const signIns = Array.from({ length: 103 }, (_, i) => ({ clientId: "web", sessionId: `s${i}` }));
  for (const signIn of [...signIns, ...signIns.slice(-2)]) {
    await rememberSignIn(context, "u1", signIn);
  }
  assertEquals(await takeSignIns(context, "u1", (id) => id === "s2"), []);
  assertEquals(await takeSignIns(context, "u2", () => true), []);
  assertEquals(await takeSignIns({ ...context, issuer: `${ISSUER}/x` }, "u1", () => true), []);
  assertEquals(await takeSignIns(context, "u1", () => true), signIns.slice(3));
  assertEquals(await takeSignIns(context, "u1", () => true), []);
});

Deno.test("rememberSignIn() writes a sign-in again once half of its lifetime is over, so that it outlives the grants", async () => {
  let at = 1_800_000_000;
  const now = () => at;
  const { authorizations } = inMemoryAuthStores({ now });
  const writes: (readonly [createdAt: number, expiresAt: number])[] = [];
  const codes: typeof authorizations = {
    ...authorizations,
    async update(next, version) {
      writes.push([next.createdAt, next.expiresAt]);
      return await authorizations.update(next, version);
    },
  };
  const { lifetimes } = partsOf(logoutSite().server).context;
  const context = { codes, issuer: ISSUER, lifetimes, now };
  const signIn = { clientId: "web", sessionId: "s1" };
  const start = at;
  for (const part of [0, 0.25, 0.75, 1, 1.5]) {
    at = start + part * lifetimes.grant;
    await rememberSignIn(context, "u1", signIn);
  }
  assertEquals(writes, [0.75, 1.5].map((part) => [start, start + (part + 1) * lifetimes.grant]));
  assertEquals(await takeSignIns(context, "u1", () => true), [signIn]);
});

/** Answers of a client to one attempt after another, and what comes of it. */
const ANSWERS: readonly (readonly [
  why: string,
  answers: readonly (number | Error)[],
  attempts: number,
  outcome: readonly (boolean | "delivered")[],
])[] = [
  ["200", [200], 1, ["delivered"]],
  ["204, §2.8", [204], 1, ["delivered"]],
  ["500 once", [500, 200], 2, [false, "delivered"]],
  ["no connection, then 503", [new TypeError("refused"), 503, 200], 3, [false, false, "delivered"]],
  ["429", [429, 204], 2, [false, "delivered"]],
  ["500 for ever", [500, 500, 500, 200], 3, [false, false, true]],
  ["400, which is final, §2.8", [400, 200], 1, [true]],
  ["404", [404, 200], 1, [true]],
  ["a redirect, which is not followed", [302, 200], 1, [true]],
];
for (const [why, answers, attempts, outcome] of ANSWERS) {
  Deno.test(`tellClients() makes ${attempts} attempts after ${why}`, async () => {
    const site = logoutSite();
    const { id_token } = await granted(site, { client_id: "web" });
    const left = [...answers];
    site.answer = () => {
      const next = left.shift() ?? 200;
      if (next instanceof Error) throw next;
      const headers: HeadersInit = next === 302 ? { Location: "https://web.example/other" } : {};
      return new Response(null, { status: next, headers });
    };
    const sid = String(claimsOf(id_token)["sid"]);
    const pauses = await pausesOf(() => site.server.endSession("u1", sid));
    assertEquals(site.sent.length, attempts);
    assertEquals(new Set(site.sent.map(({ token }) => token)).size, 1, "the same token");
    // The limit of each request, and what is between them
    assertEquals(pauses, [5_000, 1_000, 5_000, 5_000, 5_000].slice(0, 2 * attempts - 1));
    const events = site.log.filter(({ type }) => type.startsWith("logout."));
    assertEquals(
      events.map((event) => event.type === "logout.failed" ? event.gaveUp : "delivered"),
      outcome,
    );
    for (const event of events) {
      const { sub, clientId, sessionId } = event as {
        sub: string;
        clientId: string;
        sessionId: string;
      };
      assertEquals([sub, clientId, sessionId], ["u1", "web", sid]);
    }
    assertEquals(warningsOf(site), []);
  });
}

Deno.test("tellClients() does not read the answer, and tells one client while another does not answer", async () => {
  const site = logoutSite();
  const browser = await site.signedIn();
  await granted(site, { client_id: "web" }, { browser });
  const { id_token } = await granted(site, { client_id: "spa" }, { browser });
  let isCancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => void (isCancelled = true),
  }, { highWaterMark: 0 });
  site.answer = (url) =>
    url.includes("web.example") ? new Response(endless) : Promise.reject(new Error("down"));
  await pausesOf(() => site.server.endSession("u1", String(claimsOf(id_token)["sid"])));
  assertEquals(isCancelled, true);
  assertEquals(site.log.filter(({ type }) => type === "logout.delivered").length, 1);
  assertEquals(site.log.filter(({ type }) => type === "logout.failed").length, 3);
});

/** What a client may have become since its sign-in. */
const CHANGES: readonly (readonly [why: string, change: object | null, told: number])[] = [
  ["has another URI", { backchannelLogoutUri: "https://new.example/" }, 1],
  ["has no URI", { backchannelLogoutUri: undefined }, 0],
  ["has one of the server's own machine", { backchannelLogoutUri: "http://localhost/x" }, 0],
  ["is disabled", { disabled: true }, 0],
  ["was deleted", null, 0],
];
for (const [why, change, told] of CHANGES) {
  Deno.test(`tellClients() tells a client that ${why} ${told} times`, async () => {
    const { clients, current } = changingClients();
    const members = { backchannelLogoutUri: "https://app.example/logout" };
    current.change = members;
    const site = logoutSite({ server: { clients } });
    const { id_token } = await granted(site, { client_id: "spa" });
    current.change = change && { ...members, ...change };
    await site.server.endSession("u1", String(claimsOf(id_token)["sid"]));
    assertEquals((await site.told()).length, told);
  });
}

Deno.test("tellClients() sends nothing to clients without openid, without a URI, or of a server without logout", async () => {
  const { store: codes, records } = recordedCodes();
  const signIns = () => [...records.values()].filter(({ state }) => state === "sign_ins").length;
  const site = logoutSite({ server: { codes } });
  const browser = await site.signedIn();
  const { access_token } = await granted(site, { client_id: "web", scope: "notes:read" }, {
    browser,
  });
  const { id_token } = await granted(site, { client_id: "own" }, { browser });
  await site.server.endSession("u1", String(claimsOf(id_token)["sid"]));
  assertEquals(await site.told(), []);
  assertEquals([claimsOf(access_token)["sub"], signIns()], ["u1", 0]);

  const off = logoutSite({ server: { logout: false, codes } });
  const tokens = await granted(off, { client_id: "web" });
  await off.server.endSession("u1", String(claimsOf(tokens.id_token)["sid"]));
  assertEquals(await off.told(), []);
  assertEquals(signIns(), 0);
  const left = await granted(site, { client_id: "web" });
  assertEquals(signIns(), 1, "of when it was on");
  await off.server.endSession("u1", String(claimsOf(left.id_token)["sid"]));
  assertEquals([await off.told(), await site.told()], [[], []]);
});

Deno.test("endSession() ends the grants of the session at once, and no others, BCP-4.14-c", async () => {
  const site = logoutSite();
  const browser = await site.signedIn();
  const bound = await granted(site, {}, { browser });
  const offline = await granted(site, { client_id: "web", ...OFFLINE }, { browser });
  const plain = await granted(site, { client_id: "own", scope: "notes:read" }, { browser });
  const elsewhere = await granted(site);
  const sid = String(claimsOf(bound.id_token)["sid"]);
  const before = await site.server.listGrants("u1");
  const sessionOf = (scope: string) =>
    before.filter((one) => one.scope.includes(scope) && one.sessionId === sid);
  assertEquals([sessionOf("openid").length, sessionOf("offline_access").length], [1, 0]);
  await site.server.endSession("u1", sid);
  assertEquals(await isAlive(site, bound), [false, false]);
  assertEquals(await isAlive(site, offline, "web"), [true, true]);
  assertEquals(await isAlive(site, elsewhere), [true, true]);
  const grants = await site.server.listGrants("u1");
  assertEquals(grants.map(({ clientId }) => clientId).sort(), ["own", "spa", "web"]);
  assertEquals(claimsOf(plain.access_token)["scope"], "notes:read");
});

Deno.test("onEvent() warns, and endSession() rejects, if other processes keep changing the record", async () => {
  const current = { isLost: false };
  const { authorizations } = inMemoryAuthStores({ now: () => 0 });
  const codes: AuthStores["authorizations"] = {
    ...authorizations,
    update: async (next, version) =>
      current.isLost ? "lost" : await authorizations.update(next, version),
  };
  const site = logoutSite({ server: { codes } });
  const { id_token } = await granted(site, { client_id: "web" });
  const sid = String(claimsOf(id_token)["sid"]);
  current.isLost = true;
  const error = await assertRejects(() => site.server.endSession("u1", sid), AuthError);
  assertEquals([error.code, error.reason], ["service_unavailable", "update_conflict"]);
  await site.app.runtime.sessions.revoke("u1", sid);
  await site.told();
  assertEquals(warningsOf(site), ["Cannot tell clients about the end of a session"]);
  current.isLost = false;
  await site.server.endSession("u1", sid);
  assertEquals(await site.told(), ["web"]);
});

Deno.test("tellClients() warns, and tells the others, if a client cannot be read", async () => {
  const stored = new Map(LOGOUT_CLIENTS.map((client) => [client.clientId, client]));
  const { clients } = changingClients();
  const current = { isDown: false };
  const site = logoutSite({
    server: {
      clients: {
        async find(clientId) {
          if (current.isDown && clientId === "web") throw new Error("down");
          const found = await clients.find(clientId);
          const { backchannelLogoutUri } = stored.get(clientId) ?? {};
          return found && { ...found, ...(backchannelLogoutUri && { backchannelLogoutUri }) };
        },
      },
    },
  });
  const browser = await site.signedIn();
  await granted(site, { client_id: "web" }, { browser });
  const { id_token } = await granted(site, { client_id: "spa" }, { browser });
  current.isDown = true;
  await site.server.endSession("u1", String(claimsOf(id_token)["sid"]));
  assertEquals(await site.told(), ["app"]);
  assertEquals(warningsOf(site), ["Cannot tell a client about the end of a session"]);
  const failed = site.log.flatMap((event) => event.type === "logout.failed" ? [event] : []);
  assertEquals(failed.map(({ clientId, gaveUp }) => [clientId, gaveUp]), [["web", true]]);
});

Deno.test("A code of a refused exchange is not remembered, and one whose record fails is not used up", async () => {
  const site = logoutSite();
  const browser = await site.signedIn();
  const code = await site.code(browser, { client_id: "spa" });
  assertEquals((await site.redeem(code, { code_verifier: "x".repeat(43) })).status, 400);
  await site.app.runtime.sessions.revokeAll("u1");
  assertEquals(await site.told(), []);
  assertEquals((await authenticate(site.app)).identifier, ADA.identifier);

  const { store } = recordedCodes();
  const current = { isDown: true };
  const codes: typeof store = {
    ...store,
    async create(authorization) {
      if (current.isDown && authorization.state === "sign_ins") throw new Error("down");
      await store.create(authorization);
    },
  };
  const failing = logoutSite({ server: { codes } });
  const other = await failing.code(await failing.signedIn(), { client_id: "spa" });
  await assertTokenError(await failing.redeem(other), "server_error", 500);
  assertEquals(await failing.server.listGrants("u1"), []);
  current.isDown = false;
  assertEquals((await failing.redeem(other)).status, 200);
});
