/** The routes of passkeys: who may use them, their limits, and the routers in which they work. */

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
import { assert, assertEquals } from "@std/assert";
import { ADA, CLIENT, START } from "../_services.ts";
import { createBrowser } from "../_browser.ts";
import { createTestApp, ORIGIN, type TestBrowser } from "./_app.ts";
import { assertRefused, FORGED, sendBody } from "./_routes.ts";
import { JWT } from "./_token_routes.ts";
import {
  ANONYMOUS,
  ask,
  BASE,
  bodyOf,
  createAuthenticator,
  createPasskeyApp,
  type PasskeyApp,
  type PasskeyPath,
  register,
  signIn,
  TOO_OLD,
} from "./_passkeys.ts";

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

Deno.test("createAuthRoutes() refuses old sessions and other credentials with a challenge", async () => {
  const app = createPasskeyApp();
  const page = await app.signedIn();
  app.clock.now += 901;
  await assertRefused(await ask(page, "register/options"), TOO_OLD);
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
    await assertRefused(refused, TOO_OLD);
  });
}
