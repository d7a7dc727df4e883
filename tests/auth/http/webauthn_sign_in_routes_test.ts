/** The routes of passkeys: sign-ins, their sessions and their tokens. */

import { assertEquals, assertNotEquals } from "@std/assert";
import { ADA, CLIENT, START } from "../_services.ts";
import { assertRefused, cookiesOf } from "./_routes.ts";
import { JWT } from "./_token_routes.ts";
import {
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  register,
  signIn,
  TOO_OLD,
  withPasskey,
} from "./_passkeys.ts";

Deno.test(`POST ${BASE}/login/verify answers as /login does`, async () => {
  const { app, authenticator, passkey } = await withPasskey();
  const [page, other] = [app.browser(), app.browser()];
  const password = await bodyOf(other.login());
  app.events.length = 0;
  const response = await signIn(page, authenticator);
  const cookies = Object.keys(cookiesOf(response));
  const body = await bodyOf(Promise.resolve(response));
  assertEquals(Object.keys(body), Object.keys(password));
  const amr = ["pop", "user", "mfa"];
  const { id } = body.session;
  const times = { createdAt: START, activeAt: START, expiresAt: START + 86_400, authTime: START };
  assertEquals(body.session, { id, sub: "u1", ...times, amr, acr: "phr" });
  assertEquals(body.user, { sub: "u1", identifier: ADA.identifier });
  assertEquals(body.principal, {
    ...{ sub: "u1", method: "webauthn", amr, acr: "phr", authTime: START, sessionId: id },
  });
  assertEquals(cookies.sort(), ["__Host-csrf", "__Host-sid"]);
  assertEquals(await bodyOf(page.send("/me")), { sub: "u1", method: "session" });
  const credentialId = passkey.id;
  const asserted = { sub: "u1", credentialId, userVerified: true, address: CLIENT.address };
  assertEquals<unknown>(app.events, [
    { type: "webauthn.asserted", at: START, ...asserted },
    { type: "session.created", at: START, sub: "u1", sessionId: id },
  ]);
});

for (const remember of [undefined, false, true]) {
  Deno.test(`POST ${BASE}/login/verify creates a ${remember ? "persistent " : ""}session if remember is ${remember}`, async () => {
    const { app, authenticator } = await withPasskey();
    const response = await signIn(app.browser(), authenticator, { remember });
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith("__Host-sid="));
    assertEquals(cookie?.includes("Max-Age"), remember === true);
    assertEquals((await response.json()).session.persistent, remember === true ? true : undefined);
  });
}

Deno.test(`POST ${BASE}/login/verify replaces the session of the browser`, async () => {
  const { app, page, authenticator } = await withPasskey();
  const before = page.jar.get("__Host-sid") ?? "";
  await bodyOf(signIn(page, authenticator));
  assertNotEquals(page.jar.get("__Host-sid"), before);
  assertEquals(await app.runtime.sessions.verify(before), undefined);
  assertEquals((await app.runtime.sessions.list("u1")).length, 1);
});

Deno.test(`POST ${BASE}/login/verify renews the sign-in of an old session`, async () => {
  const { app, page, authenticator, passkey: { id } } = await withPasskey();
  app.clock.now += 901;
  await assertRefused(await ask(page, "credentials/remove", { id }), TOO_OLD);
  await bodyOf(signIn(page, authenticator));
  await bodyOf(ask(page, "credentials/remove", { id }), 204);
});

for (const tokens of [true, false]) {
  Deno.test(`POST ${BASE}/login/verify and a sign-up ${tokens ? "issue tokens, which the session's end revokes" : "issue no tokens without the option"}`, async () => {
    const app = createPasskeyApp({
      jwt: JWT,
      webauthn: { signUp: true },
      integration: { routes: { registration: "open", tokens } },
    });
    const page = app.browser();
    const authenticator = createAuthenticator();
    const options = { identifier: "grace" };
    const created = await bodyOf(register(page, authenticator, { options }), 201);
    const signedIn = await bodyOf(signIn(app.browser(), authenticator));
    for (const { accessToken, refreshToken, tokenType } of [created, signedIn]) {
      assertEquals(
        [accessToken, refreshToken, tokenType].every((one) => one !== undefined),
        tokens,
      );
      if (!tokens) continue;
      const headers = { Authorization: `Bearer ${accessToken}` };
      const me = await bodyOf(app.router.request("/me", { headers }) as Promise<Response>);
      assertEquals(me, { sub: created.user.sub, method: "bearer" });
    }
    await app.runtime.sessions.revokeAll(created.user.sub);
    if (!tokens) return;
    const refused = await app.browser().post("/auth/refresh", {
      refreshToken: signedIn.refreshToken,
    });
    assertEquals(refused.status, 401);
    await refused.body?.cancel();
  });
}

Deno.test(`POST ${BASE}/login/verify and a sign-up fail while the keys are not available, before anything is used or created`, async () => {
  const broken = { isDown: true };
  const app = createPasskeyApp({
    jwt: JWT,
    webauthn: { signUp: true },
    integration: { routes: { registration: "open", tokens: true } },
    wrap: ({ keys }) => ({
      keys: {
        ...keys,
        load: () => broken.isDown ? Promise.reject(new Error("SELECT failed")) : keys.load(),
      },
    }),
  });
  const page = await app.signedIn();
  const authenticator = createAuthenticator();
  await bodyOf(register(page, authenticator), 201); // needs no tokens
  const guest = app.browser();
  const login = await authenticator.get(await bodyOf(ask(guest, "login/options")));
  await bodyOf(ask(guest, "login/verify", login), 500);
  assertEquals(guest.jar.names().includes("__Host-sid"), false);
  const visitor = app.browser();
  const options = await bodyOf(ask(visitor, "register/options", { identifier: "grace" }));
  const created = await createAuthenticator().create(options);
  await bodyOf(ask(visitor, "register/verify", created), 500);
  assertEquals(await app.stores.users.findByIdentifier("grace"), null);
  broken.isDown = false;
  app.clock.now += 60; // the failure is remembered for a while
  await bodyOf(ask(guest, "login/verify", login));
  await bodyOf(ask(visitor, "register/verify", created), 201);
});
