/**
 * Consent: who is asked, what the page is, what the form of the answer must have, and for how long the answer counts. Attacks AS26,
 * AS27, AS31.
 */

import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { consentDetails, consentToken } from "../../../auth/server/core/consent.ts";
import type { ConsentPrompt } from "../../../auth/server/core/types.ts";
import type { TestBrowser } from "../_browser.ts";
import { START } from "../_services.ts";
import {
  answerOf,
  interactionCookies,
  postForm,
  returnPath,
  type SubjectSite,
  subjectSite,
} from "./_authorize.ts";
import { assertPageHeaders, GERMAN, HOSTILE, visibleText } from "./_pages.ts";
import {
  claimsOf,
  CLIENTS,
  type FormChanges,
  formOf,
  type Params,
  responseParameters,
  type ServerSite,
  serverSite,
} from "./_site.ts";

/** Forms that no page of this server has sent, or not to this user: nothing of them counts. */
const FORGED: readonly (readonly [source: string, why: string, FormChanges, answer?: string])[] = [
  ["AS26", "no token", { fields: { token: undefined } }],
  ["AS26", "an empty token", { fields: { token: "" } }],
  ["AS26", "another token", { fields: { token: "A".repeat(43) } }],
  ["AS26", "a cross-site page", { headers: { "Sec-Fetch-Site": "cross-site" } }],
  ["AS26", "a page of another host of the site", { headers: { "Sec-Fetch-Site": "same-site" } }],
  ["AS26", "no page", { headers: { "Sec-Fetch-Site": "none" } }],
  ["AS26", "an unknown relation", { headers: { "Sec-Fetch-Site": "same-origin, x" } }],
  ["AS26", "an empty relation", { headers: { "Sec-Fetch-Site": "" } }],
  ["AS26", "another origin of an old browser", old("https://evil.example")],
  ["AS26", "a subdomain's origin of an old browser", old("https://x.example.com")],
  ["AS26", "another port", old("https://example.com:8443")],
  ["AS26", "http", old("http://example.com")],
  [
    "AS26",
    "another origin, of a new browser with the token",
    { headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://example.com" } },
  ],
  ["AS26", "no decision", { fields: { decision: undefined } }],
  ["AS26", "an unknown decision", { decision: "ALLOW" }],
  ["AS26", "no id of the request", { fields: { id: undefined } }, "repeat"],
  ["AS26", "an empty id", { fields: { id: "" } }, "404 interaction_unknown"],
  ["AS26", "another id", { fields: { id: "A".repeat(22) } }, "404 interaction_unknown"],
  ["AS26", "an id with NUL", { fields: { id: "A".repeat(21) + "\0" } }, "404 interaction_unknown"],
  ["AS26", "an id of a prototype", { fields: { id: "__proto__" } }, "404 interaction_unknown"],
];
for (const [source, why, changes, answer = "403 consent_forged"] of FORGED) {
  for (const decision of ["allow", "deny"]) {
    Deno.test(`AuthorizationServer answers ${answer} to the form of ${decision} with ${why} (${source})`, async () => {
      const site = subjectSite();
      const page = await site.page();
      const given = changes.decision === undefined ? { ...changes, decision } : changes;
      assertEquals(await answerOf(await site.decide(site.browser, page, given)), answer);
      assertEquals([...site.codes.records.values()].map(({ state }) => state), ["pending"]);
      // Nothing is used up: the user can still decide
      assertEquals(await answerOf(await site.decide(site.browser, page)), "code");
    });
  }
}

function old(origin: string): FormChanges {
  return { headers: { "Sec-Fetch-Site": undefined, Origin: origin } };
}

/** Forms of browsers without `Sec-Fetch-Site`. */
for (const origin of [undefined, "null", "https://example.com"]) {
  Deno.test(`AuthorizationServer accepts the form of an old browser with Origin ${origin} (AS26)`, async () => {
    const site = subjectSite();
    const headers = { "Sec-Fetch-Site": undefined, Origin: origin };
    const response = await site.decide(site.browser, await site.page(), { headers });
    assertEquals(await answerOf(response), "code");
  });
}

/** What happens to user or browser while the page is shown. */
const MEANWHILE: readonly (readonly [
  source: string,
  why: string,
  act: (site: SubjectSite) => TestBrowser | void,
  answer: string,
])[] = [
  ["AS26", "nothing", () => {}, "code"],
  ["AS26", "another user signs in", (site) => site.enter({ sub: "u2" }), "403 consent_forged"],
  ["AS26", "the same user signs in again", (site) => site.enter(), "code"],
  ["AS26", "the user signs out", (site) => {
    site.subject = undefined;
  }, "sign-in: signed_out"],
  [
    "AS26",
    "the form is copied to another browser",
    (site) => site.app.browser(),
    "403 browser_mismatch",
  ],
  ["AS26", "another browser, with a cookie of the same name", (site) => {
    const other = site.app.browser();
    const [[ax = ""] = []] = interactionCookies(site.browser);
    other.jar.set(ax, "A".repeat(43));
    return other;
  }, "403 browser_mismatch"],
  [
    "AS26",
    "the cookie is deleted",
    ({ browser }) => interactionCookies(browser).forEach(([name]) => browser.jar.delete(name)),
    "403 browser_mismatch",
  ],
  ["AS26", "599 seconds pass", ({ app }) => {
    app.clock.now += 599;
  }, "code"],
  ["AS26", "600 seconds pass", ({ app }) => {
    app.clock.now += 600;
  }, "404 interaction_unknown"],
];
for (const [source, why, act, answer] of MEANWHILE) {
  Deno.test(`AuthorizationServer answers ${answer} to the form if ${why} (${source})`, async () => {
    const site = subjectSite();
    const page = await site.page();
    const browser = act(site) ?? site.browser;
    assertEquals(await answerOf(await site.decide(browser, page)), answer);
  });
}

Deno.test("AuthorizationServer shows the page again after a sign-in that was necessary meanwhile (AS26)", async () => {
  const site = subjectSite();
  const page = await site.page({ max_age: "110" });
  site.app.clock.now += 11; // 111 seconds since the sign-in
  const response = await site.decide(site.browser, page);
  assertEquals(await answerOf(response), "sign-in: max_age");
  site.enter();
  const again = await site.browser.send(returnPath(response));
  assertEquals(await answerOf(again), "consent");
  assertEquals(await answerOf(await site.decide(site.browser, again)), "code");
});

Deno.test("AuthorizationServer grants what was requested, whatever the form says (AS26)", async () => {
  const site = subjectSite();
  const fields = {
    client_id: "web",
    redirect_uri: "https://evil.example/",
    state: "other",
    code_challenge: "A".repeat(43),
    response_mode: "form_post",
  };
  const scope = ["openid", "notes:read", "notes:write", "offline_access", "email"];
  const response = await site.decide(site.browser, await site.page(), { fields, scope });
  assertEquals(await answerOf(response), "code");
  const answer = await site.redeem(responseParameters(response).get("code") ?? "");
  assertEquals((await answer.json()).scope, "openid notes:read");
});

Deno.test("AuthorizationServer has a token for each request, user and browser (AS26)", async () => {
  const site = subjectSite();
  const tokenOf = (page: string) => formOf(page).fields["token"];
  const pages = [await site.page(), await site.page()];
  site.enter({ sub: "u2" });
  pages.push(await site.page());
  pages.push(await (await site.authorize(site.app.browser())).text());
  assertEquals(new Set(pages.map(tokenOf)).size, 4);
  // The token of one request is none of the other
  const fields = { token: tokenOf(pages[0] ?? "") };
  const response = await site.decide(site.browser, pages[1] ?? "", { fields });
  assertEquals(await answerOf(response), "403 consent_forged");
});

/** The scopes that stay ticked. */
const TICKED: readonly (readonly [
  why: string,
  requested: string,
  ticked: readonly string[],
  granted: string | undefined,
])[] = [
  [
    "all",
    "openid notes:read notes:write",
    ["openid", "notes:read", "notes:write"],
    "openid notes:read notes:write",
  ],
  ["some", "openid notes:read notes:write", ["openid", "notes:write"], "openid notes:write"],
  ["none beside openid", "openid notes:read", [], "openid"],
  ["openid, which cannot be unticked", "openid notes:read", ["notes:read"], "openid notes:read"],
  ["all but offline_access", "openid offline_access", ["openid"], "openid"],
  ["one twice", "notes:read", ["notes:read", "notes:read"], "notes:read"],
  ["another than was requested", "notes:read", ["notes:write"], undefined],
  ["none", "notes:read notes:write", [], undefined],
];
for (const [why, requested, ticked, granted] of TICKED) {
  Deno.test(`AuthorizationServer grants the scopes that are ticked: ${why} (6749-3.3)`, async () => {
    const site = subjectSite();
    const page = await site.page({ scope: requested });
    const response = await site.decide(site.browser, page, { scope: ticked });
    assertEquals(await answerOf(response), granted === undefined ? "access_denied" : "code");
    if (granted === undefined) return;
    const answer = await site.redeem(responseParameters(response).get("code") ?? "");
    assertEquals((await answer.json()).scope, granted);
  });
}

Deno.test("AuthorizationServer grants access without scopes, if it has none (6749-3.3)", async () => {
  const site = subjectSite({ server: { scopes: undefined } });
  const page = await site.page({ scope: undefined });
  assertEquals(formOf(page).scope, []);
  const response = await site.decide(site.browser, page);
  assertEquals(await answerOf(response), "code");
  const answer = await site.redeem(responseParameters(response).get("code") ?? "");
  assertEquals([answer.status, (await answer.json()).scope], [200, undefined]);
});

/** After a first grant of `openid notes:read` to `spa`: what a second request is answered. */
const REMEMBERED: readonly (readonly [
  source: string,
  why: string,
  Params,
  answer: string,
  act?: (site: SubjectSite) => Promise<void> | void,
])[] = [
  ["OIDCC-3.1.2.4", "the same scopes", {}, "code"],
  ["OIDCC-3.1.2.4", "fewer scopes", { scope: "notes:read" }, "code"],
  ["OIDCC-3.1.2.4", "the same scopes in another order", { scope: "notes:read openid" }, "code"],
  ["AS26", "more scopes", { scope: "openid notes:read notes:write" }, "consent"],
  ["AS26", "offline_access", { scope: "openid notes:read offline_access" }, "consent"],
  [
    "AS26",
    "more scopes and prompt=none",
    { scope: "openid notes:read email", prompt: "none" },
    "consent_required",
  ],
  ["OIDCC-3.1.2.1", "prompt=consent", { prompt: "consent" }, "consent"],
  ["OIDCC-3.1.2.1", "prompt=none", { prompt: "none" }, "code"],
  ["AS26", "another client", { client_id: "web" }, "consent"],
  ["AS26", "another user", {}, "consent", (site) => site.enter({ sub: "u2" })],
  ["AS50", "a grant that was revoked", {}, "consent", revokeAll],
  ["AS50", "prompt=none after it was revoked", { prompt: "none" }, "consent_required", revokeAll],
  ["OIDCC-3.1.2.4", "a day later", {}, "code", (site) => {
    site.app.clock.now += 86_400;
  }],
  ["OIDCC-3.1.2.4", "14 days without a refresh later", {}, "consent", (site) => {
    site.app.clock.now += 1_209_600;
  }],
  ["OIDCC-3.1.2.4", "a new sign-in", {}, "code", (site) => site.enter()],
];
for (const [source, why, params, answer, act] of REMEMBERED) {
  Deno.test(`AuthorizationServer remembers a consent: ${answer} for ${why} (${source})`, async () => {
    const site = subjectSite();
    assertEquals((await site.redeem(await site.code(site.browser))).status, 200);
    await act?.(site);
    const to = params["client_id"] === "web"
      ? "https://web.example/cb?"
      : "https://app.example/cb?";
    assertEquals(await answerOf(await site.authorize(site.browser, params), { to }), answer);
  });
}

async function revokeAll({ server }: SubjectSite): Promise<void> {
  for (const { grantId } of await server.listGrants("u1")) {
    assertEquals(await server.revokeGrant("u1", grantId), true);
  }
}

Deno.test("AuthorizationServer remembers no consent of a code that nobody has redeemed (AS26)", async () => {
  const site = subjectSite();
  assertMatch(await site.code(site.browser), /^[\w-]{22}\.[\w-]{43}$/);
  assertEquals(await answerOf(await site.authorize(site.browser)), "consent");
});

Deno.test("AuthorizationServer remembers the scopes that were ticked (AS26)", async () => {
  const site = subjectSite();
  const page = await site.page();
  const response = await site.decide(site.browser, page, { scope: ["openid"] });
  await site.redeem(responseParameters(response).get("code") ?? "");
  assertEquals(await answerOf(await site.authorize(site.browser)), "consent");
  assertEquals(await answerOf(await site.authorize(site.browser, { scope: "openid" })), "code");
});

Deno.test("AuthorizationServer does not add up scopes of two consents (AS26)", async () => {
  const site = subjectSite();
  for (const scope of ["notes:read", "notes:write"]) {
    await site.redeem(await site.code(site.browser, { scope }));
  }
  const scope = "notes:read notes:write";
  assertEquals(await answerOf(await site.authorize(site.browser, { scope })), "consent");
});

/** Clients that any program of the device can claim to be: they are asked for each time. */
const IMPERSONABLE:
  readonly (readonly [source: string, why: string, uri: string, shown: string])[] = [
    ["AS31", "a port of 127.0.0.1", "http://127.0.0.1:51004/cb", "127.0.0.1:51004"],
    ["AS31", "localhost", "http://localhost/cb", "localhost"],
    ["AS31", "a private-use scheme", "com.example.notes:/cb", "com.example.notes:"],
  ];
for (const [source, why, redirect_uri, shown] of IMPERSONABLE) {
  Deno.test(`AuthorizationServer asks each time for native clients, and shows ${why} (${source})`, async () => {
    const site = subjectSite();
    const params = { client_id: "cli", redirect_uri };
    const code = await site.code(site.browser, params);
    assertEquals((await site.redeem(code, params)).status, 200);
    const page = await site.page(params);
    const text = visibleText(page);
    assertStringIncludes(text, `You will be sent to ${shown}`);
    assertStringIncludes(text, "any program there can pretend to be Notes on the command line");
    const none = await site.authorize(site.browser, { ...params, prompt: "none" });
    assertEquals(await answerOf(none, { to: `${redirect_uri}?` }), "consent_required");
  });
}

Deno.test("AuthorizationServer asks each time for web clients on the user's device (AS31)", async () => {
  const redirect_uri = "https://localhost:8443/cb";
  const clients = [
    { clientId: "dev", name: "Dev", redirectUris: [redirect_uri], firstParty: true },
  ];
  const site = subjectSite({ clients });
  const params = { client_id: "dev", redirect_uri };
  await site.redeem(await site.code(site.browser, params), params);
  assertEquals(await answerOf(await site.authorize(site.browser, params)), "consent");
});

Deno.test("AuthorizationServer asks for native clients that a store calls firstParty (AS31)", async () => {
  const [, , , cli] = CLIENTS;
  const site = subjectSite();
  const stored = await site.options.clients.find(cli?.clientId ?? "");
  assert(stored !== null);
  const forged = { ...stored, firstParty: true, redirectUris: ["https://app.example/cb"] };
  const clients = { find: () => Promise.resolve(forged) };
  const other = subjectSite({ server: { clients } });
  const params = { client_id: "cli", redirect_uri: "https://app.example/cb" };
  assertEquals(await answerOf(await other.authorize(other.browser, params)), "consent");
});

/** Clients of the server's owner. */
const FIRST_PARTY: readonly (readonly [why: string, Params, answer: string])[] = [
  ["no page", {}, "code"],
  ["no page for any scope", { scope: "openid notes:write offline_access" }, "code"],
  ["no page for prompt=none", { prompt: "none" }, "code"],
  ["a page for prompt=consent", { prompt: "consent" }, "consent"],
  ["a sign-in for prompt=login", { prompt: "login" }, "sign-in: prompt"],
];
for (const [why, params, answer] of FIRST_PARTY) {
  Deno.test(`AuthorizationServer shows firstParty clients ${why} (OIDCC-3.1.2.4)`, async () => {
    const site = subjectSite();
    const response = await site.authorize(site.browser, { client_id: "own", ...params });
    assertEquals(await answerOf(response, { to: "https://own.example/cb?" }), answer);
    assertEquals(site.codes.records.size, 1);
  });
}

Deno.test("AuthorizationServer asks where a store has another value than true for firstParty (AS31)", async () => {
  const site = subjectSite();
  const own = await site.options.clients.find("own");
  assert(own !== null);
  const clients = { find: () => Promise.resolve({ ...own, firstParty: "false" as never }) };
  const other = subjectSite({ server: { clients } });
  const response = await other.authorize(other.browser, { client_id: "own" });
  assertEquals(await answerOf(response), "consent");
});

Deno.test("AuthorizationServer protects its consent page (AS27, BCP-4.16, BCP-4.2-a)", async () => {
  const site = subjectSite();
  const response = await site.authorize(site.browser);
  const [cookie = ""] = response.headers.getSetCookie();
  assertMatch(cookie, /^__Host-ax-[\w-]{8}=[\w-]{43}; /);
  assertEquals(
    cookie.split("; ").slice(1).sort(),
    ["HttpOnly", "Max-Age=600", "Path=/", "SameSite=Lax", "Secure"],
  );
  response.headers.delete("Set-Cookie");
  await assertPageHeaders(response, "");
  const text = await response.text();
  assertFalse(/<(?:script|img|link|iframe)\b|\bsrc=|https?:\/\//.test(text));
  const again = await site.browser.send(`/oauth/authorize?id=${formOf(text).fields["id"]}`);
  await assertPageHeaders(again, ""); // the browser keeps its cookie
});

Deno.test("AuthorizationServer protects its error page (AS27)", async () => {
  const site = subjectSite();
  const response = await site.authorize(site.browser, { client_id: "nobody" });
  await assertPageHeaders(response, "; form-action 'none'");
});

Deno.test("AuthorizationServer posts a response by a page that allows one script (FPRM-2)", async () => {
  const site = subjectSite();
  const page = await site.page({ response_mode: "form_post", state: HOSTILE[1] });
  const response = await site.decide(site.browser, page);
  const text = await response.clone().text();
  const { action, fields } = formOf(text);
  assertEquals(action, "https://app.example/cb");
  assertEquals(Object.keys(fields).sort(), ["code", "iss", "state"]);
  assertEquals(fields["state"], HOSTILE[1]);
  assertFalse(text.includes("<img"));
  await assertPageHeaders(
    response,
    "; script-src 'sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE='",
  );
});

/** Names that clients have. */
const NAMES: readonly (readonly [why: string, name: string, shown: string])[] = [
  ...HOSTILE.map((name) => ["markup", name, name] as const),
  ["letters that turn the text around", "Evil\u202Eelgoog", "Evilelgoog"],
  ["200 characters", "x".repeat(200), `${"x".repeat(79)}…`],
];
for (const [why, name, shown] of NAMES) {
  Deno.test(`AuthorizationServer shows a client's name as text: ${why} ${name.slice(0, 20)} (AS27)`, async () => {
    const clients = [{ clientId: "spa", name, redirectUris: ["https://app.example/cb"] }];
    const page = await subjectSite({ clients }).page();
    const [, bold = ""] = /<strong><bdi>(.*?)<\/bdi>/s.exec(page) ?? [];
    assertFalse(/[<>"']/.test(bold));
    const text = bold.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'").replaceAll("&amp;", "&");
    assertEquals(text, shown);
    assertEquals(formOf(page).action, "/oauth/authorize");
  });
}

/** A page of the application for `consent`. */
function consentHook(headers: HeadersInit = {}) {
  const prompts: ConsentPrompt[] = [];
  const consent = async (prompt: ConsentPrompt) => {
    prompts.push(prompt);
    await Promise.resolve();
    return new Response("Our own page", { headers });
  };
  return { prompts, consent };
}

Deno.test("AuthorizationServer asks `consent` with what the page must show and send", async () => {
  const { prompts, consent } = consentHook();
  const site = subjectSite({ server: { consent } });
  const response = await site.authorize(site.browser, {
    client_id: "cli",
    redirect_uri: "http://127.0.0.1:9000/cb",
    ui_locales: "de en",
  });
  assertEquals(await response.text(), "Our own page");
  const [prompt] = prompts;
  assert(prompt !== undefined);
  const { request, client, form, ...shown } = prompt;
  assertEquals(shown, {
    sub: "u1",
    scopes: [
      { name: "openid", description: "Know who you are", required: true },
      { name: "notes:read", description: "Read your notes", required: false },
    ],
    redirectHost: "127.0.0.1:9000",
    isLoopback: true,
    uiLocales: "de en",
  });
  assertEquals([client.clientId, new URL(request.url).pathname], ["cli", "/oauth/authorize"]);
  const decided = await postForm(site.browser, {
    ...form.hidden,
    decision: "allow",
    scope: "notes:read",
  });
  const to = "http://127.0.0.1:9000/cb?";
  assertEquals([form.action, await answerOf(decided, { to })], ["/oauth/authorize", "code"]);
});

Deno.test("AuthorizationServer lets no site frame a page of `consent` or `login`, unless its policy does (BCP-4.16)", async () => {
  const login = () => new Response("Please sign in");
  const site = subjectSite({ server: { consent: consentHook().consent, login } });
  for (const answer of [await site.authorize(site.browser), await outside(site)]) {
    const { headers } = answer;
    assertEquals(
      ["Cache-Control", "X-Frame-Options", "Referrer-Policy"].map((name) => headers.get(name)),
      ["no-store", "DENY", "same-origin"],
    );
  }
  const own = { "X-Frame-Options": "SAMEORIGIN", "Referrer-Policy": "origin" };
  const { consent } = consentHook({ ...own, "Cache-Control": "public" });
  const other = subjectSite({ server: { consent } });
  const { headers } = await other.authorize(other.browser);
  assertEquals(
    ["Cache-Control", "X-Frame-Options", "Referrer-Policy"].map((name) => headers.get(name)),
    ["no-store", "SAMEORIGIN", "origin"],
  );
});

async function outside(site: SubjectSite): Promise<Response> {
  site.subject = undefined;
  return await site.authorize(site.browser);
}

Deno.test("AuthorizationServer shows its pages in the user's language by `strings`", async () => {
  const asked: string[] = [];
  const site = subjectSite({
    server: {
      strings(uiLocales) {
        asked.push(uiLocales);
        return uiLocales.startsWith("de") ? GERMAN : { title: "Well?" };
      },
    },
  });
  const german = await site.page({ ui_locales: "de-AT en" });
  assertStringIncludes(visibleText(german), "Notes on the web möchte auf Ihr Konto zugreifen");
  assertStringIncludes(german, '<html lang="de"');
  const english = visibleText(await site.page());
  assertStringIncludes(english, "Well? Notes on the web wants to access your account");
  assertEquals(asked, ["de-AT en", ""]);
});

Deno.test("AuthorizationServer answers if `strings` fails", async () => {
  const warnings: string[] = [];
  const site = subjectSite({
    server: {
      strings() {
        throw new Error("no translation");
      },
      warn: (message) => void warnings.push(message),
    },
  });
  assertEquals(await answerOf(await site.authorize(site.browser)), "consent");
  assertEquals(warnings.length, 1);
});

for (const hook of ["login", "consent", "authenticate"] as const) {
  Deno.test(`AuthorizationServer answers 500 server_error if \`${hook}\` fails`, async () => {
    const fail = () => {
      throw new Error("secret");
    };
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    const site = subjectSite({ server: { [hook]: fail, warn } });
    if (hook === "login") site.subject = undefined;
    const response = await site.authorize(site.browser);
    assertEquals(await answerOf(response), "500 server_error");
    assertFalse((await response.text()).includes("secret"));
    assertEquals(warnings, ["Cannot answer request to the authorization server"]);
  });
}

/** Grants of real sessions: those that end with the session, OpenID Connect Core §11. */
const BOUND: readonly (readonly [why: string, scope: string, kept: boolean])[] = [
  ["openid", "openid notes:read", false],
  ["openid with offline_access", "openid notes:read offline_access", true],
  ["plain OAuth", "notes:read", true],
];
for (const [why, scope, kept] of BOUND) {
  Deno.test(`AuthorizationServer ${kept ? "keeps" : "ends"} a grant at sign-out: ${why} (OIDCC-11)`, async () => {
    const site = serverSite();
    const browser = await site.signedIn();
    const { refresh_token } = await (await site.redeem(await site.code(browser, { scope }))).json();
    assertEquals((await browser.send("/leave", { method: "POST" })).status, 204);
    assertEquals((await site.server.listGrants("u1")).length, kept ? 1 : 0);
    const answer = await site.token({
      grant_type: "refresh_token",
      refresh_token,
      client_id: "spa",
    });
    assertEquals(answer.status, kept ? 200 : 400);
    await site.signIn(browser);
    assertEquals(
      await answerOf(await site.authorize(browser, { scope })),
      kept ? "code" : "consent",
    );
  });
}

Deno.test("AuthorizationServer asks for consent of the user who is really signed in (AS26)", async () => {
  const site = serverSite();
  const browser = await site.signedIn();
  const page = await (await site.authorize(browser)).text();
  const eve = { identifier: "eve@example.org", password: "eve has a long password" };
  await switchTo(site, browser, eve);
  assertEquals(await answerOf(await site.decide(browser, page)), "403 consent_forged");
  const own = await site.authorize(browser);
  const response = await site.decide(browser, own);
  const code = responseParameters(response).get("code") ?? "";
  const { id_token } = await (await site.redeem(code)).json();
  const { sub, auth_time } = claimsOf(id_token);
  assertEquals([sub === "u1", auth_time], [false, START]);
});

async function switchTo(
  { app }: ServerSite,
  browser: TestBrowser,
  credentials: { readonly identifier: string; readonly password: string },
): Promise<void> {
  const other = app.browser();
  assertEquals((await other.register(credentials)).status, 201);
  for (const name of other.jar.names()) browser.jar.set(name, other.jar.get(name) ?? "");
}

Deno.test("consentToken() is of one authorization, one browser and one user, AS26", async () => {
  const question = { id: "id", browser: "browser", sub: "u1" };
  const changes = [{}, { id: "other" }, { browser: "other" }, { sub: "u2" }];
  const tokens = await Promise.all(changes.map((one) => consentToken({ ...question, ...one })));
  assertEquals(new Set(tokens).size, changes.length);
});

Deno.test("consentDetails() shows the name of a scope that the server has lost since the request came", async () => {
  const users = { findBySub: () => Promise.resolve(null) };
  const question = { scope: ["openid", "lost"], sub: "u1" };
  const scopes = new Map([["openid", { description: "Know who you are" }]]);
  const details = await consentDetails({ scopes, users }, question);
  assertEquals(details.scopes.map(({ description }) => description), ["Know who you are", "lost"]);
});
