/**
 * Interactions: what is stored between a request and its answer. Tabs, buttons that go back, races, other issuers, other browsers,
 * time, and clients that change meanwhile. Attacks AS26, AS46, AS47.
 */

import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { AuthorizationServer, handleOAuthServerRequest } from "../../../auth/server/mod.ts";
import type { RegisteredClient } from "../../../auth/stores/server_types.ts";
import type { TestBrowser } from "../_browser.ts";
import { START } from "../_services.ts";
import {
  answerOf,
  interactionCookies,
  postForm,
  recordedCodes,
  returnPath,
  type SubjectSite,
  subjectSite,
} from "./_authorize.ts";
import { formOf, ISSUER, type Params, responseParameters } from "./_site.ts";

/** A site where nobody is signed in yet. */
function outside(): SubjectSite {
  const site = subjectSite();
  site.subject = undefined;
  return site;
}

for (const order of [[0, 1], [1, 0]] as const) {
  Deno.test(`AuthorizationServer serves two tabs, which end in the order ${order} (RP11)`, async () => {
    const site = outside();
    const tabs: readonly Params[] = [{ state: "0" }, { state: "1", client_id: "web" }];
    const paths = [];
    for (const params of tabs) paths.push(returnPath(await site.authorize(site.browser, params)));
    assertNotEquals(paths[0], paths[1]);
    site.enter();
    const pages = [];
    for (const i of order) pages.push(await site.browser.send(paths[i] ?? ""));
    for (const [n, i] of order.entries()) {
      const page = pages[n];
      if (page === undefined) throw new RangeError("No page");
      const response = await site.decide(site.browser, page);
      const to = i === 0 ? "https://app.example/cb?" : "https://web.example/cb?";
      assertEquals(await answerOf(response, { state: `${i}`, to }), "code");
    }
  });
}

Deno.test("AuthorizationServer sets one cookie for each request (RP11)", async () => {
  const site = outside();
  const cookies = [];
  for (const browser of [site.browser, site.browser, site.app.browser()]) {
    cookies.push(...(await site.authorize(browser)).headers.getSetCookie());
  }
  assertEquals([cookies.length, new Set(cookies).size], [3, 3]);
  assertEquals(interactionCookies(site.browser).length, 2);
});

Deno.test("AuthorizationServer serves tabs that are opened in the same moment (RP11)", async () => {
  const site = outside();
  const tabs = ["0", "1", "2"];
  const first = await Promise.all(tabs.map((state) => site.authorize(site.browser, { state })));
  site.enter();
  for (const [i, tab] of first.entries()) {
    const page = await site.browser.send(returnPath(tab));
    const response = await site.decide(site.browser, page);
    assertEquals(await answerOf(response, { state: `${i}` }), "code");
  }
});

Deno.test("AuthorizationServer forgets the oldest of more than eight requests of a browser (RP12)", async () => {
  const site = outside();
  const paths = [];
  for (let i = 0; i < 9; i++) paths.push(returnPath(await site.authorize(site.browser)));
  assertEquals(interactionCookies(site.browser).length, 8);
  site.enter();
  const answers = [];
  for (const path of paths) answers.push(await answerOf(await site.browser.send(path)));
  assertEquals(answers, ["403 browser_mismatch", ...Array(8).fill("consent")]);
});

Deno.test("AuthorizationServer stores no cookie, no user and no more than the request (AS26)", async () => {
  const site = subjectSite();
  await site.page({ login_hint: "ada", max_age: "1000", x: "y" });
  const [[, cookie = ""] = []] = interactionCookies(site.browser);
  assertMatch(cookie, /^[\w-]{43}$/);
  const [record] = site.codes.records.values();
  assertEquals(JSON.stringify(record).includes(cookie), false);
  if (record?.state !== "pending") throw new TypeError("The record is not pending");
  const { id, browser, ...others } = record;
  assertMatch(id, /^[\w-]{22}$/);
  assertMatch(browser, /^[\w-]{43}$/);
  assertEquals(others, {
    state: "pending",
    issuer: ISSUER,
    clientId: "spa",
    request: {
      redirectUri: "https://app.example/cb",
      responseMode: "query",
      scope: ["openid", "notes:read"],
      codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      prompt: [],
      acrValues: [],
      state: "s-1",
      nonce: "n-1",
      maxAge: 1000,
      loginHint: "ada",
    },
    seen: { authTime: START - 100, sessionId: "session-0" },
    createdAt: START,
    expiresAt: START + 600,
  });
});

Deno.test("AuthorizationServer issues a code that lives for a minute, and stores its digest (AS26)", async () => {
  const site = subjectSite();
  const code = await site.code(site.browser);
  const [record] = site.codes.records.values();
  const [id, secret = ""] = code.split(".");
  assertEquals([record?.id, record?.state, record?.createdAt], [id, "issued", START]);
  assertEquals(record?.expiresAt, START + 60);
  assertEquals(JSON.stringify(record).includes(secret), false);
  const [[, cookie = ""] = []] = interactionCookies(site.browser);
  assertEquals([cookie.length, JSON.stringify(record).includes(cookie)], [43, false]);
});

/** What the user does after a decision, on the way back. */
const BACK: readonly (readonly [
  why: string,
  first: "allow" | "deny",
  act: (site: SubjectSite, page: string) => Promise<Response>,
])[] = [
  ["allows again", "allow", (site, page) => site.decide(site.browser, page)],
  [
    "denies after all",
    "allow",
    (site, page) => site.decide(site.browser, page, { decision: "deny" }),
  ],
  ["reloads the page", "allow", reload],
  ["allows after all", "deny", (site, page) => site.decide(site.browser, page)],
  ["denies again", "deny", (site, page) => site.decide(site.browser, page, { decision: "deny" })],
  ["reloads the page of what was denied", "deny", reload],
];
for (const [why, decision, act] of BACK) {
  for (const isRedeemed of [false, true]) {
    if (decision === "deny" && isRedeemed) continue;
    const when = isRedeemed ? "after the code was redeemed" : `after ${decision}`;
    Deno.test(`AuthorizationServer answers 404 if the user goes back and ${why}, ${when} (AS26)`, async () => {
      const site = subjectSite();
      const page = await site.page();
      const response = await site.decide(site.browser, page, { decision });
      const code = responseParameters(response).get("code");
      if (isRedeemed) assertEquals((await site.redeem(code ?? "")).status, 200);
      const before = [...site.codes.records.values()];
      assertEquals(await answerOf(await act(site, page)), "404 interaction_unknown");
      assertEquals([...site.codes.records.values()], before);
      if (code !== null && !isRedeemed) assertEquals((await site.redeem(code)).status, 200);
    });
  }
}

async function reload(site: SubjectSite, page: string): Promise<Response> {
  return await site.browser.send(`/oauth/authorize?id=${formOf(page).fields["id"]}`);
}

Deno.test("AuthorizationServer shows the page as often as it is loaded (AS26)", async () => {
  const site = subjectSite();
  const page = await site.page();
  const again = await (await reload(site, page)).text();
  assertEquals(formOf(again), formOf(page));
  assertEquals(site.codes.records.size, 1);
  for (const text of [page, again]) assertEquals(formOf(text).fields["id"]?.length, 22);
  assertEquals(await answerOf(await site.decide(site.browser, page)), "code");
});

/** Answers of forms that are posted at once. */
const RACES: readonly (readonly [why: string, decisions: readonly string[]])[] = [
  ["200 times allow", Array.from({ length: 200 }, () => "allow")],
  ["50 times deny", Array.from({ length: 50 }, () => "deny")],
  ["allow and deny", ["allow", "deny"]],
];
for (const [why, decisions] of RACES) {
  Deno.test(`AuthorizationServer takes one of several decisions: ${why} (AS26)`, async () => {
    const site = subjectSite();
    const page = await site.page();
    const responses = await Promise.all(
      decisions.map((decision) => site.decide(site.browser, page, { decision })),
    );
    const answers = [];
    for (const response of responses) answers.push(await answerOf(response));
    const won = answers.filter((answer) => answer !== "404 interaction_unknown");
    assertEquals(won.length, 1);
    const [record] = site.codes.records.values();
    assertEquals(record?.state, won[0] === "code" ? "issued" : "denied");
    assertEquals(site.codes.records.size, 1);
  });
}

Deno.test("AuthorizationServer issues one code to a remembered client that returns twice at once (AS26)", async () => {
  const site = subjectSite();
  const next = returnPath(
    await site.authorize(site.browser, { client_id: "own", prompt: "login" }),
  );
  site.app.clock.now += 1;
  site.enter();
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => site.browser.send(next)),
  );
  const answers = [];
  const to = "https://own.example/cb?";
  for (const response of responses) answers.push(await answerOf(response, { to }));
  assertEquals(answers.filter((answer) => answer === "code").length, 1);
  assertEquals(answers.filter((answer) => answer === "404 interaction_unknown").length, 19);
});

/** Who returns to `?id=`, and when. */
const RETURNS: readonly (readonly [
  source: string,
  why: string,
  act: (site: SubjectSite, id: string) => Promise<Response>,
  answer: string,
])[] = [
  ["AS26", "the browser", (site, id) => send(site.browser, id), "consent"],
  ["AS26", "another browser", (site, id) => send(site.app.browser(), id), "403 browser_mismatch"],
  ["AS26", "no cookie", (site, id) => send(site.browser, id, undefined), "403 browser_mismatch"],
  [
    "AS26",
    "an empty cookie",
    (site, id) => send(site.browser, id, `__Host-ax-${id.slice(0, 8)}=`),
    "403 browser_mismatch",
  ],
  [
    "AS26",
    "the cookie twice",
    (site, id) =>
      send(site.browser, id, `${site.browser.jar.field()}; ${site.browser.jar.field()}`),
    "403 browser_mismatch",
  ],
  [
    "AS26",
    "the cookie and another one",
    (site, id) =>
      send(site.browser, id, `__Host-ax-${id.slice(0, 8)}=x; ${site.browser.jar.field()}`),
    "403 browser_mismatch",
  ],
  [
    "AS26",
    "the cookie without its prefix",
    (site, id) => send(site.browser, id, site.browser.jar.field().replace("__Host-", "")),
    "403 browser_mismatch",
  ],
  [
    "AS26",
    "the digest that is stored for the cookie",
    async (site, id) => {
      const record = site.codes.records.get(id);
      const digest = record?.state === "pending" ? record.browser : "";
      return await send(site.browser, id, `__Host-ax-${id.slice(0, 8)}=${digest}`);
    },
    "403 browser_mismatch",
  ],
  ["AS49", "599 seconds later", async (site, id) => {
    site.app.clock.now += 599;
    return await send(site.browser, id);
  }, "consent"],
  ["AS49", "600 seconds later", async (site, id) => {
    site.app.clock.now += 600;
    return await send(site.browser, id);
  }, "404 interaction_unknown"],
  [
    "AS26",
    "an unknown id",
    (site) => send(site.browser, "A".repeat(22)),
    "404 interaction_unknown",
  ],
  ["AS26", "an empty id", (site) => send(site.browser, ""), "404 interaction_unknown"],
  ["AS26", "a longer id", (site, id) => send(site.browser, `${id}A`), "404 interaction_unknown"],
  [
    "AS26",
    "an id with NUL",
    (site, id) => send(site.browser, `${id}%00`),
    "404 interaction_unknown",
  ],
  [
    "AS26",
    "an id with a line break",
    (site, id) => send(site.browser, `${id}%0A`),
    "404 interaction_unknown",
  ],
  [
    "AS26",
    "an id in upper case",
    (site, id) => send(site.browser, swapped(id)),
    "404 interaction_unknown",
  ],
  [
    "AS26",
    "a code",
    (site, id) => send(site.browser, `${id}.${"A".repeat(43)}`),
    "404 interaction_unknown",
  ],
  [
    "AS26",
    "other parameters beside the id, which are ignored",
    (site, id) => send(site.browser, `${id}&prompt=none&scope=email&state=x&response_type=token`),
    "consent",
  ],
  [
    "6749-3.1",
    "HEAD",
    (site, id) => site.browser.send(`/oauth/authorize?id=${id}`, { method: "HEAD" }),
    "405",
  ],
];
for (const [source, why, act, answer] of RETURNS) {
  Deno.test(`AuthorizationServer answers ${answer} to the return of ${why} (${source})`, async () => {
    const site = outside();
    const next = returnPath(await site.authorize(site.browser));
    site.enter();
    const response = await act(site, new URLSearchParams(next.split("?")[1]).get("id") ?? "");
    if (answer === "405") assertEquals(response.status, 405);
    else assertEquals(await answerOf(response), answer);
    const [record] = site.codes.records.values();
    assertEquals([record?.state, site.codes.records.size], ["pending", 1]);
  });
}

async function send(
  browser: TestBrowser,
  id: string,
  ...cookie: readonly [string | undefined] | readonly []
): Promise<Response> {
  const headers = cookie.length === 0 ? {} : { Cookie: cookie[0] };
  return await browser.send(`/oauth/authorize?id=${id}`, { headers });
}

/** Letters in the other case. */
function swapped(id: string): string {
  const letters = [...id].map((letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  );
  return letters.join("");
}

Deno.test("AuthorizationServer takes no cookie of another request (AS26)", async () => {
  const site = outside();
  const paths = [await site.authorize(site.browser), await site.authorize(site.browser)].map(
    returnPath,
  );
  const [[, first = ""] = [], [second = ""] = []] = interactionCookies(site.browser);
  site.browser.jar.set(second, first);
  site.enter();
  const answers = [];
  for (const path of paths) answers.push(await answerOf(await site.browser.send(path)));
  assertEquals(answers.sort(), ["403 browser_mismatch", "consent"]);
});

Deno.test("AuthorizationServer takes no request of another issuer on the same store (AS47)", async () => {
  const { store } = recordedCodes();
  const site = subjectSite({ server: { codes: store } });
  const page = await site.page();
  const issuer = "https://other.example";
  const options = { ...site.options, issuer };
  const other = new AuthorizationServer(options);
  const { id = "", token = "" } = formOf(page).fields;
  const Cookie = site.browser.jar.field();
  const headers = { Cookie, "Sec-Fetch-Site": "same-origin" };
  const shown = await handleOAuthServerRequest(
    other,
    new Request(`${issuer}/oauth/authorize?id=${id}`, { headers }),
  );
  assertEquals(await answerOf(shown), "404 interaction_unknown");
  const decided = await handleOAuthServerRequest(
    other,
    new Request(`${issuer}/oauth/authorize`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ id, token, decision: "allow" }),
    }),
  );
  assertEquals(await answerOf(decided), "404 interaction_unknown");
  assertEquals(await answerOf(await site.decide(site.browser, page)), "code");
});

/** Changes of a client while its user signs in or decides. */
const CHANGES: readonly (readonly [
  source: string,
  why: string,
  Partial<RegisteredClient> | null,
  answer: string,
])[] = [
  ["AS46", "disabled", { disabled: true }, "400 client_disabled"],
  ["AS46", "deleted", null, "400 client_unknown"],
  [
    "AS46",
    "without the redirect URI",
    { redirectUris: ["https://app.example/new"] },
    "400 redirect_uri_mismatch",
  ],
  ["AS46", "without redirect URIs", { redirectUris: [] }, "400 redirect_uri_mismatch"],
  ["AS46", "with another redirect URI too", {
    redirectUris: ["https://app.example/new", "https://app.example/cb"],
  }, "as before"],
  ["AS46", "without the grant", { grants: ["refresh_token"] }, "unauthorized_client"],
  ["AS46", "without one of the scopes", { scope: ["openid"] }, "invalid_scope"],
  ["AS46", "with another name", { name: "New" }, "as before"],
];
for (const [source, why, changes, answer] of CHANGES) {
  for (const step of ["sign-in", "allow", "deny"]) {
    Deno.test(`AuthorizationServer answers ${answer} after ${step} to a client that is ${why} meanwhile (${source})`, async () => {
      let change: Partial<RegisteredClient> | null = {};
      const site = subjectSite();
      const { find } = site.options.clients;
      const clients = {
        async find(id: string) {
          const client = await find(id);
          return client === null || change === null ? null : { ...client, ...change };
        },
      };
      const other = subjectSite({ server: { clients } });
      if (step === "sign-in") other.subject = undefined;
      const first = await other.authorize(other.browser);
      change = changes;
      other.enter();
      const decision = step;
      const response = step === "sign-in"
        ? await other.browser.send(returnPath(first))
        : await other.decide(other.browser, first, { decision });
      const usual = { "sign-in": "consent", allow: "code", deny: "access_denied" }[step];
      assertEquals(await answerOf(response), answer === "as before" ? usual : answer);
    });
  }
}

/** Forms that are damaged: never a 500, and nothing changes. */
const DAMAGED: readonly (readonly [why: string, body: (id: string, token: string) => string])[] = [
  ["NUL in all fields", (id, token) => `id=${id}%00&token=${token}%00&decision=allow%00`],
  [
    "a token twice, the first one wrong",
    (id, token) => `id=${id}&token=x&token=${token}&decision=allow`,
  ],
  [
    "a decision twice, the first one wrong",
    (id, token) => `id=${id}&token=${token}&decision=x&decision=allow`,
  ],
  [
    "an id twice, the first one wrong",
    (id, token) => `id=x&id=${id}&token=${token}&decision=allow`,
  ],
  ["percent signs", (id) => `id=${id}&token=%&decision=%zz`],
  ["a token that is not UTF-8", (id) => `id=${id}&token=%ff%fe&decision=allow`],
  ["a token of 15 KiB", (id) => `id=${id}&token=${"a".repeat(15_000)}&decision=allow`],
  ["an id in another case", (id, token) => `ID=${id}&token=${token}&decision=allow&id=`],
];
for (const [why, body] of DAMAGED) {
  Deno.test(`AuthorizationServer refuses a form with ${why} (AS20)`, async () => {
    const site = subjectSite();
    const { id = "", token = "" } = formOf(await site.page()).fields;
    const response = await postForm(site.browser, body(id, token));
    assertMatch(await answerOf(response), /^40[34] (?:consent_forged|interaction_unknown)$/);
    assertEquals(site.codes.records.get(id)?.state, "pending");
  });
}

Deno.test("AuthorizationServer emits an event for each refusal, without input of the request", async () => {
  const site = subjectSite();
  await site.authorize(site.browser, { client_id: "nobody" });
  await site.authorize(site.browser, { scope: "secret" });
  await site.decide(site.browser, await site.page(), { fields: { token: "secret" } });
  await site.decide(site.browser, await site.page(), { decision: "deny" });
  const events = site.app.events.filter(({ type }) => type === "authorization.refused");
  const at = START;
  const address = "192.0.2.1";
  assertEquals(events, [
    { type: "authorization.refused", at, reason: "client_unknown", address },
    { type: "authorization.refused", at, reason: "invalid_scope", clientId: "spa", address },
    { type: "authorization.refused", at, reason: "consent_forged", clientId: "spa", address },
    { type: "authorization.refused", at, reason: "access_denied", clientId: "spa", address },
  ]);
});
