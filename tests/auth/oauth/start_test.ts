import {
  assert,
  assertEquals,
  assertFalse,
  assertMatch,
  assertNotEquals,
  assertRejects,
} from "@std/assert";
import { cookiePolicy } from "../../../auth/mod.ts";
import { failure, NOW, REDIRECT_URI, requestOf, site, start } from "./_sign_in.ts";

const REQUEST = new Request("https://app.example/auth/oauth/fake/start");

Deno.test("start() sends the browser to the provider with PKCE, state and nonce of 32 bytes", async () => {
  const { client, fake } = site();
  const { url, cookies } = await client.start(REQUEST);
  const { origin, pathname, searchParams } = new URL(url);
  assertEquals(origin + pathname, "https://id.example/authorize");
  const { state, nonce, code_challenge, ...others } = Object.fromEntries(searchParams);
  for (const random of [state, nonce, code_challenge]) assertMatch(random ?? "", /^[\w-]{43}$/);
  assertEquals(new Set([state, nonce, code_challenge]).size, 3);
  assertEquals(others, {
    response_type: "code",
    client_id: fake.clientId,
    redirect_uri: REDIRECT_URI,
    scope: "openid email profile",
    code_challenge_method: "S256",
  });
  assertEquals(cookies.length, 1);
  const attributes =
    /^__Host-tx-[\w-]{8}=[\w-]{43}; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/;
  assertMatch(cookies[0] ?? "", attributes);
});

Deno.test("start() has other random values each time, and the URL contains neither verifier nor cookie", async () => {
  const own = site();
  const browser = new Map<string, string>();
  const urls = [await start(own, browser), await start(own, browser)];
  const [first, second] = urls.map((url) => new URL(url).searchParams);
  for (const name of ["state", "nonce", "code_challenge"]) {
    assertNotEquals(first?.get(name), second?.get(name));
  }
  for (const value of browser.values()) assertFalse(urls.join().includes(value));
  const { url } = own.fake.authorize(urls[0] ?? "");
  await own.client.callback(requestOf(browser, url));
  assertFalse(urls.join().includes(own.fake.forms[0]?.get("code_verifier") ?? "missing"));
});

Deno.test("start() passes on what the provider should ask for", async () => {
  const { client } = site();
  const { url } = await client.start(REQUEST, {
    loginHint: "ada@example.org & co",
    prompt: "select_account",
    maxAge: 0,
    acrValues: ["aal2", "aal3"],
    scope: ["openid", "calendar"],
  });
  const found = Object.fromEntries(new URL(url).searchParams);
  assertEquals(
    [found["login_hint"], found["prompt"], found["max_age"], found["acr_values"], found["scope"]],
    ["ada@example.org & co", "select_account", "0", "aal2 aal3", "openid calendar"],
  );
});

Deno.test("start() encodes spaces as %20, keeps a query of the endpoint, and its own parameters win", async () => {
  const { client, fake } = site({ provider: { parameters: { audience: "api", state: "fixed" } } });
  fake.change({ metadata: { authorization_endpoint: "https://id.example/authorize?p=b2c" } });
  const { url } = await client.start(REQUEST);
  assert(url.startsWith("https://id.example/authorize?p=b2c&"), url);
  assert(url.includes("scope=openid%20email%20profile"), url);
  assertEquals(new URL(url).searchParams.get("audience"), "api");
  assertNotEquals(new URL(url).searchParams.get("state"), "fixed");
});

Deno.test("start() of a provider whose response is a form sets a cookie that a cross-site POST carries", async () => {
  const { client } = site({ provider: { responseMode: "form_post" } });
  const { cookies: [cookie = ""] } = await client.start(REQUEST);
  assert(cookie.endsWith("SameSite=None"), cookie);
});

Deno.test("start() without PKCE and nonce sends neither", async () => {
  const { client } = site({
    provider: { pkce: "unsupported", nonce: false },
    deps: { insecureNoPkce: true },
  });
  const { searchParams } = new URL((await client.start(REQUEST)).url);
  for (const name of ["code_challenge", "code_challenge_method", "nonce"]) {
    assertFalse(searchParams.has(name), name);
  }
});

Deno.test("start() of 100 sign-ins keeps 8 cookies, the latest ones", async () => {
  const own = site();
  const browser = new Map<string, string>();
  const states: string[] = [];
  for (let i = 0; i < 100; i++) {
    states.push(new URL(await start(own, browser)).searchParams.get("state") ?? "");
  }
  assertEquals(browser.size, 8);
  const header = requestOf(browser, "https://app.example/").headers.get("Cookie") ?? "";
  assert(header.length < 4_096);
  const url = (state: string | undefined) => `${REDIRECT_URI}?code=x&state=${state}`;
  const known = (state: string | undefined) =>
    failure(() => own.client.callback(requestOf(browser, url(state))));
  assertEquals(await known(states[91]), ["oauth_failed", "browser_mismatch"]);
  assertEquals(await known(states[92]), ["oauth_failed", "token_refused"]);
});

Deno.test("start() uses the name of the application's cookies", async () => {
  const { client } = site({ deps: { cookies: cookiePolicy({ name: "admin" }) } });
  const { cookies: [cookie = ""] } = await client.start(REQUEST);
  assert(cookie.startsWith("__Host-admin-tx-"), cookie);
});

Deno.test("start() stores nothing that a reader of the store could use in place of the browser", async () => {
  const stored: [string, unknown, number][] = [];
  const { states } = site().stores;
  const own = site({
    deps: {
      states: {
        ...states,
        put(key, value, expiresAt) {
          stored.push([key, value, expiresAt]);
          return states.put(key, value, expiresAt);
        },
      },
    },
  });
  const browser = new Map<string, string>();
  const url = await start(own, browser);
  const [[key, value, expiresAt] = []] = stored;
  assertEquals(expiresAt, NOW + 600);
  const state = new URL(url).searchParams.get("state") ?? "";
  for (const secret of [state, ...browser.values()]) {
    assertFalse(`${key} ${JSON.stringify(value)}`.includes(secret));
  }
});

/** Not paths of this service. */
const TARGETS: readonly string[] = [
  "https://evil.example/",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/..//evil.example",
  "/%2f/evil.example",
  "/%5cevil.example",
  "javascript:alert(1)",
  "/\t/evil.example",
  "/\r\nSet-Cookie: a=b",
  "/a\u0000",
  "evil.example",
  "",
  "/%",
  `/${"a".repeat(3_000)}`,
];

for (const redirectTo of TARGETS) {
  Deno.test(`start() rejects the target ${JSON.stringify(redirectTo.slice(0, 30))}, RP37, BCP-4.11-a`, async () => {
    const { client, fake } = site();
    await assertRejects(() => client.start(REQUEST, { redirectTo }), RangeError);
    assertEquals(fake.requests, []);
  });
}

for (const maxAge of [-1, 1.5, NaN, 34_560_001]) {
  Deno.test(`start() rejects maxAge ${maxAge}`, async () => {
    await assertRejects(() => site().client.start(REQUEST, { maxAge }), RangeError);
  });
}

Deno.test("start() is unavailable while the metadata cannot be fetched, and says so by an event", async () => {
  const own = site();
  own.fake.change({
    responses: { "/.well-known/openid-configuration": () => new Response("", { status: 500 }) },
  });
  const expected = ["service_unavailable", "provider_unreachable"];
  assertEquals(await failure(() => own.client.start(REQUEST)), expected);
  assertEquals(own.events.map(({ type }) => type), ["oauth.failed"]);
});
