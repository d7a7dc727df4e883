/**
 * Pushed authorization requests: what is stored, what is refused to the client, and what a reference is good for. Sources: RFC 9126,
 * and the attacks AS32 to AS34.
 */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import type { AuthorizationServerOptions } from "../../../auth/server/mod.ts";
import type { RegisteredClient } from "../../../auth/stores/server_types.ts";
import { PUSHED_REQUESTS } from "../../_effort.ts";
import type { TestBrowser } from "../_browser.ts";
import {
  answerOf,
  interactionCookies,
  postForm,
  recordedCodes,
  returnPath,
  type SubjectSite,
  subjectSite,
} from "./_authorize.ts";
import { proofKey } from "../dpop/_proofs.ts";
import { testClients } from "./_clients.ts";
import { dpopSite, tokenProof } from "./_dpop.ts";
import { push, pushedSite, pushedUri, URN, usePath, WEB } from "./_pushed.ts";
import {
  API,
  assertTokenError,
  basic,
  CHALLENGE,
  ISSUER,
  type Params,
  responseParameters,
  SECRET,
} from "./_site.ts";
import { changingClients, tokensOf } from "./_tokens.ts";

const [KEY, OTHER] = [await proofKey(), await proofKey()];

const TO_WEB = { to: "https://web.example/cb?" } as const;

async function use(
  site: SubjectSite,
  uri: string,
  params: Params = {},
  browser: TestBrowser = site.browser,
): Promise<Response> {
  return await browser.send(usePath(uri, params), { headers: { "Sec-Fetch-Site": "cross-site" } });
}

Deno.test("AuthorizationServer answers the request of RFC 9126 §1.1, with PKCE added, 9126-2.2", async () => {
  const clients = testClients({
    clientId: "s6BhdRkqt3",
    name: "The example's client",
    type: "web",
    redirectUris: ["https://client.example.org/cb"],
    authentication: "client_secret_basic",
    secretHashes: [await digestText("7Fjfp0ZBr1KtDRbnfVdmIw")],
    grants: ["authorization_code"],
    registeredAt: 0,
  });
  const site = pushedSite({ server: { clients, lifetimes: { pushedRequest: 60 } } });
  const response = await site.send("/oauth/par", {
    method: "POST",
    headers: {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: "Basic czZCaGRSa3F0Mzo3RmpmcDBaQnIxS3REUmJuZlZkbUl3",
    },
    body: "response_type=code&state=af0ifjsldkj&client_id=s6BhdRkqt3" +
      "&redirect_uri=https%3A%2F%2Fclient.example.org%2Fcb" +
      `&code_challenge=${CHALLENGE}&code_challenge_method=S256`,
  });
  assertEquals([response.status, response.headers.get("Cache-Control")], [201, "no-store"]);
  const { request_uri, ...others } = await response.json();
  assertEquals(others, { expires_in: 60 });
  const page = await use(site, request_uri, { client_id: "s6BhdRkqt3" });
  assertEquals(await answerOf(page), "consent");
  const to = "https://client.example.org/cb?";
  const answer = await site.decide(site.browser, page);
  assertEquals(await answerOf(answer, { state: "af0ifjsldkj", to }), "code");
});

Deno.test("AuthorizationServer issues references of 43 random characters for 90 seconds, and keeps their digest, 9126-2.2", async () => {
  const site = pushedSite();
  const response = await push(site);
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
  const { request_uri, expires_in } = await response.json();
  assertEquals(expires_in, 90);
  assertMatch(request_uri, /^urn:ietf:params:oauth:request_uri:[\w-]{22}\.[\w-]{43}$/);
  assertNotEquals(await pushedUri(site), request_uri);
  const [[id = "", record] = []] = site.codes.records;
  assertEquals([record?.state, record?.expiresAt], ["pushed", site.app.clock.now + 90]);
  const secret = request_uri.slice(`${URN}${id}.`.length);
  const text = JSON.stringify(record);
  assertEquals([text.includes(secret), text.includes(await digestText(secret))], [false, true]);
});

Deno.test("AuthorizationServer signs in by a pushed request, with the parameters of the push, 9126-4, AS33", async () => {
  const site = pushedSite();
  site.subject = undefined;
  const uri = await pushedUri(site, { login_hint: "ada", nonce: "n-9", state: "s-9" });
  const beside = { state: "other", scope: "notes:write", redirect_uri: "https://evil.example" };
  const signIn = await use(site, uri, { ...beside, prompt: "none", response_type: "token" });
  assertEquals(await answerOf(signIn), "sign-in: signed_out");
  assertMatch(signIn.headers.get("Location") ?? "", /login_hint=ada/);
  site.enter();
  const page = await site.browser.send(returnPath(signIn));
  const answer = await site.decide(site.browser, page);
  assertEquals(await answerOf(answer, { state: "s-9", ...TO_WEB }), "code");
  const code = responseParameters(answer).get("code") ?? "";
  const { scope, id_token } = await tokensOf(
    await site.redeem(code, { client_id: undefined, redirect_uri: "https://web.example/cb" }, WEB),
  );
  assertEquals(scope, "openid notes:read");
  assertMatch(atob(id_token.split(".")[1] ?? ""), /"nonce":"n-9"/);
});

Deno.test("AuthorizationServer reads a pushed request as one that a browser brings, 9126-2.1", async () => {
  const params = {
    prompt: "login consent",
    max_age: "77",
    acr_values: "aal2 aal1",
    claims: JSON.stringify({ id_token: { email: null, acr: { value: "aal2", essential: true } } }),
    login_hint: "ada",
    ui_locales: "de en",
    response_mode: "form_post",
    resource: API,
    scope: "openid offline_access notes:write",
  };
  const site = pushedSite({ server: { acrValues: ["aal1", "aal2"] } });
  site.subject = undefined;
  const path = `${site.authorizePath({ client_id: "web", ...params })}&resource=${ISSUER}`;
  await site.browser.send(path);
  const body = new URL(path, ISSUER).searchParams;
  const { request_uri } = await (await site.send("/oauth/par", {
    method: "POST",
    headers: WEB,
    body,
  })).json();
  await use(site, request_uri);
  const [brought, pushed] = site.codes.records.values();
  assertEquals([brought?.state, pushed?.state], ["pending", "pending"]);
  if (brought?.state !== "pending" || pushed?.state !== "pending") return;
  assertEquals(pushed.request, brought.request);
  assertEquals(pushed.request.resources, [API, ISSUER]);
  assertEquals(pushed.expiresAt, site.app.clock.now + 600);
});

/** Requests that are refused as they are pushed. */
const REFUSED: readonly (readonly [source: string, why: string, Params, answer: string])[] = [
  ["9126-2.1", "with a request_uri", { request_uri: `${URN}x` }, "invalid_request"],
  ["9126-3", "with a request object", { request: "e30.e30." }, "request_not_supported"],
  [
    "AS33",
    "with a redirect URI that is not the client's, RFC 9126 §2.4",
    { redirect_uri: "https://web.example/other" },
    "invalid_request redirect_uri_mismatch",
  ],
  [
    "9126-2.1",
    "without a redirect URI",
    { redirect_uri: undefined },
    "invalid_request redirect_uri_missing",
  ],
  ["21-1", "without PKCE", { code_challenge: undefined }, "invalid_request"],
  ["BCP-2.1.1-c", "with PKCE's plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["BCP-2.1.2", "of another flow", { response_type: "token" }, "unsupported_response_type"],
  ["9126-2.3", "for an unknown scope alone", { scope: "x" }, "invalid_scope"],
  ["8707-2", "for an unknown API", { resource: "https://other.example" }, "invalid_target"],
  ["9126-2.3", "with an unknown prompt", { prompt: "x" }, "invalid_request"],
  ["9126-2.3", "with a hint that is none", { id_token_hint: "x" }, "invalid_request"],
  ["9126-2.3", "with malformed claims", { claims: "{" }, "invalid_request"],
  ["9126-2.3", "with a line break in state", { state: "a\nb" }, "invalid_request"],
];
for (const [source, why, params, answer] of REFUSED) {
  Deno.test(`AuthorizationServer refuses a pushed request ${why} (${source})`, async () => {
    const site = pushedSite();
    const response = await push(site, params);
    assertEquals([response.status, response.headers.get("Location")], [400, null]);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    const { error, error_description = "", ...others } = await response.json();
    assertEquals(others, {});
    assertMatch(`${error} ${error_description}`, new RegExp(`^${answer}`));
    assertEquals(site.codes.calls, []);
    assertEquals(site.app.events.map(({ type }) => type), ["authorization.refused"]);
  });
}

Deno.test("AuthorizationServer knows who pushes a request by the authentication, without client_id, 9126-2", async () => {
  const site = pushedSite();
  const uri = await pushedUri(
    site,
    { client_id: undefined, redirect_uri: TO_WEB.to.slice(0, -1) },
    WEB,
  );
  assertEquals(await answerOf(await use(site, uri)), "consent");
});

/** Clients that are refused. */
const CLIENT_REFUSALS: readonly (readonly [
  why: string,
  params: Params,
  headers: Readonly<Record<string, string>>,
  error: string,
  status?: number,
])[] = [
  ["with a wrong secret", {}, basic("web", `${SECRET}x`), "invalid_client", 401],
  ["without its secret", {}, {}, "invalid_client"],
  ["by another method", { client_secret: SECRET }, {}, "invalid_client"],
  ["with another one's id", { client_id: "spa" }, WEB, "invalid_request"],
  ["that is unknown", { client_id: "nobody" }, {}, "invalid_client"],
  ["without an id", { client_id: undefined }, {}, "invalid_client"],
];
for (const [why, params, headers, error, status] of CLIENT_REFUSALS) {
  Deno.test(`AuthorizationServer refuses a pushed request of a client ${why} (9126-2)`, async () => {
    const site = pushedSite();
    await assertTokenError(await push(site, params, headers), error, status);
    assertEquals(site.codes.calls, []);
  });
}

Deno.test("AuthorizationServer takes pushed requests as forms by POST, with each parameter once, 9126-2.3", async () => {
  const site = pushedSite();
  const send = (init: RequestInit) => site.send("/oauth/par", init);
  const get = await send({});
  assertEquals([get.status, get.headers.get("Allow")], [405, "POST, OPTIONS"]);
  assertEquals((await send({ method: "OPTIONS" })).status, 204);
  const json = await send({ method: "POST", body: "{}", headers: WEB });
  await assertTokenError(json, "invalid_request");
  const twice = `${new URL(site.authorizePath({ client_id: "web" }), ISSUER).search}&state=2`;
  const headers = { ...WEB, "Content-Type": "application/x-www-form-urlencoded" };
  const repeated = await send({ method: "POST", headers, body: twice.slice(1) });
  await assertTokenError(repeated, "invalid_request");
  assertEquals(site.codes.calls, []);
});

Deno.test("AuthorizationServer has no endpoint for pushed requests unless the option is set, and metadata that say so, 9126-5", async () => {
  const rows: readonly (readonly [
    AuthorizationServerOptions["pushedRequests"],
    status: number,
    required: true | undefined,
  ])[] = [[undefined, 404, undefined], [false, 404, undefined], [true, 201, undefined], [
    "required",
    201,
    true,
  ]];
  for (const [pushedRequests, status, required] of rows) {
    const site = pushedSite({ server: { pushedRequests } });
    assertEquals((await push(site)).status, status);
    const {
      pushed_authorization_request_endpoint: endpoint,
      require_pushed_authorization_requests: isRequired,
    } = site.server.metadata();
    assertEquals(endpoint, status === 404 ? undefined : `${ISSUER}/oauth/par`);
    assertEquals(isRequired, required);
  }
});

/** Ways to use a reference that was pushed by `web`. */
const MISUSES: readonly (readonly [
  why: string,
  use: (site: SubjectSite, uri: string) => Promise<Response>,
  answer?: string,
])[] = [
  ["by another client, 9126-4", (site, uri) => use(site, uri, { client_id: "spa" })],
  ["without a client", (site, uri) => use(site, uri, { client_id: undefined })],
  ["of a client that is unknown", (site, uri) => use(site, uri, { client_id: "nobody" })],
  ["after 90 seconds", (site, uri) => {
    site.app.clock.now += 90;
    return use(site, uri);
  }],
  ["after its code was issued", async (site, uri) => {
    await site.decide(site.browser, await use(site, uri));
    return await use(site, uri);
  }],
  ["after the user has refused", async (site, uri) => {
    await site.decide(site.browser, await use(site, uri), { decision: "deny" });
    return await use(site, uri);
  }],
  ["in another browser, after its first use", async (site, uri) => {
    await use(site, uri);
    return await use(site, uri, {}, site.app.browser());
  }, "403 browser_mismatch"],
  ["with another secret", (site, uri) => use(site, `${uri.slice(0, -43)}${"A".repeat(43)}`)],
  ["without a secret", (site, uri) => use(site, uri.slice(0, -44))],
  ["with something behind it", (site, uri) => use(site, `${uri}x`)],
  ["that nobody pushed", (site) => use(site, `${URN}${"A".repeat(22)}.${"A".repeat(43)}`)],
  ["with the id of an object's prototype", (site) => use(site, `${URN}__proto__`)],
  ["that is empty", (site) => use(site, URN)],
];
for (const [why, misuse, answer = "400 request_uri_unknown"] of MISUSES) {
  Deno.test(`AuthorizationServer refuses a reference ${why} (AS33)`, async () => {
    const site = pushedSite();
    const uri = await pushedUri(site);
    assertEquals(await answerOf(await misuse(site, uri)), answer);
  });
}

Deno.test("AuthorizationServer does not ask the store for references and ids that it cannot have issued, AS33", async () => {
  const site = pushedSite();
  const uri = await pushedUri(site);
  const id = "A".repeat(22);
  for (
    const text of [
      URN,
      `${URN}__proto__`,
      `${URN}a.b`,
      `${URN}${id}`,
      `${URN}${id}.${"A".repeat(42)}`,
      `${URN}A${id}.${"A".repeat(43)}`,
      `${URN}${"/".repeat(22)}.${"A".repeat(43)}`,
      `${uri}\n`,
      `${uri}x`,
    ]
  ) assertEquals(await answerOf(await use(site, text)), "400 request_uri_unknown", text);
  for (const text of ["", "__proto__", `${id}A`, "/".repeat(22), `${id}\n`]) {
    const page = await site.browser.send(`/oauth/authorize?id=${encodeURIComponent(text)}`);
    assertEquals(await answerOf(page), "404 interaction_unknown", text);
  }
  assertEquals(site.codes.calls, ["create"]);
});

Deno.test("AuthorizationServer keeps the words of acr_values that every store can keep, each once", async () => {
  const site = pushedSite();
  const acr_values = `gold a\0b ${"x".repeat(513)} \ud800 silver  gold`;
  await pushedUri(site, { acr_values });
  const [record] = site.codes.records.values();
  assert(record?.state === "pushed");
  assertEquals(record.request.acrValues, ["gold", "\ufffd", "silver"]); // URLs have no lone surrogates
});

Deno.test("AuthorizationServer refuses the reference of another issuer on the same store (AS47)", async () => {
  const site = pushedSite();
  const other = pushedSite({
    server: { issuer: `${ISSUER}/other`, codes: site.codes.store },
    app: { clock: site.app.clock },
  });
  const body = new URL(site.authorizePath({ client_id: "web" }), ISSUER).searchParams;
  const init = { method: "POST", headers: WEB, body };
  const { request_uri } = await (await other.send("/other/oauth/par", init)).json();
  assertEquals(await answerOf(await use(site, request_uri)), "400 request_uri_unknown");
});

Deno.test("AuthorizationServer does not fetch any other request_uri (AS32)", async () => {
  const uris = ["http://169.254.169.254/", "https://app.example/r", URN.slice(0, -1)];
  for (const pushedRequests of [true, false]) {
    const site = pushedSite({ server: { pushedRequests } });
    for (const request_uri of uris) {
      const answer = await answerOf(await site.authorize(site.browser, { request_uri }));
      assertEquals(answer, "request_uri_not_supported");
    }
  }
  const off = subjectSite();
  const response = await off.authorize(off.browser, { request_uri: `${URN}x` });
  assertEquals(await answerOf(response), "request_uri_not_supported");
});

Deno.test("AuthorizationServer shows the page of a pushed request again when it is reloaded, RFC 9126 §4", async () => {
  const site = pushedSite();
  const uri = await pushedUri(site);
  assertEquals(await answerOf(await use(site, uri)), "consent");
  site.app.clock.now += 300; // longer than the reference lives: the user reads
  const again = await use(site, uri);
  assertEquals(await answerOf(again), "consent");
  assertEquals(interactionCookies(site.browser).length, 1);
  assertEquals(await answerOf(await site.decide(site.browser, again), TO_WEB), "code");
});

Deno.test("AuthorizationServer takes a reference by POST as by GET, RFC 9126 §4", async () => {
  const site = pushedSite();
  const request_uri = await pushedUri(site);
  const repeat = await postForm(site.browser, { client_id: "web", request_uri });
  assertEquals(await answerOf(repeat), "repeat");
  const page = await site.browser.send(repeat.headers.get("Location") ?? "");
  assertEquals(await answerOf(page), "consent");
});

Deno.test("AuthorizationServer answers a pushed request with prompt=none by a redirect, and asks nothing", async () => {
  const site = pushedSite();
  site.subject = undefined;
  const uri = await pushedUri(site, { prompt: "none" });
  assertEquals(await answerOf(await use(site, uri), TO_WEB), "login_required");
  assertEquals(interactionCookies(site.browser), []);
});

for (const [why, client_id, won] of [["a code", "own", "code"], ["a page", "spa", "consent"]]) {
  Deno.test(`AuthorizationServer gives one of 20 uses of a reference at once ${why}, AS33`, async () => {
    const site = pushedSite();
    const uri = await pushedUri(site, { client_id });
    const browsers = Array.from({ length: 20 }, () => site.app.browser());
    const responses = await Promise.all(
      browsers.map((browser) => use(site, uri, { client_id }, browser)),
    );
    const to = client_id === "own" ? "https://own.example/cb?" : "https://app.example/cb?";
    const answers = await Promise.all(responses.map((response) => answerOf(response, { to })));
    assertEquals(answers.filter((answer) => answer === won).length, 1);
    const others = new Set(answers.filter((answer) => answer !== won));
    others.delete("403 browser_mismatch"); // those that come after the winner
    assertEquals([...others], ["400 request_uri_unknown"]);
    assertEquals(site.codes.records.size, 1);
  });
}

/** Changes of a client between the push and the browser. */
const CHANGES: readonly (readonly [why: string, Partial<RegisteredClient> | null, string])[] = [
  ["was disabled", { disabled: true }, "400 client_disabled"],
  ["was deleted", null, "400 client_unknown"],
  [
    "has another redirect URI",
    { redirectUris: ["https://web.example/x"] },
    "400 redirect_uri_mismatch",
  ],
  ["may have less", { scope: ["notes:write"] }, "invalid_scope"],
  ["has no code flow", { grants: ["refresh_token"] }, "unauthorized_client"],
];
for (const [why, change, answer] of CHANGES) {
  Deno.test(`AuthorizationServer refuses a pushed request of a client that ${why} since (AS46)`, async () => {
    const { clients, current } = changingClients();
    const site = pushedSite({ server: { clients } });
    const uri = await pushedUri(site);
    current.change = change;
    assertEquals(await answerOf(await use(site, uri), TO_WEB), answer);
  });
}

Deno.test("AuthorizationServer refuses a request that a browser brings if it must be pushed, AS34", async () => {
  const all = pushedSite({ server: { pushedRequests: "required" } });
  assertEquals(await answerOf(await all.authorize(all.browser)), "invalid_request");
  assertEquals(await answerOf(await use(all, await pushedUri(all))), "consent");

  const { clients, current } = changingClients();
  const one = pushedSite({ server: { clients } });
  assertEquals(await answerOf(await one.authorize(one.browser)), "consent");
  for (const requirePushedRequests of [true, 1, "yes"]) {
    current.change = { requirePushedRequests };
    assertEquals(await answerOf(await one.authorize(one.browser)), "invalid_request");
  }
  assertEquals(await answerOf(await use(one, await pushedUri(one))), "consent");
  const off = subjectSite({ server: { clients } }); // nothing can be pushed: the client is shut out
  assertEquals(await answerOf(await off.authorize(off.browser)), "invalid_request");
  assertEquals(one.codes.calls.filter((call) => call === "create").length, 2);
});

Deno.test("AuthorizationServer counts what a public client pushes, and all refusals, AS49", async () => {
  const rule = { kind: "window", limit: 2, seconds: 900 } as const;
  const clientAddress = () => "192.0.2.1";
  const statuses = async (
    throttle: Readonly<Record<string, typeof rule>>,
    ...request: [params?: Params, headers?: Readonly<Record<string, string>>]
  ) => {
    const site = pushedSite({ app: { throttle }, server: { clientAddress } });
    const all = [];
    for (let i = 0; i < 4; i++) all.push((await push(site, ...request)).status);
    return all;
  };
  assertEquals(await statuses({ challenge: rule }, { client_id: "spa" }), [201, 201, 429, 429]);
  assertEquals(await statuses({ challenge: rule }), [201, 201, 201, 201]);
  assertEquals(await statuses({ token: rule }, {}, basic("web", "x")), [401, 401, 429, 429]);
  assertEquals(await statuses({ token: rule }, { scope: "x" }), [400, 400, 429, 429]);
});

Deno.test(`AuthorizationServer keeps of ${PUSHED_REQUESTS} pushed requests those of 90 seconds, AS49`, async () => {
  const site = pushedSite();
  const codes = recordedCodes(() => site.app.clock.now);
  const all = pushedSite({ server: { codes: codes.store }, app: { clock: site.app.clock } });
  const uris = [];
  for (let i = 0; i < PUSHED_REQUESTS; i++) {
    uris.push(await pushedUri(all));
    site.app.clock.now += 1;
  }
  const found = [];
  for (const id of codes.records.keys()) found.push(await codes.store.find(id) !== null);
  assertEquals(found.filter((isThere) => isThere).length, 89); // one each second, and the first of them has just expired
  assertEquals(await answerOf(await use(all, uris.at(-1) ?? "")), "consent");
});

/** Keys that a push names by `dpop_jkt` and shows by a proof, and the one that the code is bound to; none if it is refused. */
const BINDINGS: readonly (readonly [
  why: string,
  named: string | undefined,
  shown: string | undefined,
  bound?: string,
])[] = [
  ["dpop_jkt", KEY.jkt, undefined, KEY.jkt],
  ["a proof", undefined, KEY.jkt, KEY.jkt],
  ["both, which agree", KEY.jkt, KEY.jkt, KEY.jkt],
  ["both, which differ", OTHER.jkt, KEY.jkt],
];
for (const [why, dpop_jkt, shown, bound] of BINDINGS) {
  Deno.test(`AuthorizationServer binds the code to the key that a push names by ${why}, 9449-10.1`, async () => {
    const site = dpopSite({ pushedRequests: true });
    const target = { method: "POST", url: `${ISSUER}/oauth/par` };
    const proof = await KEY.prove(target, { iat: site.app.clock.now });
    const headers = { ...WEB, ...(shown === undefined ? {} : { DPoP: proof }) };
    const response = await push(site, { dpop_jkt }, headers);
    assertEquals(response.status, bound === undefined ? 400 : 201);
    const { error, request_uri } = await response.json();
    if (bound === undefined) return assertEquals(error, "invalid_request");
    const browser = await site.signedIn();
    const page = await browser.send(usePath(request_uri));
    const code = responseParameters(await site.decide(browser, page)).get("code") ?? "";
    const redeem = async (key: typeof KEY) =>
      await site.redeem(
        code,
        { client_id: undefined, redirect_uri: "https://web.example/cb" },
        { ...WEB, DPoP: await tokenProof(site, key) },
      );
    await assertTokenError(await redeem(OTHER), "invalid_grant");
    assertEquals((await tokensOf(await redeem(KEY))).token_type, "DPoP");
  });
}

Deno.test("AuthorizationServer without DPoP ignores dpop_jkt and proofs of a push, RFC 6749 §3.1", async () => {
  for (const dpop_jkt of [KEY.jkt, "x"]) {
    const site = pushedSite();
    const response = await push(site, { dpop_jkt }, { ...WEB, DPoP: "x" });
    const page = await use(site, (await response.json()).request_uri);
    const code = responseParameters(await site.decide(site.browser, page)).get("code") ?? "";
    const changes = { client_id: undefined, redirect_uri: "https://web.example/cb" };
    assertEquals((await tokensOf(await site.redeem(code, changes, WEB))).token_type, "Bearer");
  }
});

Deno.test("AuthorizationServer refuses a push with a proof that is for another endpoint, or was used, 9449-10.1, AS39", async () => {
  const site = dpopSite({ pushedRequests: true });
  const used = await KEY.prove({ method: "POST", url: `${ISSUER}/oauth/par` });
  assertEquals((await push(site, {}, { ...WEB, DPoP: used })).status, 201);
  for (const DPoP of [used, await tokenProof(site, KEY), "x"]) {
    await assertTokenError(await push(site, {}, { ...WEB, DPoP }), "invalid_dpop_proof");
  }
});
