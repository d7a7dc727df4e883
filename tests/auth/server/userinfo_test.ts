/** UserInfo, OpenID Connect Core §5.3, and who else accepts the server's tokens: RFC 6750, RFC 9068 §4. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { json, requireScope } from "@gatehouse/http";
import {
  AuthError,
  inMemoryAuthStores,
  type JwtClaims,
  keyService,
  userService,
} from "../../../auth/mod.ts";
import { type AuthorizationServer, staticClients } from "../../../auth/server/mod.ts";
import type { TokenRuntime } from "../../../auth/http/types.ts";
import { authenticate } from "../http/_sign_in.ts";
import {
  API,
  claimsOf,
  CLIENTS,
  ISSUER,
  type Params,
  type ServerSite,
  serverSite,
  type SiteOptions,
} from "./_site.ts";
import {
  bearer,
  granted,
  refreshAs,
  revokeAs,
  type Tokens,
  tokensOf,
  userinfo,
} from "./_tokens.ts";

const REALM = `Bearer realm="${ISSUER}"`;
const INVALID = `${REALM}, error="invalid_token"`;
const INSUFFICIENT = `${REALM}, error="insufficient_scope", scope="openid"`;

/** How the token is sent; `undefined` where it is refused without an error. */
const SENT: readonly (readonly [
  why: string,
  send: (site: ServerSite, token: string) => Promise<Response>,
  challenge?: string,
])[] = [
  ["GET, oidcc-userinfo-get", (site, token) => userinfo(site, token)],
  [
    "POST, oidcc-userinfo-post-header",
    (site, token) => site.send("/oauth/userinfo", { method: "POST", headers: bearer(token) }),
  ],
  ["POST with a form, oidcc-userinfo-post-header", (site, token) =>
    site.send("/oauth/userinfo", {
      method: "POST",
      headers: bearer(token),
      body: new URLSearchParams({ access_token: "another" }),
    })],
  [
    "the scheme in lower case",
    (site, token) =>
      site.send("/oauth/userinfo", { headers: { Authorization: `bearer ${token}` } }),
  ],
  [
    "two spaces",
    (site, token) =>
      site.send("/oauth/userinfo", { headers: { Authorization: `Bearer  ${token}` } }),
  ],
  ["another site's page, AS44", (site, token) =>
    site.send("/oauth/userinfo", {
      method: "POST",
      headers: {
        ...bearer(token),
        "Origin": "https://app.example",
        "Sec-Fetch-Site": "cross-site",
      },
    })],
  [
    "POST, the token in the form, oidcc-userinfo-post-body",
    (site, token) =>
      site.send("/oauth/userinfo", {
        method: "POST",
        body: new URLSearchParams({ access_token: token }),
      }),
    REALM,
  ],
  [
    "the token in the query, AS24, BCP-4.3, 21-4",
    (site, token) => site.send(`/oauth/userinfo?access_token=${token}`),
    REALM,
  ],
  ["no credential, 6750-3.1-a", (site) => site.send("/oauth/userinfo"), REALM],
  [
    "another scheme",
    (site, token) => site.send("/oauth/userinfo", { headers: { Authorization: `Basic ${token}` } }),
    REALM,
  ],
  [
    "DPoP, AS24",
    (site, token) => site.send("/oauth/userinfo", { headers: { Authorization: `DPoP ${token}` } }),
    REALM,
  ],
  [
    "a scheme that starts alike",
    (site, token) =>
      site.send("/oauth/userinfo", { headers: { Authorization: `BearerX ${token}` } }),
    REALM,
  ],
  [
    "the scheme alone, AS25",
    (site) => site.send("/oauth/userinfo", { headers: { Authorization: "Bearer" } }),
    INVALID,
  ],
  ["a percent sign, AS25", (site) => userinfo(site, "%"), INVALID],
  ["two header fields, AS25", (site, token) =>
    site.send("/oauth/userinfo", {
      headers: [["Authorization", `Bearer ${token}`], ["Authorization", `Bearer ${token}`]],
    }), INVALID],
  ["two tokens, AS25", (site, token) => userinfo(site, `${token} ${token}`), INVALID],
  ["20 kB, AS25", (site) => userinfo(site, "a".repeat(20_000)), INVALID],
  [
    "20 kB in three parts, AS25",
    (site) => userinfo(site, ["a", "a", "a"].map((part) => part.repeat(7_000)).join(".")),
    INVALID,
  ],
];
for (const [why, send, challenge] of SENT) {
  const verb = challenge === undefined ? "answers" : "refuses";
  Deno.test(`userinfo() ${verb} ${why}`, async () => {
    const site = serverSite();
    const { access_token } = await granted(site);
    const response = await send(site, access_token);
    assertEquals(
      [response.status, response.headers.get("WWW-Authenticate")],
      challenge === undefined ? [200, null] : [401, challenge],
    );
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    assertEquals(response.headers.get("Access-Control-Allow-Origin"), "*");
    if (challenge === undefined) assertEquals((await response.json()).sub, "u1");
    else assertEquals(await response.text(), "");
  });
}

Deno.test("userinfo() answers HEAD as GET, without the claims", async () => {
  const site = serverSite();
  const { access_token } = await granted(site);
  const response = await site.send("/oauth/userinfo", {
    method: "HEAD",
    headers: bearer(access_token),
  });
  assertEquals([response.status, await response.text()], [200, ""]);
});

/** Claims by scope, OpenID Connect Core §5.4. */
const CLAIMS: readonly (readonly [why: string, params: Params, expected: JwtClaims])[] = [
  ["openid", { scope: "openid" }, { role: "u1" }],
  ["profile, oidcc-scope-profile", { scope: "openid profile" }, {
    role: "u1",
    name: "Ada Lovelace",
    birthdate: "1815-12-10",
  }],
  ["email, oidcc-scope-email", { scope: "openid email" }, {
    role: "u1",
    email: "ada@example.com",
    email_verified: false,
  }],
  ["address, oidcc-scope-address", { scope: "openid address" }, {
    role: "u1",
    address: { locality: "London" },
  }],
  ["phone, oidcc-scope-phone", { scope: "openid phone" }, { role: "u1", phone_number: "+441234" }],
  ["all, oidcc-scope-all", { scope: "openid profile email address phone" }, {
    role: "u1",
    name: "Ada Lovelace",
    birthdate: "1815-12-10",
    email: "ada@example.com",
    email_verified: false,
    address: { locality: "London" },
    phone_number: "+441234",
  }],
  ["the parameter claims, which grants nothing, oidcc-claims-essential", {
    scope: "openid",
    claims: '{"userinfo":{"name":{"essential":true}}}',
  }, { role: "u1" }],
];
for (const [why, params, expected] of CLAIMS) {
  Deno.test(`userinfo() returns the claims of ${why}`, async () => {
    const asked: unknown[] = [];
    const site = serverSite({
      server: {
        claims: (sub, { scope, client: { clientId } }) => {
          asked.push([sub, scope, clientId]);
          return {
            sub: "forged",
            role: sub,
            name: "Ada Lovelace",
            birthdate: "1815-12-10",
            nickname: undefined,
            picture: null,
            email: "ada@example.com",
            email_verified: false,
            address: { locality: "London" },
            phone_number: "+441234",
          };
        },
      },
    });
    const { access_token, scope } = await granted(site, params);
    const response = await userinfo(site, access_token);
    assertEquals(response.headers.get("Content-Type"), "application/json");
    assertEquals(await response.json(), { ...expected, sub: "u1" });
    assertEquals(asked.at(-1), ["u1", scope.split(" "), "spa"]);
  });
}

for (const claims of [undefined, () => undefined, () => ({}), () => Promise.resolve({})]) {
  Deno.test(`userinfo() returns sub alone if claims is ${claims?.toString()}`, async () => {
    const site = serverSite({ server: { claims } });
    const { access_token } = await granted(site, { scope: "openid" });
    assertEquals(await (await userinfo(site, access_token)).json(), { sub: "u1" });
  });
}

/** Tokens that do not open UserInfo. */
const TOKENS: readonly (readonly [
  why: string,
  token: (site: ServerSite, tokens: Tokens) => Promise<string> | string,
  status: 401 | 403,
])[] = [
  ["an ID token, AS24, AS48, 9068-4", (_, { id_token }) => id_token, 401],
  ["a refresh token", (_, { refresh_token }) => refresh_token, 401],
  [
    "a token without openid, AS24, 6750-3.1-b",
    async (site) => (await granted(site, { scope: "notes:read" })).access_token,
    403,
  ],
  [
    "a token that was narrowed to another API, AS24",
    async (site, { refresh_token }) =>
      (await tokensOf(await refreshAs(site, "spa", refresh_token, { scope: "notes:read" })))
        .access_token,
    403,
  ],
  ["a token of the application's own sign-in, BCP-4.15", (site) => ownToken(site), 401],
  ["another signature", (_, { access_token }) => `${access_token.slice(0, -8)}AAAAAAAA`, 401],
  [
    "no signature",
    (_, { access_token }) => access_token.slice(0, access_token.lastIndexOf(".") + 1),
    401,
  ],
  [
    "alg none",
    (_, { access_token }) =>
      `${btoa('{"alg":"none","typ":"at+jwt"}').replaceAll("=", "")}.${access_token.split(".")[1]}.`,
    401,
  ],
];
for (const [why, token, status] of TOKENS) {
  Deno.test(`userinfo() refuses ${why}`, async () => {
    const site = serverSite();
    const tokens = await granted(site, { scope: "openid notes:read offline_access" });
    const response = await userinfo(site, await token(site, tokens));
    assertEquals(
      [response.status, response.headers.get("WWW-Authenticate")],
      [status, status === 401 ? INVALID : INSUFFICIENT],
    );
  });
}

/** Claims that only this server could sign, each of them wrong: another issuer or audience on the same keys, AS47. */
const SIGNED: readonly (readonly [why: string, change: object, typ?: string, status?: number])[] = [
  ["the claims as they are, signed again", {}, "at+jwt", 200],
  ["another typ, RFC 9068 §4", {}, "JWT"],
  ["the media type in full", {}, "application/at+jwt", 200],
  ["another issuer, AS47", { iss: "https://example.com/second" }],
  ["another audience alone", { aud: "https://other.example" }],
  ["the API alone", { aud: API }, "at+jwt", 403],
  ["no grant", { gid: undefined }],
  ["a grant that is none", { gid: "x" }],
  ["a grant that is a number", { gid: 1 }],
  ["no client", { client_id: undefined }],
  ["another client than the grant's", { client_id: "own" }],
  ["a client that is a list", { client_id: ["spa"] }],
  ["another user than the grant's", { sub: "u2" }],
  ["no user", { sub: undefined }],
  ["no scope", { scope: undefined }, "at+jwt", 403],
  ["a scope that is a list", { scope: ["openid"] }, "at+jwt", 403],
  ["a scope that contains the word", { scope: "openid2 xopenid" }, "at+jwt", 403],
];
for (const [why, change, typ = "at+jwt", status = 401] of SIGNED) {
  Deno.test(`userinfo() answers a token with ${why} by ${status}`, async () => {
    const site = serverSite();
    const { access_token } = await granted(site);
    const claims = { ...claimsOf(access_token), ...change } as JwtClaims;
    const token = await site.options.keyService.sign(claims, { typ, expiresIn: 600 });
    assertEquals((await userinfo(site, token)).status, status);
  });
}

Deno.test("userinfo() refuses an expired token, BCP-4.10", async () => {
  const site = serverSite();
  const { access_token } = await granted(site, { scope: "openid offline_access" });
  for (const [seconds, status] of [[599, 200], [700, 401]] as const) {
    const { now } = site.app.clock;
    site.app.clock.now += seconds;
    assertEquals((await userinfo(site, access_token)).status, status, `after ${seconds} s`);
    site.app.clock.now = now;
  }
});

/** What ends access at once, AS17 and AS50: at UserInfo, and where `accept` is asked. */
const ENDED: readonly (readonly [
  why: string,
  end: (site: ServerSite, tokens: Tokens, clients: { change: object | null }) => Promise<unknown>,
])[] = [
  [
    "the user withdraws the consent, CVE-2017-12160",
    ({ server }, { access_token }) =>
      server.revokeGrant("u1", String(claimsOf(access_token)["gid"])),
  ],
  ["the client revokes the token", (site, { access_token }) => revokeAs(site, "spa", access_token)],
  ["the user is disabled", ({ app }) => userService(app.stores).disable("u1")],
  ["the user is disabled, and keeps the stamp", async ({ app: { stores: { users } } }) => {
    const { version = "", securityStamp = "" } = await users.findBySub("u1") ?? {};
    await users.update("u1", version, { disabled: true, securityStamp });
  }],
  ["the user has a new stamp", async ({ app: { stores: { users } } }) => {
    const { version = "" } = await users.findBySub("u1") ?? {};
    await users.update("u1", version, { disabled: false, securityStamp: "another" });
  }],
  ["the user is deleted", ({ app }) => userService(app.stores).remove("u1")],
  [
    "the password is changed",
    ({ app }) => app.runtime.passwords.reset("u1", "another long password"),
  ],
  ["all sessions end, BCP-4.14-c", ({ app }) => app.runtime.sessions.revokeAll("u1")],
  ["the client is deleted, AS46", (_site, _tokens, clients) => {
    clients.change = null;
    return Promise.resolve();
  }],
  ["the client is disabled, AS46", (_site, _tokens, clients) => {
    clients.change = { disabled: true };
    return Promise.resolve();
  }],
];
for (const [why, end] of ENDED) {
  Deno.test(`userinfo() and accept() refuse at once if ${why}, AS50`, async () => {
    const clients: { change: object | null } = { change: {} };
    const { site } = guarded({ clients });
    const tokens = await granted(site);
    const api = () =>
      site.app.router.request("/api/notes", { headers: bearer(tokens.access_token) });
    assertEquals((await api()).status, 200);
    await end(site, tokens, clients);
    const response = await userinfo(site, tokens.access_token);
    assertEquals([response.status, response.headers.get("WWW-Authenticate")], [401, INVALID]);
    assertEquals((await api()).status, 401);
  });
}

Deno.test("userinfo() of a grant that has expired refuses its access token", async () => {
  const site = serverSite({ server: { lifetimes: { grant: 600 } } }); // a clock may be slow: the token is valid a little longer
  const { access_token } = await granted(site);
  site.app.clock.now += 599;
  assertEquals((await userinfo(site, access_token)).status, 200);
  site.app.clock.now += 1;
  assertEquals((await userinfo(site, access_token)).status, 401);
});

for (const isSync of [true, false]) {
  Deno.test(`userinfo() answers claims() that ${isSync ? "throws" : "rejects"} by 500 without details`, async () => {
    const current = { fails: false };
    const site = serverSite({
      server: {
        claims: () => {
          if (!current.fails) return {};
          if (isSync) throw new Error("hunter2");
          return Promise.reject(new Error("hunter2"));
        },
      },
    });
    const { access_token } = await granted(site);
    current.fails = true;
    const response = await userinfo(site, access_token);
    assertEquals([response.status, await response.json()], [500, { error: "server_error" }]);
    current.fails = false;
    assertEquals((await userinfo(site, access_token)).status, 200);
  });
}

Deno.test("userinfo() of keys that are unavailable is 503, and no refusal of the token", async () => {
  const { keys: store } = inMemoryAuthStores();
  const current = { fails: false };
  const keys = keyService({ store, algorithms: ["ES256"], now: () => site.app.clock.now });
  const site = serverSite({
    server: {
      keyService: {
        ...keys,
        resolve: (header) => {
          if (current.fails) throw new AuthError("service_unavailable");
          return keys.resolve(header);
        },
      },
    },
  });
  const { access_token } = await granted(site);
  current.fails = true;
  const response = await userinfo(site, access_token);
  assertEquals([response.status, await response.json()], [503, {
    error: "temporarily_unavailable",
  }]);
  assertEquals((await revokeAs(site, "spa", access_token)).status, 503);
  current.fails = false;
  assertEquals((await userinfo(site, access_token)).status, 200);
});

async function ownToken({ app }: ServerSite): Promise<string> {
  const { tokens } = app.runtime as TokenRuntime;
  return (await tokens.issue(await authenticate(app))).accessToken;
}

/** A site whose own API asks the server about each token. */
function guarded(
  { clients = { change: {} }, server: changes = {} }: {
    readonly clients?: { change: object | null };
    readonly server?: SiteOptions["server"];
  } = {},
): { readonly site: ServerSite } {
  const stored = staticClients(CLIENTS);
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
          return found === null || clients.change === null ? null : { ...found, ...clients.change };
        },
      },
      ...changes,
    },
  });
  later.server = site.server;
  site.app.router
    .get("/api/notes", (req) => json({ sub: req.principal.sub, scope: req.principal.scope }), {
      use: [requireScope("notes:read")],
    })
    .post("/api/notes", (req) => json(req.principal.sub), { use: [requireScope("notes:write")] })
    .get("/api/account", (req) => json(req.principal.sub));
  return { site };
}

/** Routes of the application, and tokens of the server: `runtime.tokens.strategy`. */
const ROUTES: readonly (readonly [
  why: string,
  scope: string,
  path: string,
  method: string,
  status: number,
])[] = [
  ["a scope that it has", "openid notes:read", "/api/notes", "GET", 200],
  ["a scope that it has, without openid", "notes:read", "/api/notes", "GET", 200],
  ["a scope that it has not, 6750-3.1-b", "openid notes:read", "/api/notes", "POST", 403],
  ["no scope at all", "openid", "/api/notes", "GET", 403],
  [
    "a route without scopes: only for the application's own",
    "openid notes:read",
    "/api/account",
    "GET",
    403,
  ],
  ["any scope", "openid", "/me", "GET", 200],
];
for (const [why, scope, path, method, status] of ROUTES) {
  Deno.test(`tokens.strategy of registerAuth() answers ${status} to a token with ${why}`, async () => {
    const { site } = guarded();
    const { access_token } = await granted(site, { scope });
    const response = await site.app.router.request(path, { method, headers: bearer(access_token) });
    assertEquals(response.status, status);
    const body = await response.json();
    if (path === "/api/notes" && status === 200) {
      assertEquals(body, { sub: "u1", scope: scope.split(" ") });
    }
  });
}

Deno.test("tokens.strategy of registerAuth() does not take a token without scopes for an unlimited one", async () => {
  const { site } = guarded({ server: { scopes: {} } });
  const { access_token } = await granted(site, { scope: undefined });
  for (const path of ["/api/notes", "/api/account"]) {
    const response = await site.app.router.request(path, { headers: bearer(access_token) });
    assertEquals(response.status, 403, path);
  }
});

Deno.test("tokens.strategy of registerAuth() refuses ID tokens and refresh tokens, AS48, 9068-4", async () => {
  const { site } = guarded();
  const { id_token, refresh_token } = await granted(site);
  for (const token of [id_token, refresh_token]) {
    const response = await site.app.router.request("/me", { headers: bearer(token) });
    assertEquals(response.status, 401);
    assertMatch(response.headers.get("WWW-Authenticate") ?? "", /error="invalid_token"/);
  }
});

Deno.test("accept() passes the application's own tokens, and refuses claims that are malformed", async () => {
  const { site } = guarded();
  const token = await ownToken(site);
  assertEquals((await site.app.router.request("/me", { headers: bearer(token) })).status, 200);
  const { access_token } = await granted(site);
  const claims = claimsOf(access_token) as JwtClaims;
  const { accept } = site.server;
  const principal = { sub: "u1" } as Parameters<typeof accept>[0];
  assert(await accept(principal, claims));
  for (const change of [{ gid: null }, { gid: 7 }, { client_id: undefined }, { sub: undefined }]) {
    assertEquals(await accept(principal, { ...claims, ...change } as JwtClaims), false);
  }
});
