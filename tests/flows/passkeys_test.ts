/** Whole journeys with passkeys, over fetch: accounts with and without a password, in one browser and in several. */

import type { CreationOptionsJson, PasskeyInfo, RequestOptionsJson } from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { withServer } from "../attacks/_raw.ts";
import type { TestBrowser } from "../auth/http/_app.ts";
import { createBrowser } from "../auth/_browser.ts";
import {
  ask,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyApp,
  register,
  signIn,
} from "../auth/http/_passkeys.ts";
import { JWT } from "../auth/http/_token_routes.ts";
import { ADA, OTHER_PASSWORD, repeat, types } from "../auth/_services.ts";

interface Site {
  readonly app: PasskeyApp;
  readonly origin: string;
  /** A browser that connects over the network. */
  open(): TestBrowser;
}

/** Runs an application on a local port. Browsers trust `localhost` without encryption. */
async function withSite(visit: (site: Site) => Promise<void>): Promise<void> {
  let app: PasskeyApp | undefined;
  const serve = (request: Request, info: unknown) =>
    app?.router.fetch(request, info) ?? new Response(null, { status: 503 });
  await withServer(serve, async (port) => {
    const origin = `http://localhost:${port}`; // what the application is configured with
    const created = createPasskeyApp({ webauthn: { rpId: "localhost", origins: [origin] } });
    app = created;
    const now = () => created.clock.now;
    const open = () => createBrowser({ origin, now, fetch: (request) => fetch(request) });
    await visit({ app: created, origin, open });
  });
}

Deno.test("registerAuth() with passkeys: password account → passkey → sign out → sign in with it → step-up → rename → remove", async () => {
  await withSite(async ({ app, open, origin }) => {
    const page = open();
    const authenticator = createAuthenticator({ counts: true, origin });
    const list = async (): Promise<readonly PasskeyInfo[]> =>
      (await bodyOf(page.send("/auth/webauthn/credentials"))).credentials;

    const { user } = await bodyOf(page.register(), 201);
    const { credential } = await bodyOf(register(page, authenticator, { name: "Phone" }), 201);
    assertEquals((await list()).map(({ id, name }) => [id, name]), [[credential.id, "Phone"]]);

    await bodyOf(page.logout(), 204);
    await bodyOf(page.send("/me"), 401);
    app.clock.now += 3_600;
    const signedIn = await bodyOf(signIn(page, authenticator, { remember: true }));
    assertEquals(signedIn.user, user);
    assertEquals((await bodyOf(page.send("/me"))).sub, user.sub);
    assertEquals((await list())[0]?.lastUsedAt, app.clock.now);

    app.clock.now += 1_800; // too late for changes, not for names
    const second = createAuthenticator({ origin });
    const refused = await bodyOf(ask(page, "register/options"), 401);
    assertEquals(refused.code, "insufficient_authentication");
    await bodyOf(ask(page, "credentials/rename", { id: credential.id, name: "Old phone" }), 204);
    await bodyOf(signIn(page, authenticator)); // the same page, again
    const added = await bodyOf(register(page, second, { name: "Key" }), 201);
    assertEquals((await list()).map(({ name }) => name), ["Old phone", "Key"]);

    await bodyOf(ask(page, "credentials/remove", { id: credential.id }), 204);
    assertEquals((await list()).map(({ id }) => id), [added.credential.id]);
    const gone = await bodyOf(signIn(open(), authenticator), 401);
    assertEquals(gone.code, "credential_unknown");
    await bodyOf(signIn(open(), second));
    await bodyOf(ask(page, "credentials/remove", { id: added.credential.id }), 204);
    await bodyOf(open().login(), 200); // the password is left
    assertEquals(app.errors, []);
    assertEquals(types(app.events).filter((type) => type.startsWith("webauthn.")), [
      "webauthn.registered",
      "webauthn.asserted",
      "webauthn.renamed",
      "webauthn.asserted",
      "webauthn.registered",
      "webauthn.removed",
      "webauthn.failed",
      "webauthn.asserted",
      "webauthn.removed",
    ]);
  });
});

Deno.test("registerAuth() with passkeys: sign-up by a passkey alone → second device → the first one is lost", async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const [phone, laptop] = [createAuthenticator(), createAuthenticator()];
  const options = { identifier: "grace" };
  const { user, credential } = await bodyOf(register(page, phone, { options }), 201);
  assertEquals((await bodyOf(page.send("/auth/session"))).user, user);
  await bodyOf(page.login({ identifier: "grace", password: "grace hopper's compiler" }), 401);
  assertEquals(
    (await bodyOf(ask(page, "credentials/remove", { id: credential.id }), 409)).code,
    "last_way_in",
  );
  await bodyOf(register(page, laptop), 201);
  const other = app.browser();
  await bodyOf(signIn(other, laptop));
  await bodyOf(ask(other, "credentials/remove", { id: credential.id }), 204);
  assertEquals((await bodyOf(signIn(app.browser(), phone), 401)).code, "credential_unknown");
  assertEquals((await bodyOf(signIn(app.browser(), laptop))).user, user);
});

Deno.test("registerAuth() with passkeys: one authenticator, two accounts → the user chooses, and each gets the own account", async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const authenticator = createAuthenticator();
  for (const identifier of ["grace", "mary"]) {
    const options = { identifier };
    await bodyOf(register(app.browser(), authenticator, { options }), 201);
  }
  for (const [index, identifier] of ["grace", "mary"].entries()) {
    const credential = authenticator.credentials[index];
    assert(credential !== undefined);
    const body = await bodyOf(signIn(app.browser(), authenticator, { change: { credential } }));
    assertEquals(body.user.identifier, identifier);
  }
});

Deno.test("registerAuth() with passkeys: an authenticator that has one already → it refuses a second", async () => {
  const app = createPasskeyApp();
  const page = await app.signedIn();
  const authenticator = createAuthenticator();
  await bodyOf(register(page, authenticator), 201);
  const error = await register(page, authenticator).catch((error) => error);
  assertEquals(error.name, "InvalidStateError");
});

Deno.test("registerAuth() with passkeys and tokens: sign in → API call → refresh → sign out", async () => {
  const app = createPasskeyApp({
    jwt: JWT,
    integration: { routes: { registration: "open", tokens: true } },
  });
  const page = await app.signedIn();
  const authenticator = createAuthenticator();
  await bodyOf(register(page, authenticator), 201);
  const { accessToken, refreshToken, session } = await bodyOf(signIn(page, authenticator));
  const headers = { Authorization: `Bearer ${accessToken}` };
  const me = await app.router.request("/auth/session", { headers });
  const { principal } = await me.json();
  assertEquals([principal.sub, principal.method], ["u1", "bearer"]);
  assertEquals([principal.amr, principal.sessionId], [["pop", "user", "mfa"], session.id]);
  const next = await bodyOf(page.post("/auth/refresh", { refreshToken }));
  assertNotEquals(next.accessToken, accessToken);
  await bodyOf(page.logout(), 204);
  assertEquals((await page.post("/auth/refresh", next)).status, 401);
});

Deno.test("registerAuth() with passkeys: an account is recovered → the attacker's passkey is deleted with the rest", async () => {
  const app = createPasskeyApp();
  const attackers = await app.signedIn();
  const authenticator = createAuthenticator();
  await bodyOf(register(attackers, authenticator), 201);
  await app.runtime.passwords.reset("u1", OTHER_PASSWORD);
  assertEquals((await attackers.send("/me")).status, 401);
  const gone = await bodyOf(signIn(app.browser(), authenticator), 401);
  assertEquals(gone.code, "credential_unknown");
  const page = app.browser();
  await bodyOf(page.login({ ...ADA, password: OTHER_PASSWORD }));
  assertEquals((await bodyOf(page.send("/auth/webauthn/credentials"))).credentials, []);
});

Deno.test("registerAuth() with identified passkeys: a security key that is not discoverable → signs in by the identifier", async () => {
  const app = createPasskeyApp({ webauthn: { identified: true, residentKey: "discouraged" } });
  const page = await app.signedIn();
  const key = createAuthenticator({ discoverable: false });
  const { credential } = await bodyOf(register(page, key), 201);
  assertEquals(credential.discoverable, false);
  const options = { identifier: " ADA@example.org" };
  const { user } = await bodyOf(signIn(app.browser(), key, { options }));
  assertEquals(user.sub, "u1");
  const other = await bodyOf(ask(app.browser(), "login/options", { identifier: "eve" }));
  const error = await key.get(other).catch((error) => error);
  assertEquals(error.name, "NotAllowedError");
});

Deno.test("registerAuth() with identified passkeys: 1,000 identifiers, known and unknown → options of one shape, the same each time", async () => {
  const rules = { kind: "window", limit: 100_000, seconds: 900 } as const;
  const app = createPasskeyApp({ webauthn: { identified: true }, throttle: { challenge: rules } });
  const page = await app.signedIn();
  await bodyOf(register(page, createAuthenticator()), 201);
  const stranger = app.browser();
  const known = { sub: "u5", identifier: "grace", securityStamp: "s", createdAt: 0 };
  await app.stores.users.create(known); // an account without a passkey
  const asked = async (identifier: string): Promise<RequestOptionsJson> =>
    await bodyOf(ask(stranger, "login/options", { identifier }));
  const counts = new Map<number, number>();
  const lengths = new Set<number>();
  for (const i of repeat(1_000, (i) => i)) {
    const identifier = i === 0 ? ADA.identifier : i === 1 ? "grace" : `nobody${i}@example.org`;
    const { challenge, allowCredentials, ...rest } = await asked(identifier);
    assertMatch(challenge, /^[\w-]{43}$/);
    assertEquals(rest, {
      ...{ timeout: 300_000, rpId: "example.com", userVerification: "required", hints: [] },
    });
    for (const { id, type, transports = [] } of allowCredentials) {
      assertEquals(type, "public-key");
      assertMatch(id, /^[\w-]{16,}$/);
      assert(transports.includes("internal"));
      lengths.add(id.length);
    }
    counts.set(allowCredentials.length, (counts.get(allowCredentials.length) ?? 0) + 1);
    if (i < 20) assertEquals((await asked(identifier)).allowCredentials, allowCredentials);
  }
  assertEquals([...counts.keys()].sort(), [1, 2]);
  assert((counts.get(2) ?? 0) > 100, "some identifiers have two");
  assert(lengths.size >= 3, "ids have the lengths of common authenticators");
});

Deno.test("registerAuth() with discoverable passkeys: an identifier is ignored, and nothing is learnt of it", async () => {
  const app = createPasskeyApp();
  const page = await app.signedIn();
  await bodyOf(register(page, createAuthenticator()), 201);
  for (const identifier of [ADA.identifier, "nobody"]) {
    const { allowCredentials } = await bodyOf(ask(app.browser(), "login/options", { identifier }));
    assertEquals(allowCredentials, []);
  }
});

Deno.test("registerAuth() with preferred user verification: a passkey without it → one factor", async () => {
  const app = createPasskeyApp({ webauthn: { userVerification: "preferred" } });
  const page = await app.signedIn();
  const authenticator = createAuthenticator();
  const change = { flags: { uv: false } };
  const { credential } = await bodyOf(register(page, authenticator, { change }), 201);
  assertEquals(credential.userVerified, false);
  const { principal } = await bodyOf(signIn(app.browser(), authenticator, { change }));
  assertEquals([principal.amr, principal.acr], [["pop", "user"], "phr"]);
  const verified = await bodyOf(signIn(app.browser(), authenticator));
  assertEquals(verified.principal.amr, ["pop", "user", "mfa"]);
});

Deno.test("registerAuth() with passkeys of a user → at most maxCredentials", async () => {
  const app = createPasskeyApp({ webauthn: { maxCredentials: 2 } });
  const page = await app.signedIn();
  const options: CreationOptionsJson = await bodyOf(ask(page, "register/options"));
  for (const _ of repeat(2, () => 0)) await bodyOf(register(page, createAuthenticator()), 201);
  assertEquals((await bodyOf(ask(page, "register/options"), 409)).code, "too_many_credentials");
  const third = await createAuthenticator().create(options); // begun before the others
  assertEquals(
    (await bodyOf(ask(page, "register/verify", third), 409)).code,
    "too_many_credentials",
  );
});
