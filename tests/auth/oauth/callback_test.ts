import { assert, assertEquals, assertFalse } from "@std/assert";
import { generateJwk, publicJwk, signJwt } from "../../../auth/mod.ts";
import { decodeBase64Url, encodeBase64Url } from "../../../auth/_base64url.ts";
import type { Changes, Json } from "./_fake_provider.ts";
import {
  failure,
  keepCookies,
  NOW,
  REDIRECT_URI,
  requestOf,
  signIn,
  site,
  start,
} from "./_sign_in.ts";

Deno.test("callback() returns who signed in, the tokens, and where to go, oidcc-client-test", async () => {
  const { client, fake, events } = site();
  const result = await signIn({ client, fake }, {}, { redirectTo: "/notes?a=1", remember: true });
  assertEquals(result.provider, "fake");
  assertEquals(result.issuer, fake.issuer);
  assertEquals(result.profile, {
    subject: "u-1",
    email: "ada@example.org",
    emailVerified: true,
    name: "Ada",
  });
  assertEquals([result.redirectTo, result.remember, result.link], ["/notes?a=1", true, undefined]);
  assertEquals(result.tokens.expiresAt, NOW + 3600);
  assertEquals(result.tokens.scope, ["openid", "email", "profile"]);
  assertEquals([result.authTime, result.amr, result.acr], [NOW, [], undefined]);
  assertEquals(result.cookies.length, 1);
  assert(Object.isFrozen(result));
  assertEquals(events, []);
});

Deno.test("callback() copies auth_time, amr, acr and sid of the ID token", async () => {
  const claims = { auth_time: NOW - 50, amr: ["pwd", "otp", 7], acr: "aal2", sid: "s-1" };
  const { authTime, amr, acr, sid } = await signIn(site(), { claims });
  assertEquals({ authTime, amr, acr, sid }, {
    authTime: NOW - 50,
    amr: ["pwd", "otp"],
    acr: "aal2",
    sid: "s-1",
  });
});

Deno.test("callback() does not take an auth_time in the future for recent", async () => {
  const { authTime } = await signIn(site(), { claims: { auth_time: NOW + 1_000_000 } });
  assertEquals(authTime, NOW);
});

for (const alg of ["RS256", "PS256", "ES256", "EdDSA"] as const) {
  const id = `oidcc-client-test-idtoken-sig-${alg.toLowerCase()}`;
  Deno.test(`callback() accepts an ID token signed by ${alg}, with its at_hash, ${id}`, async () => {
    const { profile } = await signIn(site({ fake: { alg } }));
    assertEquals(profile.subject, "u-1");
  });
}

Deno.test("callback() accepts a token signed by a key that was published after the start, oidcc-client-test-signing-key-rotation", async () => {
  const { client, fake, clock } = site();
  await signIn({ client, fake });
  await fake.rotateKey();
  clock.now += 60; // the cooldown of the keys
  assertEquals((await signIn({ client, fake })).profile.subject, "u-1");
});

Deno.test("callback() accepts an ID token without kid if one key fits, oidcc-client-test-kid-absent-single-jwks", async () => {
  const { client, fake } = site();
  const result = await signIn({ client, fake }, {
    idToken: async (token) => await fake.sign(payloadOf(token), { kid: undefined }),
  });
  assertEquals(result.profile.subject, "u-1");
});

/** The claims of a token, not verified. */
function payloadOf(token: string): Json {
  return JSON.parse(new TextDecoder().decode(decodeBase64Url(token.split(".")[1] ?? "")));
}

Deno.test("callback() accepts a key that was published after the start, oidcc-client-test-signing-key-rotation-just-before-signing", async () => {
  const { client, fake, clock } = site();
  await signIn({ client, fake });
  const browser = new Map<string, string>();
  const url = await start({ client }, browser);
  await fake.rotateKey();
  clock.now += 60; // the cooldown of the keys
  const result = await client.callback(requestOf(browser, fake.authorize(url).url));
  assertEquals(result.profile.subject, "u-1");
});

Deno.test("callback() rejects an ID token without kid if two keys fit, oidcc-client-test-kid-absent-multiple-jwks", async () => {
  const { client, fake } = site();
  const idToken = async (token: string) => await fake.sign(payloadOf(token), { kid: undefined });
  const keysOf = async () => await (await fake.fetch(`${fake.issuer}/jwks`, {})).json();
  const [own, other] = [await keysOf(), publicJwk(await generateJwk("ES256"))];
  const responses = {
    "/jwks": () => Response.json({ keys: [...own.keys, { ...other, kid: "other" }] }),
  };
  assertEquals(own.keys[0].kty, other.kty);
  const expected = ["oauth_failed", "id_token_refused"];
  assertEquals(await failure(() => signIn({ client, fake }, { idToken, responses })), expected);
});

Deno.test("callback() returns the claims of UserInfo, oidcc-client-test-scope-userinfo-claims", async () => {
  const userinfo = { name: "Ada King", email: "ada@king.example", email_verified: true };
  const { profile } = await signIn(site({ provider: { identity: "both" } }), { userinfo });
  assertEquals([profile.name, profile.email, profile.emailVerified], [
    "Ada King",
    "ada@king.example",
    true,
  ]);
});

/** ID tokens at the edge of what is accepted. */
const ACCEPTED: readonly (readonly [why: string, claims: Json])[] = [
  ["an audience in an array", { aud: ["client"] }],
  ["azp of this client", { aud: ["client", "other"], azp: "client" }],
  ["iat a minute before the start", { iat: NOW - 60 }],
  ["iat half a minute in the future", { iat: NOW + 30 }],
  ["an expiry that has just passed", { exp: NOW - 29 }],
  ["the oldest auth_time", { auth_time: NOW - 330 }],
  ["a sub of 255 characters", { sub: "s".repeat(255) }],
  ["no at_hash", { at_hash: undefined }],
];

for (const [why, claims] of ACCEPTED) {
  Deno.test(`callback() accepts ${why}`, async () => {
    const all = { auth_time: NOW, ...claims };
    const { profile } = await signIn(site(), { claims: all }, { maxAge: 300 });
    assertEquals(profile.subject.length > 0, true);
  });
}

Deno.test("callback() rejects ID tokens of a server without jwks_uri", async () => {
  const own = site();
  const metadata = { jwks_uri: undefined };
  own.fake.change({ metadata });
  assertEquals(await failure(() => signIn(own, { metadata })), [
    "oauth_failed",
    "id_token_refused",
  ]);
});

Deno.test("callback() checks sub of the ID token, also if the preset takes another subject", async () => {
  const provider = { profile: () => ({ subject: "fixed", emailVerified: false }) };
  const changes = { claims: { sub: "" } };
  const expected = ["oauth_failed", "sub_malformed"];
  assertEquals(await failure(() => signIn(site({ provider }), changes)), expected);
});

/** Reason of the failure for each change of an ID token, OpenID Connect Core §3.1.3.7. */
const ID_TOKENS: readonly (readonly [why: string, reason: string, changes: Changes])[] = [
  ["no ID token", "id_token_missing", { token: { id_token: undefined } }],
  ["alg none, RP13, oidcc-client-test-idtoken-sig-none", "id_token_refused", {
    idToken: (token) => unsigned(token, { alg: "none" }),
  }],
  ["alg nOnE", "id_token_refused", { idToken: (token) => unsigned(token, { alg: "nOnE" }) }],
  ["alg none with the signature", "id_token_refused", {
    idToken: (token) => `${unsigned(token, { alg: "none" })}${token.split(".")[2]}`,
  }],
  ["a changed signature, oidcc-client-test-invalid-sig-rs256", "id_token_refused", {
    idToken: (token) => `${token.slice(0, -8)}${token.endsWith("AAAAAAAA") ? "B" : "A"}AAAAAAA`,
  }],
  ["a signature by an unpublished key", "id_token_refused", {
    idToken: (token) => foreign(token, {}),
  }],
  ["an unknown kid", "id_token_refused", { header: { kid: "unknown" } }],
  ["an embedded jwk", "id_token_refused", { idToken: (token) => foreign(token, { jwk: true }) }],
  ["an access token's type", "id_token_refused", { header: { typ: "at+jwt" } }],
  ["a logout token's type", "id_token_refused", { header: { typ: "logout+jwt" } }],
  ["crit", "id_token_refused", { header: { crit: ["b64"], b64: true } }],
  ["another issuer, oidcc-client-test-invalid-iss", "iss_mismatch", {
    claims: { iss: "https://evil.example" },
  }],
  ["the issuer with a slash", "iss_mismatch", { claims: { iss: "https://id.example/" } }],
  ["no issuer", "id_token_refused", { claims: { iss: undefined } }],
  ["another client's audience, oidcc-client-test-invalid-aud", "id_token_refused", {
    claims: { aud: "other" },
  }],
  ["no audience", "id_token_refused", { claims: { aud: undefined } }],
  ["two audiences without azp", "azp_mismatch", { claims: { aud: ["client", "other"] } }],
  ["azp of another client", "azp_mismatch", { claims: { azp: "other" } }],
  ["azp of another client among audiences", "azp_mismatch", {
    claims: { aud: ["client", "other"], azp: "other" },
  }],
  ["azp that is no string", "azp_mismatch", { claims: { azp: ["client"] } }],
  ["an expired token", "id_token_refused", { claims: { exp: NOW - 31 } }],
  ["no expiry", "id_token_refused", { claims: { exp: undefined } }],
  ["an expiry as a string", "id_token_refused", { claims: { exp: `${NOW + 60}` } }],
  ["no iat, oidcc-client-test-missing-iat", "id_token_refused", { claims: { iat: undefined } }],
  ["iat of 1970", "issued_too_early", { claims: { iat: 1 } }],
  ["iat before the start", "issued_too_early", { claims: { iat: NOW - 61 } }],
  ["iat next week", "id_token_refused", { claims: { iat: NOW + 604_800 } }],
  ["no nonce", "nonce_mismatch", { claims: { nonce: undefined } }],
  ["another nonce, BCP-4.5-b, oidcc-client-test-nonce-invalid", "nonce_mismatch", {
    claims: { nonce: "x".repeat(43) },
  }],
  ["a nonce that is no string", "nonce_mismatch", { claims: { nonce: 7 } }],
  ["a wrong at_hash", "at_hash_mismatch", { claims: { at_hash: "x".repeat(22) } }],
  ["an at_hash that is no string", "at_hash_mismatch", { claims: { at_hash: null } }],
  ["no sub, oidcc-client-test-missing-sub", "sub_malformed", { claims: { sub: undefined } }],
  ["an empty sub", "sub_malformed", { claims: { sub: "" } }],
  ["a sub of 256 characters", "sub_malformed", { claims: { sub: "s".repeat(256) } }],
  ["a sub that is a number", "id_token_refused", { claims: { sub: 7 } }],
  ["a sub with a control character", "sub_malformed", { claims: { sub: "a\u0000" } }],
  ["an ID token of 17 KB", "token_response_malformed", { token: { id_token: "a".repeat(17_000) } }],
  ["an ID token that is no JWT", "id_token_refused", { token: { id_token: "a.b" } }],
];

for (const [why, reason, changes] of ID_TOKENS) {
  Deno.test(`callback() rejects ${why}`, async () => {
    const own = site();
    assertEquals(await failure(() => signIn(own, changes)), ["oauth_failed", reason]);
    const [event] = own.events;
    assert(event?.type === "oauth.failed");
    assertEquals([event.provider, event.reason], ["fake", reason]);
  });
}

const JSON_HEADERS = { "Content-Type": "application/json" };

/** Answers of the token endpoint, RFC 6749 §5. */
const TOKENS: readonly (readonly [why: string, reason: string, changes: Changes])[] = [
  ["an error with status 200, as GitHub's", "token_refused", { token: { error: "bad_code" } }],
  ["ok: false, as Slack's", "token_refused", { token: { ok: false } }],
  ["status 201", "token_refused", answer("/token", 201, "{}")],
  ["status 400", "token_refused", answer("/token", 400, '{"error":"invalid_grant"}')],
  ["status 401", "token_refused", answer("/token", 401, "{}")],
  ["a redirect that would resend the code", "token_refused", {
    responses: {
      "/token": () =>
        new Response(null, { status: 307, headers: { Location: "https://evil.example/" } }),
    },
  }],
  ["HTML", "token_response_malformed", {
    responses: {
      "/token": () => new Response("<p>", { headers: { "Content-Type": "text/html" } }),
    },
  }],
  ["malformed JSON", "token_response_malformed", answer("/token", 200, "{")],
  [
    "duplicate members",
    "token_response_malformed",
    answer("/token", 200, '{"access_token":"a","access_token":"b"}'),
  ],
  ["5 MB", "token_response_malformed", answer("/token", 200, `{"a":"${"x".repeat(5_000_000)}"}`)],
  ["Latin-1", "token_response_malformed", {
    responses: {
      "/token": () => new Response(new Uint8Array([0x22, 0xe9, 0x22]), { headers: JSON_HEADERS }),
    },
  }],
  ["an array", "token_response_malformed", answer("/token", 200, "[]")],
  ["no access token", "token_response_malformed", { token: { access_token: undefined } }],
  ["an empty access token", "token_response_malformed", { token: { access_token: "" } }],
  ["an access token with a line break", "token_response_malformed", {
    token: { access_token: "a\r\nb" },
  }],
  ["no token type", "token_response_malformed", { token: { token_type: undefined } }],
  ["token type mac", "token_response_malformed", { token: { token_type: "mac" } }],
  ["a refresh token that is no string", "token_response_malformed", {
    token: { refresh_token: 7 },
  }],
  ["UserInfo of another subject, oidcc-client-test-userinfo-invalid-sub", "sub_mismatch", {
    userinfo: { sub: "u-2" },
  }],
  ["UserInfo without sub", "sub_mismatch", { userinfo: { sub: undefined } }],
  ["UserInfo with an error", "userinfo_refused", { userinfo: { error: "x" } }],
  ["UserInfo as an array", "userinfo_refused", answer("/userinfo", 200, "[]")],
  ["UserInfo with status 403", "userinfo_refused", answer("/userinfo", 403, "{}")],
];

for (const [why, reason, changes] of TOKENS) {
  Deno.test(`callback() rejects ${why}`, async () => {
    const own = site({ provider: { identity: "both" } });
    assertEquals(await failure(() => signIn(own, changes)), ["oauth_failed", reason]);
  });
}

/** What may pass or come back later: 503, and the client tries again. */
const OUTAGES: readonly (readonly [why: string, changes: Changes])[] = [
  ["the token endpoint has an internal error", answer("/token", 500, "{}")],
  ["the token endpoint is busy", answer("/token", 429, "{}")],
  ["the connection fails", {
    responses: { "/token": () => Promise.reject(new TypeError("down")) },
  }],
  ["the keys cannot be fetched", answer("/jwks", 500, "{}")],
  ["UserInfo is down", answer("/userinfo", 502, "{}")],
];

for (const [why, changes] of OUTAGES) {
  Deno.test(`callback() is unavailable while ${why}, and the transaction is used up`, async () => {
    const own = site({ provider: { identity: "both" } });
    const browser = new Map<string, string>();
    const url = await start(own, browser);
    own.fake.change(changes);
    const callback = own.fake.authorize(url).url;
    const expected = ["service_unavailable", "provider_unreachable"];
    assertEquals(await failure(() => own.client.callback(requestOf(browser, callback))), expected);
    own.fake.change({});
    const again = await failure(() => own.client.callback(requestOf(browser, callback)));
    assertEquals(again, ["oauth_failed", "state_unknown"]);
  });
}

/** Parameters of the response, RFC 6749 §4.1.2 and RFC 9207: how its URL is changed. */
const RESPONSES: readonly (readonly [why: string, reason: string, edit: (url: URL) => void])[] = [
  ["no state, BCP-4.7", "state_missing", ({ searchParams }) => searchParams.delete("state")],
  ["an empty state", "state_missing", ({ searchParams }) => searchParams.set("state", "")],
  ["a short state", "state_missing", ({ searchParams }) => searchParams.set("state", "abc")],
  ["state twice", "response_malformed", ({ searchParams }) => searchParams.append("state", "x")],
  ["no code", "response_malformed", ({ searchParams }) => searchParams.delete("code")],
  ["code twice", "response_malformed", ({ searchParams }) => searchParams.append("code", "x")],
  [
    "a code of 10 KB",
    "response_malformed",
    ({ searchParams }) => searchParams.set("code", "c".repeat(10_000)),
  ],
  [
    "code and error",
    "provider_refused",
    ({ searchParams }) => searchParams.set("error", "server_error"),
  ],
  [
    "an ID token in front",
    "response_malformed",
    ({ searchParams }) => searchParams.set("id_token", "x"),
  ],
  [
    "an access token in front",
    "response_malformed",
    ({ searchParams }) => searchParams.set("access_token", "x"),
  ],
  [
    "iss of another, BCP-2.1-d, 9207-2.4",
    "iss_mismatch",
    ({ searchParams }) => searchParams.set("iss", "https://evil.example"),
  ],
  [
    "iss with a slash, 9207-2.4",
    "iss_mismatch",
    ({ searchParams }) => searchParams.set("iss", "https://id.example/"),
  ],
  [
    "iss in upper case",
    "iss_mismatch",
    ({ searchParams }) => searchParams.set("iss", "https://ID.example"),
  ],
  [
    "iss twice",
    "response_malformed",
    ({ searchParams }) => searchParams.append("iss", "https://id.example"),
  ],
  ["an unknown code", "token_refused", ({ searchParams }) => searchParams.set("code", "unknown")],
  ["an error", "provider_refused", ({ searchParams }) => {
    searchParams.delete("code");
    searchParams.set("error", "invalid_scope");
  }],
  ["an error with iss of another", "iss_mismatch", ({ searchParams }) => {
    searchParams.set("error", "access_denied");
    searchParams.set("iss", "https://evil.example");
  }],
];

for (const [why, reason, edit] of RESPONSES) {
  Deno.test(`callback() rejects a response with ${why}`, async () => {
    const own = site();
    const browser = new Map<string, string>();
    const callback = new URL(own.fake.authorize(await start(own, browser)).url);
    edit(callback);
    const request = requestOf(browser, callback.href);
    assertEquals(await failure(() => own.client.callback(request)), ["oauth_failed", reason]);
    const isAsked = own.fake.requests.some((line) => line.startsWith("POST"));
    assertEquals(isAsked, reason === "token_refused", "the token endpoint");
  });
}

Deno.test("callback() demands iss where the metadata promise it, BCP-4.4-b", async () => {
  const metadata = { authorization_response_iss_parameter_supported: true };
  const own = site();
  own.fake.change({ metadata });
  const changes = { metadata, parameters: { iss: undefined } };
  assertEquals(await failure(() => signIn(own, changes)), ["oauth_failed", "iss_missing"]);
});

Deno.test("callback() demands iss where the provider promises it, and accepts none elsewhere", async () => {
  const changes = { parameters: { iss: undefined } };
  const promised = site({ provider: { iss: "always" } });
  assertEquals(await failure(() => signIn(promised, changes)), ["oauth_failed", "iss_missing"]);
  assertEquals((await signIn(site(), changes)).profile.subject, "u-1");
});

Deno.test("callback() compares iss with the ID token's issuer where one server stands for many", async () => {
  const tenants = { issuerOf: ({ iss }: { readonly iss?: string }) => iss };
  const changes = { claims: { iss: "https://id.example/t1" } };
  const own = () => site({ provider: tenants });
  const { issuer } = await signIn(own(), { ...changes, parameters: { iss: undefined } });
  assertEquals(issuer, "https://id.example/t1");
  const same = { ...changes, parameters: { iss: "https://id.example/t1" } };
  assertEquals((await signIn(own(), same)).issuer, "https://id.example/t1");
  const other = { ...changes, parameters: { iss: "https://id.example/t2" } };
  assertEquals(await failure(() => signIn(own(), other)), ["oauth_failed", "iss_mismatch"]);
});

for (const error of ["access_denied", "user_cancelled_authorize", "user_cancelled_login"]) {
  Deno.test(`callback() says that the user refused for ${error}`, async () => {
    const changes = { parameters: { error, code: undefined } };
    assertEquals(await failure(() => signIn(site(), changes)), ["access_denied", "user_refused"]);
  });
}

Deno.test("callback() says nothing of a provider's text in errors and events", async () => {
  const own = site();
  const text = "evil\r\nSet-Cookie: a=b <script>é";
  const changes = {
    parameters: { error: text, error_description: text.repeat(300), code: undefined },
  };
  assertEquals(await failure(() => signIn(own, changes)), ["oauth_failed", "provider_refused"]);
  assertFalse(JSON.stringify(own.events).includes("evil"));
});

Deno.test("callback() accepts a state once: of 50 concurrent callbacks one succeeds, RP7", async () => {
  const own = site();
  const browser = new Map<string, string>();
  const { url } = own.fake.authorize(await start(own, browser));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, () => own.client.callback(requestOf(browser, url))),
  );
  assertEquals(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
  assertEquals(own.fake.forms.length, 1);
});

Deno.test("callback() rejects another browser, and the transaction stays for its own, RP2, BCP-2.1-c", async () => {
  const own = site();
  const [victim, attacker] = [new Map<string, string>(), new Map<string, string>()];
  const { url } = own.fake.authorize(await start(own, victim));
  await start(own, attacker);
  const expected = ["oauth_failed", "browser_mismatch"];
  assertEquals(await failure(() => own.client.callback(requestOf(attacker, url))), expected);
  const [name = ""] = victim.keys();
  attacker.set(name, "a".repeat(43));
  const forged = ["oauth_failed", "state_unknown"];
  assertEquals(await failure(() => own.client.callback(requestOf(attacker, url))), forged);
  assertEquals((await own.client.callback(requestOf(victim, url))).profile.subject, "u-1");
});

Deno.test("callback() does not complete a sign-in with the code of another one: PKCE, or else the nonce", async () => {
  const rows = [
    [site(), "token_refused"],
    [
      site({
        fake: { pkce: false },
        provider: { pkce: "unsupported" },
        deps: { insecureNoPkce: true },
      }),
      "nonce_mismatch",
    ],
  ] as const;
  for (const [own, reason] of rows) {
    const [victim, attacker] = [new Map<string, string>(), new Map<string, string>()];
    const stolen = own.fake.authorize(await start(own, victim)).parameters.get("code") ?? "";
    const callback = new URL(own.fake.authorize(await start(own, attacker)).url);
    callback.searchParams.set("code", stolen);
    const request = requestOf(attacker, callback.href);
    assertEquals(await failure(() => own.client.callback(request)), ["oauth_failed", reason]);
  }
});

Deno.test("callback() rejects a token signed by HS256 with what an attacker may know", async () => {
  const own = site({ fake: { alg: "RS256" } });
  const { keys: [key] } = await (await own.fake.fetch(`${own.fake.issuer}/jwks`, {})).json();
  for (const secret of [own.fake.clientSecret, JSON.stringify(key), key.n as string]) {
    const idToken = (token: string) => hmacSigned(token, secret);
    assertEquals(await failure(() => signIn(own, { idToken })), [
      "oauth_failed",
      "id_token_refused",
    ]);
  }
});

Deno.test("callback() fetches the keys once for many tokens with unknown key ids", async () => {
  const own = site();
  await signIn(own);
  for (let i = 0; i < 20; i++) {
    await failure(() => signIn(own, { header: { kid: `unknown-${i}` } }));
  }
  const fetched = own.fake.requests.filter((line) => line.endsWith("/jwks")).length;
  assertEquals(fetched, 1);
});

Deno.test("callback() completes two sign-ins of one browser in the other order", async () => {
  const own = site();
  const browser = new Map<string, string>();
  const first = own.fake.authorize(await start(own, browser, { redirectTo: "/1" }));
  const second = own.fake.authorize(await start(own, browser, { redirectTo: "/2" }));
  const { redirectTo, cookies } = await own.client.callback(requestOf(browser, second.url));
  keepCookies(browser, cookies);
  assertEquals(redirectTo, "/2");
  assertEquals((await own.client.callback(requestOf(browser, first.url))).redirectTo, "/1");
});

Deno.test("callback() rejects a transaction of another provider without a request to it", async () => {
  const own = site();
  const other = site({
    fake: { issuer: "https://other.example" },
    provider: { name: "other" },
    deps: {
      states: own.stores.states,
      redirectUri: "https://app.example/auth/oauth/other/callback",
    },
  });
  const browser = new Map<string, string>();
  const { parameters } = own.fake.authorize(await start(own, browser));
  const url = `${other.client.redirectUri}?${parameters}`;
  const expected = ["oauth_failed", "provider_mismatch"];
  assertEquals(await failure(() => other.client.callback(requestOf(browser, url))), expected);
  assertFalse(other.fake.requests.some((line) => line.startsWith("POST")));
});

Deno.test("callback() rejects a transaction of another redirect URI or issuer, of a provider of the same name", async () => {
  const others = [
    { deps: { redirectUri: "https://other.example/auth/oauth/fake/callback" } },
    { fake: { issuer: "https://other.example" } },
  ];
  for (const { deps, ...options } of others) {
    const own = site();
    const other = site({ ...options, deps: { ...deps, states: own.stores.states } });
    const browser = new Map<string, string>();
    const { url } = own.fake.authorize(await start(own, browser));
    const expected = ["oauth_failed", "provider_mismatch"];
    assertEquals(await failure(() => other.client.callback(requestOf(browser, url))), expected);
  }
});

Deno.test("callback() rejects a transaction after its lifetime", async () => {
  const own = site();
  const browser = new Map<string, string>();
  const { url } = own.fake.authorize(await start(own, browser));
  own.clock.now += 600;
  const expected = ["oauth_failed", "state_unknown"];
  assertEquals(await failure(() => own.client.callback(requestOf(browser, url))), expected);
});

Deno.test("callback() checks auth_time and acr where the start asked for them", async () => {
  const asked = { maxAge: 300, acrValues: ["aal2", "aal3"] };
  const good = { auth_time: NOW - 300, acr: "aal3" };
  assertEquals((await signIn(site(), { claims: good }, asked)).acr, "aal3");
  const rows: readonly (readonly [Json, string])[] = [
    [{ ...good, auth_time: undefined }, "auth_time_too_old"],
    [{ ...good, auth_time: `${NOW}` }, "auth_time_too_old"],
    [{ ...good, auth_time: NOW - 331 }, "auth_time_too_old"],
    [{ ...good, acr: undefined }, "acr_mismatch"],
    [{ ...good, acr: "aal1" }, "acr_mismatch"],
    [{ ...good, acr: ["aal2"] }, "acr_mismatch"],
  ];
  for (const [claims, reason] of rows) {
    assertEquals(await failure(() => signIn(site(), { claims }, asked)), ["oauth_failed", reason]);
  }
});

Deno.test("callback() with form_post reads the body of a POST and nothing else", async () => {
  const own = site({ provider: { responseMode: "form_post" } });
  const headers = { "Content-Type": "application/x-www-form-urlencoded;charset=utf-8" };
  const post = (body: string, more: RequestInit = {}) => ({
    method: "POST",
    headers,
    body,
    ...more,
  });
  async function begin() {
    const browser = new Map<string, string>();
    const url = await start(own, browser);
    assertEquals(new URL(url).searchParams.get("response_mode"), "form_post");
    return { browser, ...own.fake.authorize(url) };
  }
  const good = await begin();
  const request = requestOf(
    good.browser,
    `${REDIRECT_URI}?error=ignored`,
    post(`${good.parameters}`),
  );
  assertEquals((await own.client.callback(request)).profile.subject, "u-1");

  const { browser, url, parameters } = await begin();
  const malformed = ["oauth_failed", "response_malformed"];
  const rows: readonly (readonly [string, Request])[] = [
    ["GET", requestOf(browser, url)],
    ["PUT", requestOf(browser, REDIRECT_URI, post(`${parameters}`, { method: "PUT" }))],
    ["JSON", requestOf(browser, REDIRECT_URI, post("{}", { headers: JSON_HEADERS }))],
    ["code twice", requestOf(browser, REDIRECT_URI, post(`${parameters}&code=x`))],
    ["100 KB", requestOf(browser, REDIRECT_URI, post(`${parameters}&x=${"x".repeat(100_000)}`))],
  ];
  for (const [why, request] of rows) {
    assertEquals(await failure(() => own.client.callback(request)), malformed, why);
  }
  const bodyless = requestOf(browser, url, { method: "POST", headers });
  assertEquals(await failure(() => own.client.callback(bodyless)), [
    "oauth_failed",
    "state_missing",
  ]);
});

Deno.test("callback() rejects a POST without form_post", async () => {
  const own = site();
  const browser = new Map<string, string>();
  const { url } = own.fake.authorize(await start(own, browser));
  const request = requestOf(browser, url, { method: "POST" });
  assertEquals(await failure(() => own.client.callback(request)), [
    "oauth_failed",
    "response_malformed",
  ]);
});

function answer(path: string, status: number, body: string): Changes {
  return { responses: { [path]: () => new Response(body, { status, headers: JSON_HEADERS }) } };
}

function unsigned(token: string, header: Json): string {
  return `${encode(header)}.${token.split(".")[1]}.`;
}

async function foreign(token: string, { jwk }: { readonly jwk?: boolean }): Promise<string> {
  const key = await generateJwk("ES256");
  const header = jwk ? { jwk: publicJwk(key), kid: undefined } : {};
  return await signJwt(claimsOf(token), { algorithms: ["ES256"], key, header });
}

async function hmacSigned(token: string, secret: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder().encode(secret);
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const input = `${encode({ alg: "HS256", typ: "JWT" })}.${token.split(".")[1]}`;
  const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(input));
  return `${input}.${encodeBase64Url(new Uint8Array(mac))}`;
}

function claimsOf(token: string): Json {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(
    new TextDecoder().decode(Uint8Array.from(atob(payload), (c) => c.charCodeAt(0))),
  );
}

function encode(value: Json): string {
  return btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
