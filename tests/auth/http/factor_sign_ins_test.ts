/** Sign-ins that need a second factor: with a provider, by mail, by a passkey, by handlers of the application. */

import { type AccountMessage, emailAccounts, inMemoryAuthStores, json } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { ADA, OTHER_PASSWORD, START } from "../_services.ts";
import { ORIGIN, type TestApp, type TestAppOptions, type TestBrowser } from "./_app.ts";
import {
  begin,
  complete,
  cookieOf,
  createFactorApp,
  DEVICE,
  enrol,
  FACTORS,
  guarded,
  MFA,
  outcome,
  SID,
  signIn,
  withFactor,
} from "./_factors.ts";
import { comeBack, goTo, oauthApp, signInWith } from "./oauth/_oauth.ts";
import * as passkeys from "./_passkeys.ts";

// Providers.

/** Ada has signed in with a provider once, and has a second factor. */
async function withProvider(options: Parameters<typeof oauthApp>[0] = {}) {
  const clock = { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const app = guarded(
    oauthApp({ ...{ clock, stores, secondFactors: FACTORS, failurePath: "/in?a=b" }, ...options }),
  );
  assertEquals((await signInWith(app.browser(), app.one)).headers.get("Location"), "/");
  const [user] = await stores.users.list({ limit: 1 });
  assert(user !== undefined);
  return { app, sub: user.sub, ...await enrol(app, user.sub) };
}

Deno.test("GET /oauth/:provider/callback redirects to oauthFailurePath with a ticket, which completes the sign-in", async () => {
  const { app, sub, totp } = await withProvider();
  app.one.change({ claims: { amr: ["pwd", "mfa"], acr: "gold", sid: "p1" } });
  const page = app.browser();
  const response = await signInWith(page, app.one, "one", "?remember=true");
  const location = response.headers.get("Location");
  assertEquals([response.status, location], [303, "/in?a=b&error=mfa_required"]);
  assert(cookieOf(response, MFA) !== undefined && cookieOf(response, SID) === undefined);
  assertEquals(await outcome(page.send("/me")), "401 unauthenticated");
  const completed = await complete(page, { totp: await totp() });
  const { principal, session, user } = await completed.json();
  assertEquals([completed.status, user.sub], [200, sub]);
  assertEquals([principal.method, principal.amr], ["oauth", ["pwd", "mfa", "otp"]]);
  assertEquals([session.acr, session.provider, session.persistent], ["gold", "one", true]);
  assertEquals(await app.runtime.sessions.revokeByProvider(app.one.issuer, { sid: "p1" }), 1);
});

Deno.test("GET /oauth/:provider/callback is the problem mfa_required without oauthFailurePath", async () => {
  const { app } = await withProvider({});
  const other = oauthApp({ stores: app.stores, clock: app.clock, secondFactors: FACTORS });
  const page = other.browser();
  const response = await signInWith(page, other.one);
  assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
  assertEquals(await outcome(response), "401 mfa_required");
  assert(page.jar.get(MFA) !== undefined);
});

Deno.test("the mfa of a provider is not the second factor of the account, also in a remembered browser", async () => {
  const { app, totp } = await withProvider();
  app.one.change({ claims: { amr: ["pwd", "mfa"] } });
  const page = app.browser();
  await signInWith(page, app.one);
  const rememberBrowser = true;
  assertEquals(await outcome(complete(page, { totp: await totp(), rememberBrowser })), "200");
  await page.logout();
  assertEquals((await signInWith(page, app.one)).headers.get("Location"), "/");
  const { principal } = await (await page.send("/auth/session")).json();
  assertEquals(principal.amr, ["pwd"]);
  for (const path of ["remove", "totp/start", "recovery-codes"]) {
    const refused = page.post(`/auth/second-factors/${path}`);
    assertEquals(await outcome(refused), "401 insufficient_authentication");
  }
  assertEquals(await outcome(page.send("/mfa")), "401 insufficient_authentication");
});

Deno.test("the mfa of a provider counts for users without a second factor of their own", async () => {
  const app = guarded(oauthApp({ secondFactors: FACTORS }));
  app.one.change({ claims: { amr: ["pwd", "mfa"] } });
  const page = app.browser();
  await signInWith(page, app.one);
  assertEquals(await outcome(page.send("/mfa")), "200");
});

Deno.test("POST /step-up keeps the provider of the session, so that its logout ends it", async () => {
  const { app, totp } = await withProvider();
  const page = app.browser();
  app.one.change({ claims: { sid: "p1" } });
  await signInWith(page, app.one);
  assertEquals(await outcome(complete(page, { totp: await totp() })), "200");
  app.clock.now += 30;
  const { session } = await (await page.post("/auth/step-up", { totp: await totp() })).json();
  assertEquals(session.provider, "one");
  assertEquals(await app.runtime.sessions.revokeByProvider(app.one.issuer, { sid: "p1" }), 1);
  assertEquals(await outcome(page.send("/me")), "401 session_expired");
});

Deno.test("POST /oauth/:provider/link needs no second factor: it creates no session", async () => {
  const { app, totp } = await withProvider();
  const page = app.browser();
  await signInWith(page, app.one);
  assertEquals(await outcome(complete(page, { totp: await totp() })), "200");
  const { url } = await (await page.post("/auth/oauth/two/link", {})).json();
  assertEquals((await comeBack(page, app.two, url)).headers.get("Location"), "/");
  const next = await signInWith(app.browser(), app.two, "two");
  assertEquals(next.headers.get("Location"), "/in?a=b&error=mfa_required");
  assert((await goTo(page)).startsWith(app.one.issuer));
});

// By mail.

/** An application whose mail arrives here. */
async function withMail() {
  const outbox: AccountMessage[] = [];
  const accounts = emailAccounts({
    deliver: (message) => void outbox.push(message),
    origin: ORIGIN,
    ...{ signInLink: { page: "/link" }, signInCode: {}, resetPassword: { page: "/new" } },
  });
  const scene = await withFactor({ accounts });
  return { ...scene, outbox };
}

/** The token or the code of the last message. */
async function mailed(outbox: readonly AccountMessage[]): Promise<string> {
  for (let i = 0; i < 50 && outbox.length === 0; i++) await new Promise((done) => setTimeout(done));
  const { url, code } = outbox.at(-1) ?? {};
  return url === undefined ? code ?? "" : new URL(url).searchParams.get("token") ?? "";
}

for (const kind of ["link", "code"] as const) {
  Deno.test(`POST /${kind}/finish is mfa_required, and keeps remember`, async () => {
    const { app, outbox } = await withMail();
    const email = ADA.identifier;
    const page = app.browser();
    const start = async (own: TestBrowser) => {
      outbox.length = 0;
      const sent = own.post(`/auth/${kind}/start`, { email, remember: true });
      assertEquals(await outcome(sent), "202");
      const secret = await mailed(outbox);
      const body = kind === "link" ? { token: secret } : { email, code: secret };
      return await own.post(`/auth/${kind}/finish`, body);
    };
    // The first proof of the address ends what was set up before it: docs/accounts.md
    const first = app.browser();
    assertEquals(await outcome(start(first)), "200");
    const { totp } = await enrol(app, "u1");
    const response = await start(page);
    assert(cookieOf(response, MFA) !== undefined && cookieOf(response, SID) === undefined);
    assertEquals(await outcome(response), "401 mfa_required");
    assertEquals(await outcome(page.send("/me")), "401 unauthenticated");
    const completed = await complete(page, { totp: await totp() });
    const { principal, session } = await completed.json();
    assertEquals([principal.method, principal.amr], ["email", ["email", "otp", "mfa"]]);
    assertEquals(session.persistent, true);
    assertEquals(cookieOf(completed, DEVICE), undefined); // for passwords only
  });
}

// Passkeys.

Deno.test("POST /webauthn/login/verify needs no second factor with user verification, and one without", async () => {
  const webauthn = { ...passkeys.WEBAUTHN, userVerification: "preferred" } as const;
  const scene = await withFactor({ webauthn });
  const page = await signIn(scene);
  const authenticator = passkeys.createAuthenticator();
  await passkeys.bodyOf(passkeys.register(page, authenticator), 201);
  const other = scene.app.browser();
  assertEquals(await outcome(passkeys.signIn(other, authenticator)), "200");
  assertEquals(await outcome(other.send("/mfa")), "200");
  await other.logout();
  const change = { flags: { uv: false } };
  const response = await passkeys.signIn(other, authenticator, { change });
  assertEquals(await outcome(response), "401 mfa_required");
  const completed = await complete(other, { totp: await scene.totp() });
  const { principal } = await completed.json();
  assertEquals([completed.status, principal.method], [200, "webauthn"]);
  assertEquals(principal.amr, ["pop", "user", "otp", "mfa"]);
});

Deno.test("POST /webauthn/register and /credentials/remove need the second factor of users who have one", async () => {
  const scene = await withFactor({ webauthn: passkeys.WEBAUTHN });
  const page = await signIn(scene, { rememberBrowser: true });
  await page.logout();
  assertEquals(await outcome(page.login()), "200"); // by the password alone
  const weak = "401 insufficient_authentication";
  for (const path of ["register/options", "register/verify", "credentials/remove"] as const) {
    assertEquals(await outcome(passkeys.ask(page, path)), weak);
  }
  assertEquals(await outcome(page.post("/auth/step-up", { totp: await scene.totp() })), "200");
  const made = passkeys.register(page, passkeys.createAuthenticator());
  assertEquals(await outcome(made), "201");
});

// Handlers of the application.

/** `/enter` signs Ada in. */
function withEnter(app: TestApp): TestApp {
  app.router.post("/enter", async (req) => {
    const authentication = await app.runtime.passwords.verify({ ...ADA }, { address: undefined });
    return json(await app.runtime.signIn(req, authentication, { method: "card" }));
  }, { auth: false, raw: true });
  return app;
}

Deno.test("runtime.signIn() throws mfa_required in handlers of the application, and sets the cookie", async () => {
  const { app, totp } = await withFactor();
  const page = withEnter(app).browser();
  assertEquals(await outcome(page.send("/enter", { method: "POST" })), "401 mfa_required");
  assert(page.jar.get(MFA) !== undefined);
  const response = await complete(page, { totp: await totp() });
  assertEquals((await response.json()).principal.method, "card");
});

Deno.test("runtime.signIn() does not ask users without a second factor, nor without the option", async () => {
  const app = withEnter(createFactorApp());
  await app.signedIn();
  assertEquals(await outcome(app.browser().send("/enter", { method: "POST" })), "200");
  const { app: { stores, clock } } = await withFactor();
  const options: TestAppOptions = { stores, clock, secondFactors: undefined };
  const without = createFactorApp(options);
  assertEquals(await outcome(without.browser().login()), "200");
});

Deno.test("POST /step-up does not let a session survive a new password that is set meanwhile", async () => {
  const change = { after: Infinity, now: () => Promise.resolve() };
  const clock = { now: START };
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const scene = await withFactor({
    ...{ clock, stores },
    wrap: ({ users }) => ({
      users: {
        ...users,
        async findBySub(sub) {
          if (change.after-- === 0) await change.now();
          return await users.findBySub(sub);
        },
      },
    }),
  });
  const page = await signIn(scene);
  change.now = () => scene.app.runtime.passwords.reset("u1", OTHER_PASSWORD);
  change.after = 1; // the guard has read the user
  await page.post("/auth/step-up", { totp: await scene.totp() });
  assert(change.after < 0);
  assertEquals(await outcome(page.send("/me")), "401 session_expired");
  await begin(scene.app.browser(), { ...ADA, password: OTHER_PASSWORD });
});
