/** Grants as users see them, and whole sign-ins of our own relying party at our own server. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type AsymmetricAlgorithm, inMemoryAuthStores, keyService } from "../../../auth/mod.ts";
import { oauthClient, oidcProvider } from "../../../auth/oauth/mod.ts";
import { handleOAuthServerRequest } from "../../../auth/server/mod.ts";
import { tokenHash } from "../../../auth/jwt/token_hash.ts";
import { authenticate } from "../http/_sign_in.ts";
import type { TokenRuntime } from "../../../auth/http/types.ts";
import {
  assertRedirectError,
  claimsOf,
  headerOf,
  ISSUER,
  SECRET,
  type ServerSite,
  serverSite,
} from "./_site.ts";
import { granted, isAlive, refreshAs, tokensOf, userinfo } from "./_tokens.ts";

const OFFLINE = { scope: "openid offline_access notes:read" } as const;

Deno.test("listGrants() lists the applications of a user, the newest first", async () => {
  const site = serverSite();
  const browser = await site.signedIn();
  const { now } = site.app.clock;
  await granted(site, OFFLINE, { browser });
  site.app.clock.now += 60;
  await granted(site, { client_id: "narrow", scope: "notes:read" }, { browser });
  const grants = await site.server.listGrants("u1");
  assertEquals(grants.map(({ grantId: _, ...grant }) => grant), [
    {
      clientId: "narrow",
      scope: ["notes:read"],
      createdAt: now + 60,
      expiresAt: now + 60 + 1_209_600,
    },
    {
      clientId: "spa",
      scope: ["openid", "offline_access", "notes:read"],
      createdAt: now,
      expiresAt: now + 1_209_600,
    },
  ]);
  for (const { grantId } of grants) assertMatch(grantId, /^[\w-]{43}$/);
  assertEquals(await site.server.listGrants("u2"), []);
});

Deno.test("listGrants() leaves out the application's own sign-ins, and revokeGrant() leaves them alone", async () => {
  const site = serverSite();
  await site.signedIn();
  const { tokens } = site.app.runtime as TokenRuntime;
  await tokens.issue(await authenticate(site.app));
  assertEquals(await site.server.listGrants("u1"), []);
  const [own] = await tokens.list("u1");
  assertEquals(await site.server.revokeGrant("u1", own?.familyId ?? ""), false);
  assertEquals((await tokens.list("u1")).length, 1);
});

Deno.test("listGrants() keeps what was granted after a refresh with less scope", async () => {
  const site = serverSite();
  const { refresh_token } = await granted(site, OFFLINE);
  await tokensOf(await refreshAs(site, "spa", refresh_token, { scope: "openid" }));
  const [grant] = await site.server.listGrants("u1");
  assertEquals(grant?.scope, ["openid", "offline_access", "notes:read"]);
});

Deno.test("listGrants() leaves out families whose data is not that of a grant", async () => {
  const current: { data?: unknown } = {};
  const site = serverSite({
    app: {
      wrap: ({ refreshTokens }) => ({
        refreshTokens: {
          ...refreshTokens,
          list: async (sub) =>
            (await refreshTokens.list(sub)).map((family) => ({ ...family, ...current })),
        },
      }),
    },
  });
  await granted(site, OFFLINE);
  const rows = [
    [{ issuer: ISSUER, clientId: "spa" }, 1],
    [{ issuer: ISSUER }, 0],
    [{ issuer: ISSUER, clientId: 1 }, 0],
    [{ issuer: `${ISSUER}/`, clientId: "spa" }, 0],
    [{ clientId: "spa" }, 0],
    [null, 0],
    ["spa", 0],
  ] as const;
  for (const [data, count] of rows) {
    current.data = data;
    assertEquals((await site.server.listGrants("u1")).length, count, JSON.stringify(data));
  }
});

Deno.test("accept() refuses another grant than the token's: of a store that compares inexactly", async () => {
  const site = serverSite({
    app: {
      wrap: ({ refreshTokens }) => ({
        refreshTokens: { ...refreshTokens, find: (id) => refreshTokens.find(id.slice(0, 43)) },
      }),
    },
  });
  const claims = claimsOf((await granted(site, OFFLINE)).access_token);
  const { accept } = site.server;
  const principal = { sub: "u1" } as Parameters<typeof accept>[0];
  assertEquals(await accept(principal, claims), true);
  assertEquals(await accept(principal, { ...claims, gid: `${claims["gid"]} ` }), false);
});

/** Scopes that a client which may have `notes:read` alone requests, RFC 6749 §3.3. */
const SCOPES: readonly (readonly [why: string, scope: string | undefined, granted?: string])[] = [
  ["its own", "notes:read", "notes:read"],
  ["none", undefined, "notes:read"],
  ["its own and an unknown one", "notes:read x", "notes:read"],
  ["its own and another", "notes:read notes:write"],
  ["another", "notes:write"],
  ["openid, which it may not have", "openid notes:read"],
];
for (const [why, scope, expected] of SCOPES) {
  Deno.test(`requestedScope() ${expected ? "grants" : "refuses"} a limited client ${why}, AS45`, async () => {
    const site = serverSite();
    const browser = await site.signedIn();
    const params = { client_id: "narrow", scope };
    if (expected === undefined) {
      assertRedirectError(await site.authorize(browser, params), "invalid_scope");
    } else assertEquals((await granted(site, params, { browser })).scope, expected);
  });
}

/** Whose grant, and which: `true` for the right ones. */
const REVOCATIONS: readonly (readonly [
  why: string,
  name: (grantId: string) => readonly [sub: string, grantId: string],
  isRevoked: boolean,
])[] = [
  ["the user's own grant", (grantId) => ["u1", grantId], true],
  ["a grant of another user", (grantId) => ["u2", grantId], false],
  ["an unknown grant", (grantId) => ["u1", `${grantId.slice(0, 42)}-`], false],
  ["an empty id", () => ["u1", ""], false],
  ["no user", (grantId) => ["", grantId], false],
];
for (const [why, name, isRevoked] of REVOCATIONS) {
  Deno.test(`revokeGrant() of ${why} returns ${isRevoked}`, async () => {
    const site = serverSite();
    const tokens = await granted(site, OFFLINE);
    const [sub, grantId] = name(String(claimsOf(tokens.access_token)["gid"]));
    assertEquals(await site.server.revokeGrant(sub, grantId), isRevoked);
    assertEquals(await isAlive(site, tokens), [!isRevoked, !isRevoked]);
    assertEquals(await site.server.revokeGrant(sub, grantId), false, "again");
    const revoked = site.app.events.filter(({ type }) => type === "refresh.revoked");
    assertEquals(revoked.length, isRevoked ? 1 : 0);
  });
}

Deno.test("revokeGrant() makes the server ask for consent again", async () => {
  const site = serverSite();
  const browser = await site.signedIn();
  const { access_token } = await granted(site, OFFLINE, { browser });
  assertEquals((await site.authorize(browser, OFFLINE)).status, 303, "remembered");
  const more = { scope: `${OFFLINE.scope} notes:write` };
  assertEquals((await site.authorize(browser, more)).status, 200, "more than was granted");
  const other = { ...OFFLINE, client_id: "web" };
  assertEquals((await site.authorize(browser, other)).status, 200, "another client");
  await site.server.revokeGrant("u1", String(claimsOf(access_token)["gid"]));
  assertEquals((await site.authorize(browser, OFFLINE)).status, 200);
});

Deno.test("server.accept() asks the store each time: revoked grants end within one request, AS50", async () => {
  const site = serverSite();
  const { access_token } = await granted(site, OFFLINE);
  const claims = claimsOf(access_token);
  const { accept } = site.server; // without `this`
  const principal = { sub: "u1" } as Parameters<typeof accept>[0];
  assertEquals(await accept(principal, claims), true);
  await site.server.revokeGrant("u1", String(claims["gid"]));
  assertEquals(await accept(principal, claims), false);
  assertEquals((await userinfo(site, access_token)).status, 401);
});

Deno.test("runtimeOptions() passes on what a session says of the authentication", async () => {
  const site = serverSite();
  const { runtime, clock } = site.app;
  const { session, token } = await runtime.sessions.create({
    ...await authenticate(site.app),
    authTime: clock.now - 40,
    amr: ["hwk"],
    acr: "aal3",
  });
  const browser = site.app.browser();
  browser.keep([runtime.cookies.set("sid", token, {})]);
  const { id_token, access_token } = await granted(site, {}, { browser });
  for (const claims of [claimsOf(id_token), claimsOf(access_token)]) {
    assertEquals(
      [claims["sub"], claims["auth_time"], claims["amr"], claims["acr"]],
      ["u1", clock.now - 40, ["hwk"], "aal3"],
    );
  }
  assertEquals(claimsOf(id_token)["sid"], session.id);
});

/** Algorithms of ID tokens, with the digest of `at_hash`, OpenID Connect Core §3.1.3.6. */
const ALGORITHMS: readonly (readonly [alg: AsymmetricAlgorithm, atHash: number])[] = [
  ["RS256", 22],
  ["PS256", 22],
  ["ES256", 22],
  ["ES384", 32],
  ["EdDSA", 43],
  ["Ed25519", 43],
];
for (const [alg, length] of ALGORITHMS) {
  Deno.test(`oauthClient() signs in at our server, whose ID tokens are signed by ${alg}`, async () => {
    const party = relyingParty(alg);
    const result = await party.signIn();
    assertEquals(
      [result.issuer, result.profile.subject, result.profile.email, result.profile.emailVerified],
      [ISSUER, "u1", "ada@example.com", true],
    );
    assertEquals([result.amr, result.authTime], [["pwd"], party.site.app.clock.now]);
    const { idToken = "", accessToken, refreshToken = "", scope } = result.tokens;
    assertEquals([headerOf(idToken)["alg"], scope], [alg, ["openid", "email"]]);
    const atHash = claimsOf(idToken)["at_hash"];
    assertEquals([atHash, String(atHash).length], [await tokenHash(alg, accessToken), length]);

    const next = await party.client.refresh(refreshToken, result.tokens);
    assertEquals(headerOf(next.idToken ?? "")["alg"], alg);
    assertEquals(await party.client.revoke(next.refreshToken ?? ""), true);
    assertEquals((await userinfo(party.site, next.accessToken)).status, 401);
  });
}

for (const [clientId, clientSecret] of [["web", SECRET], ["spa", undefined]] as const) {
  Deno.test(`oauthClient() signs in at our server as ${clientId}, and reads UserInfo`, async () => {
    const party = relyingParty("ES256", { clientId, clientSecret });
    const result = await party.signIn();
    assertEquals([result.profile.subject, result.profile.name], ["u1", undefined]);
    assert(party.paths.includes("/oauth/userinfo"));
  });
}

Deno.test("oauthClient() is told by our server that the user refused", async () => {
  const party = relyingParty("ES256");
  const outcome = await party.signIn("deny").catch(({ code }) => code);
  assertEquals(outcome, "access_denied");
  assertEquals(party.paths.includes("/oauth/token"), false);
});

/** A relying party in the same process, which asks the server by its handler. */
function relyingParty(
  alg: AsymmetricAlgorithm,
  { clientId = "web", clientSecret = SECRET }: {
    readonly clientId?: string;
    readonly clientSecret?: string | undefined;
  } = {},
) {
  const clock = { now: 1_800_000_000 };
  const now = () => clock.now;
  const { keys, states } = inMemoryAuthStores({ now });
  const algorithms = alg === "ES256" ? [alg] as const : ["ES256", alg] as const;
  const site: ServerSite = serverSite({
    app: { clock },
    server: {
      keyService: keyService({ store: keys, algorithms, now }),
      idTokenAlgorithm: alg,
    },
  });
  const isPublic = clientId === "spa";
  const redirectUri = isPublic ? "https://app.example/cb" : "https://web.example/cb";
  const paths: string[] = [];
  const provider = oidcProvider({
    issuer: ISSUER,
    clientId,
    ...(isPublic ? {} : { clientSecret }),
    identity: "both",
    scope: ["openid", "email"],
    idTokenAlgorithms: [alg],
  });
  const client = oauthClient(provider, {
    states,
    redirectUri,
    fetch: async (url, init) => {
      const request = new Request(url, init);
      paths.push(new URL(request.url).pathname);
      return await handleOAuthServerRequest(site.server, request);
    },
    now,
    warn: () => {},
  });

  async function signIn(decision = "allow") {
    const origin = new URL(redirectUri).origin;
    const { url, cookies } = await client.start(new Request(`${origin}/start`), {
      maxAge: 3_600,
    });
    const browser = await site.signedIn();
    const { pathname, search } = new URL(url);
    const page = await browser.send(pathname + search);
    assertEquals(page.status, 200);
    const response = await site.decide(browser, page, { decision });
    const Cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const location = response.headers.get("Location") ?? "";
    return await client.callback(new Request(location, { headers: { Cookie } }));
  }
  return { site, client, paths, signIn };
}
