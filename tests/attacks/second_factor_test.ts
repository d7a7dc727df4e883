/** Second factors: what an attacker can do who knows the password. Rows are only added. */

import { apiKeyService, apiKeyStrategy, inMemoryAuthStores } from "@gatehouse/http";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { RACERS } from "../_effort.ts";
import { ADA, CLIENT, OTHER_PASSWORD, repeat, START } from "../auth/_services.ts";
import type { TestApp, TestBrowser } from "../auth/http/_app.ts";
import {
  begin,
  complete,
  createFactorApp,
  enrol,
  EVE,
  FACTORS,
  MFA,
  outcome,
  REMEMBERED,
  SID,
  signIn,
  withEve,
  withFactor,
} from "../auth/http/_factors.ts";
import { ask, JWT, refresh } from "../auth/http/_token_routes.ts";
import { serverSite } from "../auth/server/_site.ts";

Deno.test("[neighbour] a ticket as session, refresh token, bearer token, or cookie of a remembered browser → refused", async () => {
  const { app } = await withFactor({
    jwt: JWT,
    integration: { routes: { registration: "open", tokens: true } },
  });
  const page = app.browser();
  await begin(page);
  const ticket = page.jar.get(MFA) ?? "";
  page.jar.set(SID, ticket);
  assertEquals(await outcome(page.send("/me")), "401 session_expired");
  assertEquals((await ask(app, ticket)).status, 401);
  assertEquals(await outcome(refresh(app, ticket)), "401 invalid_refresh_token");
  page.jar.delete(SID);
  page.jar.set(REMEMBERED, ticket);
  await begin(page);
});

/** Browsers that have a ticket each; not at once, since passwords are hashed in a queue. */
async function begun(
  app: TestApp,
  addressOf: (i: number) => string,
): Promise<readonly TestBrowser[]> {
  const pages = repeat(RACERS, (i) => app.browser({ address: addressOf(i) }));
  for (const page of pages) await begin(page);
  return pages;
}

Deno.test(`[neighbour] ${RACERS} guesses over many tickets, browsers and addresses → five are compared`, async () => {
  const { app, wrong, totp } = await withFactor();
  const totpGuess = { totp: await wrong() };
  const pages = await begun(app, (i) => `198.51.${i % 7}.${i + 1}`);
  const got = await Promise.all(pages.map((page) => outcome(complete(page, totpGuess))));
  const count = (code: string) => got.filter((one) => one === code).length;
  assertEquals(count("401 invalid_second_factor"), 5);
  assertEquals(count("429 throttled"), RACERS - 5);
  const right = app.browser();
  await begin(right);
  const body = { totp: await totp() };
  assertEquals(await outcome(complete(right, body)), "429 throttled"); // an attacker does not learn that it is right
  app.clock.now += 29;
  assertEquals(await outcome(complete(right, { totp: await totp() })), "429 throttled");
  app.clock.now += 1;
  assertEquals(await outcome(complete(right, { totp: await totp() })), "200");
});

Deno.test("[neighbour] codes that were guessed until the account waits do not lock out a remembered browser, nor count recovery codes apart", async () => {
  const scene = await withFactor();
  const { app, wrong, recoveryCodes: [recoveryCode] } = scene;
  const owner = await signIn(scene, { rememberBrowser: true });
  const attacker = app.browser();
  await begin(attacker);
  for (let i = 0; i < 5; i++) await complete(attacker, { totp: await wrong() });
  await begin(attacker);
  assertEquals(await outcome(complete(attacker, { recoveryCode })), "429 throttled");
  await owner.logout();
  assertEquals(await outcome(owner.login()), "200");
});

// Tickets and codes of others.

Deno.test("[neighbour] the ticket of another account with one's own code, and the reverse → refused", async () => {
  const { app, totp } = await withFactor();
  const eve = await withEve(app);
  const [ada, mallory] = [app.browser(), app.browser()];
  await begin(ada);
  await begin(mallory, EVE);
  const [ticketOfAda = "", ticketOfEve = ""] = [ada.jar.get(MFA), mallory.jar.get(MFA)];
  mallory.jar.set(MFA, ticketOfAda); // stolen
  const stolen = complete(mallory, { totp: await eve.totp() });
  assertEquals(await outcome(stolen), "401 invalid_second_factor");
  ada.jar.set(MFA, ticketOfEve); // planted: Ada would sign in to Eve's account
  assertEquals(await outcome(complete(ada, { totp: await totp() })), "401 invalid_second_factor");
  assertEquals(await app.stores.sessions.list("u1"), []);
  assertEquals(await app.stores.sessions.list("u2"), []);
});

Deno.test("[neighbour] a request that completed a sign-in, sent again → refused, for the ticket and for the code", async () => {
  const { app, totp } = await withFactor();
  const page = app.browser();
  await begin(page);
  const [ticket = "", code] = [page.jar.get(MFA), await totp()];
  assertEquals(await outcome(complete(page, { totp: code })), "200");
  const thief = app.browser();
  thief.jar.set(MFA, ticket);
  assertEquals(await outcome(complete(thief, { totp: code })), "401 mfa_expired");
  await begin(thief);
  assertEquals(await outcome(complete(thief, { totp: code })), "401 invalid_second_factor");
  app.clock.now += 30; // still within the window of the code
  assertEquals(await outcome(complete(thief, { totp: code })), "401 invalid_second_factor");
});

for (const kind of ["totp", "recoveryCode"] as const) {
  Deno.test(`[neighbour] ${RACERS} browsers with one ${kind} at once → one session`, async () => {
    const throttle = { factor: { kind: "window", limit: 1_000, seconds: 60 } } as const;
    const { app, totp, recoveryCodes: [recoveryCode] } = await withFactor({ throttle });
    const proof = kind === "totp" ? { totp: await totp() } : { recoveryCode };
    const pages = await begun(app, () => CLIENT.address);
    const got = await Promise.all(pages.map((page) => outcome(complete(page, proof))));
    assertEquals(got.filter((one) => one === "200").length, 1);
    assertEquals(got.filter((one) => one === "401 invalid_second_factor").length, RACERS - 1);
    assertEquals((await app.stores.sessions.list("u1")).length, 1);
  });
}

Deno.test(`[neighbour] one ticket ${RACERS} times at once → one session`, async () => {
  const { app, totp } = await withFactor();
  const first = app.browser();
  await begin(first);
  const ticket = first.jar.get(MFA) ?? "";
  const proof = { totp: await totp() };
  const got = await Promise.all(repeat(RACERS, async () => {
    const page = app.browser();
    page.jar.set(MFA, ticket);
    return await outcome(complete(page, proof));
  }));
  assertEquals(got.filter((one) => one === "200").length, 1);
  assertEquals(got.filter((one) => one === "401 mfa_expired").length, RACERS - 1);
  assertEquals((await app.stores.sessions.list("u1")).length, 1);
});

// Other sites, planted cookies.

Deno.test("[neighbour] login CSRF at login/second-factor → refused, and the session stays", async () => {
  const scene = await withFactor();
  const { app } = scene;
  const eve = await withEve(app);
  const page = await signIn(scene);
  const mallory = app.browser();
  await begin(mallory, EVE);
  page.jar.set(MFA, mallory.jar.get(MFA) ?? ""); // from a host that can set cookies
  const totp = await eve.totp();
  const token = await mallory.token(); // the attacker's own token
  const site = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
  const rows: readonly (readonly [init: Parameters<TestBrowser["post"]>[2]])[] = [
    [{ headers: site }],
    [{ headers: site, token }],
    [{ token }],
    [{ token: false }],
    [{ headers: { Origin: "null", "Sec-Fetch-Site": undefined } }],
  ];
  for (const [init] of rows) {
    const forged = page.post("/auth/login/second-factor", { totp }, init);
    assertEquals(await outcome(forged), "403 csrf_failed");
  }
  assertEquals(await (await page.send("/me")).json(), { sub: "u1", method: "session" });
});

Deno.test("[neighbour] session fixation: a session that was planted before, or between both factors → revoked", async () => {
  for (const isBetween of [false, true]) {
    const { app, totp } = await withFactor();
    await withEve(app);
    const eve = app.browser();
    const { secondFactors, sessions, passwords } = app.runtime;
    await secondFactors?.remove("u2");
    assertEquals(await outcome(eve.login(EVE)), "200");
    const planted = eve.jar.get(SID) ?? "";
    const page = app.browser();
    if (!isBetween) page.jar.set(SID, planted);
    await begin(page);
    if (isBetween) page.jar.set(SID, planted);
    page.close(); // the page's token was of no session
    page.jar.set(SID, planted);
    const again = await passwords.verify({ ...ADA }, CLIENT);
    page.jar.set(MFA, await secondFactors?.begin({ authentication: again }) ?? "");
    assertEquals(await outcome(complete(page, { totp: await totp() })), "200");
    assertNotEquals(page.jar.get(SID), planted);
    assertEquals(await sessions.verify(planted), undefined);
    assertEquals(await (await page.send("/me")).json(), { sub: "u1", method: "session" });
  }
});

// Credentials from before the second factor was set up: they stay valid, as one factor.

Deno.test("[neighbour] sessions, tokens and API keys of before the second factor → stay, and count as one factor", async () => {
  const clock = { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
  const app = createFactorApp({
    ...{ clock, stores, jwt: JWT, strategies: [apiKeyStrategy({ apiKeys })] },
    integration: { routes: { registration: "open", tokens: true } },
  });
  const page = await app.signedIn();
  const { refreshToken } = await (await app.browser().login()).json();
  const { key } = await apiKeys.create("u1");
  await enrol(app, "u1");
  const { accessToken } = await (await refresh(app, refreshToken)).json();
  const senders: readonly (readonly [what: string, headers: Record<string, string>])[] = [
    ["session", { Cookie: page.jar.field() }],
    ["token", { Authorization: `Bearer ${accessToken}` }],
    ["API key", { "X-API-Key": key }],
  ];
  const weak = "401 insufficient_authentication";
  for (const [what, headers] of senders) {
    assertEquals(await outcome(app.router.request("/me", { headers })), "200", what);
    assertEquals(await outcome(app.router.request("/mfa", { headers })), weak, what);
  }
  for (const path of ["remove", "recovery-codes", "totp/start", "totp/confirm"]) {
    const headers = { Authorization: `Bearer ${accessToken}` };
    const changes = [page.post(`/auth/second-factors/${path}`, {})];
    changes.push(app.browser().post(`/auth/second-factors/${path}`, {}, { headers }));
    changes.push(
      app.browser().post(`/auth/second-factors/${path}`, {}, { headers: { "X-API-Key": key } }),
    );
    for (const change of changes) assertEquals(await outcome(change), weak, path);
  }
});

Deno.test("[neighbour] a new password → the second factor stays, and remembered browsers are asked again", async () => {
  const scene = await withFactor();
  const page = await signIn(scene, { rememberBrowser: true });
  await scene.app.runtime.passwords.reset("u1", OTHER_PASSWORD);
  await begin(page, { ...ADA, password: OTHER_PASSWORD });
});

Deno.test("[neighbour] the authorization server, with the password alone → no code", async () => {
  const site = serverSite({ app: { secondFactors: FACTORS } });
  const { app } = site;
  await site.signedIn(); // creates Ada
  await app.runtime.sessions.revokeAll("u1");
  const { totp } = await enrol(app, "u1");
  const browser = app.browser();
  const enter = () => browser.send("/enter", { method: "POST", json: {} });
  assertEquals(await outcome(enter()), "401 mfa_required");
  const page = await site.authorize(browser);
  const target = new URL(page.headers.get("Location") ?? "", "https://example.com");
  assertEquals([target.origin, target.searchParams.get("code")], ["https://example.com", null]);
  const silent = await site.authorize(browser, { prompt: "none" });
  assert(silent.headers.get("Location")?.includes("error=login_required"));
  assertEquals(await outcome(complete(browser, { totp: await totp() })), "200");
  assertNotEquals(await site.code(browser), "");
});
