/**
 * The authorization endpoint: requests that are refused, by a page while the client and its redirect URI are not known to be valid,
 * and by a redirect after that. RFC 6749 §4.1.2.1, RFC 9700, and the attacks AS1 to AS6, AS41, AS44, AS45 and AS49.
 */

import { assert, assertEquals, assertFalse } from "@std/assert";
import { handleOAuthServerRequest } from "../../../auth/server/mod.ts";
import type { AuthorizationServerOptions } from "../../../auth/server/core/types.ts";
import type { RegisteredClient } from "../../../auth/stores/server_types.ts";
import { answerOf, postForm, recordedCodes, subjectSite } from "./_authorize.ts";
import { ISSUER, type Params, REDIRECTS } from "./_site.ts";

type Clients = AuthorizationServerOptions["clients"];

/** Redirect URIs that are none of the client's: `spa` has `https://app.example/cb`. */
const FOREIGN: readonly (readonly [source: string, why: string, uri: string, clientId?: string])[] =
  [
    ["oidcc-ensure-registered-redirect-uri", "one that is not registered", "https://x.example/cb"],
    ["AS1", "another client's", "https://web.example/cb"],
    ["AS1", "a suffix of the path", "https://app.example/cb/x"],
    ["AS1", "a suffix without a slash", "https://app.example/cbx"],
    ["AS1", "a final slash", "https://app.example/cb/"],
    ["AS1", "a prefix of the path", "https://app.example/c"],
    ["AS1", "the origin alone", "https://app.example"],
    ["AS1", "a suffix of the host", "https://app.example.evil.example/cb"],
    ["AS1", "a suffix of the host's label", "https://app.exampleevil.example/cb"],
    ["AS1", "a prefix of the host", "https://evilapp.example/cb"],
    ["AS1", "a subdomain", "https://x.app.example/cb"],
    ["AS1", "a final dot of the host", "https://app.example./cb"],
    ["AS1", "dot segments away", "https://app.example/cb/../evil"],
    ["AS1", "dot segments back to it", "https://app.example/x/../cb"],
    ["AS1", "encoded dot segments", "https://app.example/x/%2e%2e/cb"],
    ["AS1", "a doubly encoded dot segment", "https://app.example/%252e%252e/cb"],
    ["AS1", "a single dot", "https://app.example/./cb"],
    ["AS1", "an encoded letter", "https://app.example/%63b"],
    ["AS1", "an encoded slash", "https://app.example%2fcb"],
    ["AS1", "two slashes", "https://app.example//cb"],
    ["AS1", "a path parameter", "https://app.example/cb;x=1"],
    ["AS1", "dots behind a path parameter", "https://app.example/cb;/../../evil"],
    ["AS1", "a user", "https://user@app.example/cb"],
    ["AS1", "the host as a user", "https://app.example@evil.example/cb"],
    ["AS1", "the host as a user with a port", "https://app.example:443@evil.example/cb"],
    ["AS1", "an encoded @", "https://app.example%40evil.example/cb"],
    ["AS1", "a fragment", "https://app.example/cb#x"],
    ["AS1", "an empty fragment", "https://app.example/cb#"],
    ["AS1", "a query", "https://app.example/cb?x=1"],
    ["AS1", "an empty query", "https://app.example/cb?"],
    ["AS1", "the default port", "https://app.example:443/cb"],
    ["AS1", "another port", "https://app.example:8443/cb"],
    ["AS1", "an upper-case host", "https://APP.example/cb"],
    ["AS1", "an upper-case path", "https://app.example/CB"],
    ["AS1", "an upper-case scheme", "HTTPS://app.example/cb"],
    ["AS1", "http", "http://app.example/cb"],
    ["AS1", "no scheme", "//app.example/cb"],
    ["AS1", "a path alone", "/cb"],
    ["AS1", "a backslash for the host", "https://evil.example\\@app.example/cb"],
    ["AS1", "backslashes for slashes", "https:\\\\app.example\\cb"],
    ["AS1", "a backslash behind the host", "https://app.example\\.evil.example/cb"],
    ["AS1", "a tab inside", "https://app.example/\tcb"],
    ["AS1", "a line break behind", "https://app.example/cb\n"],
    ["AS1", "a header field behind", "https://app.example/cb\r\nSet-Cookie: a=b"],
    ["AS1", "a space in front", " https://app.example/cb"],
    ["AS1", "a space behind", "https://app.example/cb "],
    ["AS1", "NUL behind", "https://app.example/cb\0"],
    ["AS1", "NUL inside", "https://app.example/cb\0.evil.example"],
    ["AS1", "a letter that looks like another", "https://аpp.example/cb"],
    ["AS1", "a full stop of another script", "https://app。example/cb"],
    ["AS1", "two values in one", "https://app.example/cb,https://evil.example/cb"],
    ["AS1", "two values with a space", "https://app.example/cb https://evil.example/cb"],
    ["AS1", "a wildcard", "https://app.example/*"],
    ["AS1", "javascript:", "javascript:alert(1)"],
    ["AS1", "javascript: that looks like it", "javascript://app.example/cb%0aalert(1)"],
    ["AS1", "data:", "data:text/html,https://app.example/cb"],
    ["AS1", "17 KiB", `https://app.example/cb?${"a".repeat(15_000)}`],
    ["BCP-2.1-a", "the port of a web client", "https://web.example:8443/cb", "web"],
    ["AS2", "another loopback path", "http://127.0.0.1:8080/other", "cli"],
    ["AS2", "another loopback query", "http://127.0.0.1:8080/cb?x", "cli"],
    ["AS2", "another address of 127/8", "http://127.0.0.2/cb", "cli"],
    ["AS2", "a loopback form that is not registered", "http://[::1]:8080/cb", "cli"],
    ["AS2", "127.1", "http://127.1/cb", "cli"],
    ["AS2", "localhost.evil.example", "http://localhost.evil.example/cb", "cli"],
    ["AS2", "a user with the port", "http://127.0.0.1:1@evil.example/cb", "cli"],
    ["AS2", "https to localhost", "https://localhost/cb", "cli"],
    ["AS2", "port 0", "http://127.0.0.1:0/cb", "cli"],
    ["AS2", "a port that is too large", "http://127.0.0.1:65536/cb", "cli"],
    ["AS2", "a port with zeros", "http://127.0.0.1:08080/cb", "cli"],
    ["AS2", "a private-use scheme's other path", "com.example.notes:/other", "cli"],
    ["AS2", "a private-use scheme's host", "com.example.notes://cb", "cli"],
    ["AS2", "a web client's 127.0.0.1", "http://127.0.0.1/cb"],
    ["AS2", "a web client's localhost", "http://localhost:3000/cb"],
  ];
for (const [source, why, redirect_uri, client_id = "spa"] of FOREIGN) {
  for (const response_mode of ["query", "form_post"]) {
    Deno.test(`AuthorizationServer refuses ${why} as redirect URI with response_mode=${response_mode} (${source})`, async () => {
      const site = subjectSite();
      const response = await site.authorize(site.browser, {
        client_id,
        redirect_uri,
        response_mode,
      });
      assertEquals(await answerOf(response), "400 redirect_uri_mismatch");
      assertFalse((await response.text()).includes("evil.example"));
      assertEquals([response.headers.getSetCookie(), site.codes.calls], [[], []]);
    });
  }
}

/** Redirect URIs that were stored before they were refused at registration. */
const STORED: readonly (readonly [source: string, why: string, uri: string, isNative?: true])[] = [
  ["AS3", "javascript:", "javascript:alert(1)"],
  ["AS3", "javascript: of a native client", "javascript:alert(1)", true],
  ["AS3", "data:", "data:text/html,x", true],
  ["AS3", "vbscript:", "vbscript:msgbox(1)", true],
  ["AS3", "a fragment", "https://app.example/cb#x"],
  ["AS3", "a user", "https://user@app.example/cb"],
  ["AS3", "http of a web client", "http://app.example/cb"],
  ["AS3", "http of a native client", "http://app.example/cb", true],
  ["AS3", "a custom scheme without a dot", "notes:/cb", true],
  ["AS3", "a private-use scheme of a web client", "com.example.notes:/cb"],
  ["AS3", "an upper-case host and no path", "https://APP.example/"],
  ["AS3", "a default port and no path", "https://app.example:443"],
  ["BCP-4.1", "a wildcard inside of the host", "https://app.*.example/cb"],
  ["BCP-4.1", "a wildcard", "https://*.app.example/cb"],
];
for (const [source, why, uri, isNative] of STORED) {
  Deno.test(`AuthorizationServer refuses a stored redirect URI with ${why} (${source})`, async () => {
    const type = isNative ? "native" : "web";
    const site = subjectSite({ server: { clients: storedClient({ type, redirectUris: [uri] }) } });
    const response = await site.authorize(site.browser, {
      client_id: "stored",
      redirect_uri: uri,
      response_mode: "form_post",
    });
    assertEquals(await answerOf(response), "400 redirect_uri_mismatch");
  });
}

function storedClient(changes: Partial<RegisteredClient>): Clients {
  const client: RegisteredClient = {
    clientId: "stored",
    name: "Stored",
    type: "web",
    redirectUris: ["https://app.example/cb"],
    authentication: "none",
    grants: ["authorization_code"],
    registeredAt: 0,
    version: "1",
    ...changes,
  };
  return { find: (id) => Promise.resolve(id.toLowerCase() === "stored" ? client : null) };
}

/** Errors before the client and its redirect URI are valid. */
const PAGES: readonly (readonly [source: string, why: string, Params, answer: string])[] = [
  ["AS4", "no client_id", { client_id: undefined }, "400 client_unknown"],
  ["AS4", "an empty client_id", { client_id: "" }, "400 client_unknown"],
  ["AS4", "an unknown client", { client_id: "nobody" }, "400 client_unknown"],
  ["AS4", "a client in upper case", { client_id: "SPA" }, "400 client_unknown"],
  ["AS4", "a client_id with NUL", { client_id: "spa\0" }, "400 client_unknown"],
  ["AS4", "a client_id with a line break", { client_id: "spa\n" }, "400 client_unknown"],
  ["AS4", "a client_id with a space", { client_id: "spa " }, "400 client_unknown"],
  ["AS4", "a client_id of 201 characters", { client_id: "a".repeat(201) }, "400 client_unknown"],
  ["AS4", "a client_id of a prototype", { client_id: "__proto__" }, "400 client_unknown"],
  ["AS4", "no redirect_uri", { redirect_uri: undefined }, "400 redirect_uri_missing"],
  ["AS4", "an empty redirect_uri", { redirect_uri: "" }, "400 redirect_uri_missing"],
  [
    "AS4",
    "an unknown client and a bad response_type",
    { client_id: "nobody", response_type: "token" },
    "400 client_unknown",
  ],
  [
    "BCP-4.11-b",
    "prompt=none for an unknown client",
    { client_id: "nobody", prompt: "none" },
    "400 client_unknown",
  ],
  [
    "BCP-4.11-b",
    "prompt=none for another redirect URI",
    { redirect_uri: "https://evil.example/", prompt: "none" },
    "400 redirect_uri_mismatch",
  ],
  [
    "BCP-2.1-b",
    "an invalid scope for another redirect URI",
    { redirect_uri: "https://evil.example/", scope: "x" },
    "400 redirect_uri_mismatch",
  ],
];
for (const [source, why, params, answer] of PAGES) {
  Deno.test(`AuthorizationServer shows ${answer} to ${why} (${source})`, async () => {
    const site = subjectSite();
    const redirected = { redirect_uri: "https://app.example/cb", ...params };
    const response = await site.authorize(site.browser, redirected);
    assertEquals(await answerOf(response), answer);
    assertEquals([response.headers.getSetCookie(), site.codes.calls], [[], []]);
  });
}

Deno.test("AuthorizationServer asks the store of clients for nothing but well-formed ids (AS4)", async () => {
  const asked: string[] = [];
  const find: Clients["find"] = (id) => (asked.push(id), Promise.resolve(null));
  const site = subjectSite({ server: { clients: { find } } });
  for (const client_id of ["", "a\0", "a\n", "ä", " ", "a".repeat(201)]) {
    await site.authorize(site.browser, { client_id });
  }
  assertEquals(asked, []);
  await site.authorize(site.browser, { client_id: "a".repeat(200) });
  assertEquals(asked, ["a".repeat(200)]);
});

/** Clients that a store returns. */
const FOUND:
  readonly (readonly [source: string, why: string, Partial<RegisteredClient>, string])[] = [
    ["AS46", "disabled", { disabled: true }, "400 client_disabled"],
    ["AS4", "found by an inexact comparison", { clientId: "STORED" }, "400 client_unknown"],
    ["AS4", "that the store has damaged", { redirectUris: "x" as never }, "500 server_error"],
    ["6749-4.1.2.1", "without the grant", { grants: ["refresh_token"] }, "unauthorized_client"],
    ["6749-4.1.2.1", "with it", {}, "consent"],
  ];
for (const [source, why, changes, answer] of FOUND) {
  Deno.test(`AuthorizationServer answers ${answer} to a client ${why} (${source})`, async () => {
    const site = subjectSite({ server: { clients: storedClient(changes) } });
    const response = await site.authorize(site.browser, { client_id: "stored" });
    assertEquals(await answerOf(response), answer);
  });
}

/** Errors that are redirected to the client, with `iss` and `state`. */
const ERRORS: readonly (readonly [source: string, why: string, Params, error: string])[] = [
  [
    "oidcc-response-type-missing",
    "no response_type",
    { response_type: undefined },
    "invalid_request",
  ],
  ["6749-3.1-empty", "an empty response_type", { response_type: "" }, "invalid_request"],
  ["BCP-2.1.2", "the implicit grant", { response_type: "token" }, "unsupported_response_type"],
  ["BCP-2.1.2", "id_token", { response_type: "id_token" }, "unsupported_response_type"],
  [
    "BCP-2.1.2",
    "id_token token",
    { response_type: "id_token token" },
    "unsupported_response_type",
  ],
  ["21-3", "a hybrid flow", { response_type: "code id_token" }, "unsupported_response_type"],
  ["21-3", "code token", { response_type: "code token" }, "unsupported_response_type"],
  ["21-3", "response_type=none", { response_type: "none" }, "unsupported_response_type"],
  ["6749-3.1.1", "CODE", { response_type: "CODE" }, "unsupported_response_type"],
  ["6749-3.1.1", "code with NUL", { response_type: "code\0" }, "unsupported_response_type"],
  ["6749-3.1.1", "code code", { response_type: "code code" }, "unsupported_response_type"],
  ["AS5", "response_mode=fragment", { response_mode: "fragment" }, "invalid_request"],
  ["BCP-4.17", "response_mode=web_message", { response_mode: "web_message" }, "invalid_request"],
  ["AS5", "a JARM mode", { response_mode: "query.jwt" }, "invalid_request"],
  ["AS5", "an unknown mode", { response_mode: "x" }, "invalid_request"],
  ["AS5", "a mode in upper case", { response_mode: "FORM_POST" }, "invalid_request"],
  [
    "BCP-2.1.1-a, BCP-2.1.1-b, BCP-4.4-a, MCP-2",
    "no PKCE",
    withPkce(undefined, undefined),
    "invalid_request",
  ],
  ["21-1", "a method without a challenge", withPkce(undefined), "invalid_request"],
  ["BCP-4.8-a", "a challenge that was stripped", withPkce(""), "invalid_request"],
  ["BCP-2.1.1-c", "method plain", { code_challenge_method: "plain" }, "invalid_request"],
  ["AS6", "no method", { code_challenge_method: undefined }, "invalid_request"],
  ["AS6", "an empty method", { code_challenge_method: "" }, "invalid_request"],
  ["AS6", "method s256", { code_challenge_method: "s256" }, "invalid_request"],
  ["AS6", "method S256 with a space", { code_challenge_method: "S256 " }, "invalid_request"],
  ["AS6", "method S512", { code_challenge_method: "S512" }, "invalid_request"],
  ["AS6", "a challenge of 42 characters", withPkce("A".repeat(42)), "invalid_request"],
  ["AS6", "a challenge of 44 characters", withPkce("A".repeat(44)), "invalid_request"],
  ["AS6", "a challenge with padding", withPkce(`${"A".repeat(43)}=`), "invalid_request"],
  ["AS6", "a challenge of plain base64", withPkce(`+/${"A".repeat(41)}`), "invalid_request"],
  ["AS6", "a challenge with spare bits", withPkce(`${"A".repeat(42)}B`), "invalid_request"],
  ["AS6", "a challenge with a line break", withPkce(`${"A".repeat(43)}\n`), "invalid_request"],
  ["AS6", "a challenge with NUL", withPkce(`${"A".repeat(42)}\0`), "invalid_request"],
  [
    "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
    "request",
    { request: "eyJhbGciOiJub25lIn0.e30." },
    "request_not_supported",
  ],
  [
    "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
    "request_uri",
    { request_uri: "https://app.example/request.jwt" },
    "request_uri_not_supported",
  ],
  [
    "oidcc-ensure-request-object-with-redirect-uri",
    "a redirect URI in a request object too",
    { request: "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9." },
    "request_not_supported",
  ],
  [
    "AS32",
    "request_uri to the internal network",
    { request_uri: "http://169.254.169.254/latest/" },
    "request_uri_not_supported",
  ],
  ["AS45", "no known scope", { scope: "x y" }, "invalid_scope"],
  ["AS45", "a tab in scope", { scope: "openid\tnotes:read" }, "invalid_scope"],
  ["AS45", "a quote in scope", { scope: 'openid "notes:read"' }, "invalid_scope"],
  ["AS45", "a backslash in scope", { scope: "openid \\" }, "invalid_scope"],
  ["AS45", "NUL in scope", { scope: "openid \0" }, "invalid_scope"],
  ["AS45", "a line break in scope", { scope: "openid\n" }, "invalid_scope"],
  ["AS45", "a letter of another script", { scope: "openid ο" }, "invalid_scope"],
  ["6749-3.3", "two spaces in scope", { scope: "openid  notes:read" }, "invalid_scope"],
  ["6749-3.3", "a space before scope", { scope: " openid" }, "invalid_scope"],
  ["6749-3.3", "a space alone", { scope: " " }, "invalid_scope"],
  [
    "AS45",
    "1,000 scopes",
    { scope: Array.from({ length: 1_000 }, (_, i) => i).join(" ") },
    "invalid_scope",
  ],
  ["AS45", "65 scopes", { scope: `openid ${words(64)}` }, "invalid_scope"],
  ["AS45", "64 scopes", { scope: `openid ${words(63)}` }, "consent"],
  ["AS45", "2,049 characters", { scope: `openid ${"a".repeat(2_042)}` }, "invalid_scope"],
  ["AS45", "2,048 characters", { scope: `openid ${"a".repeat(2_041)}` }, "consent"],
  ["6749-A.5", "NUL in state", { state: "a\0" }, "invalid_request"],
  ["6749-A.5", "a line break in state", { state: "a\r\nSet-Cookie: a=b" }, "invalid_request"],
  ["6749-A.5", "DEL in state", { state: "a\x7f" }, "invalid_request"],
  ["6749-A.5", "other letters in state", { state: "ä" }, "invalid_request"],
  ["6749-A.5", "a state of 2,049 characters", { state: "s".repeat(2_049) }, "invalid_request"],
  ["OIDCC-3.1.2.1", "NUL in nonce", { nonce: "a\0" }, "invalid_request"],
  ["OIDCC-3.1.2.1", "a nonce of 2,049 characters", { nonce: "n".repeat(2_049) }, "invalid_request"],
  ["OIDCC-3.1.2.1", "a nonce of 2,048 characters", { nonce: "n".repeat(2_048) }, "consent"],
  [
    "6749-3.1.2.1",
    "a request whose only fault is unknown",
    { code_challenge_method: "S256", x: "\0" },
    "consent",
  ],
];
for (const [source, why, params, error] of ERRORS) {
  for (const isWeb of [false, true]) {
    const client = isWeb ? "a confidential client" : "a public client";
    Deno.test(`AuthorizationServer answers ${error} to ${why} of ${client} (${source})`, async () => {
      const site = subjectSite();
      const client_id = isWeb ? "web" : "spa";
      const response = await site.authorize(site.browser, { client_id, ...params });
      const state = (params["state"] ?? "s-1") === "s-1" ? "s-1" : null; // a malformed one is not repeated
      const to = `${REDIRECTS[client_id]}?`;
      assertEquals(await answerOf(response, { state, to }), error);
      if (error !== "consent") assertEquals(site.codes.calls, []);
    });
  }
}

function withPkce(code_challenge: string | undefined, method: string | undefined = "S256"): Params {
  return { code_challenge, code_challenge_method: method };
}

function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `x${i}`).join(" ");
}

Deno.test("AuthorizationServer sends descriptions that a client may log (6749-4.1.2.1)", async () => {
  const site = subjectSite();
  const response = await site.authorize(site.browser, { code_challenge_method: "<plain>" });
  const { searchParams } = new URL(response.headers.get("Location") ?? "");
  assertEquals(searchParams.get("error_description"), "code_challenge_method must be S256");
});

/** Errors by a form, if the client wants that. */
const POSTED: readonly (readonly [source: string, why: string, Params, answer: string])[] = [
  ["FPRM-2", "an error", { scope: "x" }, "post: invalid_scope"],
  ["FPRM-2", "prompt=none", { prompt: "none" }, "post: consent_required"],
  ["FPRM-2", "a code", { prompt: "none", client_id: "own" }, "post: code"],
  ["FPRM-2", "a code of localhost", { client_id: "cli" }, "consent"],
  [
    "AS5",
    "a private-use scheme, which cannot be posted to",
    { client_id: "cli", redirect_uri: "com.example.notes:/cb" },
    "invalid_request",
  ],
];
for (const [source, why, params, answer] of POSTED) {
  Deno.test(`AuthorizationServer answers ${answer} for response_mode=form_post: ${why} (${source})`, async () => {
    const site = subjectSite();
    const response = await site.authorize(site.browser, { ...params, response_mode: "form_post" });
    assertEquals(await answerOf(response, { to: "com.example.notes:/cb?" }), answer);
  });
}

/** Every parameter that is read may occur once. */
const ONCE: readonly (readonly [name: string, value?: string])[] = [
  ["response_type"],
  ["response_mode", "query"],
  ["scope"],
  ["nonce"],
  ["code_challenge"],
  ["code_challenge_method"],
  ["prompt", "login"],
  ["max_age", "1"],
  ["acr_values", "1"],
  ["claims", "{}"],
  ["id_token_hint", "x"],
  ["login_hint", "x"],
  ["ui_locales", "en"],
  ["request", "x"],
  ["request_uri", "x"],
];
for (const [name, value] of ONCE) {
  Deno.test(`AuthorizationServer refuses ${name} twice, even if one is empty (6749-3.1-dup)`, async () => {
    const site = subjectSite();
    const path = site.authorizePath(value === undefined ? {} : { [name]: value });
    const same = new URLSearchParams(path).get(name) ?? "";
    for (const second of [encodeURIComponent(same), ""]) {
      const response = await site.browser.send(`${path}&${name}=${second}`);
      assertEquals(await answerOf(response), "invalid_request");
    }
  });
}
for (
  const [name, answer] of [
    ["client_id", "400 parameter_repeated"],
    ["redirect_uri", "400 parameter_repeated"],
    ["state", "invalid_request"],
  ] as const
) {
  Deno.test(`AuthorizationServer answers ${answer} to ${name} twice (6749-3.1-dup)`, async () => {
    const site = subjectSite();
    const path = site.authorizePath();
    for (const second of ["", "spa", "https%3A%2F%2Fapp.example%2Fcb", "s-1"]) {
      const response = await site.browser.send(`${path}&${name}=${second}`);
      assertEquals(await answerOf(response, { state: null }), answer);
    }
  });
}

Deno.test("AuthorizationServer fetches nothing (AS32)", async () => {
  const { fetch } = globalThis;
  const fetched: unknown[] = [];
  try {
    globalThis.fetch = (url) => (fetched.push(url), Promise.reject(new TypeError("offline")));
    const site = subjectSite();
    const request_uri = "http://169.254.169.254/";
    await site.authorize(site.browser, { request_uri });
    await site.authorize(site.browser, { client_id: "https://client.example/oauth.json" });
  } finally {
    globalThis.fetch = fetch;
  }
  assertEquals(fetched, []);
});

/** Other methods, and bodies that are no form. */
const METHODS: readonly (readonly [source: string, method: string])[] = [
  ["6749-3.1", "HEAD"], // GET would store the request
  ["6749-3.1", "PUT"],
  ["6749-3.1", "DELETE"],
  ["6749-3.1", "PATCH"],
  ["AS44", "OPTIONS"],
];
for (const [source, method] of METHODS) {
  Deno.test(`AuthorizationServer does not authorize by ${method} (${source})`, async () => {
    const site = subjectSite();
    const response = await site.browser.send(site.authorizePath(), {
      method,
      headers: {
        Origin: "https://app.example",
        "Access-Control-Request-Method": "GET",
      },
    });
    const { status, headers } = response;
    assertEquals([status, headers.get("Allow")], [405, "GET, POST"]);
    assertEquals([...headers.keys()].filter((name) => name.startsWith("access-control")), []);
    assertEquals([headers.getSetCookie(), site.codes.calls], [[], []]);
  });
}

for (const origin of ["https://app.example", "https://example.com", "null"]) {
  Deno.test(`AuthorizationServer has no CORS header fields for ${origin} (AS44, BCP-2.6-a)`, async () => {
    const site = subjectSite();
    for (const params of [{}, { scope: "x" }, { client_id: "nobody" }, { client_id: "own" }]) {
      const headers = { Origin: origin, "Sec-Fetch-Mode": "cors" };
      const response = await site.browser.send(site.authorizePath(params), { headers });
      await answerOf(response, { to: "https://" });
    }
  });
}

/** Bodies of a POST. */
const BODIES: readonly (readonly [source: string, why: string, type: string, body: string])[] = [
  ["OIDCC-3.1.2.1", "JSON", "application/json", "{}"],
  ["OIDCC-3.1.2.1", "text", "text/plain", "id=x"],
  ["OIDCC-3.1.2.1", "multipart", "multipart/form-data; boundary=x", "--x--"],
  ["OIDCC-3.1.2.1", "no media type", "", "id=x"],
  [
    "OIDCC-3.1.2.1",
    "two media types",
    "application/x-www-form-urlencoded, text/plain",
    "id=x",
  ],
  ["AS20", "16 KiB and one byte", "application/x-www-form-urlencoded", "a".repeat(16_385)],
  ["AS20", "1 MiB", "application/x-www-form-urlencoded", "a".repeat(1_048_576)],
];
for (const [source, why, type, body] of BODIES) {
  Deno.test(`AuthorizationServer refuses the body of a POST: ${why} (${source})`, async () => {
    const site = subjectSite();
    const response = await postForm(site.browser, body, { "Content-Type": type });
    assertEquals(await answerOf(response), "400 request_malformed");
  });
}

Deno.test("AuthorizationServer refuses a form that is not UTF-8 (AS20)", async () => {
  const site = subjectSite();
  const response = await site.browser.send("/oauth/authorize", {
    method: "POST",
    body: new Uint8Array([0x69, 0x64, 0x3d, 0xff]),
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
  });
  assertEquals(await answerOf(response), "400 request_malformed");
});

Deno.test("AuthorizationServer reads a form of 16 KiB, and a query up to that (AS20)", async () => {
  const site = subjectSite();
  const form = `client_id=spa&x=${"a".repeat(16_384 - 16)}`;
  assertEquals(await answerOf(await postForm(site.browser, form)), "repeat");
  const path = `${site.authorizePath()}&x=`;
  const room = 16_384 - `https://example.com${path}`.length;
  assertEquals(await answerOf(await site.browser.send(path + "a".repeat(room))), "consent");
  const longer = await site.browser.send(path + "a".repeat(room + 1));
  assertEquals(await answerOf(longer), "400 request_malformed");
});

Deno.test("AuthorizationServer redirects by 303 after a form with a password (AS41, BCP-2.1-e, BCP-4.12, 21-10)", async () => {
  const site = subjectSite();
  const response = await postForm(site.browser, { client_id: "spa", password: "secret" });
  assertEquals([response.status, response.headers.get("Content-Length")], [303, null]);
  for (const decision of ["allow", "deny"]) {
    const decided = await site.decide(site.browser, await site.page(), { decision });
    assertEquals(decided.status, 303);
  }
});

/** Requests of strangers, none of which may be stored. */
const UNSTORED: readonly Params[] = [
  { client_id: "nobody" },
  { redirect_uri: "https://evil.example/" },
  { redirect_uri: undefined },
  { response_type: "token" },
  { code_challenge: undefined },
  { scope: "x" },
  { prompt: "none" },
  { prompt: "x" },
  { id_token_hint: "x" },
  { id: "A".repeat(22) },
];

Deno.test("AuthorizationServer stores nothing before a request is valid (AS49)", async () => {
  const site = subjectSite();
  site.subject = undefined;
  for (const params of UNSTORED) await site.authorize(site.browser, params);
  assertEquals(site.codes.calls, ["find"]); // by the id
  assertEquals(site.browser.jar.names(), []);
});

Deno.test("AuthorizationServer stores a bounded number of records, which expire (AS49)", async () => {
  const site = subjectSite({ server: { clientAddress: () => "192.0.2.1" } });
  site.subject = undefined;
  const url = new URL(site.authorizePath(), ISSUER);
  const answers = new Map<number, number>();
  for (let i = 0; i < 2_000; i++) {
    const { status } = await handleOAuthServerRequest(site.server, new Request(url));
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }
  assertEquals([...answers], [[303, 500], [429, 1_500]]); // the throttle's `challenge`
  const ends = [...site.codes.records.values()].map(({ expiresAt }) => expiresAt);
  assertEquals([ends.length, ...new Set(ends)], [500, site.app.clock.now + 600]);
});

Deno.test("AuthorizationServer tells a throttled browser when to come back (AS49)", async () => {
  const challenge = { kind: "window", limit: 1, seconds: 900 } as const;
  const site = subjectSite({ app: { throttle: { challenge } } });
  site.subject = undefined;
  assertEquals(await answerOf(await site.authorize(site.browser)), "sign-in: signed_out");
  const response = await site.authorize(site.browser);
  assertEquals(await answerOf(response), "429 temporarily_unavailable");
  assert(Number(response.headers.get("Retry-After")) > 0);
});

Deno.test("AuthorizationServer shows a page if its store fails (6749-4.1.2.1)", async () => {
  const warnings: string[] = [];
  const { store } = recordedCodes();
  const create = () => Promise.reject(new Error("secret of the store"));
  const warn = (message: string) => void warnings.push(message);
  const site = subjectSite({ server: { codes: { ...store, create }, warn } });
  const response = await site.authorize(site.browser);
  assertEquals(await answerOf(response), "500 server_error");
  assertFalse((await response.text()).includes("secret"));
  assertEquals(warnings, ["Cannot answer request to the authorization server"]);
});
