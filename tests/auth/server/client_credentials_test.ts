/**
 * Tokens that clients have for themselves. Sources: RFC 6749 §4.4, RFC 8707, RFC 9068 §2.2, RFC 9700 §2.6 and §4.15, RFC 7009 §2.2.1.
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { publicJwk } from "../../../auth/mod.ts";
import { json } from "../../../router/mod.ts";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  type ClientInit,
  registerClient,
  staticClients,
} from "../../../auth/server/mod.ts";
import { bearerTokenStrategy } from "../../../auth/tokens/bearer_strategy.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { RegisteredClient } from "../../../auth/stores/server_types.ts";
import { assertionFields, KEY, signAssertion } from "./_assertions.ts";
import {
  API,
  assertTokenError,
  basic,
  claimsOf,
  headerOf,
  ISSUER,
  type Params,
  SECRET,
  type ServerSite,
  serverSite,
} from "./_site.ts";
import { proofKey } from "../dpop/_proofs.ts";
import { tokenProof } from "./_dpop.ts";
import { bearer, lastRefusal, ownSignIn, userinfo } from "./_tokens.ts";

const OTHER_API = "https://files.example";
const GRANTS = ["client_credentials"] as const;

const MACHINE: ClientInit = {
  clientId: "reports",
  name: "Reports",
  redirectUris: [],
  grants: GRANTS,
  scope: ["notes:read", "notes:write", "files:read"],
  secret: SECRET,
};

const CLIENTS: readonly ClientInit[] = [
  MACHINE,
  { ...MACHINE, clientId: "u1" }, // as a user
  { ...MACHINE, clientId: "none", scope: [] },
  {
    clientId: "both",
    name: "Both",
    redirectUris: ["https://both.example/cb"],
    grants: ["authorization_code", "refresh_token", "client_credentials"],
    scope: ["openid", "profile", "offline_access", "notes:read"],
    secret: SECRET,
  },
  {
    clientId: "code",
    name: "Code",
    redirectUris: ["https://code.example/cb"],
    scope: ["notes:read"],
    secret: SECRET,
  },
];

/** A site whose own API asks the server about each token, and clients whose records get members of `current.change`. */
function machineSite(server: Partial<AuthorizationServerOptions> = {}) {
  const current: { change: Partial<RegisteredClient> | null } = { change: {} };
  const stored = staticClients(CLIENTS);
  const calls: string[] = [];
  const later: { server?: AuthorizationServer } = {};
  const site = serverSite({
    app: {
      jwt: {
        issuer: ISSUER,
        audience: API,
        algorithms: ["ES256"],
        accept: async (principal, claims) => await later.server?.accept(principal, claims) ?? false,
      },
    },
    server: {
      clients: {
        async find(clientId) {
          const found = await stored.find(clientId);
          return found === null || current.change === null ? null : { ...found, ...current.change };
        },
      },
      grants: ["authorization_code", "refresh_token", "client_credentials"],
      resources: [API, OTHER_API],
      scopes: {
        "notes:read": { description: "Read your notes" },
        "notes:write": { description: "Change your notes" },
        "files:read": { description: "Read your files", resource: OTHER_API },
      },
      accessTokenClaims: (sub) => (calls.push(sub), { role: "user" }),
      ...server,
    },
  });
  later.server = site.server;
  site.app.router
    .get("/api/notes", (req) => json({ sub: req.principal.sub, scope: req.principal.scope }), {
      scope: ["notes:read"],
    })
    .get("/api/account", (req) => json(req.principal.sub));
  const ask = async (form: Params = {}, clientId = "reports") =>
    await site.token({ grant_type: "client_credentials", ...form }, basic(clientId, SECRET));
  return { ...site, ask, current, calls };
}

Deno.test("exchangeTokens() answers RFC 6749 §4.4.2's request with an access token, and no other", async () => {
  const site = machineSite();
  const response = await site.token(
    { grant_type: "client_credentials" },
    basic("reports", SECRET),
  );
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const { access_token, ...others } = await response.json();
  assertEquals([response.status, others], [200, {
    token_type: "Bearer",
    expires_in: 600,
    scope: "notes:read notes:write files:read",
  }]);
  const { now } = site.app.clock;
  const { jti, ...claims } = claimsOf(access_token);
  assertEquals([headerOf(access_token)["typ"], typeof jti], ["at+jwt", "string"]);
  assertEquals(claims, { // RFC 9068 §2.2: no auth_time, amr and acr, because nobody has authenticated
    iss: ISSUER,
    sub: "client:reports",
    aud: [API, OTHER_API],
    client_id: "reports",
    scope: "notes:read notes:write files:read",
    iat: now,
    exp: now + 600,
  });
  assertEquals(site.calls, []); // accessTokenClaims is about users
  assertEquals(await site.app.stores.refreshTokens.list("client:reports"), []);
  assertEquals(await site.server.listGrants("client:reports"), []);
});

/** Scopes and APIs that are requested, and what the token is for; or the error. */
const REQUESTED: readonly (readonly [
  why: string,
  form: Params,
  expected: readonly [scope: string, aud: string | readonly string[]] | string,
  clientId?: string,
])[] = [
  ["one scope", { scope: "notes:read" }, ["notes:read", API]],
  ["scopes in another order, once", { scope: "notes:write notes:read notes:write" }, [
    "notes:read notes:write",
    API,
  ]],
  ["an API by its scope", { scope: "files:read" }, ["files:read", OTHER_API]],
  ["an API by its name, RFC 8707", { resource: OTHER_API }, ["files:read", OTHER_API]],
  ["both APIs", { resource: API, scope: "notes:read files:read" }, ["notes:read", API]],
  ["no scope that the client could have", {}, ["", API], "none"],
  [
    "a scope for another API than its own",
    { scope: "notes:read", resource: OTHER_API },
    "invalid_target",
  ],
  ["an unknown API, 8707-2", { resource: "https://evil.example" }, "invalid_target"],
  ["the issuer: UserInfo", { resource: ISSUER }, "invalid_target"],
  ["openid, AS24", { scope: "openid" }, "invalid_scope"],
  ["openid beside its own", { scope: "notes:read openid" }, "invalid_scope"],
  ["offline_access", { scope: "offline_access notes:read" }, "invalid_scope"],
  ["a scope about a user", { scope: "profile" }, "invalid_scope"],
  ["openid, of a client that has it for its users", { scope: "openid" }, "invalid_scope", "both"],
  ["offline_access, of such a client", { scope: "offline_access" }, "invalid_scope", "both"],
  ["all that such a client has", {}, ["notes:read", API], "both"],
  ["a scope of another client, AS45", { scope: "notes:write" }, "invalid_scope", "both"],
  ["any scope of a client that has none", { scope: "notes:read" }, "invalid_scope", "none"],
  ["an unknown scope, AS45", { scope: "notes:read admin" }, "invalid_scope"],
  ["a scope with two spaces, 6749-3.3", { scope: "notes:read  notes:write" }, "invalid_scope"],
  ["a quote for a scope", { scope: '"' }, "invalid_scope"],
];

for (const [why, form, expected, clientId] of REQUESTED) {
  const outcome = typeof expected === "string" ? expected : "a token";
  Deno.test(`exchangeTokens() answers a client that asks for ${why} by ${outcome}`, async () => {
    const site = machineSite();
    const response = await site.ask(form, clientId);
    if (typeof expected === "string") return await assertTokenError(response, expected);
    const { access_token, scope = "", refresh_token, id_token } = await response.json();
    const claims = claimsOf(access_token);
    assertEquals<unknown>([claims["scope"], claims["aud"]], expected);
    assertEquals([scope, refresh_token, id_token], [expected[0], undefined, undefined]);
  });
}

Deno.test("exchangeTokens() gives a client without a list of scopes none, whatever the server has", async () => {
  const site = machineSite();
  const stored = (await staticClients(CLIENTS).find("code")) ?? undefined;
  assert(stored !== undefined);
  const { scope: _, ...without } = stored;
  site.current.change = { ...without, clientId: "reports", grants: GRANTS };
  Object.assign(site.current.change, { scope: undefined });
  assertEquals(claimsOf((await (await site.ask()).json()).access_token)["scope"], "");
  await assertTokenError(await site.ask({ scope: "notes:read" }), "invalid_scope");
});

/** Who gets no token, whatever it sends. */
const REFUSED: readonly (readonly [
  why: string,
  setup: (site: ReturnType<typeof machineSite>) => Promise<Response>,
  error: string,
  reason: string,
])[] = [
  [
    "a client without the grant",
    ({ ask }) => ask({}, "code"),
    "unauthorized_client",
    "grant_type_not_allowed",
  ],
  [
    "a public client, whatever its record says, §4.4",
    ({ token, current }) => {
      current.change = { authentication: "none" };
      return token({ grant_type: "client_credentials", client_id: "reports" });
    },
    "unauthorized_client",
    "grant_type_not_allowed",
  ],
  [
    "a client without its secret",
    ({ token }) => token({ grant_type: "client_credentials", client_id: "reports" }),
    "invalid_client",
    "method_mismatch",
  ],
  [
    "a client at a server without the grant",
    () => machineSite({ grants: ["authorization_code"] }).ask(),
    "unsupported_grant_type",
    "",
  ],
];
for (const [why, send, error, reason] of REFUSED) {
  Deno.test(`exchangeTokens() gives ${why} no token for itself`, async () => {
    const site = machineSite();
    await assertTokenError(await send(site), error);
    if (reason !== "") assertEquals(lastRefusal(site), reason);
  });
}

Deno.test("exchangeTokens() gives a client with a wrong secret no token for itself", async () => {
  const site = machineSite();
  const response = await site.token(
    { grant_type: "client_credentials" },
    basic("reports", `${SECRET}x`),
  );
  await assertTokenError(response, "invalid_client", 401);
});

Deno.test("exchangeTokens() gives a client with a key a token for itself", async () => {
  const { states } = inMemoryAuthStores();
  const clients = staticClients([{
    clientId: "signer",
    name: "Signer",
    redirectUris: [],
    grants: GRANTS,
    scope: ["notes:read"],
    jwks: { keys: [publicJwk(KEY)] },
  }]);
  const site = serverSite({ server: { clients, states, grants: GRANTS } });
  const fields = assertionFields(await signAssertion("signer", site.app.clock.now));
  const response = await site.token({ grant_type: "client_credentials", ...fields });
  assertEquals(claimsOf((await response.json()).access_token)["sub"], "client:signer");
  const metadata = site.server.metadata();
  assertEquals([metadata["grant_types_supported"], metadata["authorization_endpoint"]], [
    ["client_credentials"],
    undefined,
  ]);
});

/** Clients that may not be registered. */
const REJECTED: readonly (readonly [why: string, init: Partial<ClientInit>])[] = [
  ["a public one", { authentication: "none" }],
  ["one without a list of scopes", { authentication: "client_secret_post" }],
];
for (const [why, init] of REJECTED) {
  Deno.test(`staticClients() and registerClient() reject client_credentials of ${why}`, async () => {
    const { secret, scope, clientId, ...base } = MACHINE;
    const isPublic = init.authentication === "none";
    const client = { ...base, ...init, ...(isPublic ? { scope } : {}) };
    const message = "client_credentials needs an authentication, and a scope";
    const { clients } = inMemoryAuthStores();
    await assertRejects(() => registerClient(clients, client), RangeError, message);
    const given = isPublic ? client : { ...client, ...(secret === undefined ? {} : { secret }) };
    assertThrows(() => staticClients([{ ...given, clientId }]), RangeError, message);
  });
}

Deno.test("AuthorizationServer gives a client never the subject of a user, BCP-2.6-c, BCP-4.15", async () => {
  const site = machineSite();
  const [machine, own] = [await (await site.ask({}, "u1")).json(), await ownSignIn(site)];
  const subjects = [machine.access_token, own.accessToken].map((token) => claimsOf(token)["sub"]);
  assertEquals(subjects, ["client:u1", "u1"]);
  for (const sub of ["client:u1", "client:"]) {
    const other = machineSite({
      users: undefined,
      authenticate: () =>
        Promise.resolve({ sub, securityStamp: "s", authTime: site.app.clock.now, amr: [] }),
      warn: () => {},
    });
    const response = await other.authorize(other.app.browser(), { client_id: "both" });
    assertEquals(response.status, 500);
    await response.body?.cancel();
  }
});

/** Sends a token to a route of the application. */
async function callApi(site: ServerSite, path: string, token: string) {
  const response = await site.app.router.request(path, { headers: bearer(token) });
  const body = await response.json();
  return response.status === 200 ? body : response.status;
}

Deno.test("tokens.strategy of registerAuth() passes a client's token where its scope is named, and nowhere else", async () => {
  const site = machineSite();
  const { access_token } = await (await site.ask({ scope: "notes:read" })).json();
  assertEquals(await callApi(site, "/api/notes", access_token), {
    sub: "client:reports",
    scope: ["notes:read"],
  });
  assertEquals(await callApi(site, "/api/account", access_token), 403);
  const { access_token: other } = await (await site.ask({ resource: OTHER_API })).json();
  assertEquals(await callApi(site, "/api/notes", other), 401); // BCP-2.3
});

Deno.test("tokens.strategy of registerAuth() refuses clients' tokens, unless accept vouches for them", async () => {
  const site = serverSite({
    server: { clients: staticClients(CLIENTS), grants: GRANTS },
  });
  const response = await site.token(
    { grant_type: "client_credentials", scope: "notes:read" },
    basic("reports", SECRET),
  );
  const { access_token } = await response.json();
  assertEquals(await callApi(site, "/me", access_token), 401);
});

/** What ends the tokens of a client at once, where `accept` is asked. */
const ENDED: readonly (readonly [
  why: string,
  change: Partial<RegisteredClient> | null,
])[] = [
  ["the client is deleted, AS46", null],
  ["the client is disabled, AS46", { disabled: true }],
  ["the client has expired", { expiresAt: 1 }],
  ["the client loses the grant", { grants: ["authorization_code"] }],
  ["the client loses the scope", { scope: ["notes:write"] }],
  ["the client becomes public", { authentication: "none" }],
];
for (const [why, change] of ENDED) {
  Deno.test(`accept() refuses a client's token at once if ${why}`, async () => {
    const site = machineSite();
    const { access_token } = await (await site.ask({ scope: "notes:read" })).json();
    assertEquals((await callApi(site, "/api/notes", access_token)).sub, "client:reports");
    site.current.change = change;
    assertEquals(await callApi(site, "/api/notes", access_token), 401);
  });
}

Deno.test("accept() refuses a client's token without scopes at once if the client loses the grant", async () => {
  const { server, ask, current } = machineSite();
  const claims = claimsOf((await (await ask({}, "none")).json()).access_token);
  const principal = { sub: "client:none" } as Parameters<typeof server.accept>[0];
  assertEquals([claims["scope"], await server.accept(principal, claims)], ["", true]);
  current.change = { grants: ["authorization_code"] };
  assertEquals(await server.accept(principal, claims), false);
});

Deno.test("accept() refuses tokens that look like a client's, and are another's", async () => {
  const { server, ask } = machineSite();
  const claims = claimsOf((await (await ask({ scope: "notes:read" })).json()).access_token);
  const principal = { sub: "client:reports" } as Parameters<typeof server.accept>[0];
  assertEquals(await server.accept(principal, claims), true);
  for (
    const change of [
      { client_id: "u1" },
      { client_id: undefined },
      { sub: "client:u1" },
      { gid: "g1" },
      { gid: null },
      { scope: "notes:read admin" },
      { scope: "openid" },
    ]
  ) {
    assertEquals(
      await server.accept(principal, { ...claims, ...change }),
      false,
      Object.keys(change)[0],
    );
  }
});

Deno.test("bearerTokenStrategy() tells an API in another process that the token is a client's", async () => {
  const site = machineSite();
  const { keyService } = site.options;
  const strategy = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: keyService.resolve,
    issuer: ISSUER,
    audience: API,
    now: () => site.app.clock.now,
  });
  const { access_token } = await (await site.ask({ scope: "notes:read" })).json();
  const request = new Request(`${API}/notes`, { headers: bearer(access_token) });
  const outcome = await strategy.authenticate({ request });
  assert(outcome.status === "authenticated");
  const { sub, scope, amr, authTime, sessionId } = outcome.principal;
  assertEquals([sub, scope, amr, authTime, sessionId], [
    "client:reports",
    ["notes:read"],
    undefined,
    0, // nobody has authenticated
    undefined,
  ]);
});

Deno.test("userinfo() refuses a client's token, AS24, BCP-4.15", async () => {
  for (const resources of [[API, OTHER_API], [ISSUER, OTHER_API]]) {
    const site = machineSite({ resources });
    const { access_token } = await (await site.ask({ scope: "notes:read" })).json();
    const response = await userinfo(site, access_token);
    assertEquals(response.status, 403);
    assert(response.headers.get("WWW-Authenticate")?.includes('error="insufficient_scope"'));
  }
});

Deno.test("revokeToken() says that a client's own token cannot be revoked, RFC 7009 §2.2.1, and nothing of another's, AS21", async () => {
  const site = machineSite();
  const { access_token } = await (await site.ask({ scope: "notes:read" })).json();
  const revoke = async (clientId: string) =>
    await site.send("/oauth/revoke", {
      method: "POST",
      headers: basic(clientId, SECRET),
      body: new URLSearchParams({ token: access_token }),
    });
  await assertTokenError(await revoke("reports"), "unsupported_token_type");
  assertEquals(lastRefusal(site), "token_not_revocable");
  const other = await revoke("both");
  assertEquals([other.status, await other.json()], [200, {}]);
});

Deno.test("exchangeTokens() binds a client's token to the key of its DPoP proof", async () => {
  const { states } = inMemoryAuthStores();
  const site = machineSite({ states, dpop: true });
  const proof = await tokenProof(site, await proofKey());
  const response = await site.token(
    { grant_type: "client_credentials" },
    { ...basic("reports", SECRET), DPoP: proof },
  );
  const { token_type, access_token } = await response.json();
  const { cnf } = claimsOf(access_token) as { cnf?: { jkt?: string } };
  assertEquals([token_type, typeof cnf?.jkt], ["DPoP", "string"]);
});
