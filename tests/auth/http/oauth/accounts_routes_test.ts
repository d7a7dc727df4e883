import { assert, assertEquals } from "@std/assert";
import type { TestBrowser } from "../../_browser.ts";
import {
  comeBack,
  type OAuthApp,
  oauthApp,
  type OAuthAppOptions,
  problemOf,
  signInWith,
} from "./_oauth.ts";

async function signedIn(
  options: OAuthAppOptions = {},
): Promise<{ app: OAuthApp; browser: TestBrowser }> {
  const app = oauthApp(options);
  const browser = app.browser();
  await signInWith(browser, app.one);
  app.events.length = 0;
  return { app, browser };
}

async function beginLink(browser: TestBrowser, body: object = {}): Promise<string> {
  const response = await browser.post("/auth/oauth/two/link", body);
  const text = await response.text();
  assertEquals(response.status, 200, text);
  return JSON.parse(text).url;
}

async function identitiesOf(browser: TestBrowser) {
  return await (await browser.send("/auth/identities")).json();
}

Deno.test("POST /oauth/:provider/link links an identity, and the session stays", async () => {
  const { app, browser } = await signedIn();
  const session = browser.jar.get("__Host-sid");
  const response = await comeBack(
    browser,
    app.two,
    await beginLink(browser, { redirectTo: "/account" }),
  );
  assertEquals([response.status, response.headers.get("Location")], [303, "/account"]);
  assertEquals(browser.jar.get("__Host-sid"), session);
  const { identities, providers } = await identitiesOf(browser);
  assertEquals(providers, ["one", "two"]);
  assertEquals(identities.map(({ provider }: { provider: string }) => provider).sort(), [
    "one",
    "two",
  ]);
  assertEquals(app.events.map(({ type }) => type), ["identity.linked"]);
  const other = app.browser();
  assertEquals((await signInWith(other, app.two, "two")).status, 303);
  const users = await app.stores.users.list({ limit: 10 });
  assertEquals(users.length, 1);
});

Deno.test("link by GET, or by POST without a CSRF token, does not begin", async () => {
  const { app, browser } = await signedIn();
  assertEquals((await browser.send("/auth/oauth/two/link")).status, 405);
  const forged = await browser.send("/auth/oauth/two/link", {
    method: "POST",
    json: {},
    token: false,
  });
  assertEquals(await problemOf(forged), [403, "csrf_failed"]);
  const cross = await browser.post("/auth/oauth/two/link", {}, {
    headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" },
  });
  assertEquals(await problemOf(cross), [403, "csrf_failed"]);
  assertEquals(app.two.requests, []);
});

Deno.test("link needs a session, and a recent sign-in", async () => {
  const { app, browser } = await signedIn();
  const anonymous = await app.browser().post("/auth/oauth/two/link", {});
  assertEquals(await problemOf(anonymous), [401, "unauthenticated"]);
  app.clock.now += 931;
  const old = await browser.post("/auth/oauth/two/link", {});
  assertEquals(await problemOf(old), [401, "insufficient_authentication"]);
});

Deno.test("link that ends after the user signed out is refused", async () => {
  const { app, browser } = await signedIn();
  const url = await beginLink(browser);
  await browser.logout();
  assertEquals(await problemOf(await comeBack(browser, app.two, url)), [400, "oauth_failed"]);
  const failed = app.events.find(({ type }) => type === "oauth.failed");
  assert(failed?.type === "oauth.failed" && failed.reason === "link_session_ended");
  assertEquals((await app.stores.users.list({ limit: 10 })).length, 1);
});

Deno.test("link that ends after another user signed in is refused", async () => {
  const { app, browser } = await signedIn();
  const url = await beginLink(browser);
  app.one.change({ claims: { sub: "eve", email: undefined } });
  await signInWith(browser, app.one);
  app.one.change({});
  assertEquals(await problemOf(await comeBack(browser, app.two, url)), [400, "oauth_failed"]);
  assertEquals((await identitiesOf(browser)).identities.length, 1);
});

Deno.test("link of an identity of another account is refused, and changes nothing", async () => {
  const { app, browser } = await signedIn();
  const eve = app.browser();
  await signInWith(eve, app.two, "two");
  const response = await comeBack(browser, app.two, await beginLink(browser));
  assertEquals(await problemOf(response), [409, "identity_taken"]);
  assertEquals((await identitiesOf(browser)).identities.length, 1);
  assertEquals((await identitiesOf(eve)).identities.length, 1);
});

Deno.test("link in another browser is refused", async () => {
  const { app, browser } = await signedIn();
  const url = await beginLink(browser);
  const eve = app.browser();
  assertEquals(await problemOf(await comeBack(eve, app.two, url)), [400, "oauth_failed"]);
  assertEquals((await comeBack(browser, app.two, url)).status, 303, "and goes on in its own");
});

Deno.test("link checks its body", async () => {
  const { browser } = await signedIn();
  const rows: readonly (readonly [unknown, number, string])[] = [
    [[], 422, "validation_failed"],
    [{ redirectTo: 7 }, 422, "validation_failed"],
    [{ redirectTo: "//evil.example" }, 400, "invalid_redirect"],
  ];
  for (const [body, status, code] of rows) {
    assertEquals(await problemOf(await browser.post("/auth/oauth/two/link", body)), [status, code]);
  }
});

Deno.test("link with form_post works without the session's cookie, which a cross-site POST lacks", async () => {
  const { app, browser } = await signedInByForm();
  const url = await beginLink(browser);
  const sid = browser.jar.get("__Host-sid") ?? "";
  browser.jar.delete("__Host-sid");
  const response = await postBack(browser, app, url);
  assertEquals(response.status, 303, await response.text());
  browser.jar.set("__Host-sid", sid);
  assertEquals((await identitiesOf(browser)).identities.length, 2);
});

async function signedInByForm() {
  const app = oauthApp({ provider: { responseMode: "form_post" } });
  const browser = app.browser();
  const start = await browser.send("/auth/oauth/one/start");
  const { parameters } = app.one.authorize(start.headers.get("Location") ?? "");
  await browser.send("/auth/oauth/one/callback", {
    method: "POST",
    body: `${parameters}`,
    headers: FORM,
  });
  return { app, browser };
}

const FORM = {
  "Content-Type": "application/x-www-form-urlencoded",
  Origin: "https://two.example",
  "Sec-Fetch-Site": "cross-site",
};

async function postBack(browser: TestBrowser, app: OAuthApp, url: string): Promise<Response> {
  const body = `${app.two.authorize(url).parameters}`;
  return await browser.send("/auth/oauth/two/callback", { method: "POST", body, headers: FORM });
}

Deno.test("GET /identities needs a session", async () => {
  const { app } = await signedIn();
  assertEquals(await problemOf(await app.browser().send("/auth/identities")), [
    401,
    "unauthenticated",
  ]);
});

Deno.test("POST /identities/unlink removes an identity, but not the last way to sign in", async () => {
  const { app, browser } = await signedIn();
  await comeBack(browser, app.two, await beginLink(browser));
  const { identities: [one, two] } = await identitiesOf(browser);
  const unlink = (id: unknown) => browser.post("/auth/identities/unlink", { id });
  assertEquals((await unlink(two.id)).status, 204);
  assertEquals(await problemOf(await unlink(two.id)), [404, "not_found"]);
  assertEquals(await problemOf(await unlink(one.id)), [409, "last_way_in"]);
  assertEquals(await problemOf(await unlink(7)), [422, "validation_failed"]);
  assertEquals((await identitiesOf(browser)).identities.length, 1);
});

Deno.test("unlink needs a CSRF token, a recent session, and one's own identity", async () => {
  const { app, browser } = await signedIn();
  const { identities: [one] } = await identitiesOf(browser);
  const path = "/auth/identities/unlink";
  const forged = await browser.send(path, { method: "POST", json: { id: one.id }, token: false });
  assertEquals(await problemOf(forged), [403, "csrf_failed"]);
  const eve = app.browser();
  await signInWith(eve, app.two, "two");
  assertEquals(await problemOf(await eve.post(path, { id: one.id })), [404, "not_found"]);
  app.clock.now += 931;
  const old = await browser.post(path, { id: one.id });
  assertEquals(await problemOf(old), [401, "insufficient_authentication"]);
});

Deno.test("users.remove() deletes the identities", async () => {
  const { app, browser } = await signedIn();
  const { principal } = await (await browser.send("/auth/session")).json();
  await app.runtime.users.remove(principal.sub);
  assertEquals(await app.stores.identities.list(principal.sub), []);
});

Deno.test("POST /oauth/:provider/logout signs out, and says where to sign out at the provider", async () => {
  const { app, browser } = await signedIn({ identities: { keepTokens: true } });
  const response = await browser.post("/auth/oauth/one/logout");
  const url = new URL((await response.json()).url);
  assertEquals(url.origin + url.pathname, "https://one.example/logout");
  assertEquals(url.searchParams.get("post_logout_redirect_uri"), "https://example.com/bye");
  assertEquals(url.searchParams.get("id_token_hint")?.split(".").length, 3);
  assertEquals((await browser.send("/auth/session")).status, 401);
  const forged = await browser.send("/auth/oauth/one/logout", { method: "POST", token: false });
  assertEquals(await problemOf(forged), [403, "csrf_failed"]);
  app.one.change({ metadata: { end_session_endpoint: undefined } });
});

Deno.test("logout without a session, or at a provider without such a page, is no error", async () => {
  const app = oauthApp();
  app.one.change({ metadata: { end_session_endpoint: undefined } });
  const response = await app.browser().post("/auth/oauth/one/logout");
  assertEquals([response.status, await response.json()], [200, {}]);
});

Deno.test("logout signs out while the provider does not answer", async () => {
  const { app, browser } = await signedIn({ identities: { keepTokens: true } });
  const down = () => new Response("", { status: 500 });
  app.one.change({ responses: { "/token": down, "/.well-known/openid-configuration": down } });
  app.clock.now += 3_599; // the tokens expire
  const response = await browser.post("/auth/oauth/one/logout");
  assertEquals([response.status, await response.json()], [200, {}]);
  assertEquals(browser.jar.get("__Host-sid"), undefined);
});

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

function logout(app: OAuthApp, body: BodyInit, type = "application/x-www-form-urlencoded") {
  const headers = { "Content-Type": type, "Sec-Fetch-Site": undefined };
  return app.browser().send("/auth/oauth/one/backchannel-logout", {
    method: "POST",
    body,
    headers,
  });
}

Deno.test("POST /oauth/:provider/backchannel-logout ends the session that the provider ended", async () => {
  const app = oauthApp();
  const [first, second] = [app.browser(), app.browser()];
  app.one.change({ claims: { sid: "s-1" } });
  await signInWith(first, app.one);
  app.one.change({ claims: { sid: "s-2" } });
  await signInWith(second, app.one);
  const claims = { iss: "https://one.example", aud: "client", jti: "j", events: { [EVENT]: {} } };
  const token = await app.one.sign({ ...claims, sid: "s-1" }, { typ: "logout+jwt" });
  const response = await logout(app, `logout_token=${token}`);
  assertEquals([response.status, await response.text()], [200, ""]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.getSetCookie(), []);
  assertEquals((await first.send("/auth/session")).status, 401);
  assertEquals((await second.send("/auth/session")).status, 200);
  assertEquals(
    await problemOf(await logout(app, `logout_token=${token}`)),
    [400, "oauth_failed"],
    "again",
  );
});

Deno.test("backchannel-logout rejects anything else", async () => {
  const { app, browser } = await signedIn();
  const token = await app.one.sign({ iss: "https://one.example", aud: "client", jti: "j" });
  const bodies = [
    "",
    "logout_token=",
    `logout_token=${token}`,
    "logout_token=a&logout_token=b",
    "x=y",
  ];
  for (const body of bodies) {
    assertEquals(await problemOf(await logout(app, body)), [400, "oauth_failed"], body);
  }
  const json = await logout(app, JSON.stringify({ logout_token: token }), "application/json");
  assertEquals(await problemOf(json), [400, "oauth_failed"]);
  const long = await logout(app, `logout_token=${"a".repeat(100_000)}`);
  assertEquals(long.status, 413);
  assertEquals((await browser.send("/auth/session")).status, 200);
});
