/** The routes of passkeys: who may use them, their bodies and their responses. */

import {
  apiKeyService,
  apiKeyStrategy,
  createRouter,
  inMemoryAuthStores,
  mountAuthRoutes,
  type PasskeyInfo,
  type RouteSource,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { ADA, CLIENT, EVE_PASSWORD, START, types } from "../_services.ts";
import { createBrowser } from "../_browser.ts";
import { createTestApp, ORIGIN, type TestBrowser } from "./_app.ts";
import { assertRefused, cookiesOf, FORGED, type Refusal, sendBody } from "./_routes.ts";
import { JWT } from "./_token_routes.ts";
import {
  ask,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyApp,
  type PasskeyPath,
  register,
  signIn,
  withPasskey,
} from "./_passkeys.ts";

const BASE = "/auth/webauthn";

/** Connection info of Deno.serve. */
const HOST = { remoteAddr: { transport: "tcp", hostname: CLIENT.address } };

interface Served {
  fetch(request: Request, ...args: unknown[]): Response | Promise<Response>;
}

const WRITES: readonly PasskeyPath[] = [
  "register/options",
  "register/verify",
  "login/options",
  "login/verify",
  "credentials/rename",
  "credentials/remove",
];

const ROUTES: readonly string[] = [
  "POST /webauthn/register/options",
  "POST /webauthn/register/verify",
  "POST /webauthn/login/options",
  "POST /webauthn/login/verify",
  "GET /webauthn/credentials",
  "POST /webauthn/credentials/rename",
  "POST /webauthn/credentials/remove",
];

Deno.test("createAuthRoutes() adds seven routes if there are passkeys, and none otherwise", () => {
  const without = createTestApp().runtime.routes();
  const routes = createPasskeyApp().runtime.routes();
  const added = routes.slice(without.length);
  assertEquals(
    routes.slice(0, without.length).map(({ path }) => path),
    without.map(({ path }) => path),
  );
  assertEquals(added.map(({ method, path }) => `${method} ${path}`), ROUTES);
  for (const part of [...added, ...added.flatMap(({ options }) => [options, options.use])]) {
    assert(Object.isFrozen(part));
  }
  assertEquals(new Set(added.map(({ options }) => options.auth)), new Set([false]));
});

const ANONYMOUS: Refusal = {
  status: 401,
  code: "unauthenticated",
  headers: { "www-authenticate": "Session" },
};
const INSUFFICIENT: Refusal = { ...ANONYMOUS, code: "insufficient_authentication" };
const NOT_FOUND = { status: 404, code: "not_found" };

function violation(pointer: string, message: string): Refusal {
  const violations = [{ in: "body", pointer, message }];
  return { status: 422, code: "validation_failed", violations };
}

const NAME_REFUSED = violation("/name", "Expected 1 to 64 characters, without control characters");

/** Codes of the responses to an empty object, in the order of {@linkcode WRITES}, and to the list; `ok` is a success. */
const LET_IN = [
  ...["ok", "webauthn_failed", "ok", "webauthn_failed", "validation_failed", "validation_failed"],
  "ok",
];
const NOBODY = [
  ...["unauthenticated", "unauthenticated", "ok", "webauthn_failed"],
  ...["unauthenticated", "unauthenticated", "unauthenticated"],
];
const OLD = [
  ...["insufficient_authentication", "insufficient_authentication", "ok", "webauthn_failed"],
  ...["validation_failed", "insufficient_authentication", "ok"],
];
const OTHERS = [
  ...["insufficient_authentication", "insufficient_authentication", "ok", "webauthn_failed"],
  ...Array(3).fill("insufficient_authentication"),
];
const EXPIRED = [
  ...["session_expired", "session_expired", "ok", "webauthn_failed"],
  ...Array(3).fill("session_expired"),
];

type Caller = (app: PasskeyApp) => Promise<{
  readonly page: TestBrowser;
  readonly headers?: Readonly<Record<string, string>>;
}>;

function session(age: number): Caller {
  return async (app) => {
    const page = await app.signedIn();
    app.clock.now += age;
    return { page };
  };
}

/** Who asks, and the codes. */
const CALLERS: readonly (readonly [who: string, caller: Caller, codes: readonly string[]])[] = [
  ["nobody", (app) => Promise.resolve({ page: app.browser() }), NOBODY],
  ["a new session", session(0), LET_IN],
  ["a session at maxAge", session(900), LET_IN],
  ["a session older than maxAge", session(901), OLD],
  ["a session that has expired", session(86_400), EXPIRED],
  ["an API key", async (app) => {
    await app.signedIn();
    const { key } = await apiKeyService({ ...app.stores, now: app.runtime.now }).create("u1");
    return { page: app.browser(), headers: { "X-API-Key": key } };
  }, OTHERS],
  ["an API key beside a session", async (app) => {
    const page = await app.signedIn();
    const { key } = await apiKeyService({ ...app.stores, now: app.runtime.now }).create("u1");
    return { page, headers: { "X-API-Key": key } };
  }, OTHERS],
  ["a new access token", async (app) => {
    await app.signedIn();
    const authentication = await app.runtime.passwords.verify({ ...ADA }, { address: undefined });
    const { accessToken = "" } = await app.runtime.tokens?.issue(authentication) ?? {};
    return { page: app.browser(), headers: { Authorization: `Bearer ${accessToken}` } };
  }, OTHERS],
];

for (const signUp of [false, true]) {
  for (const [who, caller, codes] of CALLERS) {
    Deno.test(`createAuthRoutes() lets ${who} use the routes of passkeys as far as a session is needed, if signUp is ${signUp}`, async () => {
      const clock = { now: START };
      const stores = inMemoryAuthStores({ now: () => 0 });
      const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
      const strategies = [apiKeyStrategy({ apiKeys })];
      const app = createPasskeyApp({ stores, clock, strategies, jwt: JWT, webauthn: { signUp } });
      const { page, headers = {} } = await caller(app);
      const found: string[] = [];
      for (const path of WRITES) {
        const expired = page.jar.get("__Host-sid");
        const response = await page.post(`${BASE}/${path}`, {}, { headers });
        assertEquals(response.headers.get("Cache-Control"), "no-store", path);
        found.push(response.ok ? "ok" : (await response.json()).code);
        if (expired !== undefined) page.jar.set("__Host-sid", expired); // a refusal has cleared it
      }
      const list = await page.send(`${BASE}/credentials`, { headers });
      assertEquals(list.headers.get("Cache-Control"), "no-store");
      found.push(list.ok ? "ok" : (await list.json()).code);
      const isSignUp = signUp && codes === NOBODY; // the response is judged
      assertEquals(found, isSignUp ? codes.with(1, "webauthn_failed") : codes);
    });
  }
}

Deno.test("createAuthRoutes() refuses old sessions and other credentials with a challenge, and without a reason", async () => {
  const app = createPasskeyApp();
  const page = await app.signedIn();
  app.clock.now += 901;
  await assertRefused(await ask(page, "register/options"), INSUFFICIENT);
  await assertRefused(await ask(app.browser(), "register/options"), ANONYMOUS);
});

for (const path of WRITES) {
  Deno.test(`POST ${BASE}/${path} needs a CSRF token`, async () => {
    const app = createPasskeyApp();
    const page = await app.signedIn();
    const init = { method: "POST", json: {} };
    await assertRefused(await page.send(`${BASE}/${path}`, init), FORGED);
    await assertRefused(await app.browser().send(`${BASE}/${path}`, init), FORGED);
  });

  Deno.test(`POST ${BASE}/${path} accepts 64 KiB, and not a byte more`, async () => {
    const page = await createPasskeyApp().signedIn();
    for (const [size, isTooLarge] of [[65_536, false], [65_537, true]] as const) {
      const body = JSON.stringify({}).padEnd(size);
      const response = await sendBody(page, `${BASE}/${path}`, body);
      assertEquals(response.status === 413, isTooLarge);
      await response.body?.cancel();
    }
  });

  for (const method of ["GET", "PUT", "DELETE"]) {
    Deno.test(`createAuthRoutes() answers ${method} ${BASE}/${path} with 405`, async () => {
      const response = await createPasskeyApp().browser().send(`${BASE}/${path}`, { method });
      assertEquals([response.status, response.headers.get("Allow")], [405, "POST, OPTIONS"]);
      await response.body?.cancel();
    });
  }
}

const STRING = "Expected a string";
const FLAG = "Expected true or false";
const OBJECT = "Expected an object";

/** Bodies with members of a wrong type. */
const BODIES: readonly (readonly [
  path: PasskeyPath,
  json: unknown,
  pointer: string,
  message: string,
])[] = [
  ["register/options", [], "", OBJECT],
  ["register/options", null, "", OBJECT],
  ["register/options", { conditional: "true" }, "/conditional", FLAG],
  ["register/options", { conditional: null }, "/conditional", FLAG],
  [
    ...["register/options", { identifier: "eve" }, "/identifier"] as const,
    "Expected no identifier, since a user is signed in",
  ],
  [
    ...["register/options", { identifier: null }, "/identifier"] as const,
    "Expected no identifier, since a user is signed in",
  ],
  ["login/options", "ada", "", OBJECT],
  ["login/options", { identifier: 5 }, "/identifier", STRING],
  ["login/options", { identifier: null }, "/identifier", STRING],
  ["login/options", { identifier: ["ada"] }, "/identifier", STRING],
  ["login/verify", { remember: "yes" }, "/remember", FLAG],
  ["login/verify", { remember: null }, "/remember", FLAG],
  ["credentials/rename", [], "", OBJECT],
  ["credentials/rename", { name: "Phone" }, "/id", STRING],
  ["credentials/rename", { id: 1, name: "Phone" }, "/id", STRING],
  ["credentials/remove", [], "", OBJECT],
  ["credentials/remove", {}, "/id", STRING],
  ["credentials/remove", { id: { $ne: "" } }, "/id", STRING],
];

for (const [path, json, pointer, message] of BODIES) {
  Deno.test(`POST ${BASE}/${path} rejects ${JSON.stringify(json)} with 422`, async () => {
    const { app, page } = await withPasskey({ webauthn: { signUp: true } });
    await assertRefused(await ask(page, path, json), violation(pointer, message));
    assertEquals(app.events, []);
  });
}

for (const identifier of [5, null, [], {}]) {
  Deno.test(`POST ${BASE}/register/options rejects the identifier ${JSON.stringify(identifier)} of a sign-up with 422`, async () => {
    const page = createPasskeyApp({ webauthn: { signUp: true } }).browser();
    const response = await ask(page, "register/options", { identifier });
    await assertRefused(response, violation("/identifier", STRING));
  });
}

/** Names of passkeys, and what is stored; `undefined` if the name is refused. */
const NAMES: readonly (readonly [why: string, name: unknown, stored: string | undefined])[] = [
  ["64 characters", "a".repeat(64), "a".repeat(64)],
  ["64 characters outside the BMP", "🔑".repeat(64), "🔑".repeat(64)],
  ["blanks around it", "  Phone\t", "Phone"],
  ["HTML, which is text", "<script>", "<script>"],
  ["65 characters", "a".repeat(65), undefined],
  ["10 kB", "a".repeat(10_000), undefined],
  ["no character", "", undefined],
  ["blanks", "  ", undefined],
  ["a control character", "Pho\u0000ne", undefined],
  ["an escape sequence", "\u001b[31mPhone", undefined],
  ["a line break", "Pho\nne", undefined],
  ["a line separator", "Pho\u2028ne", undefined],
  ["a right-to-left override", "Pho\u202ene", undefined],
  ["an isolate", "Pho\u2066ne", undefined],
  ["a joiner alone", "\u200d", undefined],
  ["a joiner, as part of an emoji", "Ada 👩‍💻", "Ada 👩‍💻"],
  ["a lone surrogate", "Pho\ud800ne", undefined],
  ["null", null, undefined],
  ["a number", 5, undefined],
  ["an object", {}, undefined],
];

for (const [why, name, stored] of NAMES) {
  Deno.test(`POST ${BASE}/register/verify ${stored === undefined ? "refuses" : "stores"} a name: ${why}`, async () => {
    const app = createPasskeyApp();
    const page = await app.signedIn();
    const response = await register(page, createAuthenticator(), { name });
    const records = await app.stores.credentials.list("u1");
    if (stored === undefined) {
      await assertRefused(response, NAME_REFUSED);
      return assertEquals([records, app.events], [[], []]);
    }
    assertEquals((await response.json()).credential.name, stored);
    assertEquals(records.map(({ name }) => name), [stored]);
  });

  Deno.test(`POST ${BASE}/credentials/rename ${stored === undefined ? "refuses" : "stores"} a name: ${why}`, async () => {
    const { app, page, passkey: { id } } = await withPasskey();
    const response = await ask(page, "credentials/rename", { id, name });
    const { name: after } = await app.stores.credentials.find(id) ?? {};
    if (stored === undefined) {
      await assertRefused(response, NAME_REFUSED);
      return assertEquals([after, app.events], ["Phone", []]);
    }
    assertEquals([response.status, await response.text(), after], [204, "", stored]);
    assertEquals(types(app.events), ["webauthn.renamed"]);
  });
}

Deno.test(`POST ${BASE}/register/verify refuses a name before the challenge is used`, async () => {
  const page = await createPasskeyApp().signedIn();
  const options = await bodyOf(ask(page, "register/options"));
  const response = await createAuthenticator().create(options);
  await assertRefused(await ask(page, "register/verify", { ...response, name: "" }), NAME_REFUSED);
  await bodyOf(ask(page, "register/verify", { ...response, name: "Phone" }), 201);
});

Deno.test(`POST ${BASE}/register/options returns options for the user of the session`, async () => {
  const { page, passkey } = await withPasskey();
  const options = await bodyOf(ask(page, "register/options"));
  assertMatch(options.challenge, /^[\w-]{43}$/);
  assertEquals(options.rp, { id: "example.com", name: "Example" });
  assertEquals([options.user.name, options.user.displayName], [ADA.identifier, ADA.identifier]);
  assertEquals(
    options.excludeCredentials.map(({ id }: { readonly id: string }) => id),
    [passkey.id],
  );
  assertEquals(options.authenticatorSelection.userVerification, "required");
  const conditional = await bodyOf(ask(page, "register/options", { conditional: true }));
  assertEquals(conditional.authenticatorSelection.userVerification, "preferred");
});

Deno.test(`POST ${BASE}/register/verify returns the passkey alone, and the session goes on`, async () => {
  const app = createPasskeyApp();
  const page = await app.signedIn();
  const sid = page.jar.get("__Host-sid");
  const response = await register(page, createAuthenticator(), { name: "Phone" });
  assertEquals([response.status, response.headers.getSetCookie()], [201, []]);
  const { credential, ...rest } = await response.json();
  assertEquals(rest, {});
  const [record] = await app.stores.credentials.list("u1");
  assertEquals(credential, {
    id: record?.id,
    name: "Phone",
    createdAt: START,
    transports: ["hybrid", "internal"],
    backupEligible: true,
    backedUp: true,
    userVerified: true,
    discoverable: true,
    aaguid: "00000000-0000-0000-0000-000000000000",
  });
  assertEquals(page.jar.get("__Host-sid"), sid);
  assertEquals(types(app.events), ["webauthn.registered"]);
});

Deno.test(`POST ${BASE}/register/verify accepts a conditional registration without presence, and no other`, async () => {
  const page = await createPasskeyApp().signedIn();
  const change = { flags: { up: false, uv: false } };
  const accepted = { options: { conditional: true }, change };
  assertEquals((await register(page, createAuthenticator(), accepted)).status, 201);
  const refused = await register(page, createAuthenticator(), { change });
  assertEquals([refused.status, (await refused.json()).code], [400, "webauthn_failed"]);
});

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

Deno.test(`POST ${BASE}/login/verify refuses a wrong remember before the challenge is used`, async () => {
  const { app, authenticator } = await withPasskey();
  const page = app.browser();
  const options = await bodyOf(ask(page, "login/options"));
  const response = await authenticator.get(options);
  const refused = await ask(page, "login/verify", { ...response, remember: 1 });
  await assertRefused(refused, violation("/remember", FLAG));
  await bodyOf(ask(page, "login/verify", response));
});

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
  await assertRefused(await ask(page, "credentials/remove", { id }), INSUFFICIENT);
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

Deno.test(`POST ${BASE}/register/verify creates an account, and signs in`, async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const authenticator = createAuthenticator();
  const init = { options: { identifier: " Grace@Example.org" }, name: "Phone" };
  const response = await register(page, authenticator, init);
  const cookies = Object.keys(cookiesOf(response));
  const { credential, ...rest } = await bodyOf(Promise.resolve(response), 201);
  assertEquals(Object.keys(rest), ["principal", "session", "user", "csrfToken"]);
  const user = await app.stores.users.findByIdentifier("grace@example.org");
  assert(user !== null && user.passwordHash === undefined);
  assertEquals(rest.user, { sub: user.sub, identifier: "grace@example.org" });
  assertEquals([rest.principal.method, rest.principal.acr], ["webauthn", "phr"]);
  assertEquals([credential.name, credential.userVerified], ["Phone", true]);
  assertEquals(cookies.sort(), ["__Host-csrf", "__Host-sid"]);
  assertEquals((await bodyOf(page.send("/me"))).sub, user.sub);
  assertEquals(types(app.events), ["user.created", "webauthn.registered", "session.created"]);
});

/** Configurations in which nobody creates an account with a passkey. */
const CLOSED:
  readonly (readonly [why: string, signUp: boolean, registration: "open" | "closed"])[] = [
    ["signUp is false", false, "open"],
    ["registration is closed", true, "closed"],
  ];

for (const [why, signUp, registration] of CLOSED) {
  Deno.test(`POST ${BASE}/register/options refuses an identifier as anonymous if ${why}`, async () => {
    const app = createPasskeyApp({
      webauthn: { signUp },
      integration: { routes: { registration } },
    });
    for (const identifier of ["grace", ADA.identifier, "", 5]) {
      const response = await ask(app.browser(), "register/options", { identifier });
      await assertRefused(response, ANONYMOUS);
    }
    assertEquals(app.events, []);
  });
}

/** Identifiers of sign-ups, and the refusals. */
const IDENTIFIERS:
  readonly (readonly [why: string, identifier: string, status: number, code: string])[] = [
    ["taken", ADA.identifier, 409, "identifier_unavailable"],
    ["taken, in another spelling", " ADA@example.org", 409, "identifier_unavailable"],
    ["empty", "", 400, "invalid_identifier"],
    ["two addresses", "a@x,b@y", 400, "invalid_identifier"],
  ];

for (const [why, identifier, status, code] of IDENTIFIERS) {
  Deno.test(`POST ${BASE}/register/options refuses an identifier that is ${why} with ${status}`, async () => {
    const app = createPasskeyApp({ webauthn: { signUp: true } });
    await app.signedIn();
    const body = await bodyOf(ask(app.browser(), "register/options", { identifier }), status);
    assertEquals(body.code, code);
  });
}

Deno.test(`POST ${BASE}/register/verify of two sign-ups with one identifier creates one account`, async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const pages = [app.browser(), app.browser()];
  const made = await Promise.all(pages.map(async (page) => {
    const options = await bodyOf(ask(page, "register/options", { identifier: "grace" }));
    return { page, response: await createAuthenticator().create(options) };
  }));
  const answers = await Promise.all(
    made.map(({ page, response }) => ask(page, "register/verify", response)),
  );
  assertEquals(answers.map(({ status }) => status).sort(), [201, 409]);
  for (const answer of answers) await answer.body?.cancel();
  const user = await app.stores.users.findByIdentifier("grace");
  assertEquals((await app.stores.credentials.list(user?.sub ?? "")).length, 1);
  const ids = made.map(({ response }) => String(response.id));
  const records = await Promise.all(ids.map((id) => app.stores.credentials.find(id)));
  assertEquals(records.filter((record) => record !== null).length, 1, "the loser leaves none");
});

Deno.test(`GET ${BASE}/credentials lists the user's passkeys, and what the Signal API takes`, async () => {
  const { app, page, passkey } = await withPasskey();
  const eve = app.browser();
  await bodyOf(eve.register({ identifier: "eve", password: EVE_PASSWORD }), 201);
  await bodyOf(register(eve, createAuthenticator()), 201);
  app.clock.now += 60;
  const { credential } = await bodyOf(register(page, createAuthenticator()), 201);
  const { credentials, signals } = await bodyOf(page.send(`${BASE}/credentials`));
  const ids = [passkey.id, credential.id];
  assertEquals(credentials.map(({ id }: PasskeyInfo) => id), ids);
  assertEquals(
    Object.keys(credential).sort(),
    Object.keys(passkey).sort().filter((name) => name !== "name"),
  );
  const { rpId, userId } = signals.allAcceptedCredentials;
  assertEquals(signals.allAcceptedCredentials, { rpId, userId, allAcceptedCredentialIds: ids });
  assertEquals(signals.currentUserDetails, {
    ...{ rpId: "example.com", userId, name: ADA.identifier, displayName: ADA.identifier },
  });
});

for (const path of ["credentials/rename", "credentials/remove"] as const) {
  Deno.test(`POST ${BASE}/${path} answers an unknown id and another user's id alike`, async () => {
    const { app, passkey } = await withPasskey();
    const eve = app.browser();
    await bodyOf(eve.register({ identifier: "eve", password: EVE_PASSWORD }), 201);
    app.events.length = 0;
    for (const id of ["unknown", "", "__proto__", passkey.id]) {
      await assertRefused(await ask(eve, path, { id, name: "Mine" }), NOT_FOUND);
    }
    assertEquals((await app.stores.credentials.find(passkey.id))?.name, "Phone");
    assertEquals(app.events, []);
  });
}

Deno.test(`POST ${BASE}/credentials/remove removes a passkey, unless the user could not sign in then`, async () => {
  const app = createPasskeyApp({ webauthn: { signUp: true } });
  const page = app.browser();
  const options = { identifier: "grace" };
  const first = (await bodyOf(register(page, createAuthenticator(), { options }), 201)).credential;
  const refused = await bodyOf(ask(page, "credentials/remove", { id: first.id }), 409);
  assertEquals(refused.code, "last_way_in");
  const second = (await bodyOf(register(page, createAuthenticator()), 201)).credential;
  app.events.length = 0;
  await bodyOf(ask(page, "credentials/remove", { id: first.id }), 204);
  assertEquals(types(app.events), ["webauthn.removed"]);
  assertEquals(
    (await bodyOf(ask(page, "credentials/remove", { id: second.id }), 409)).code,
    "last_way_in",
  );
  await assertRefused(await ask(page, "credentials/remove", { id: first.id }), NOT_FOUND);
});

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

/** Applications around the routes. */
const PLACES:
  readonly (readonly [what: string, make: (app: PasskeyApp) => RouteSource & Served])[] = [
    [
      "a router without a guard",
      ({ runtime }) => mountAuthRoutes(createRouter<unknown[]>(), runtime.routes()),
    ],
    ["a router with another runtime's guard", ({ runtime }) => {
      const other = createTestApp().runtime;
      return mountAuthRoutes(
        withAuthRoutes(createRouter<unknown[]>(), { runtime: other }),
        runtime.routes(),
      );
    }],
    ["two mounted routers", ({ runtime }) => {
      const inner = mountAuthRoutes(createRouter<unknown[]>(), runtime.routes(), "/");
      const outer = createRouter<unknown[]>().mount("/", inner);
      return createRouter<unknown[]>().mount("/auth", outer);
    }],
  ];

for (const [what, make] of PLACES) {
  Deno.test(`createAuthRoutes() has working routes of passkeys in ${what}`, async () => {
    const app = createPasskeyApp();
    const router = make(app);
    const page = createBrowser({
      origin: ORIGIN,
      now: () => app.clock.now,
      fetch: async (request) => await router.fetch(request, HOST),
    });
    page.jar.set("__Host-sid", (await app.signedIn()).jar.get("__Host-sid") ?? "");
    const authenticator = createAuthenticator();
    const { credential } = await bodyOf(register(page, authenticator), 201);
    await bodyOf(signIn(page, authenticator));
    const list = await page.send(`${BASE}/credentials`);
    assertEquals(list.headers.get("Cache-Control"), "no-store");
    const { credentials } = await list.json();
    assertEquals(credentials.map(({ id }: PasskeyInfo) => id), [credential.id]);
    app.clock.now += 901;
    const refused = await ask(page, "credentials/remove", { id: credential.id });
    await assertRefused(refused, INSUFFICIENT);
  });
}

Deno.test("createAuthRoutes() does not blame the name of a passkey for another RangeError", async () => {
  const { page, passkey } = await withPasskey({
    wrap: ({ credentials }) => ({
      credentials: {
        ...credentials,
        rename: () => Promise.reject(new RangeError("the store is full")),
      },
    }),
  });
  const answer = await ask(page, "credentials/rename", { id: passkey.id, name: "Phone" });
  assertEquals([answer.status, (await answer.json()).code], [500, "internal_error"]);
});
