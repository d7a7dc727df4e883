/** The routes of second factors: whole journeys. */

import { totpCode } from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { ADA, START, types } from "../_services.ts";
import { cookiesOf } from "./_routes.ts";
import {
  begin,
  complete,
  cookieOf,
  createFactorApp,
  DEVICE,
  enrol,
  MFA,
  outcome,
  REMEMBERED,
  SID,
  signIn,
  withFactor,
} from "./_factors.ts";

const ATTRIBUTES = "; Path=/; Secure; HttpOnly; SameSite=Lax";

Deno.test("POST /second-factors/totp/start and /confirm set up an authenticator", async () => {
  const app = createFactorApp();
  const page = await app.signedIn();
  assertEquals(await (await page.send("/auth/second-factors")).json(), { recoveryCodes: 0 });
  const started = await page.post("/auth/second-factors/totp/start");
  const { secret, uri } = await started.json();
  assertEquals(started.status, 200);
  assert(uri.startsWith(`otpauth://totp/Notes:ada%40example.org?secret=${secret}&`), uri);
  assertEquals(await outcome(app.browser().login(ADA)), "200"); // not confirmed yet
  const wrong = page.post("/auth/second-factors/totp/confirm", { code: "0" });
  assertEquals(await outcome(wrong), "401 invalid_second_factor");
  const code = await totpCode(secret, START);
  const confirmed = await page.post("/auth/second-factors/totp/confirm", { code });
  const { recoveryCodes } = await confirmed.json();
  assertEquals([confirmed.status, recoveryCodes.length], [200, 10]);
  const listed = { totp: { confirmedAt: START }, recoveryCodes: 10 };
  assertEquals(await (await page.send("/auth/second-factors")).json(), listed);
  assertEquals(await outcome(page.send("/me")), "200"); // the session stays
  await begin(app.browser());
});

Deno.test("POST /login of a user with a second factor is mfa_required, with a ticket in a cookie", async () => {
  const { app } = await withFactor();
  const page = app.browser();
  await page.token();
  app.events.length = 0;
  const response = await page.login();
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("WWW-Authenticate"), "Session");
  assertEquals(Object.keys(cookiesOf(response)), [MFA]);
  const cookie = cookieOf(response, MFA) ?? "";
  assertMatch(cookie, /^__Host-mfa=[\w-]{43}; /);
  assertEquals(cookie.replace(/^[^;]*/, ""), ATTRIBUTES);
  assertEquals(await response.json(), {
    factors: ["totp", "recovery_code"],
    type: "about:blank",
    title: "Unauthorized",
    status: 401,
    code: "mfa_required",
    detail: "The account has a second factor",
  });
  assertEquals(types(app.events), ["login.succeeded"]);
  assertEquals(await app.stores.sessions.list("u1"), []);
  assertEquals(await outcome(page.send("/me")), "401 unauthenticated");
});

Deno.test("POST /login/second-factor responds as /login does, and clears the ticket", async () => {
  const { app, totp } = await withFactor();
  const page = app.browser();
  await begin(page);
  app.clock.now += 1;
  const response = await complete(page, { totp: await totp() });
  assertEquals([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
  const { principal, session, user, csrfToken } = await response.json();
  const amr = ["pwd", "otp", "mfa"];
  const authTime = app.clock.now;
  const { id } = session;
  assertEquals(principal, { sub: "u1", method: "password", amr, authTime, sessionId: id });
  assertEquals([session.amr, session.authTime, session.persistent], [amr, authTime, undefined]);
  assertEquals([user, typeof csrfToken], [{ sub: "u1", identifier: ADA.identifier }, "string"]);
  const names = Object.keys(cookiesOf(response)).sort();
  assertEquals(names, ["__Host-csrf", DEVICE, MFA, SID].sort());
  assertEquals(page.jar.get(MFA), undefined);
  assertEquals(await outcome(page.send("/mfa")), "200");
  assertEquals(types(app.events), ["login.succeeded", "factor.used", "session.created"]);
});

Deno.test("POST /login/second-factor keeps remember of /login", async () => {
  for (const remember of [true, false]) {
    const { app, totp } = await withFactor();
    const page = app.browser();
    assertEquals(await outcome(page.login({ ...ADA, remember })), "401 mfa_required");
    const response = await complete(page, { totp: await totp() });
    assertEquals(cookieOf(response, SID)?.includes("Max-Age=2592000"), remember);
    assertEquals((await response.json()).session.persistent, remember ? true : undefined);
  }
});

Deno.test("POST /login/second-factor replaces the session that was there, and /login does not", async () => {
  const { app, totp } = await withFactor();
  const page = await app.signedIn();
  const before = page.jar.get(SID);
  await begin(page);
  assertEquals(page.jar.get(SID), before);
  assertEquals(await outcome(page.send("/me")), "200");
  assertEquals(await outcome(complete(page, { totp: await totp() })), "200");
  assertNotEquals(page.jar.get(SID), before);
  assertEquals((await app.stores.sessions.list("u1")).length, 1);
});

Deno.test("POST /login/second-factor accepts a recovery code, once, and a wrong code does not end the sign-in", async () => {
  const { app, recoveryCodes: [recoveryCode = ""], wrong, totp } = await withFactor();
  const [page, other] = [app.browser(), app.browser()];
  await begin(page);
  await begin(other);
  assertEquals(await outcome(complete(page, { totp: await wrong() })), "401 invalid_second_factor");
  assertEquals(await outcome(complete(page, { recoveryCode })), "200");
  assertEquals((await (await page.send("/auth/second-factors")).json()).recoveryCodes, 9);
  assertEquals(await outcome(complete(other, { recoveryCode })), "401 invalid_second_factor");
  assertEquals(await outcome(complete(other, { totp: await totp() })), "200");
});

Deno.test("POST /login/second-factor is mfa_expired without a ticket, after it, and after it was used", async () => {
  const { app, totp } = await withFactor();
  const page = app.browser();
  const expired = async () =>
    assertEquals(await outcome(complete(page, { totp: await totp() })), "401 mfa_expired");
  await expired();
  page.jar.set(MFA, "x");
  await expired();
  await begin(page);
  const ticket = page.jar.get(MFA) ?? "";
  app.clock.now += 300;
  await expired();
  await begin(page);
  page.jar.set("x", `1; ${MFA}=${ticket}`); // twice: one of them is not ours
  await expired();
  page.jar.delete("x");
  const used = page.jar.get(MFA) ?? "";
  assertEquals(await outcome(complete(page, { totp: await totp() })), "200");
  page.jar.set(MFA, used);
  app.clock.now += 30;
  await expired();
});

Deno.test("POST /login/second-factor with rememberBrowser: the next logins need the password alone", async () => {
  const { app, totp } = await withFactor();
  const page = app.browser();
  await begin(page);
  const response = await complete(page, { totp: await totp(), rememberBrowser: true });
  const cookie = cookieOf(response, REMEMBERED) ?? "";
  assert(cookie.includes("; Max-Age=2592000"), cookie);
  assert(cookie.endsWith("; Secure; HttpOnly; SameSite=Lax"), cookie);
  await page.logout();
  assertEquals(await outcome(page.login()), "200");
  assertEquals(await outcome(page.send("/mfa")), "401 insufficient_authentication"); // it had one factor
  await begin(app.browser());
  app.clock.now += 2_592_000; // Max-Age deletes it
  await page.logout();
  await begin(page);
});

Deno.test("the cookie of a remembered browser does not count after a removal, a new factor, or a new password", async () => {
  const changes: ((scene: Awaited<ReturnType<typeof withFactor>>) => Promise<unknown>)[] = [
    async ({ app }) => (await app.runtime.secondFactors?.remove("u1"), await enrol(app, "u1")),
    ({ app }) => enrol(app, "u1"),
    ({ app }) => app.runtime.passwords.reset("u1", ADA.password),
  ];
  for (const change of changes) {
    const scene = await withFactor();
    const page = await signIn(scene, { rememberBrowser: true });
    await change(scene);
    await begin(page);
  }
});

Deno.test("POST /step-up adds the second factor, for routes with amr and maxAge, and replaces the session", async () => {
  const scene = await withFactor();
  const { app, totp, wrong, recoveryCodes: [recoveryCode] } = scene;
  const page = await signIn(scene, { rememberBrowser: true });
  await page.logout();
  assertEquals(await outcome(page.login({ ...ADA, remember: true })), "200");
  app.clock.now += 61;
  for (const path of ["/mfa", "/recent"]) {
    assertEquals(await outcome(page.send(path)), "401 insufficient_authentication");
  }
  const refused = page.post("/auth/step-up", { totp: await wrong() });
  assertEquals(await outcome(refused), "401 invalid_second_factor");
  const before = page.jar.get(SID);
  const response = await page.post("/auth/step-up", { totp: await totp() });
  const { principal, session } = await response.json();
  assertEquals([response.status, principal.amr], [200, ["pwd", "otp", "mfa"]]);
  assertEquals([session.authTime, session.persistent], [app.clock.now, true]);
  assertEquals(Object.keys(cookiesOf(response)).sort(), ["__Host-csrf", SID]);
  assertNotEquals(page.jar.get(SID), before);
  for (const path of ["/mfa", "/recent"]) assertEquals(await outcome(page.send(path)), "200");
  page.jar.set(SID, before ?? "");
  assertEquals(await outcome(page.send("/me")), "401 session_expired");
  page.close();
  const anonymous = page.post("/auth/step-up", { recoveryCode });
  assertEquals(await outcome(anonymous), "401 unauthenticated");
});

Deno.test("POST /step-up of a user without a second factor is invalid_second_factor", async () => {
  const page = await createFactorApp().signedIn();
  const response = page.post("/auth/step-up", { totp: "123456" });
  assertEquals(await outcome(response), "401 invalid_second_factor");
});

Deno.test("changes of second factors need a recent sign-in, and by both if there are two", async () => {
  const scene = await withFactor();
  const { app, totp } = scene;
  const base = "/auth/second-factors";
  const page = await signIn(scene, { rememberBrowser: true });
  await page.logout();
  assertEquals(await outcome(page.login()), "200");
  const weak = "401 insufficient_authentication";
  const all = ["remove", "recovery-codes", "totp/start", "totp/confirm"];
  for (const path of all) assertEquals(await outcome(page.post(`${base}/${path}`, {})), weak, path);
  assertEquals(await outcome(page.post("/auth/step-up", { totp: await totp() })), "200");
  app.clock.now += 930;
  for (const path of all) assertEquals(await outcome(page.post(`${base}/${path}`, {})), weak, path);
  assertEquals(await outcome(page.post("/auth/step-up", { totp: await totp() })), "200");
  const { recoveryCodes } = await (await page.post(`${base}/recovery-codes`)).json();
  assertEquals(recoveryCodes.length, 10);
  app.events.length = 0;
  assertEquals(await outcome(page.post(`${base}/remove`)), "204");
  assertEquals(types(app.events), ["factor.removed"]);
  assertEquals(await outcome(page.post(`${base}/remove`)), "204");
  assertEquals(await outcome(app.browser().login()), "200");
});
