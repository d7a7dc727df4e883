import { assert, assertEquals, assertFalse, assertStringIncludes, assertThrows } from "@std/assert";
import {
  createAuthRoutes,
  createContainer,
  inMemoryAuthStores,
  oauthClient,
  registerAuth,
} from "@gatehouse/http";
import { google } from "@gatehouse/http/auth/oauth";
import { SECRET } from "../../_services.ts";
import { comeBack, goTo, oauthApp, problemOf, signInWith } from "./_oauth.ts";

Deno.test("GET /oauth/:provider/start and callback sign in, and go where the link said", async () => {
  const app = oauthApp();
  const browser = app.browser();
  const response = await signInWith(browser, app.one, "one", "?redirect_to=/notes%3Fa=1");
  assertEquals([response.status, response.headers.get("Location")], [303, "/notes?a=1"]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
  assertEquals(await response.text(), "");
  assertEquals(
    browser.jar.names(),
    ["__Host-csrf", "__Host-sid"],
    "the transaction's cookie is deleted",
  );
  const { user, session, principal } = await (await browser.send("/auth/session")).json();
  assertEquals(user.identifier, "ada@example.org");
  assertEquals([session.provider, principal.method], ["one", "session"]);
  assertFalse(JSON.stringify(session).includes("one.example"));
  const types = app.events.map(({ type }) => type);
  assertEquals(types, ["user.created", "oauth.completed", "session.created"]);
});

Deno.test("start keeps the browser's secret out of the URL, and its response out of caches", async () => {
  const app = oauthApp();
  const response = await app.browser().send("/auth/oauth/one/start");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
  const [cookie = ""] = response.headers.getSetCookie();
  assertFalse((response.headers.get("Location") ?? "").includes(cookie.split(/[=;]/)[1] ?? ""));
});

Deno.test("callback replaces the session of the browser, and remember makes it persistent", async () => {
  const app = oauthApp();
  const browser = app.browser();
  await signInWith(browser, app.one);
  const first = browser.jar.get("__Host-sid") ?? "";
  await signInWith(browser, app.one, "one", "?remember=true");
  assertEquals(await app.runtime.sessions.verify(first), undefined);
  const { session } = await (await browser.send("/auth/session")).json();
  assertEquals(session.persistent, true);
});

Deno.test("callback of a first sign-in creates no account where registration is closed", async () => {
  const app = oauthApp({ registration: "closed" });
  const response = await signInWith(app.browser(), app.one);
  assertEquals(await problemOf(response), [403, "identity_unknown"]);
  assertEquals(await app.stores.users.list({ limit: 10 }), []);
});

Deno.test("callback does what the service says about registration, whatever the routes say", async () => {
  const app = oauthApp({ registration: "closed", identities: { registration: "open" } });
  assertEquals((await signInWith(app.browser(), app.one)).status, 303);
});

Deno.test("callback does not sign in to an account that has the same address", async () => {
  const app = oauthApp();
  await app.stores.users.create({
    sub: "victim",
    identifier: "ada@example.org",
    securityStamp: "s",
    createdAt: 0,
  });
  const browser = app.browser();
  const response = await signInWith(browser, app.one);
  assertEquals(await problemOf(response), [409, "identifier_unavailable"]);
  assertEquals(browser.jar.get("__Host-sid"), undefined);
});

const TEXT = "evil <script>\r\né";

/** Failures of a callback: what the client gets. */
const FAILURES: readonly (readonly [why: string, changes: object, status: number, code: string])[] =
  [
    [
      "the user refused",
      { parameters: { error: "access_denied", code: undefined } },
      403,
      "access_denied",
    ],
    [
      "the provider refused",
      { parameters: { error: TEXT, error_description: TEXT, code: undefined } },
      400,
      "oauth_failed",
    ],
    ["the token endpoint refused", { token: { error: TEXT } }, 400, "oauth_failed"],
    ["the ID token is invalid", { claims: { nonce: TEXT } }, 400, "oauth_failed"],
    [
      "the provider does not answer",
      { responses: { "/token": () => new Response(TEXT, { status: 500 }) } },
      503,
      "service_unavailable",
    ],
  ];

for (const [why, changes, status, code] of FAILURES) {
  Deno.test(`callback says by a problem that ${why}, and nothing of the provider's text`, async () => {
    const app = oauthApp();
    const browser = app.browser();
    const url = await goTo(browser);
    app.one.change(changes);
    const response = await comeBack(browser, app.one, url);
    const text = await response.text();
    assertEquals([response.status, JSON.parse(text).code], [status, code]);
    assertFalse(text.includes("evil"));
    assertFalse(JSON.stringify([...response.headers]).includes("evil"));
    assertFalse(JSON.stringify(app.events).includes("evil"));
    assertEquals(browser.jar.get("__Host-sid"), undefined);
    if (status < 500) assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
  });

  Deno.test(`callback says by oauthFailurePath that ${why}`, async () => {
    const app = oauthApp({ failurePath: "/sign-in?from=oauth" });
    const browser = app.browser();
    const url = await goTo(browser);
    app.one.change(changes);
    const response = await comeBack(browser, app.one, url);
    assertEquals(response.status, 303);
    assertEquals(response.headers.get("Location"), `/sign-in?from=oauth&error=${code}`);
    assertEquals(response.headers.get("Referrer-Policy"), "no-referrer");
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    assertEquals(browser.jar.get("__Host-sid"), undefined);
  });
}

Deno.test("callback whose store fails after the transaction was used is no sign-in", async () => {
  for (const store of ["identities", "users", "sessions"] as const) {
    const app = oauthApp({
      wrap: (stores) => ({
        [store]: new Proxy(stores[store], {
          get: () => () => Promise.reject(new Error("store is down")),
        }),
      }),
    });
    const browser = app.browser();
    const url = await goTo(browser);
    const response = await comeBack(browser, app.one, url);
    assertEquals(response.status, 500, store);
    assertEquals(browser.jar.get("__Host-sid"), undefined);
    assertFalse((await response.text()).includes("down"));
  }
});

Deno.test("callback with form_post accepts a cross-site POST without session cookie, and no GET", async () => {
  const app = oauthApp({ provider: { responseMode: "form_post" } });
  const browser = app.browser();
  const url = await goTo(browser);
  const { parameters } = app.one.authorize(url);
  const path = "/auth/oauth/one/callback";
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    Origin: "https://one.example",
    "Sec-Fetch-Site": "cross-site",
  };
  const response = await browser.send(path, { method: "POST", body: `${parameters}`, headers });
  assertEquals([response.status, response.headers.get("Location")], [303, "/"]);
  assert(browser.jar.get("__Host-sid"));

  const again = app.browser();
  const next = app.one.authorize(await goTo(again)).parameters;
  assertEquals(await problemOf(await again.send(`${path}?${next}`)), [400, "oauth_failed"]);
  const foreign = app.browser();
  const stolen = await foreign.send(path, { method: "POST", body: `${next}`, headers });
  assertEquals(await problemOf(stolen), [400, "oauth_failed"]);
});

Deno.test("callback without form_post has no POST", async () => {
  const app = oauthApp();
  const response = await app.browser().send("/auth/oauth/one/callback", { method: "POST" });
  assertEquals(response.status, 405);
});

Deno.test("routes of an unknown provider answer 404", async () => {
  const browser = oauthApp().browser();
  for (const name of ["three", "constructor", "__proto__"]) {
    for (const route of ["start", "callback"]) {
      assertEquals((await browser.send(`/auth/oauth/${name}/${route}`)).status, 404, name);
    }
    assertEquals((await browser.post(`/auth/oauth/${name}/logout`)).status, 404, name);
  }
});

/** Targets that are not paths of this service. */
const TARGETS: readonly string[] = [
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "/%2f/evil.example",
  "/..//evil.example",
  "javascript:alert(1)",
  "/\r\nLocation: x",
  "/\0",
  `/${"a".repeat(3_000)}`,
  "",
];

for (const target of TARGETS) {
  Deno.test(`start rejects redirect_to ${JSON.stringify(target.slice(0, 24))}`, async () => {
    const app = oauthApp();
    const query = new URLSearchParams({ redirect_to: target });
    const response = await app.browser().send(`/auth/oauth/one/start?${query}`);
    assertEquals(await problemOf(response), [400, "invalid_redirect"]);
    assertEquals(app.one.requests, []);
  });
}

Deno.test("callback takes the target from the transaction, not from its query", async () => {
  const app = oauthApp();
  const browser = app.browser();
  const callback = new URL(app.one.authorize(await goTo(browser)).url);
  callback.searchParams.set("redirect_to", "/evil");
  const response = await browser.send(callback.pathname + callback.search);
  assertEquals(response.headers.get("Location"), "/");
});

Deno.test("start checks max_age, and passes it on", async () => {
  const app = oauthApp();
  const url = await goTo(app.browser(), "one", "?max_age=300");
  assertEquals(new URL(url).searchParams.get("max_age"), "300");
  for (const maxAge of ["", "-1", "1.5", "99999999", "a"]) {
    const response = await app.browser().send(`/auth/oauth/one/start?max_age=${maxAge}`);
    assertEquals(await problemOf(response), [422, "validation_failed"], maxAge);
  }
});

Deno.test("start is limited by address, since it stores a transaction", async () => {
  const app = oauthApp({
    throttle: { challenge: { kind: "window", limit: 3, seconds: 900 } },
  });
  const browser = app.browser();
  for (let i = 0; i < 3; i++) await goTo(browser);
  assertEquals(await problemOf(await browser.send("/auth/oauth/one/start")), [429, "throttled"]);
  await goTo(app.browser({ address: "203.0.113.9" }));
});

Deno.test("sign-ins in two tabs end in the other order, both signed in", async () => {
  const app = oauthApp();
  const browser = app.browser();
  const [first, second] = [await goTo(browser), await goTo(browser, "two")];
  assertEquals((await comeBack(browser, app.two, second)).status, 303);
  assertEquals((await comeBack(browser, app.one, first)).status, 303);
});

Deno.test("no cookie of a sign-in is a session", async () => {
  const app = oauthApp();
  const browser = app.browser();
  const state = new URL(await goTo(browser)).searchParams.get("state") ?? "";
  const [name = ""] = browser.jar.names();
  for (const value of [state, browser.jar.get(name) ?? ""]) {
    const thief = app.browser();
    thief.jar.set("__Host-sid", value);
    assertEquals((await thief.send("/auth/session")).status, 401);
  }
});

const REQUIREMENTS: readonly (readonly [why: string, oauth: (client: object) => unknown])[] = [
  ["is no object", () => "google"],
  ["has what is no client", () => ({ google: {} })],
  ["has a name that is not the redirect URI's", (client) => ({ github: client })],
  ["has two clients of one provider", (client) => ({ google: client, "google-2": rename(client) })],
  ["has an invalid name", (client) => ({ "Google!": client })],
];

function rename(client: object): object {
  return { ...client, redirectUri: "https://a.example/auth/oauth/google-2/callback" };
}

for (const [why, oauthOf] of REQUIREMENTS) {
  Deno.test(`createAuthRoutes() rejects oauth that ${why}`, () => {
    const stores = inMemoryAuthStores();
    const runtime = registerAuth({
      secret: SECRET,
      stores,
      deployment: "direct",
      container: createContainer(),
    });
    const client = oauthClient(google({ clientId: "c", clientSecret: "s" }), {
      states: stores.states,
      redirectUri: "https://a.example/auth/oauth/google/callback",
    });
    const oauth = oauthOf(client) as Record<string, typeof client>;
    assertThrows(() => createAuthRoutes({ runtime, oauth }), TypeError);
    createAuthRoutes({ runtime, oauth: { google: client } });
  });
}

Deno.test("createAuthRoutes() rejects a failure path that is not of this service", () => {
  for (const failurePath of ["https://evil.example", "sign-in", "//evil"]) {
    const { message } = assertThrows(() => oauthApp({ failurePath }), TypeError);
    assertStringIncludes(message, "oauthFailurePath");
  }
});

Deno.test("createAuthRoutes() with oauth needs stores.identities", () => {
  const { identities: _, ...stores } = inMemoryAuthStores();
  const container = createContainer();
  const runtime = registerAuth({ secret: SECRET, stores, deployment: "direct", container });
  assertEquals(runtime.identities, undefined);
  assertThrows(() => createAuthRoutes({ runtime, oauth: {} }), TypeError, "stores.identities");
  const options = { secret: SECRET, stores, deployment: "direct", identities: {} } as const;
  assertThrows(() => registerAuth({ ...options, container: createContainer() }), TypeError);
});
