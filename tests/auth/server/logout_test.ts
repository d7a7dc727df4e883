/** The logout endpoint, OpenID Connect RP-Initiated Logout 1.0. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AuthorizationServer, handleOAuthServerRequest } from "../../../auth/server/mod.ts";
import { inMemoryAuthStores, keyService } from "../../../auth/mod.ts";
import type { TestBrowser } from "../http/_app.ts";
import { type AnswerChanges, answerLogout, BYE, logoutSite, visitLogout } from "./_logout.ts";
import { assertPageHeaders, GERMAN, visibleText } from "./_pages.ts";
import {
  assertErrorPage,
  assertRedirectError,
  claimsOf,
  formOf,
  ISSUER,
  type Params,
  type ServerSite,
  serverSite,
} from "./_site.ts";
import { granted, isAlive, type Tokens } from "./_tokens.ts";

/** A browser in which Ada is signed in, and tokens of a client. */
async function signedInAt(
  site: ServerSite,
  params: Params = {},
): Promise<{ readonly browser: TestBrowser; readonly tokens: Tokens }> {
  const browser = await site.signedIn();
  return { browser, tokens: await granted(site, params, { browser }) };
}

/** Whether the user is signed in: by `prompt=none`, as clients ask. */
async function isSignedIn(site: ServerSite, browser: TestBrowser): Promise<boolean> {
  const response = await site.authorize(browser, { client_id: "own", prompt: "none" });
  const isCode = new URL(response.headers.get("Location") ?? "").searchParams.has("code");
  if (!isCode) assertRedirectError(response, "login_required");
  return isCode;
}

Deno.test("metadata() has end_session_endpoint, oidcc-rp-initiated-logout-discovery-endpoint-verification", async () => {
  const metadata = await (await logoutSite().send("/.well-known/openid-configuration")).json();
  assertEquals(metadata.end_session_endpoint, `${ISSUER}/oauth/logout`);
  const without = serverSite();
  assertEquals(without.server.metadata()["end_session_endpoint"], undefined);
  assertEquals((await without.send("/oauth/logout")).status, 404);
});

/** What clients send, and where the browser is after the user has signed out. */
const ENDS: readonly (readonly [
  row: string,
  params: (tokens: Tokens) => Params,
  location: string | null,
])[] = [
  [
    "oidcc-rp-initiated-logout",
    ({ id_token }) => ({ id_token_hint: id_token, post_logout_redirect_uri: BYE, state: "a&b=c" }),
    `${BYE}?state=a%26b%3Dc`,
  ],
  [
    "oidcc-rp-initiated-logout-no-state",
    ({ id_token }) => ({ id_token_hint: id_token, post_logout_redirect_uri: BYE }),
    BYE,
  ],
  [
    "oidcc-rp-initiated-logout-no-post-logout-redirect-uri",
    ({ id_token }) => ({ id_token_hint: id_token, state: "s" }),
    null,
  ],
  ["oidcc-rp-initiated-logout-no-params", () => ({}), null],
  ["oidcc-rp-initiated-logout-only-state", () => ({ state: "s" }), null],
  [
    "oidcc-rp-initiated-logout-no-id-token-hint",
    () => ({ post_logout_redirect_uri: BYE, state: "s" }),
    null,
  ],
  [
    "the client's id instead of a hint",
    () => ({ client_id: "spa", post_logout_redirect_uri: BYE, state: "s" }),
    `${BYE}?state=s`,
  ],
  [
    "the client's id beside the hint, hints that are not needed, and unknown parameters",
    ({ id_token }) => ({
      id_token_hint: id_token,
      client_id: "spa",
      post_logout_redirect_uri: `${BYE}?of=notes`,
      state: "s",
      logout_hint: "ada",
      ui_locales: "de",
      other: "x",
    }),
    `${BYE}?of=notes&state=s`,
  ],
];
for (const [row, params, location] of ENDS) {
  Deno.test(`endSession() asks, and signs out, ${row}, AS40`, async () => {
    const site = logoutSite();
    const { browser, tokens } = await signedInAt(site);
    const page = await visitLogout(browser, params(tokens));
    assert(await isSignedIn(site, browser), "before the answer");
    const response = await answerLogout(site, browser, page);
    assertEquals(response.headers.get("Location"), location);
    assertEquals(response.status, location === null ? 200 : 303);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    if (location === null) {
      assertEquals(
        visibleText(await response.text()),
        "You are signed out You can close this page.",
      );
    }
    assertEquals(browser.jar.get("__Host-sid"), undefined);
    assertEquals(await isSignedIn(site, browser), false);
    assertEquals(await site.app.runtime.sessions.list("u1"), []);
  });
}

/** What nobody answers: an error page, and the user is still signed in. */
const REFUSED: readonly (readonly [
  row: string,
  reason: string,
  params: (tokens: Tokens, site: ServerSite) => Params | Promise<Params>,
])[] = [
  [
    "an unregistered URI, oidcc-rp-initiated-logout-bad-post-logout-redirect-uri",
    "redirect_uri_mismatch",
    ({ id_token }) => ({
      id_token_hint: id_token,
      post_logout_redirect_uri: "https://app.example/cb",
    }),
  ],
  [
    "a URI with a query added, oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri",
    "redirect_uri_mismatch",
    ({ id_token }) => ({ id_token_hint: id_token, post_logout_redirect_uri: `${BYE}?foo=bar` }),
  ],
  [
    "a URI of another client",
    "redirect_uri_mismatch",
    () => ({ client_id: "own", post_logout_redirect_uri: BYE }),
  ],
  [
    "a hint with alg none, oidcc-rp-initiated-logout-modified-id-token-hint",
    "id_token_hint_invalid",
    ({ id_token }) => ({
      id_token_hint: `${btoa('{"alg":"none","typ":"JWT"}').replaceAll("=", "")}.${
        id_token.split(".")[1]
      }.`,
      post_logout_redirect_uri: BYE,
    }),
  ],
  [
    "a hint signed by another, oidcc-rp-initiated-logout-bad-id-token-hint",
    "id_token_hint_invalid",
    async ({ id_token }) => {
      const keys = keyService({ store: inMemoryAuthStores().keys, algorithms: ["ES256"] });
      const token = await keys.sign({ ...claimsOf(id_token) }, { expiresIn: 60 });
      return { id_token_hint: token, post_logout_redirect_uri: BYE };
    },
  ],
  [
    "a hint of another issuer",
    "id_token_hint_invalid",
    async ({ id_token }, { options: { keyService } }) => ({
      id_token_hint: await keyService.sign(
        { ...claimsOf(id_token), iss: "https://other.example" },
        { expiresIn: 60 },
      ),
    }),
  ],
  [
    "an access token as hint",
    "id_token_hint_invalid",
    ({ access_token }) => ({ id_token_hint: access_token, client_id: "spa" }),
  ],
  [
    "a hint of another client than client_id",
    "id_token_hint_invalid",
    ({ id_token }) => ({ id_token_hint: id_token, client_id: "own" }),
  ],
  ["an unknown client", "client_unknown", () => ({ client_id: "x" })],
  ["a state that no header can carry", "request_malformed", () => ({ state: "é" })],
];
for (const [why, reason, params] of REFUSED) {
  Deno.test(`endSession() refuses ${why}, AS40`, async () => {
    const site = logoutSite();
    const { browser, tokens } = await signedInAt(site);
    await assertErrorPage(await visitLogout(browser, await params(tokens, site)), 400, reason);
    const event = site.log.at(-1);
    assert(event?.type === "authorization.refused");
    assertEquals(event.reason, reason);
    if (reason === "redirect_uri_mismatch") assertMatch(event.clientId ?? "", /^(spa|own)$/);
    assert(await isSignedIn(site, browser));
  });
}

Deno.test("endSession() refuses a parameter that is repeated", async () => {
  const site = logoutSite();
  const { browser } = await signedInAt(site);
  const page = await browser.send("/oauth/logout?state=a&state=b");
  await assertErrorPage(page, 400, "parameter_repeated");
});

Deno.test("endSession() accepts a hint that has expired, RP-Initiated Logout §2", async () => {
  const site = logoutSite();
  const { browser, tokens } = await signedInAt(site);
  site.app.clock.now += 3_000;
  const params = { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE };
  const response = await answerLogout(site, browser, await visitLogout(browser, params));
  assertEquals(response.headers.get("Location"), BYE);
});

Deno.test("endSession() asks after the token of another user, and leads nowhere, AS40", async () => {
  const site = logoutSite();
  const { browser, tokens } = await signedInAt(site);
  const { keyService } = site.options;
  const other = await keyService.sign({ ...claimsOf(tokens.id_token), sub: "u2" }, {
    expiresIn: 60,
  });
  const page = await visitLogout(browser, { id_token_hint: other, post_logout_redirect_uri: BYE });
  const response = await answerLogout(site, browser, page);
  assertEquals([response.status, response.headers.get("Location")], [200, null]);
});

Deno.test("endSession() sends who is signed out back at once, if an ID token says from where", async () => {
  const site = logoutSite();
  const { tokens } = await signedInAt(site);
  const browser = site.app.browser();
  const target = { post_logout_redirect_uri: BYE, state: "s" };
  const hinted = await visitLogout(browser, { id_token_hint: tokens.id_token, ...target });
  assertEquals([hinted.status, hinted.headers.get("Location")], [303, `${BYE}?state=s`]);
  const named = await visitLogout(browser, { client_id: "spa", ...target });
  assertEquals([named.status, named.headers.get("Location")], [200, null]);
});

Deno.test("endSession() leaves the user signed in who stays, and leads back all the same", async () => {
  const site = logoutSite();
  const { browser, tokens } = await signedInAt(site);
  const params = { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE };
  const back = await answerLogout(site, browser, await visitLogout(browser, params), {
    decision: "stay",
  });
  assertEquals(back.headers.get("Location"), BYE);
  const page = await answerLogout(site, browser, await visitLogout(browser, {}), {
    decision: "stay",
  });
  assertEquals(visibleText(await page.text()), "You are still signed in You can close this page.");
  assert(await isSignedIn(site, browser));
});

Deno.test("endSession() redirects a native client to its loopback URI, with any port", async () => {
  const site = logoutSite();
  const { browser } = await signedInAt(site);
  const params = { client_id: "cli", post_logout_redirect_uri: "http://127.0.0.1:4711/bye" };
  const response = await answerLogout(site, browser, await visitLogout(browser, params));
  assertEquals(response.headers.get("Location"), "http://127.0.0.1:4711/bye");
});

Deno.test("endSession() repeats a request by POST as one by GET, with the user's cookies", async () => {
  const site = logoutSite();
  const { browser, tokens } = await signedInAt(site);
  const fields = { id_token_hint: tokens.id_token, post_logout_redirect_uri: BYE, state: "s" };
  const repeat = await site.send("/oauth/logout", {
    method: "POST",
    headers: { "Sec-Fetch-Site": "cross-site" },
    body: new URLSearchParams(fields),
  });
  assertEquals(repeat.status, 303);
  const response = await answerLogout(
    site,
    browser,
    await browser.send(repeat.headers.get("Location") ?? ""),
  );
  assertEquals(response.headers.get("Location"), `${BYE}?state=s`);
  assertEquals(await isSignedIn(site, browser), false);
});

/** Forms that are not the page's own, in this browser. */
const FORGED: readonly (readonly [why: string, changes: AnswerChanges])[] = [
  ["of another site", { headers: { "Sec-Fetch-Site": "cross-site" } }],
  ["of another origin", {
    headers: { "Sec-Fetch-Site": undefined, Origin: "https://evil.example" },
  }],
  ["without the token", { fields: { token: undefined } }],
  ["with another token", { fields: { token: "x".repeat(43) } }],
  ["with another id", { fields: { id: "x".repeat(22) } }],
  ["with an id that is none", { fields: { id: "x" } }],
  ["without an answer", { fields: { decision: undefined } }],
  ["with another answer", { decision: "yes" }],
];
for (const [why, changes] of FORGED) {
  Deno.test(`endSession() refuses a form ${why}, AS40`, async () => {
    const site = logoutSite();
    const { browser } = await signedInAt(site);
    const page = await visitLogout(browser, { client_id: "spa", post_logout_redirect_uri: BYE });
    await assertErrorPage(await answerLogout(site, browser, page, changes), 403, "logout_forged");
    assert(await isSignedIn(site, browser));
    const refused = site.log.filter(({ type }) => type === "authorization.refused");
    assertEquals(
      refused.some((event) => "reason" in event && event.reason === "logout_forged"),
      true,
    );
  });
}

Deno.test("endSession() refuses the form of another browser, AS40", async () => {
  const site = logoutSite();
  const [{ browser }, { browser: other }] = [await signedInAt(site), await signedInAt(site)];
  const page = await visitLogout(other, {});
  const { token } = formOf(await page.clone().text()).fields;
  await assertErrorPage(await answerLogout(site, browser, page), 403, "logout_forged");
  const own = await visitLogout(browser, {});
  const changes = { fields: { token } };
  await assertErrorPage(await answerLogout(site, browser, own, changes), 403, "logout_forged");
  assert(await isSignedIn(site, browser));
});

Deno.test("endSession() checks the form's URI again", async () => {
  const site = logoutSite();
  const { browser } = await signedInAt(site);
  const page = await visitLogout(browser, { client_id: "spa", post_logout_redirect_uri: BYE });
  const fields = { post_logout_redirect_uri: "https://evil.example/" };
  await assertErrorPage(
    await answerLogout(site, browser, page, { fields }),
    400,
    "redirect_uri_mismatch",
  );
});

Deno.test("endSession() ends the grants of the session, and leaves those with offline_access", async () => {
  const site = logoutSite();
  const { browser, tokens } = await signedInAt(site);
  const offline = await granted(site, { scope: "openid offline_access notes:read" }, { browser });
  await answerLogout(site, browser, await visitLogout(browser, {}));
  assertEquals(await isAlive(site, tokens), [false, false]);
  assertEquals(await isAlive(site, offline), [true, true]);
});

Deno.test("endSession() ends the grants and tells the clients, also of an application whose signOut and events do not", async () => {
  const cleared = "__Host-own=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax";
  const site = logoutSite({
    app: { events() {} },
    server: { signOut: () => Promise.resolve([cleared]) },
  });
  const { browser, tokens } = await signedInAt(site);
  const other = await granted(site);
  const response = await answerLogout(site, browser, await visitLogout(browser, {}));
  assertEquals(response.headers.getSetCookie().includes(cleared), true);
  assertEquals(await site.told(), ["app"]);
  assertEquals(await isAlive(site, tokens), [false, false]);
  assertEquals(await isAlive(site, other), [true, true]);
});

Deno.test("logoutPage() says who asks and who is signed in, and shows nothing of the request", async () => {
  const site = logoutSite();
  const { browser } = await signedInAt(site);
  const page = await visitLogout(browser, { client_id: "spa", state: "<b>" });
  await assertPageHeaders(
    new Response(page.clone().body, {
      headers: [...page.headers].filter(([name]) => name !== "set-cookie"),
    }),
    "",
  );
  const text = await page.text();
  assertEquals(
    visibleText(text),
    "Sign out? Notes on the web asks you to sign out here, too You are signed in as ada@example.org Stay signed in Sign out",
  );
  assert(!text.includes("<b>"));
  assertEquals(
    visibleText(await (await visitLogout(browser, {})).text()),
    "Sign out? You are signed in as ada@example.org Stay signed in Sign out",
  );
});

Deno.test("logoutPage() and donePage() are in the language of ui_locales", async () => {
  const site = logoutSite({ server: { strings: (locales) => locales === "de" ? GERMAN : {} } });
  const { browser } = await signedInAt(site);
  const page = await visitLogout(browser, { client_id: "spa", ui_locales: "de" });
  const text = await page.clone().text();
  assertEquals(
    visibleText(text),
    "Abmelden? Notes on the web bittet Sie, sich auch hier abzumelden Sie sind als ada@example.org angemeldet Angemeldet bleiben Abmelden",
  );
  assertMatch(text, /<html lang="de"/);
  const bare = logoutSite({ server: { strings: () => ({ signOutRequest: "Asked by" }) } });
  const asked = await visitLogout(await bare.signedIn(), { client_id: "spa" });
  assert(visibleText(await asked.text()).includes("Asked by Notes on the web"));
  assertEquals(
    visibleText(await (await answerLogout(site, browser, page)).text()),
    "Sie sind abgemeldet Sie können diese Seite schließen.",
  );
});

Deno.test("endSession() clears the session's cookie without a router, too", async () => {
  const site = logoutSite();
  const { browser } = await signedInAt(site);
  const page = await visitLogout(browser, {});
  const { action, fields } = formOf(await page.text());
  const request = new Request(new URL(action, ISSUER), {
    method: "POST",
    headers: {
      Cookie: browser.jar.names().map((name) => `${name}=${browser.jar.get(name)}`).join("; "),
    },
    body: new URLSearchParams({ ...fields, decision: "sign_out" }),
  });
  const response = await handleOAuthServerRequest(site.server, request);
  await site.settled();
  assertEquals(
    response.headers.getSetCookie().filter((cookie) => cookie.startsWith("__Host-sid=;")).length,
    1,
  );
  assertEquals(await site.app.runtime.sessions.list("u1"), []);
});

Deno.test("AuthorizationServer needs signOut for logout", () => {
  const { options } = serverSite();
  for (
    const [given, message] of [
      [{ logout: true, signOut: undefined }, "logout needs signOut"],
      [{ logout: 1 as unknown as boolean }, "logout: options must be an object"],
      [{ logout: { other: 1 } as unknown as boolean }, "logout: unknown option other"],
      [{ logout: { fetch: 1 } as unknown as boolean }, "logout.fetch must be a function"],
      [{ logout: { waitUntil: 1 } as unknown as boolean }, "logout.waitUntil must be a function"],
      [{ signOut: {} as unknown as () => Promise<[]> }, "signOut must be a function"],
    ] as const
  ) {
    assertThrows(() => new AuthorizationServer({ ...options, ...given }), TypeError, message);
  }
});
