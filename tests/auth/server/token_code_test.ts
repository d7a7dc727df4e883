/** The grant `authorization_code`. Sources: OpenID Foundation's modules, RFC 9700, and the catalogue of attacks (AS). */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { keyService, userService } from "../../../auth/mod.ts";
import { bearerTokenStrategy, inMemoryAuthStores } from "../../../auth/mod.ts";
import { staticClients } from "../../../auth/server/mod.ts";
import {
  API,
  assertTokenError,
  basic,
  challengeOf,
  claimsOf,
  CLIENTS,
  headerOf,
  ISSUER,
  type Params,
  SECRET,
  serverSite,
  type SiteOptions,
  VERIFIER,
} from "./_site.ts";
import {
  changingClients,
  credentialsOf,
  granted,
  isAlive,
  lastRefusal,
  redeemAs,
  refreshAs,
  tokensOf,
  userinfo,
} from "./_tokens.ts";

/** Requests that end in tokens. */
const HAPPY: readonly (readonly [why: string, clientId: string, params: Params])[] = [
  [
    "a public client, oidcc-server, oidcc-ensure-request-with-valid-pkce-succeeds, BCP-2.2.1",
    "spa",
    {},
  ],
  ["client_secret_basic, oidcc-server", "web", {}],
  ["client_secret_post, oidcc-server-client-secret-post", "post", {}],
  ["a native client", "cli", { client_id: "cli" }],
  ["a client of the owner", "own", {}],
  ["no nonce, oidcc-ensure-request-without-nonce-succeeds-for-code-flow", "spa", {
    nonce: undefined,
  }],
];
for (const [why, clientId, params] of HAPPY) {
  Deno.test(`exchangeTokens() of a code answers ${why}`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn(), { client_id: clientId, ...params });
    assertMatch(code, /^[\w-]{22}\.[\w-]{43}$/);
    const response = await redeemAs(site, clientId, code);
    assertEquals(
      ["Cache-Control", "Content-Type", "Referrer-Policy", "WWW-Authenticate"].map((name) =>
        response.headers.get(name)
      ),
      ["no-store", "application/json", "no-referrer", null],
    );
    const tokens = await tokensOf(response);
    assertEquals(
      [tokens.token_type, tokens.expires_in, tokens.scope],
      ["Bearer", 600, "openid notes:read"],
    );
    const id = claimsOf(tokens.id_token);
    assertEquals(
      [id["iss"], id["sub"], id["aud"], id["nonce"]],
      [ISSUER, "u1", clientId, "nonce" in params ? undefined : "n-1"],
    );
    assertEquals(Number(id["exp"]) - Number(id["iat"]), 600);
    assertEquals(id["iat"], site.app.clock.now);
    assertEquals(await isAlive(site, tokens, clientId), [true, true]);
    assert(site.app.events.some(({ type }) => type === "grant.created"));
  });
}

Deno.test("exchangeTokens() of a code signs by a published key, oidcc-idtoken-signature", async () => {
  const { keys } = inMemoryAuthStores();
  const site = serverSite({
    server: {
      keyService: keyService({ store: keys, algorithms: ["ES256", "RS256"] }),
      idTokenAlgorithm: undefined,
      now: undefined,
    },
  });
  const tokens = await granted(site);
  const jwks = await (await site.send("/.well-known/jwks.json")).json();
  for (const [token, alg] of [[tokens.id_token, "RS256"], [tokens.access_token, "ES256"]]) {
    const header = headerOf(token ?? "");
    const key = jwks.keys.find(({ kid }: { kid: string }) => kid === header["kid"]);
    assertEquals([header["alg"], key.alg, key.d], [alg, alg, undefined]);
  }
});

Deno.test("exchangeTokens() of a code writes the claims of RFC 9068 §2.2, 9068-2", async () => {
  const site = serverSite({
    server: {
      authenticate: () =>
        Promise.resolve({
          sub: "u1",
          securityStamp: "s",
          authTime: site.app.clock.now - 9,
          amr: ["pwd", "otp"],
          acr: "aal2",
          sessionId: "session-1",
        }),
      users: undefined,
    },
  });
  const tokens = await granted(site);
  assertEquals(headerOf(tokens.access_token)["typ"], "at+jwt");
  const { jti, gid, stamp, ...claims } = claimsOf(tokens.access_token);
  const { now } = site.app.clock;
  assertEquals(claims, {
    iss: ISSUER,
    sub: "u1",
    aud: [API, ISSUER],
    client_id: "spa",
    scope: "openid notes:read",
    auth_time: now - 9,
    amr: ["pwd", "otp"],
    acr: "aal2",
    iat: now,
    exp: now + 600,
  });
  assertMatch(String(jti), /^[\w-]{22}$/);
  assertMatch(`${gid}${stamp}`, /^[\w-]{86}$/);
  const { at_hash, ...id } = claimsOf(tokens.id_token);
  assertMatch(String(at_hash), /^[\w-]{22}$/);
  assertEquals(id, {
    iss: ISSUER,
    sub: "u1",
    aud: "spa",
    nonce: "n-1",
    sid: "session-1",
    auth_time: now - 9,
    amr: ["pwd", "otp"],
    acr: "aal2",
    iat: now,
    exp: now + 600,
  });
  const other = await granted(site);
  assertNotEquals(claimsOf(other.access_token)["jti"], jti);
});

Deno.test("exchangeTokens() of a code leaves out what is not known of the authentication", async () => {
  const site = serverSite({
    server: {
      authenticate: () =>
        Promise.resolve({
          sub: "u1",
          securityStamp: "s",
          authTime: site.app.clock.now,
          amr: [],
        }),
      users: undefined,
    },
  });
  const { id_token, access_token } = await granted(site);
  for (const claims of [claimsOf(id_token), claimsOf(access_token)]) {
    assertEquals(["amr", "acr", "sid"].filter((name) => name in claims), []);
  }
});

/** Scopes of a request, and what tokens they lead to. */
const SCOPES:
  readonly (readonly [why: string, scope: string, aud: unknown, answer: string, id: boolean])[] = [
    ["plain OAuth: no ID token, no UserInfo", "notes:read", API, "notes:read", false],
    ["OpenID Connect alone", "openid", [API, ISSUER], "openid", true],
    ["the scope of another API", "mail:send", "https://mail.example", "mail:send", false],
    [
      "scopes of two APIs, one of them by default",
      "notes:read mail:send",
      [API, "https://mail.example"],
      "notes:read mail:send",
      false,
    ],
    [
      "the scope of another API with openid",
      "openid mail:send",
      ["https://mail.example", ISSUER],
      "openid mail:send",
      true,
    ],
    [
      "an unknown scope, 6749-5.1: what is granted is said",
      "notes:read x",
      API,
      "notes:read",
      false,
    ],
  ];
for (const [why, scope, aud, answer, hasIdToken] of SCOPES) {
  Deno.test(`exchangeTokens() of a code chooses scope and audience: ${why}`, async () => {
    const site = serverSite({
      server: {
        resources: [API, "https://mail.example"],
        scopes: {
          "notes:read": { description: "Read your notes" },
          "mail:send": { description: "Send mail", resource: "https://mail.example" },
        },
      },
    });
    const tokens = await granted(site, { scope });
    const access = claimsOf(tokens.access_token);
    assertEquals([access["aud"], access["scope"], tokens.scope], [aud, answer, answer]);
    assertEquals("id_token" in tokens, hasIdToken);
  });
}

Deno.test("exchangeTokens() of a code without any scope says none, and does not grant everything", async () => {
  const site = serverSite({ server: { scopes: {} } });
  const tokens = await granted(site, { scope: undefined });
  assertEquals("scope" in tokens, false, "RFC 6749 §3.3 has no empty list");
  assertEquals(claimsOf(tokens.access_token)["scope"], "");
  assertEquals(
    "scope" in await tokensOf(await refreshAs(site, "spa", tokens.refresh_token)),
    false,
  );
});

Deno.test("exchangeTokens() of a code gives no refresh token to a client that may not refresh", async () => {
  const site = serverSite();
  const tokens = await granted(site, { client_id: "narrow", scope: "notes:read" });
  assertEquals(["refresh_token" in tokens, "id_token" in tokens], [false, false]);
  assertEquals((await site.server.listGrants("u1")).length, 1);
});

Deno.test("exchangeTokens() of a code binds a grant to the session, unless it is offline or no sign-in, BCP-4.14-c", async () => {
  const rows = [
    ["openid notes:read", [false, false]],
    ["openid offline_access notes:read", [true, true]],
  ] as const;
  for (const [scope, expected] of rows) {
    const site = serverSite();
    const browser = await site.signedIn();
    const tokens = await granted(site, { scope }, { browser });
    assertEquals((await browser.send("/leave", { method: "POST" })).status, 204);
    assertEquals(await isAlive(site, tokens), expected, scope);
  }
  const site = serverSite();
  const browser = await site.signedIn();
  const { refresh_token } = await granted(site, { scope: "notes:read" }, { browser });
  await (await browser.send("/leave", { method: "POST" })).body?.cancel();
  assertEquals((await refreshAs(site, "spa", refresh_token)).status, 200, "plain OAuth");
});

/** Refused requests: the code stays valid, and what was wrong is the only thing wrong. */
const REFUSED: readonly (readonly [
  why: string,
  changes: Params,
  error: string,
  reason: string,
  clientId?: string,
])[] = [
  ["no code", { code: undefined }, "invalid_request", "parameter_missing"],
  ["an empty code, 6749-3.1-empty", { code: "" }, "invalid_request", "parameter_missing"],
  ["no verifier, AS7", { code_verifier: undefined }, "invalid_request", "parameter_missing"],
  [
    "no verifier of a confidential client, AS7",
    { code_verifier: undefined },
    "invalid_request",
    "parameter_missing",
    "web",
  ],
  ["an empty verifier, AS7", { code_verifier: "" }, "invalid_request", "parameter_missing"],
  [
    "another verifier, BCP-4.5-a",
    { code_verifier: `${VERIFIER}x` },
    "invalid_grant",
    "verifier_wrong",
  ],
  [
    "another verifier of a confidential client, BCP-4.5-a",
    { code_verifier: VERIFIER.toLowerCase() },
    "invalid_grant",
    "verifier_wrong",
    "web",
  ],
  [
    "the challenge for the verifier",
    {
      code_verifier: await challengeOf(VERIFIER),
    },
    "invalid_grant",
    "verifier_wrong",
  ],
  [
    "no redirect_uri, AS12, 21-6",
    {
      redirect_uri: undefined,
    },
    "invalid_request",
    "parameter_missing",
  ],
  [
    "another redirect_uri, AS12",
    {
      redirect_uri: "https://app.example/cb2",
    },
    "invalid_grant",
    "redirect_uri_mismatch",
  ],
  [
    "a redirect_uri with a slash, AS12",
    {
      redirect_uri: "https://app.example/cb/",
    },
    "invalid_grant",
    "redirect_uri_mismatch",
  ],
  [
    "a redirect_uri in another case, AS12",
    {
      redirect_uri: "https://APP.example/cb",
    },
    "invalid_grant",
    "redirect_uri_mismatch",
  ],
  [
    "another registered redirect_uri, AS12",
    { redirect_uri: "https://web.example/cb?kind=2" },
    "invalid_grant",
    "redirect_uri_mismatch",
    "web",
  ],
  ["another client, AS12", { client_id: "own" }, "invalid_grant", "client_mismatch"],
  [
    "a public client for a confidential one's, AS12",
    {
      client_id: "spa",
    },
    "invalid_client",
    "credentials_repeated",
    "web",
  ],
  ["no grant_type", { grant_type: undefined }, "invalid_request", "parameter_missing"],
  [
    "the implicit grant, 21-3",
    {
      grant_type: "implicit",
    },
    "unsupported_grant_type",
    "grant_type_unknown",
  ],
  [
    "the password grant, BCP-2.4",
    {
      grant_type: "password",
    },
    "unsupported_grant_type",
    "grant_type_unknown",
  ],
  [
    "a grant of Object.prototype",
    {
      grant_type: "constructor",
    },
    "unsupported_grant_type",
    "grant_type_unknown",
  ],
  [
    "a grant in another case",
    {
      grant_type: "Authorization_Code",
    },
    "unsupported_grant_type",
    "grant_type_unknown",
  ],
];
for (const [why, changes, error, reason, clientId = "spa"] of REFUSED) {
  Deno.test(`exchangeTokens() of a code refuses ${why}`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn(), { client_id: clientId });
    const refused = await redeemAs(site, clientId, code, changes);
    const expected = reason === "credentials_repeated" ? "invalid_request" : error;
    await assertTokenError(refused, expected);
    assertEquals(lastRefusal(site), reason);
    assertEquals((await redeemAs(site, clientId, code)).status, 200, "the code is not used up");
  });
}

/** Verifiers whose challenge is right: the syntax of RFC 7636 §4.1 decides. */
const VERIFIERS: readonly (readonly [why: string, verifier: string, ok: boolean])[] = [
  ["42 characters, AS7", "a".repeat(42), false],
  ["43 characters", "a".repeat(43), true],
  ["128 characters", "-._~".repeat(32), true],
  ["129 characters, AS7", "a".repeat(129), false],
  ["a space, AS7", `${"a".repeat(42)} `, false],
  ["a line feed at the end, AS7", `${"a".repeat(43)}\n`, false],
  ["a letter outside of ASCII, AS7", `${"a".repeat(42)}é`, false],
  ["a plus, AS7", `${"a".repeat(42)}+`, false],
];
for (const [why, verifier, isAccepted] of VERIFIERS) {
  Deno.test(`exchangeTokens() of a code ${isAccepted ? "accepts" : "refuses"} a verifier of ${why}`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn(), {
      code_challenge: await challengeOf(verifier),
    });
    const response = await redeemAs(site, "spa", code, { code_verifier: verifier });
    if (isAccepted) await tokensOf(response);
    else await assertTokenError(response, "invalid_grant");
  });
}

/** Codes that are none. */
const FORGED: readonly (readonly [why: string, forge: (id: string, secret: string) => string])[] = [
  ["with another secret, AS11", (id) => `${id}.${"A".repeat(43)}`],
  [
    "with a secret that differs in unused bits",
    (id, secret) => `${id}.${secret.slice(0, 42)}${secret.endsWith("9") ? "8" : "9"}`,
  ],
  ["with the id alone", (id) => id],
  ["without a secret", (id) => `${id}.`],
  ["with the secret alone", (_, secret) => secret],
  ["with another id", (_, secret) => `${"A".repeat(22)}.${secret}`],
  ["with a space after", (id, secret) => `${id}.${secret} `],
  ["with a line feed after", (id, secret) => `${id}.${secret}\n`],
  ["with the secret twice", (id, secret) => `${id}.${secret}.${secret}`],
  ["with NUL, AS20", (id, secret) => `${id}.${secret}\0`],
  ["of 10 kB", () => "a".repeat(10_000)],
];
for (const [why, forge] of FORGED) {
  Deno.test(`exchangeTokens() refuses a code ${why}, and changes nothing`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn());
    const [id = "", secret = ""] = code.split(".");
    await assertTokenError(await site.redeem(forge(id, secret)), "invalid_grant");
    assertEquals(lastRefusal(site), "code_unknown");
    const tokens = await tokensOf(await site.redeem(code));
    await assertTokenError(await site.redeem(forge(id, secret)), "invalid_grant");
    assertEquals(await isAlive(site, tokens), [true, true], "AS11: the grant stays");
  });
}

/** When a used code comes again. */
const REPLAYS: readonly (readonly [why: string, seconds: number])[] = [
  ["at once, oidcc-codereuse", 0],
  ["after 1 s, AS10", 1],
  ["after 30 s, oidcc-codereuse-30seconds", 30],
  ["after the code has expired, AS10", 61],
  ["after an access token has expired, AS10", 700],
  ["a week later, BCP-4.2-b", 604_800],
];
for (const [why, seconds] of REPLAYS) {
  Deno.test(`exchangeTokens() of a used code ends the grant ${why}`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn(), { scope: "openid offline_access" });
    const first = await tokensOf(await site.redeem(code));
    site.app.clock.now += seconds;
    const { access_token, refresh_token } = await tokensOf(
      await refreshAs(site, "spa", first.refresh_token),
    );
    assertEquals((await userinfo(site, access_token)).status, 200);
    await assertTokenError(await site.redeem(code), "invalid_grant");
    assertEquals(lastRefusal(site), "code_replayed");
    assertEquals(await isAlive(site, { access_token, refresh_token }), [false, false]);
    assertEquals((await userinfo(site, first.access_token)).status, 401);
    assertEquals(await site.server.listGrants("u1"), []);
    assertEquals(site.app.events.filter(({ type }) => type === "code.replayed").length, 1);
  });
}

Deno.test("exchangeTokens() of a used code ends the grant whoever presents it: it was disclosed", async () => {
  const site = serverSite();
  const code = await site.code(await site.signedIn());
  const tokens = await tokensOf(await site.redeem(code));
  await assertTokenError(await redeemAs(site, "web", code), "invalid_grant");
  assertEquals(await isAlive(site, tokens), [false, false]);
});

Deno.test("exchangeTokens() of a code refuses it from its expiry on", async () => {
  for (const [seconds, status] of [[59, 200], [60, 400], [61, 400]] as const) {
    const site = serverSite();
    const code = await site.code(await site.signedIn());
    site.app.clock.now += seconds;
    assertEquals((await site.redeem(code)).status, status, `${seconds} s`);
  }
});

/** What happens between the code and its exchange. */
const MEANWHILE: readonly (readonly [
  why: string,
  change: (site: ReturnType<typeof serverSite>) => Promise<unknown>,
])[] = [
  ["is disabled", ({ app }) => userService(app.stores).disable("u1")],
  ["is disabled, and keeps the stamp", async ({ app: { stores: { users } } }) => {
    const { version = "", securityStamp = "" } = await users.findBySub("u1") ?? {};
    await users.update("u1", version, { disabled: true, securityStamp });
  }],
  ["is deleted", ({ app }) => userService(app.stores).remove("u1")],
  ["has a new password", ({ app }) => app.runtime.passwords.reset("u1", "another long password")],
];
for (const [why, change] of MEANWHILE) {
  Deno.test(`exchangeTokens() of a code refuses it if the user ${why}, AS17`, async () => {
    const site = serverSite();
    const code = await site.code(await site.signedIn());
    await change(site);
    await assertTokenError(await site.redeem(code), "invalid_grant");
    assertEquals(lastRefusal(site), "user_refused");
    assertEquals(await site.app.stores.refreshTokens.list("u1"), []);
  });
}

/** Clients that change between the code and its exchange, AS46. */
const CHANGED: readonly (readonly [
  why: string,
  change: object | null,
  error: string,
  status?: number,
])[] = [
  ["deleted", null, "invalid_client", 401],
  ["disabled", { disabled: true }, "invalid_client", 401],
  ["no longer allowed the grant", { grants: ["refresh_token"] }, "unauthorized_client"],
  ["another method", { authentication: "client_secret_post" }, "invalid_client", 401],
  ["another secret", { secretHashes: ["A".repeat(43)] }, "invalid_client", 401],
  ["without that redirect URI", {
    redirectUris: ["https://web.example/cb?kind=2"],
  }, "invalid_grant"],
  ["without any of the scopes", { scope: ["notes:write"] }, "invalid_scope"],
];
for (const [why, change, error, status] of CHANGED) {
  Deno.test(`exchangeTokens() of a code refuses a client that is ${why} meanwhile, AS46`, async () => {
    const { clients, current } = changingClients();
    const site = serverSite({ server: { clients } });
    const code = await site.code(await site.signedIn(), { client_id: "web" });
    current.change = change;
    const response = await site.redeem(code, {
      client_id: undefined,
      redirect_uri: "https://web.example/cb",
    }, basic("web", SECRET));
    await assertTokenError(response, error, status);
    assertEquals(await site.server.listGrants("u1"), []);
  });
}

Deno.test("exchangeTokens() of a code grants only what client and server still have, AS46", async () => {
  const stored = staticClients(CLIENTS);
  const current: { scope?: readonly string[] } = {};
  const site = serverSite({
    server: {
      clients: {
        async find(clientId) {
          const found = await stored.find(clientId);
          return found && { ...found, ...current };
        },
      },
    },
  });
  const code = await site.code(await site.signedIn(), { scope: "openid notes:read notes:write" });
  current.scope = ["openid", "notes:read"];
  const tokens = await tokensOf(await site.redeem(code));
  assertEquals(tokens.scope, "openid notes:read");
  assertEquals(claimsOf(tokens.access_token)["scope"], "openid notes:read");
  const [grant] = await site.server.listGrants("u1");
  assertEquals(grant?.scope, ["openid", "notes:read"]);
});

Deno.test("exchangeTokens() refuses a code of another issuer on the same store, AS47", async () => {
  const first = serverSite();
  const { stores } = first.app;
  const code = await first.code(await first.signedIn());
  const second = serverSite({
    app: { stores },
    server: { issuer: "https://example.com/second" },
  });
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: "https://app.example/cb",
    code_verifier: VERIFIER,
    client_id: "spa",
  });
  const refused = await second.send("/second/oauth/token", { method: "POST", body });
  await assertTokenError(refused, "invalid_grant");
  const tokens = await tokensOf(await first.redeem(code));
  const replay = await second.send("/second/oauth/token", { method: "POST", body });
  await assertTokenError(replay, "invalid_grant");
  assertEquals(await isAlive(first, tokens), [true, true], "nor does it end the grant");
});

Deno.test("exchangeTokens() accepts the loopback redirect URI with the port of the request, RFC 8252 §7.3", async () => {
  const site = serverSite();
  const redirect_uri = "http://127.0.0.1:51004/cb";
  const params = { client_id: "cli", redirect_uri };
  const code = await site.code(await site.signedIn(), params);
  const other = { redirect_uri: "http://127.0.0.1:51005/cb" };
  await assertTokenError(await redeemAs(site, "cli", code, other), "invalid_grant");
  await tokensOf(await redeemAs(site, "cli", code, { redirect_uri }));
});

/** Hooks that fail. */
const HOOKS: readonly (readonly [why: string, name: string])[] = [
  ["claims()", "claims"],
  ["accessTokenClaims()", "accessTokenClaims"],
];
for (const [why, name] of HOOKS) {
  for (const isSync of [true, false]) {
    Deno.test(`exchangeTokens() of a code survives ${why} that ${isSync ? "throws" : "rejects"}`, async () => {
      const current = { fails: true };
      const site = serverSite({
        server: {
          [name]: () => {
            if (!current.fails) return { department: "Engines" };
            const error = new Error("database password is hunter2");
            if (isSync) throw error;
            return Promise.reject(error);
          },
        },
      });
      const claims = '{"id_token":{"department":null}}';
      const code = await site.code(await site.signedIn(), { claims });
      await assertTokenError(await site.redeem(code), "server_error", 500);
      const [warning] = site.app.warnings.slice(-1);
      assertEquals(warning, "Cannot answer request to the authorization server");
      assertEquals(await site.server.listGrants("u1"), [], "no grant is left");
      current.fails = false;
      const tokens = await tokensOf(await site.redeem(code));
      assertEquals(await isAlive(site, tokens), [true, true]);
      const token = name === "claims" ? tokens.id_token : tokens.access_token;
      assertEquals(claimsOf(token)["department"], "Engines");
    });
  }
}

Deno.test("exchangeTokens() ignores claims of accessTokenClaims() that the server sets, BCP-2.6-c", async () => {
  const forged = Object.fromEntries(
    ["iss", "sub", "aud", "client_id", "scope", "jti", "gid", "stamp", "auth_time", "amr"]
      .map((name) => [name, "forged"]),
  );
  const asked: unknown[] = [];
  const site = serverSite({
    server: {
      accessTokenClaims: (sub, { scope, client: { clientId } }) => {
        asked.push([sub, scope, clientId]);
        return { ...forged, exp: 9e9, iat: 1, roles: ["editor"] };
      },
    },
  });
  const tokens = await granted(site);
  const claims = claimsOf(tokens.access_token);
  assertEquals(Object.keys(forged).filter((name) => claims[name] === "forged"), []);
  const { now } = site.app.clock;
  assertEquals([claims["iat"], claims["exp"], claims["roles"]], [now, now + 600, ["editor"]]);
  assertEquals(asked, [["u1", ["openid", "notes:read"], "spa"]]);
  assertEquals((await userinfo(site, tokens.access_token)).status, 200);
});

/** What ID tokens contain of the user, OpenID Connect Core §5.4 and §5.5. */
const ID_CLAIMS: readonly (readonly [why: string, params: Params, expected: object])[] = [
  ["nothing by scope alone, §5.4: with a code it is in UserInfo", { scope: "openid email" }, {}],
  ["a claim that is asked for", {
    scope: "openid email",
    claims: '{"id_token":{"email":null}}',
  }, { email: "ada@example.com" }],
  ["no claim of a scope that is not granted", {
    scope: "openid",
    claims: '{"id_token":{"email":{"essential":true},"name":null}}',
  }, {}],
  ["a claim without a scope of its own", {
    claims: '{"id_token":{"role":null}}',
  }, { role: "u1" }],
  ["nothing that is asked of UserInfo, oidcc-claims-essential", {
    scope: "openid profile",
    claims: '{"userinfo":{"name":{"essential":true}}}',
  }, {}],
  ["none that the server sets", {
    claims: '{"id_token":{"iss":null,"sub":null,"aud":null,"exp":null,"at_hash":null}}',
  }, {}],
];
for (const [why, params, expected] of ID_CLAIMS) {
  Deno.test(`exchangeTokens() writes ID tokens with ${why}`, async () => {
    const site = serverSite({
      server: {
        claims: (sub) => ({
          name: "Ada Lovelace",
          email: "ada@example.com",
          role: sub,
          nickname: undefined,
          iss: "forged",
          sub: "forged",
          aud: "forged",
          at_hash: "forged",
          exp: 9e9,
        }),
      },
    });
    const { id_token, access_token } = await granted(site, params);
    const { iss, sub, aud, at_hash, exp, iat, auth_time, nonce, sid, amr, ...others } = claimsOf(
      id_token,
    );
    assertEquals([iss, sub, aud, nonce, amr], [ISSUER, "u1", "spa", "n-1", ["pwd"]]);
    assertEquals(others, expected);
    assertNotEquals(at_hash, "forged");
    assertEquals(Number(exp) - Number(iat), 600);
    assert(Number(auth_time) <= Number(iat) && typeof sid === "string");
    assertEquals("name" in claimsOf(access_token), false);
  });
}

Deno.test("exchangeTokens() asks claims() only if the request wants claims in the ID token", async () => {
  const asked: unknown[] = [];
  const claims = (sub: string) => (asked.push(sub), { role: sub });
  const site = serverSite({ server: { claims } });
  await granted(site);
  assertEquals(asked, []);
  await granted(site, { claims: '{"id_token":{"role":null}}', prompt: "consent" });
  assertEquals(asked, ["u1"]);
});

Deno.test("exchangeTokens() uses the lifetimes of the options", async () => {
  const site = serverSite({
    server: { lifetimes: { accessToken: 120, idToken: 240, code: 5, grant: 1_000 } },
  });
  const tokens = await granted(site, { scope: "openid offline_access" });
  const [access, id] = [claimsOf(tokens.access_token), claimsOf(tokens.id_token)];
  assertEquals(
    [tokens.expires_in, ...[access, id].map(({ exp, iat }) => Number(exp) - Number(iat))],
    [120, 120, 240],
  );
  const code = await site.code(await site.signedIn());
  site.app.clock.now += 5;
  await assertTokenError(await site.redeem(code), "invalid_grant");
  site.app.clock.now += 994;
  const next = await tokensOf(await refreshAs(site, "spa", tokens.refresh_token));
  site.app.clock.now += 1;
  assertEquals(await isAlive(site, next), [false, false], "the grant has ended");
});

Deno.test("exchangeTokens() issues access tokens for one API only, BCP-2.3, BCP-4.9", async () => {
  const site = serverSite();
  const { access_token } = await granted(site, { scope: "notes:read" });
  const at = (audience: string) =>
    bearerTokenStrategy({
      algorithms: ["ES256"],
      keys: site.options.keyService.resolve,
      issuer: ISSUER,
      audience,
      now: () => site.app.clock.now,
    });
  const headers = { Authorization: `Bearer ${access_token}` };
  const statuses = await Promise.all(
    [API, "https://other.example", `${API}/`].map(async (audience) =>
      (await at(audience).authenticate({ request: new Request(API, { headers }) })).status
    ),
  );
  assertEquals(statuses, ["authenticated", "failed", "failed"]);
});

/** Options under which a code is exchanged, without users. */
const WITHOUT_USERS: SiteOptions = { server: { users: undefined } };

Deno.test("exchangeTokens() reads no users if the option is absent: a grant outlives the account", async () => {
  const site = serverSite(WITHOUT_USERS);
  const tokens = await granted(site, { scope: "openid offline_access" });
  await site.app.stores.users.delete("u1");
  assertEquals(await isAlive(site, tokens), [true, true]);
  assertEquals((await site.server.listGrants("u1")).length, 1);
});

Deno.test("exchangeTokens() never sees a code's verifier or secret in the store", async () => {
  const site = serverSite();
  const code = await site.code(await site.signedIn());
  const [id = "", secret = ""] = code.split(".");
  const written = JSON.stringify(await site.app.stores.authorizations.find(id));
  assertEquals([written.includes(secret), written.includes(VERIFIER)], [false, false]);
  await tokensOf(await redeemAs(site, "spa", code, credentialsOf("spa").form));
  const redeemed = (await site.app.stores.authorizations.find(id))?.authorization;
  const { now } = site.app.clock;
  assertEquals(
    redeemed?.expiresAt,
    now + 2_592_000,
    "a replay is known as long as the grant, AS10",
  );
  assertEquals(Object.keys(redeemed ?? {}).sort(), [
    "clientId",
    "codeHash",
    "createdAt",
    "expiresAt",
    "grantId",
    "id",
    "issuer",
    "state",
  ]);
});
