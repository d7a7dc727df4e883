/**
 * The authorization endpoint: requests that succeed. `oidcc-…` are modules of the OpenID Foundation's Basic OP plan, with PKCE added.
 *
 * As they are, PKCE rules out all of them but `oidcc-ensure-request-with-valid-pkce-succeeds`: they send no `code_challenge`, and get
 * `invalid_request` (authorize_errors_test.ts, BCP-2.1.1-b). Here are those that concern this endpoint: `oidcc-server`,
 * `oidcc-ensure-request-without-nonce-succeeds-for-code-flow`, `oidcc-scope-*`, `oidcc-alternate-happy-flow`, `oidcc-display-*`,
 * `oidcc-ensure-request-with-unknown-parameter-succeeds`, `oidcc-login-hint`, `oidcc-ui-locales`, `oidcc-claims-locales`,
 * `oidcc-ensure-request-with-acr-values-succeeds`, `oidcc-claims-essential` and `oidcc-ensure-post-request-succeeds`;
 * `oidcc-prompt-*`, `oidcc-max-age-*` and `oidcc-id-token-hint` are in login_prompts_test.ts, and those that end in an error in
 * authorize_errors_test.ts.
 */

import { assertEquals, assertMatch } from "@std/assert";
import type { LoginPrompt } from "../../../auth/server/core/types.ts";
import { answerOf, interactionCookies, postForm, subjectSite } from "./_authorize.ts";
import { claimsOf, ISSUER, type Params, responseParameters } from "./_site.ts";

/** Requests that succeed: the scope that is granted, `openid notes:read` by default. */
const REQUESTS: readonly (readonly [source: string, why: string, Params, granted?: string])[] = [
  ["oidcc-server", "a nonce", { scope: "openid" }, "openid"],
  ["oidcc-ensure-request-with-valid-pkce-succeeds", "PKCE", {}],
  ["oidcc-ensure-request-without-nonce-succeeds-for-code-flow", "no nonce", { nonce: undefined }],
  ["oidcc-scope-profile", "scope profile", { scope: "openid profile" }, "openid profile"],
  ["oidcc-scope-email", "scope email", { scope: "openid email" }, "openid email"],
  ["oidcc-scope-address", "scope address", { scope: "openid address" }, "openid address"],
  ["oidcc-scope-phone", "scope phone", { scope: "openid phone" }, "openid phone"],
  [
    "oidcc-scope-all",
    "all scopes of OpenID Connect",
    { scope: "openid profile email address phone" },
    "openid profile email address phone",
  ],
  [
    "oidcc-alternate-happy-flow",
    "scopes in another order",
    { scope: "email notes:read openid profile" },
    "openid profile email notes:read",
  ],
  ["oidcc-display-page", "display=page", { display: "page" }],
  ["oidcc-display-popup", "display=popup", { display: "popup" }],
  ["oidcc-ensure-request-with-unknown-parameter-succeeds", "extra=foobar", { extra: "foobar" }],
  ["oidcc-login-hint", "a login_hint", { login_hint: "buffy@client.example" }],
  ["oidcc-ui-locales", "ui_locales=se", { ui_locales: "se" }],
  ["oidcc-claims-locales", "claims_locales=se", { claims_locales: "se" }],
  ["oidcc-ensure-request-with-acr-values-succeeds", "unknown acr_values", { acr_values: "1 2" }],
  [
    "oidcc-claims-essential",
    "an essential claim of UserInfo",
    { claims: '{"userinfo":{"name":{"essential":true}}}' },
  ],
  ["OIDCC-5.5", "claims with nothing", { claims: "{}" }],
  ["OIDCC-5.5", "claims with null for a default request", { claims: '{"id_token":{"acr":null}}' }],
  ["OIDCC-5.5", "a member of claims that nobody knows", { claims: '{"other":1}' }],
  ["OIDCC-3.1.2.1", "an unknown scope beside known ones", { scope: "openid x notes:read" }],
  ["6749-3.1-empty", "scope without a value", { scope: "" }, "notes:read notes:write"],
  ["6749-3.1-empty", "prompt without a value", { prompt: "" }],
  ["6749-3.1-empty", "max_age without a value", { max_age: "" }],
  ["6749-3.1-empty", "claims without a value", { claims: "" }],
  ["6749-3.1-empty", "id_token_hint without a value", { id_token_hint: "" }],
  ["6749-3.1-empty", "request without a value", { request: "", request_uri: "" }],
  ["6749-3.1-empty", "response_mode without a value", { response_mode: "" }],
  ["6749-3.3", "no scope", { scope: undefined }, "notes:read notes:write"],
  ["6749-3.3", "a scope twice", { scope: "openid openid notes:read" }],
  ["6749-3.3", "plain OAuth", { scope: "notes:write", nonce: undefined }, "notes:write"],
  ["MRT-2.1", "response_mode=query", { response_mode: "query" }],
  ["AS30", "max_age=1000000000", { max_age: "1000000000" }],
];
for (const [source, why, params, granted = "openid notes:read"] of REQUESTS) {
  Deno.test(`AuthorizationServer authorizes a request with ${why} (${source})`, async () => {
    const site = subjectSite();
    const page = await site.page(params);
    const response = await site.decide(site.browser, page);
    assertEquals(await answerOf(response), "code");
    const answer = await site.redeem(responseParameters(response).get("code") ?? "");
    const { scope, id_token } = await answer.json();
    assertEquals(scope, granted);
    assertEquals(id_token !== undefined, granted.startsWith("openid"));
    if (id_token === undefined) return;
    const { nonce, auth_time } = claimsOf(id_token);
    assertEquals(nonce, "nonce" in params ? undefined : "n-1");
    assertEquals(auth_time, site.subject?.authTime);
  });
}

Deno.test("AuthorizationServer reads parameters in any order (oidcc-alternate-happy-flow)", async () => {
  const site = subjectSite();
  const [path, query] = site.authorizePath().split("?");
  const reversed = [...new URLSearchParams(query)].reverse();
  const page = await site.browser.send(`${path}?${new URLSearchParams(reversed)}`);
  assertEquals(await answerOf(await site.decide(site.browser, page)), "code");
});

Deno.test("AuthorizationServer ignores unknown parameters that are repeated (6749-3.1-dup)", async () => {
  const site = subjectSite();
  const path = `${site.authorizePath()}&extra=1&extra=2&audience=a&audience=b`;
  assertEquals(await answerOf(await site.browser.send(path)), "consent");
});

Deno.test("AuthorizationServer grants what a client may have, if it names no scope (6749-3.3)", async () => {
  const site = subjectSite();
  const params = { client_id: "narrow", scope: undefined };
  const code = await site.code(site.browser, params);
  const answer = await site.redeem(code, { client_id: "narrow" });
  assertEquals((await answer.json()).scope, "notes:read");
});

Deno.test("AuthorizationServer returns claims that the ID token should have (OIDCC-5.5)", async () => {
  const site = subjectSite();
  const claims = JSON.stringify({ id_token: { email: null, name: { essential: true }, x: null } });
  const code = await site.code(site.browser, { scope: "openid email", claims });
  const { id_token } = await (await site.redeem(code)).json();
  const { email, name } = claimsOf(id_token);
  assertEquals([email, name], ["ada@example.com", undefined]); // the scope profile is not granted
});

/** How parameters are added to redirect URIs. */
const REDIRECTS: readonly (readonly [source: string, why: string, Params, to: string])[] = [
  [
    "6749-3.1.2",
    "a redirect URI that has a query",
    { client_id: "web", redirect_uri: "https://web.example/cb?kind=2" },
    "https://web.example/cb?kind=2&code=",
  ],
  ["6749-3.1.2", "one that has none", { client_id: "web" }, "https://web.example/cb?code="],
  [
    "8252-7.3",
    "a loopback one with another port",
    { client_id: "cli", redirect_uri: "http://127.0.0.1:51004/cb" },
    "http://127.0.0.1:51004/cb?code=",
  ],
  [
    "8252-7.3",
    "localhost with a port",
    { client_id: "cli", redirect_uri: "http://localhost:8080/cb" },
    "http://localhost:8080/cb?code=",
  ],
  [
    "8252-7.1",
    "a private-use scheme",
    { client_id: "cli", redirect_uri: "com.example.notes:/cb" },
    "com.example.notes:/cb?code=",
  ],
];
for (const [source, why, params, to] of REDIRECTS) {
  Deno.test(`AuthorizationServer adds the response to ${why} (${source})`, async () => {
    const site = subjectSite();
    const response = await site.decide(site.browser, await site.page(params));
    assertEquals(await answerOf(response, { to }), "code");
  });
}

/** Requests that carry a `state`; it comes back as it was, in the response of both decisions. */
const STATES: readonly (readonly [why: string, state: string | undefined])[] = [
  ["no state", undefined],
  ["an empty state", ""],
  ["a state with all that must be escaped", "a b+c&d=e%26#f?\"'<>\\/;:"],
  ["a state of 2,048 characters", "s".repeat(2_048)],
  ["a JWT for a state", "eyJhbGciOiJub25lIn0.eyJhIjoxfQ."],
];
for (const [why, state] of STATES) {
  for (const mode of ["query", "form_post"]) {
    for (const decision of ["allow", "deny"]) {
      Deno.test(`AuthorizationServer returns ${why} by ${mode} after ${decision} (6749-4.1.2.1)`, async () => {
        const site = subjectSite();
        const page = await site.page({ state, response_mode: mode });
        const response = await site.decide(site.browser, page, { decision });
        const answer = decision === "allow" ? "code" : "access_denied";
        assertEquals(
          await answerOf(response, { state: state || null }),
          mode === "query" ? answer : `post: ${answer}`,
        );
      });
    }
  }
}

Deno.test("AuthorizationServer repeats a request by POST as one by GET (oidcc-ensure-post-request-succeeds)", async () => {
  const site = subjectSite();
  const [, query = ""] = site.authorizePath({ state: "a b&c" }).split("?");
  // A page of another site posts it: SameSite=Lax cookies are not sent
  const cookieless = { Cookie: undefined, "Sec-Fetch-Site": "cross-site" };
  const response = await postForm(site.browser, query, cookieless);
  assertEquals(await answerOf(response), "repeat");
  assertEquals([response.headers.getSetCookie(), site.codes.calls], [[], []]);
  const location = response.headers.get("Location") ?? "";
  assertEquals([...new URL(location, ISSUER).searchParams], [...new URLSearchParams(query)]);
  const page = await site.browser.send(location);
  const decided = await site.decide(site.browser, page);
  assertEquals(await answerOf(decided, { state: "a b&c" }), "code");
});

Deno.test("AuthorizationServer takes parameters of a POST from its form alone (6749-3.1)", async () => {
  const site = subjectSite();
  const response = await site.browser.send(site.authorizePath(), {
    method: "POST",
    body: "client_id=nobody",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  assertEquals(response.headers.get("Location"), "/oauth/authorize?client_id=nobody");
});

Deno.test("AuthorizationServer answers below the path of its issuer (8414-3)", async () => {
  const site = subjectSite({ server: { issuer: `${ISSUER}/tenant` } });
  const page = await site.browser.send(`/tenant${site.authorizePath()}`);
  assertEquals(page.status, 200);
  const response = await site.decide(site.browser, page);
  const parameters = responseParameters(response);
  assertEquals([parameters.has("code"), parameters.get("iss")], [true, `${ISSUER}/tenant`]);

  const repeated = await site.browser.send("/tenant/oauth/authorize", {
    method: "POST",
    body: "client_id=spa",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  assertEquals(repeated.headers.get("Location"), "/tenant/oauth/authorize?client_id=spa");

  site.subject = undefined;
  const signIn = await site.browser.send(`/tenant${site.authorizePath()}`);
  const next = new URL(signIn.headers.get("Location") ?? "", ISSUER).searchParams.get("next");
  assertMatch(next ?? "", /^\/tenant\/oauth\/authorize\?id=[\w-]{22}$/);
});

/** Hints for the sign-in page; `undefined` if they are left out. */
const HINTS: readonly (readonly [why: string, hint: string, passed?: string])[] = [
  ["a name", "buffy@client.example", "buffy@client.example"],
  ["markup, which the page has to escape", "<b>&", "<b>&"],
  ["letters of all scripts", "Ἀρχιμήδης 😀", "Ἀρχιμήδης 😀"],
  ["512 characters", "a".repeat(512), "a".repeat(512)],
  ["513 characters", "a".repeat(513)],
  ["NUL", "a\0b"],
  ["a line break", "a\r\nSet-Cookie: a=b"],
  ["DEL", "a\x7fb"],
];
for (const [why, hint, passed] of HINTS) {
  Deno.test(`AuthorizationServer passes hints to \`login\`: ${why} (oidcc-login-hint)`, async () => {
    const site = subjectSite();
    site.subject = undefined;
    const params = { login_hint: hint, ui_locales: hint };
    const response = await site.authorize(site.browser, params);
    const { searchParams } = new URL(response.headers.get("Location") ?? "", ISSUER);
    const found = ["login_hint", "ui_locales"].map((name) => searchParams.get(name));
    assertEquals(found, [passed ?? null, passed ?? null]);
  });
}

Deno.test("AuthorizationServer tells the sign-in page which contexts are asked for (9470-4)", async () => {
  const site = subjectSite({ server: { acrValues: ["gold"] } });
  const response = await site.authorize(site.browser, { acr_values: "gold silver" });
  const { searchParams } = new URL(response.headers.get("Location") ?? "", ISSUER);
  const found = ["reason", "acr_values"].map((name) => searchParams.get(name));
  assertEquals(found, ["acr", "gold silver"]);
});

Deno.test("AuthorizationServer asks `login` with what the client wants (9470-4)", async () => {
  const prompts: LoginPrompt[] = [];
  const own = "__Host-own=1; Path=/; Secure; HttpOnly";
  const site = subjectSite({
    server: {
      acrValues: ["silver", "gold"],
      async login(prompt) {
        prompts.push(prompt);
        await Promise.resolve();
        return new Response("Please sign in", { status: 401, headers: { "Set-Cookie": own } });
      },
    },
  });
  site.subject = undefined;
  const response = await site.authorize(site.browser, { acr_values: "gold silver" });
  assertEquals([response.status, await response.text()], [401, "Please sign in"]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const [[ax = ""] = []] = interactionCookies(site.browser);
  assertEquals(site.browser.jar.names(), [ax, "__Host-own"]);
  const [prompt] = prompts;
  const { client, returnTo, reason, loginHint, acrValues, uiLocales } = prompt ?? {};
  assertEquals([client?.clientId, reason, loginHint, acrValues, uiLocales], [
    "spa",
    "signed_out",
    undefined,
    ["gold", "silver"],
    undefined,
  ]);
  assertMatch(returnTo ?? "", /^\/oauth\/authorize\?id=[\w-]{22}$/);
});

Deno.test("AuthorizationServer accepts a redirect with immutable headers from `login`", async () => {
  const login = () => Response.redirect("https://sso.example/start", 302);
  const site = subjectSite({ server: { login } });
  site.subject = undefined;
  const response = await site.authorize(site.browser);
  assertEquals([response.status, response.headers.get("Location")], [
    302,
    "https://sso.example/start",
  ]);
  assertEquals(site.browser.jar.names().length, 1);
  assertEquals(interactionCookies(site.browser).length, 1);
});
