/**
 * Clients whose id is the URL of a document. Sources: draft-ietf-oauth-client-id-metadata-document §3 to §6, MCP's security
 * considerations, and the attacks AS37 and AS38. No row reaches a network: `fetch` is the test's.
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ClientIdMetadataOptions } from "../../../auth/server/mod.ts";
import { registerClient } from "../../../auth/server/mod.ts";
import { AuthError, inMemoryAuthStores } from "../../../auth/mod.ts";
import { answerOf, type SubjectSite, subjectSite } from "./_authorize.ts";
import { assertErrorPage, assertTokenError, claimsOf, type Params, VERIFIER } from "./_site.ts";
import { isAlive, lastRefusal, refreshAs, tokensOf } from "./_tokens.ts";

const ID = "https://claude.example/oauth/client.json";
const LOOPBACK = "http://localhost:51234/callback";

const DOCUMENT = {
  client_id: ID,
  client_name: "Claude",
  client_uri: "https://other.example/",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
} as const;

interface DocumentSite extends SubjectSite {
  /** The URLs that were fetched. */
  readonly fetched: string[];
  /** What the next fetches answer. */
  answer: (url: string, init: RequestInit) => Response | Promise<Response>;
  ask(params?: Params): Promise<string>;
}

function documentSite(
  options: ClientIdMetadataOptions = {},
  document: unknown = DOCUMENT,
): DocumentSite {
  const fetched: string[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    fetched.push(url);
    return await all.answer(url, init);
  };
  const site = subjectSite({ server: { clientIdMetadata: { fetch, ...options } } });
  const all: DocumentSite = {
    ...site,
    get subject() {
      return site.subject;
    },
    set subject(subject) {
      site.subject = subject;
    },
    fetched,
    answer: () => Response.json(document),
    async ask(params = {}) {
      const all = { client_id: ID, redirect_uri: LOOPBACK, scope: "notes:read", ...params };
      const to = `${all.redirect_uri}?`;
      return await answerOf(await site.authorize(site.browser, all), { to });
    },
  };
  return all;
}

Deno.test("AuthorizationServer completes a flow of a client with a document, and fetches that once", async () => {
  const site = documentSite();
  const params = { client_id: ID, redirect_uri: LOOPBACK, scope: "offline_access notes:read" };
  const page = await site.page(params);
  for (
    const shown of [
      "Claude",
      "claude.example",
      "localhost:51234",
      "This is a program on your device",
    ]
  ) {
    assert(page.includes(shown), shown);
  }
  assertEquals(page.includes("other.example"), false); // client_uri is not verified
  const answer = await site.decide(site.browser, page);
  const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  const tokens = await tokensOf(
    await site.redeem(code, { client_id: ID, redirect_uri: LOOPBACK, code_verifier: VERIFIER }),
  );
  assertEquals(claimsOf(tokens.access_token)["client_id"], ID);
  const next = await tokensOf(await refreshAs(site, ID, tokens.refresh_token));
  assertEquals((await isAlive(site, next, ID))[1], true);
  assertEquals(site.fetched, [ID]);
  assertEquals((await site.server.listGrants("u1"))[0]?.clientId, ID);
  assertEquals(await site.ask(), "consent"); // always: all its installations have one id
});

Deno.test("AuthorizationServer fetches within limits, without redirects, and without what the user has", async () => {
  const site = documentSite();
  let init: RequestInit = {};
  site.answer = (_, given) => {
    init = given;
    return Response.json(DOCUMENT);
  };
  assertEquals(await site.ask(), "consent");
  assertEquals([init.redirect, init.headers, init.method, init.body], [
    "manual",
    { Accept: "application/json" },
    undefined,
    undefined,
  ]);
  assert(init.signal instanceof AbortSignal);
});

Deno.test("AuthorizationServer fetches nothing unless clientIdMetadata is on", async () => {
  const site = subjectSite();
  const response = await site.authorize(site.browser, { client_id: ID, redirect_uri: LOOPBACK });
  await assertErrorPage(response, 400, "client_unknown");
  const name = "client_id_metadata_document_supported";
  assertEquals([name in site.server.metadata(), documentSite().server.metadata()[name]], [
    false,
    true,
  ]);
});

/** Ids whose document is not fetched. */
const URLS: readonly (readonly [source: string, why: string, id: string, reason?: string])[] = [
  ["AS37", "http", "http://claude.example/client.json", "client_unknown"],
  ["AS37", "another scheme", "ftp://claude.example/client.json", "client_unknown"],
  ["AS37", "no path", "https://claude.example"],
  ["AS37", "an empty path", "https://claude.example/"],
  ["AS37", "a dot segment", "https://claude.example/a/../client.json"],
  ["AS37", "a single dot", "https://claude.example/./client.json"],
  ["AS37", "an encoded dot segment", "https://claude.example/%2e%2e/client.json"],
  ["AS37", "a fragment", `${ID}#x`],
  ["AS37", "an empty fragment", `${ID}#`],
  ["AS37", "a query", `${ID}?x`],
  ["AS37", "an empty query", `${ID}?`],
  ["AS37", "a user", "https://user@claude.example/client.json"],
  ["AS37", "a user and password", "https://a:b@claude.example/client.json"],
  ["AS37", "an upper-case host", "https://CLAUDE.example/client.json"],
  ["AS37", "the default port", "https://claude.example:443/client.json"],
  [
    "AS37",
    "a backslash",
    "https://claude.example\\@evil.example/client.json",
    "client_document_invalid",
  ],
  ["AS37", "513 characters", `https://claude.example/${"a".repeat(490)}`],
  ["AS38", "another port", "https://claude.example:6379/client.json"],
  ["AS38", "an IPv4 loopback address", "https://127.0.0.1/client.json"],
  ["AS38", "another spelling of it", "https://0x7f.1/client.json"],
  ["AS38", "a number", "https://2130706433/client.json"],
  ["AS38", "an octal number", "https://0177.0.0.1/client.json"],
  ["AS38", "an IPv6 loopback address", "https://[::1]/client.json"],
  ["AS38", "an IPv4 address in IPv6", "https://[::ffff:127.0.0.1]/client.json"],
  ["AS38", "a private address", "https://10.0.0.1/client.json"],
  [
    "AS38",
    "a link-local address: cloud metadata",
    "https://169.254.169.254/latest/meta-data/client",
  ],
  ["AS38", "a public address", "https://1.1.1.1/client.json"],
  ["AS38", "an address with a final dot", "https://127.0.0.1./client.json"],
  ["AS38", "localhost", "https://localhost/client.json"],
  ["AS38", "a name below localhost", "https://a.localhost/client.json"],
  ["AS38", "localhost with a final dot", "https://localhost./client.json"],
  ["AS38", "a name without a dot", "https://metadata/client.json"],
  ["AS38", "a name with a final dot", "https://claude.example./client.json"],
  ["AS38", "two dots", "https://claude..example/client.json"],
  ["AS38", "a name of the network", "https://vault.internal/client.json"],
  ["AS38", "a name of multicast DNS", "https://printer.local/client.json"],
  ["AS38", "a name at home", "https://nas.home.arpa/client.json"],
  ["AS38", "a name of a company", "https://vault.corp/client.json"],
  ["AS38", "a name of an intranet", "https://vault.intranet/client.json"],
  ["AS38", "a name of a router", "https://nas.lan/client.json"],
  ["AS38", "another name of a router", "https://nas.home/client.json"],
  ["AS38", "a name below localdomain", "https://nas.localdomain/client.json"],
  ["AS38", "cloud metadata by name", "https://metadata.google.internal/client"],
];

for (const [source, why, id, reason = "client_document_invalid"] of URLS) {
  Deno.test(`AuthorizationServer does not fetch the document of an id with ${why} (${source})`, async () => {
    const site = documentSite();
    assertEquals(await site.ask({ client_id: id }), `400 ${reason}`);
    assertEquals(site.fetched, []);
  });
}

const BAD = "400 client_document_invalid";
const DOWN = "503 client_document_unreachable";

const json = (document: object, headers: Record<string, string> = {}) => () =>
  Response.json(document, { headers });

/** Documents and answers that make no client. */
const ANSWERS: readonly (readonly [
  source: string,
  why: string,
  outcome: string,
  answer: () => Response | Promise<Response>,
])[] = [
  [
    "AS37, CIMD-4",
    "another client_id",
    BAD,
    json({ ...DOCUMENT, client_id: "https://evil.example/client.json" }),
  ],
  ["AS37", "its client_id with a slash", BAD, json({ ...DOCUMENT, client_id: `${ID}/` })],
  ["§4.1", "no client_id", BAD, json({ ...DOCUMENT, client_id: undefined })],
  ["§4.1", "a list of client ids", BAD, json({ ...DOCUMENT, client_id: [ID] })],
  ["AS37", "a secret", BAD, json({ ...DOCUMENT, client_secret: "x" })],
  ["AS37", "an expiry of a secret", BAD, json({ ...DOCUMENT, client_secret_expires_at: 0 })],
  [
    "§4.1",
    "client_secret_basic",
    BAD,
    json({ ...DOCUMENT, token_endpoint_auth_method: "client_secret_basic" }),
  ],
  [
    "§4.1",
    "client_secret_post",
    BAD,
    json({ ...DOCUMENT, token_endpoint_auth_method: "client_secret_post" }),
  ],
  [
    "§6.2",
    "private_key_jwt, which is not supported",
    BAD,
    json({
      ...DOCUMENT,
      redirect_uris: ["https://claude.example/cb"],
      token_endpoint_auth_method: "private_key_jwt",
    }),
  ],
  [
    "AS37",
    "a private key",
    BAD,
    json({ ...DOCUMENT, jwks: { keys: [{ kty: "EC", crv: "P-256", x: "", y: "", d: "x" }] } }),
  ],
  ["AS37", "a part of a private key", BAD, json({ ...DOCUMENT, jwks: { keys: [{ p: "x" }] } })],
  ["AS37", "another part of one", BAD, json({ ...DOCUMENT, jwks: { keys: [{}, { q: "x" }] } })],
  ["AS37", "a symmetric key", BAD, json({ ...DOCUMENT, jwks: { keys: [{ kty: "oct", k: "x" }] } })],
  ["RFC 7591", "no redirect URI", BAD, json({ ...DOCUMENT, redirect_uris: undefined })],
  [
    "RFC 7591",
    "a redirect URI that is javascript:",
    BAD,
    json({ ...DOCUMENT, redirect_uris: ["javascript:alert(1)"] }),
  ],
  ["RFC 7591", "a name that is no string", BAD, json({ ...DOCUMENT, client_name: 7 })],
  ["RFC 7591", "no code flow", BAD, json({ ...DOCUMENT, grant_types: ["implicit"] })],
  ["RFC 7591", "null for the document", BAD, () => Response.json(null)],
  ["RFC 7591", "a list for the document", BAD, json([DOCUMENT])],
  [
    "AS37",
    "a member twice",
    BAD,
    () =>
      new Response(`{"client_id":"${ID}",${JSON.stringify(DOCUMENT).slice(1)}`, {
        headers: { "Content-Type": "application/json" },
      }),
  ],
  ["AS37", "64 KiB and one byte", BAD, json({ ...DOCUMENT, x: "a".repeat(65_536) })],
  [
    "AS37",
    "a redirect",
    BAD,
    () => new Response(null, { status: 302, headers: { Location: "https://127.0.0.1/" } }),
  ],
  [
    "AS37",
    "a permanent redirect",
    BAD,
    () => new Response(null, { status: 308, headers: { Location: ID } }),
  ],
  ["§4", "404", BAD, () => new Response(null, { status: 404 })],
  ["§4", "201", BAD, () => Response.json(DOCUMENT, { status: 201 })],
  [
    "§4",
    "HTML",
    BAD,
    () => new Response(JSON.stringify(DOCUMENT), { headers: { "Content-Type": "text/html" } }),
  ],
  [
    "§4",
    "plain text",
    BAD,
    () => new Response(JSON.stringify(DOCUMENT), { headers: { "Content-Type": "text/plain" } }),
  ],
  [
    "§4",
    "no media type",
    BAD,
    () => new Response(new TextEncoder().encode(JSON.stringify(DOCUMENT))),
  ],
  [
    "§4",
    "no JSON",
    BAD,
    () => new Response("{", { headers: { "Content-Type": "application/json" } }),
  ],
  ["AS37", "500: not the client's fault", DOWN, () => new Response(null, { status: 500 })],
  ["AS37", "429", DOWN, () => new Response(null, { status: 429 })],
  ["AS37", "no connection", DOWN, () => Promise.reject(new TypeError("refused"))],
];

for (const [source, why, outcome, answer] of ANSWERS) {
  Deno.test(`AuthorizationServer refuses a document with ${why} (${source})`, async () => {
    const site = documentSite();
    site.answer = answer;
    assertEquals(await site.ask(), outcome);
    site.answer = json(DOCUMENT);
    // What is refused is remembered for a minute, who did not answer is asked again
    assertEquals(await site.ask(), outcome === DOWN ? "consent" : outcome);
    site.app.clock.now += 60;
    assertEquals(await site.ask(), "consent");
  });
}

const ACCEPTED: readonly (readonly [why: string, answer: () => Response])[] = [
  [
    "application/cimd+json",
    () => Response.json(DOCUMENT, { headers: { "Content-Type": "application/cimd+json" } }),
  ],
  [
    "a charset",
    () =>
      Response.json(DOCUMENT, { headers: { "Content-Type": "application/json; charset=utf-8" } }),
  ],
  [
    "a space behind the type",
    () => Response.json(DOCUMENT, { headers: { "Content-Type": "application/json ; x=y" } }),
  ],
  ["no method", json({ ...DOCUMENT, token_endpoint_auth_method: undefined })],
  [
    "a public key",
    json({ ...DOCUMENT, jwks: { keys: [{ kty: "EC", crv: "P-256", x: "", y: "" }] } }),
  ],
  [
    "members that are not known",
    json({ ...DOCUMENT, logo_uri: "javascript:alert(1)", firstParty: true }),
  ],
  ["64 KiB", json({ ...DOCUMENT, x: "a".repeat(65_000) })],
];

for (const [why, answer] of ACCEPTED) {
  Deno.test(`AuthorizationServer accepts a document with ${why}`, async () => {
    const site = documentSite();
    site.answer = answer;
    assertEquals(await site.ask(), "consent");
  });
}

/** How long a document is used: its `Cache-Control`, and seconds. */
const AGES: readonly (readonly [cacheControl: string | undefined, seconds: number])[] = [
  [undefined, 3_600],
  ["max-age=600", 600],
  ["no-store", 60],
  ["max-age=0", 60],
  ["public, max-age=31536000", 86_400], // AS37: cached forever
];

for (const [cacheControl, seconds] of AGES) {
  Deno.test(`AuthorizationServer uses a document for ${seconds} seconds, with Cache-Control: ${cacheControl}`, async () => {
    const site = documentSite();
    site.answer = json(
      DOCUMENT,
      cacheControl === undefined ? {} : { "Cache-Control": cacheControl },
    );
    await site.ask();
    site.app.clock.now += seconds - 1;
    await site.ask();
    assertEquals(site.fetched.length, 1);
    site.app.clock.now += 1;
    await site.ask();
    assertEquals(site.fetched.length, 2);
  });
}

Deno.test("AuthorizationServer uses a stale document for a day while its server does not answer", async () => {
  const site = documentSite();
  await site.ask();
  site.app.clock.now += 3_600;
  site.answer = () => new Response(null, { status: 503 });
  assertEquals(await site.ask(), "consent");
  site.app.clock.now += 86_399;
  assertEquals(await site.ask(), "consent");
  site.app.clock.now += 1;
  assertEquals(await site.ask(), DOWN);
});

Deno.test("AuthorizationServer gives nothing to a redirect URI that the document has lost (AS37)", async () => {
  const site = documentSite();
  site.answer = json(DOCUMENT, { "Cache-Control": "no-store" });
  const page = await site.page({ client_id: ID, redirect_uri: LOOPBACK, scope: "notes:read" });
  site.app.clock.now += 55;
  const answer = await site.decide(site.browser, page);
  const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  site.answer = json({ ...DOCUMENT, redirect_uris: ["https://claude.example/cb"] });
  site.app.clock.now += 5;
  const params = { client_id: ID, redirect_uri: LOOPBACK, code_verifier: VERIFIER };
  await assertTokenError(await site.redeem(code, params), "invalid_grant");
  assertEquals(lastRefusal(site), "redirect_uri_mismatch");
  assertEquals(await site.ask(), "400 redirect_uri_mismatch");
});

Deno.test("AuthorizationServer answers 503 at the token endpoint for a document that cannot be fetched", async () => {
  const site = documentSite();
  site.answer = () => Promise.reject(new TypeError("refused"));
  const form = { grant_type: "refresh_token", refresh_token: "x", client_id: ID };
  const response = await site.token(form);
  assertEquals([response.status, await response.json()], [503, {
    error: "temporarily_unavailable",
  }]);
});

Deno.test("AuthorizationServer shares one fetch between concurrent requests", async () => {
  const site = documentSite();
  const { promise, resolve } = Promise.withResolvers<Response>();
  site.answer = () => promise;
  const asked = Array.from({ length: 40 }, () => site.ask());
  await new Promise((done) => setTimeout(done, 50));
  resolve(Response.json(DOCUMENT));
  assertEquals(new Set(await Promise.all(asked)), new Set(["consent"]));
  assertEquals(site.fetched.length, 1);
});

Deno.test("AuthorizationServer fetches 16 documents at a time, and 20 a minute from one host", async () => {
  const site = documentSite();
  const { promise, resolve } = Promise.withResolvers<void>();
  site.answer = async (url) => {
    await promise;
    return Response.json({ ...DOCUMENT, client_id: url });
  };
  const urls = Array.from({ length: 20 }, (_, i) => `https://c${i}.example/client.json`);
  const asked = urls.map((client_id) => site.ask({ client_id }));
  await new Promise((done) => setTimeout(done, 50));
  resolve();
  const outcomes = await Promise.all(asked);
  assertEquals(outcomes.filter((one) => one === "consent").length, 16);
  assertEquals(outcomes.filter((one) => one === DOWN).length, 4);
  for (let i = 0; i < 22; i++) {
    const outcome = await site.ask({ client_id: `https://one.example/${i}` });
    assertEquals(outcome, i < 20 ? "consent" : DOWN, `${i}`);
  }
  site.app.clock.now += 60;
  assertEquals(await site.ask({ client_id: "https://one.example/22" }), "consent");
});

Deno.test("AuthorizationServer asks allow() before it fetches", async () => {
  const asked: string[] = [];
  const allow = (url: URL) => {
    asked.push(url.href);
    return url.host === "claude.example";
  };
  const site = documentSite({ allow });
  assertEquals(await site.ask(), "consent");
  assertEquals(await site.ask({ client_id: "https://evil.example/client.json" }), BAD);
  assertEquals([site.fetched, asked], [[ID], [ID, "https://evil.example/client.json"]]);
});

/** A client with a web page, which is not asked for as programs on devices are. */
const WEB = { client_id: ID, redirect_uris: ["https://claude.example/cb"] };
const WEB_PARAMS = { redirect_uri: "https://claude.example/cb" };

Deno.test("AuthorizationServer remembers no consent for a client with a document, even on the web", async () => {
  const site = documentSite({}, WEB);
  for (let i = 0; i < 2; i++) {
    const page = await site.page({ client_id: ID, scope: "notes:read", ...WEB_PARAMS });
    assert(page.includes("claude.example")); // without client_name it is the host
    const answer = await site.decide(site.browser, page);
    const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
    await tokensOf(await site.redeem(code, { client_id: ID, ...WEB_PARAMS }));
  }
  assertEquals((await site.server.listGrants("u1")).length, 2);
});

Deno.test("AuthorizationServer remembers a consent for its own client with such an id, if documents are off", async () => {
  const clients = [{ clientId: ID, name: "Ours", redirectUris: WEB.redirect_uris }];
  const site = subjectSite({ clients });
  const params = { client_id: ID, scope: "notes:read", ...WEB_PARAMS };
  const answer = await site.decide(site.browser, await site.page(params));
  const code = new URL(answer.headers.get("Location") ?? "").searchParams.get("code") ?? "";
  await tokensOf(await site.redeem(code, { client_id: ID, ...WEB_PARAMS }));
  const again = await site.authorize(site.browser, params);
  assertEquals(await answerOf(again, { to: `${WEB_PARAMS.redirect_uri}?` }), "code");
});

Deno.test("AuthorizationServer names a client by the host of its document, if that has no name", async () => {
  const redirect_uris = ["https://login.other.example/cb"];
  const site = documentSite({}, { client_id: ID, redirect_uris });
  const page = await site.page({
    client_id: ID,
    redirect_uri: redirect_uris[0],
    scope: "notes:read",
  });
  assert(page.includes("<bdi>claude.example</bdi>"));
});

Deno.test("AuthorizationServer does not take a store that fails for a document that cannot be fetched", async () => {
  const failures = [new Error("down"), new AuthError("service_unavailable", { reason: "store" })];
  for (const failure of failures) {
    const find = () => Promise.reject(failure);
    const site = subjectSite({ server: { clients: { find }, clientIdMetadata: true, warn() {} } });
    const params = { client_id: ID, redirect_uri: LOOPBACK };
    const text = await (await site.authorize(site.browser, params)).text();
    assertEquals(text.includes("client_document"), false);
  }
});

Deno.test("AuthorizationServer limits the scopes of clients with a document", async () => {
  const site = documentSite({ scope: ["notes:read"] });
  assertEquals(await site.ask({ scope: "notes:write" }), "invalid_scope");
  assertEquals(await site.ask({ scope: "notes:read" }), "consent");
});

Deno.test("AuthorizationServer prefers its own client of the same id", async () => {
  const { clients } = inMemoryAuthStores();
  const { client } = await registerClient(clients, {
    name: "Ours",
    type: "native",
    redirectUris: ["http://localhost/callback"],
  });
  const own = {
    find: (id: string) =>
      Promise.resolve(id === ID ? { ...client, clientId: ID, version: "0" } : null),
  };
  const site = subjectSite({
    server: {
      clients: own,
      clientIdMetadata: { fetch: () => Promise.reject(new Error("not asked")) },
    },
  });
  const page = await site.page({ client_id: ID, redirect_uri: LOOPBACK, scope: "notes:read" });
  assert(page.includes("Ours"));
});

Deno.test("AuthorizationServer refuses unknown options of clientIdMetadata", () => {
  for (
    const wrong of [
      { fetcher: fetch },
      { allow: true },
      { fetch: 7 },
      { scope: ["a b"] },
      "on",
      null,
    ]
  ) {
    assertThrows(() =>
      subjectSite({ server: { clientIdMetadata: wrong as unknown as ClientIdMetadataOptions } })
    );
  }
});
