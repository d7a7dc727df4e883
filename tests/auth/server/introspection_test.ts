/**
 * Introspection: what a server says of a token, and to whom. Sources: RFC 7662, RFC 9700 §2.3, CVE-2021-32701.
 */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { inMemoryAuthStores } from "../../../auth/mod.ts";
import { type ClientInit, staticClients } from "../../../auth/server/mod.ts";
import {
  API,
  assertTokenError,
  basic,
  claimsOf,
  CLIENTS,
  ISSUER,
  type Params,
  SECRET,
  type ServerSite,
  serverSite,
  type SiteOptions,
} from "./_site.ts";
import { proofKey } from "../dpop/_proofs.ts";
import { codeOf, redeemWith, tokenProof } from "./_dpop.ts";
import {
  changingClients,
  granted,
  ownSignIn,
  redeemAs,
  refreshAs,
  type Tokens,
  tokensOf,
} from "./_tokens.ts";

const OTHER_API = "https://files.example";

/** An API: it is no party to a flow, and only asks. */
function apiClient(clientId: string, introspects?: readonly string[]): ClientInit {
  const grants = ["client_credentials"] as const;
  const common = { clientId, name: clientId, redirectUris: [], secret: SECRET, grants, scope: [] };
  return { ...common, ...(introspects === undefined ? {} : { introspects }) };
}

const APIS = [apiClient("notes-api", [API]), apiClient("files-api", [OTHER_API]), apiClient("x")];

function site({ server, ...options }: SiteOptions = {}): ServerSite {
  return serverSite({
    clients: [...CLIENTS, ...APIS],
    server: { introspection: true, resources: [API, OTHER_API], ...server },
    ...options,
  });
}

async function introspect(
  at: ServerSite,
  form: Params,
  headers: Readonly<Record<string, string>> = basic("notes-api", SECRET),
): Promise<Response> {
  const fields = Object.entries(form).filter((field): field is [string, string] =>
    field[1] !== undefined
  );
  const body = new URLSearchParams(fields);
  return await at.send("/oauth/introspect", { method: "POST", headers, body });
}

/** What is said of a token. */
async function said(
  at: ServerSite,
  token: string,
  clientId = "notes-api",
): Promise<Record<string, unknown>> {
  const response = await introspect(at, { token }, basic(clientId, SECRET));
  assertEquals([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
  assertEquals(response.headers.get("Access-Control-Allow-Origin"), null);
  return await response.json();
}

const INACTIVE = { active: false };

Deno.test("introspectToken() says an API what an access token for it contains, RFC 7662 §2.2", async () => {
  const at = site();
  const { access_token } = await granted(at);
  const { gid, stamp, ...claims } = claimsOf(access_token);
  assert(typeof gid === "string" && typeof stamp === "string");
  assertEquals(await said(at, access_token), { active: true, token_type: "Bearer", ...claims });
  assertEquals([claims["iss"], claims["sub"], claims["aud"], claims["client_id"]], [
    ISSUER,
    "u1",
    [API, ISSUER],
    "spa",
  ]);
});

Deno.test("introspectToken() says a client what its own tokens are", async () => {
  const at = site();
  const { access_token, refresh_token } = await granted(at, { client_id: "web" });
  assertEquals((await said(at, access_token, "web"))["active"], true);
  const { exp, iat, ...refresh } = await said(at, refresh_token, "web");
  assertEquals(refresh, {
    active: true,
    iss: ISSUER,
    sub: "u1",
    client_id: "web",
    scope: "openid notes:read",
  });
  assertEquals([iat, exp], [at.app.clock.now, at.app.clock.now + 1_209_600]);
});

Deno.test("introspectToken() says an API the key that a token is bound to, RFC 9449 §6.2", async () => {
  const at = site({ server: { dpop: true, states: inMemoryAuthStores().states } });
  const key = await proofKey();
  const response = await redeemWith(at, "web", await codeOf(at, "web"), await tokenProof(at, key));
  const { access_token } = await tokensOf(response);
  const { token_type, cnf } = await said(at, access_token);
  assertEquals<unknown>([token_type, cnf], ["DPoP", claimsOf(access_token)["cnf"]]);
});

Deno.test("introspectToken() does not let accessTokenClaims say whether a token is valid", async () => {
  const at = site({ server: { accessTokenClaims: () => ({ active: false, token_type: "x" }) } });
  const { active, token_type } = await said(at, (await granted(at)).access_token);
  assertEquals([active, token_type], [true, "Bearer"]);
});

Deno.test("introspectToken() says nothing to a client whose introspects is null, as databases have it", async () => {
  const stored = staticClients([...CLIENTS, ...APIS]);
  const at = site({
    server: {
      clients: {
        async find(clientId) {
          const client = await stored.find(clientId);
          return client === null ? null : Object.assign({ ...client }, { introspects: null });
        },
      },
    },
  });
  assertEquals(await said(at, (await granted(at)).access_token), INACTIVE);
});

/** Clients that may not be registered. */
const REJECTED: readonly (readonly [why: string, init: object, message: string])[] = [
  ["a public one", { authentication: "none" }, "introspects needs an authentication"],
  ["one with a string", { secret: SECRET, introspects: API }, "must be an array of strings"],
  ["one with a number", { secret: SECRET, introspects: [7] }, "must be an array of strings"],
];

for (const [why, init, message] of REJECTED) {
  Deno.test(`staticClients() rejects introspects of ${why}, 7662-2.1`, () => {
    const { secret: _, ...common } = apiClient("notes-api", [API]);
    const client = { ...common, grants: ["refresh_token"], ...init } as ClientInit;
    assertThrows(() => staticClients([client]), Error, message);
  });
}

/** Who learns nothing, AS21 and AS23: `active` is false, and nothing else is said. */
const STRANGERS: readonly (readonly [
  why: string,
  clientId: string,
  pick: (tokens: Tokens) => string,
])[] = [
  ["another API, AS23, CVE-2021-32701", "files-api", ({ access_token }) => access_token],
  ["another client, AS21", "web", ({ access_token }) => access_token],
  ["a client that is no API, AS23", "x", ({ access_token }) => access_token],
  ["an API about a refresh token, AS21", "notes-api", ({ refresh_token }) => refresh_token],
  ["another client about a refresh token, AS21", "web", ({ refresh_token }) => refresh_token],
];

for (const [why, clientId, pick] of STRANGERS) {
  Deno.test(`introspectToken() says nothing to ${why}, 7662-2.2`, async () => {
    const at = site();
    assertEquals(await said(at, pick(await granted(at)), clientId), INACTIVE);
  });
}

/** What is no valid token. */
const INVALID: readonly (readonly [why: string, pick: (tokens: Tokens) => string])[] = [
  ["an ID token", ({ id_token }) => id_token],
  ["an unknown token", () => "x"],
  ["a token with another signature", ({ access_token }) => `${access_token.slice(0, -4)}AAAA`],
  ["NUL", () => "\0"],
  ["10 kB", () => "a".repeat(10_000)],
  ["the handle of a refresh token", ({ refresh_token }) => refresh_token.split(".")[0] ?? ""],
  [
    "a refresh token with another secret",
    ({ refresh_token }) => `${refresh_token.split(".")[0]}.${"A".repeat(43)}`,
  ],
];

for (const [why, pick] of INVALID) {
  Deno.test(`introspectToken() says that ${why} is inactive, 7662-2.2`, async () => {
    const at = site();
    const tokens = await granted(at, { client_id: "web" });
    for (const clientId of ["web", "notes-api"]) {
      assertEquals(await said(at, pick(tokens), clientId), INACTIVE);
    }
    assertEquals((await said(at, tokens.refresh_token, "web"))["active"], true, "the grant stays");
  });
}

Deno.test("introspectToken() says that a sign-in of the application itself is inactive", async () => {
  const at = site();
  const { accessToken, refreshToken } = await ownSignIn(at);
  for (const token of [accessToken, refreshToken ?? ""]) {
    assertEquals(await said(at, token), INACTIVE);
  }
});

Deno.test("introspectToken() says that a refresh token that was used is inactive, and its grant goes on", async () => {
  const at = site();
  const first = await granted(at, { client_id: "web" });
  const second = await tokensOf(await refreshAs(at, "web", first.refresh_token));
  assertEquals(await said(at, first.refresh_token, "web"), INACTIVE);
  assertEquals((await said(at, second.refresh_token, "web"))["active"], true);
});

/** Ends of a grant, which are seen at once, AS50. */
const ENDS: readonly (readonly [why: string, end: (at: ServerSite) => Promise<unknown>])[] = [
  ["the user withdraws the consent", async ({ server }) => {
    const [grant] = await server.listGrants("u1");
    return await server.revokeGrant("u1", grant?.grantId ?? "");
  }],
  ["the user is disabled", async ({ app }) => {
    const user = await app.stores.users.findBySub("u1");
    assert(user !== null);
    return await app.stores.users.update("u1", user.version, {
      disabled: true,
      securityStamp: "another",
    });
  }],
  ["the token expires", ({ app }) => Promise.resolve(app.clock.now += 2_592_001)],
];

for (const [why, end] of ENDS) {
  Deno.test(`introspectToken() says that tokens are inactive when ${why}, AS50`, async () => {
    const at = site();
    const { access_token, refresh_token } = await granted(at, { client_id: "web" });
    assertEquals((await said(at, access_token))["active"], true);
    await end(at);
    assertEquals(await said(at, access_token), INACTIVE);
    assertEquals(await said(at, refresh_token, "web"), INACTIVE);
  });
}

Deno.test("introspectToken() says that tokens of a client that was disabled are inactive, AS46", async () => {
  const { clients, current } = changingClients();
  const apis = staticClients(APIS);
  const find = async (clientId: string) =>
    await apis.find(clientId) ?? await clients.find(clientId);
  const at = site({ server: { clients: { find } } });
  const { access_token } = await granted(at);
  assertEquals((await said(at, access_token))["active"], true);
  current.change = { disabled: true };
  assertEquals(await said(at, access_token), INACTIVE);
});

/** Requests that are refused. */
const REFUSED: readonly (readonly [
  why: string,
  form: Params,
  headers: Readonly<Record<string, string>>,
  error: string,
  status: number,
])[] = [
  ["no authentication, 7662-2.1", { token: "x" }, {}, "invalid_client", 401],
  ["a public client, 7662-2.1", { token: "x", client_id: "spa" }, {}, "invalid_client", 401],
  ["a wrong secret, 7662-2.1", { token: "x" }, basic("notes-api", "x"), "invalid_client", 401],
  [
    "a wrong secret in the body",
    { token: "x", client_id: "post", client_secret: "x" },
    {},
    "invalid_client",
    401,
  ],
  ["no token", {}, basic("notes-api", SECRET), "invalid_request", 400],
];

for (const [why, form, headers, error, status] of REFUSED) {
  Deno.test(`introspectToken() refuses ${why}`, async () => {
    const response = await introspect(site(), form, headers);
    const challenge = status === 401 ? `Basic realm="${ISSUER}"` : null;
    assertEquals(response.headers.get("WWW-Authenticate"), challenge);
    await assertTokenError(response, error, status);
  });
}

Deno.test("introspectToken() ignores token_type_hint, RFC 7662 §2.1", async () => {
  const at = site();
  const { access_token: token } = await granted(at);
  for (const token_type_hint of ["access_token", "refresh_token", "pct"]) {
    const response = await introspect(at, { token, token_type_hint });
    assertEquals((await response.json()).active, true);
  }
});

Deno.test("introspectToken() narrows nothing: a token for two APIs is said to both", async () => {
  const at = site({
    server: {
      introspection: true,
      resources: [API, OTHER_API],
      scopes: {
        "notes:read": { description: "Read your notes", resource: API },
        "files:read": { description: "Read your files", resource: OTHER_API },
      },
    },
  });
  const code = await at.code(await at.signedIn(), { scope: "notes:read files:read" });
  const { access_token } = await tokensOf(await redeemAs(at, "spa", code));
  for (const clientId of ["notes-api", "files-api"]) {
    const { active, aud } = await said(at, access_token, clientId);
    assertEquals([active, aud], [true, [API, OTHER_API]]);
  }
});

Deno.test("metadata() names the introspection endpoint if it is on, without public clients, AS43", async () => {
  const on = site().server.metadata();
  assertEquals(on["introspection_endpoint"], `${ISSUER}/oauth/introspect`);
  assertEquals(on["introspection_endpoint_auth_methods_supported"], [
    "client_secret_basic",
    "client_secret_post",
  ]);
  const off = serverSite();
  assertEquals(off.server.metadata()["introspection_endpoint"], undefined);
  assertEquals((await off.send("/oauth/introspect", { method: "POST" })).status, 404);
});
