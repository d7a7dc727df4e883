/** The grant `refresh_token`. Sources: OpenID Foundation's modules, RFC 9700 §4.14, and the catalogue of attacks (AS). */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { AuthError, userService } from "../../../auth/mod.ts";
import type { RefreshFamily } from "../../../auth/stores/types.ts";
import type { TokenRuntime } from "../../../auth/http/types.ts";
import {
  assertTokenError,
  claimsOf,
  ISSUER,
  type Params,
  SECRET,
  type ServerSite,
  serverSite,
} from "./_site.ts";
import {
  changingClients,
  granted,
  isAlive,
  lastRefusal,
  ownSignIn,
  redeemAs,
  refreshAs,
  type Tokens,
  tokensOf,
  userinfo,
} from "./_tokens.ts";

/** A grant that does not end with the session. */
const OFFLINE = { scope: "openid offline_access notes:read notes:write" } as const;
const DAY = 86_400;

for (const clientId of ["spa", "web", "post", "cli"]) {
  Deno.test(`refreshTokens() rotates the token of ${clientId}, oidcc-refresh-token, 21-5`, async () => {
    const site = serverSite();
    const first = await granted(site, { client_id: clientId });
    site.app.clock.now += 100;
    const response = await refreshAs(site, clientId, first.refresh_token);
    assertEquals(response.headers.get("Cache-Control"), "no-store");
    const second = await tokensOf(response);
    assertNotEquals(second.refresh_token, first.refresh_token);
    assertNotEquals(second.access_token, first.access_token);
    const [before, after] = [claimsOf(first.id_token), claimsOf(second.id_token)];
    for (const name of ["iss", "sub", "aud", "auth_time", "amr", "sid"]) { // OpenID Connect Core §12.2
      assertEquals(after[name], before[name], name);
    }
    assertEquals(["nonce" in before, "nonce" in after], [true, false]);
    assertEquals(Number(after["iat"]) - Number(before["iat"]), 100);
    assertNotEquals(after["at_hash"], before["at_hash"]);
    assertEquals(claimsOf(second.access_token)["gid"], claimsOf(first.access_token)["gid"]);
    assertEquals([second.scope, second.expires_in], [first.scope, 600]);
    assertEquals(await isAlive(site, second, clientId), [true, true]);
    assertEquals((await userinfo(site, first.access_token)).status, 200);
  });
}

/** Requests that are refused, after which the token still works. */
const REFUSED: readonly (readonly [
  why: string,
  as: string,
  changes: Params,
  error: string,
  reason: string,
])[] = [
  ["another client, oidcc-refresh-token, AS14", "own", {}, "invalid_grant", "client_mismatch"],
  [
    "another client with its own secret, AS14",
    "post",
    {},
    "invalid_grant",
    "client_mismatch",
  ],
  ["no token", "spa", { refresh_token: undefined }, "invalid_request", "parameter_missing"],
  ["an empty token", "spa", { refresh_token: "" }, "invalid_request", "parameter_missing"],
  [
    "a client without the grant",
    "narrow",
    {},
    "unauthorized_client",
    "grant_type_not_allowed",
  ],
  [
    "a wider scope, AS16, BCP-4.14-b",
    "spa",
    {
      scope: "openid notes:read profile",
    },
    "invalid_scope",
    "scope_too_wide",
  ],
  ["an unknown scope, AS16", "spa", { scope: "notes:read x" }, "invalid_scope", "scope_too_wide"],
  [
    "a malformed scope, 6749-3.3",
    "spa",
    {
      scope: "notes:read  openid",
    },
    "invalid_scope",
    "scope_too_wide",
  ],
  ["a scope of spaces, 6749-3.3", "spa", { scope: " " }, "invalid_scope", "scope_too_wide"],
  [
    "a scope with a quote, 6749-3.3",
    "spa",
    {
      scope: 'notes:read"',
    },
    "invalid_scope",
    "scope_too_wide",
  ],
];
for (const [why, as, changes, error, reason] of REFUSED) {
  Deno.test(`refreshTokens() refuses ${why}, and the token stays valid`, async () => {
    const site = serverSite();
    const tokens = await granted(site, OFFLINE);
    const refused = await refreshAs(site, as, tokens.refresh_token, changes);
    await assertTokenError(refused, error);
    assertEquals(lastRefusal(site), reason);
    assertEquals(await isAlive(site, tokens), [true, true]);
  });
}

Deno.test("refreshTokens() refuses a confidential client without its secret, AS14", async () => {
  const site = serverSite();
  const tokens = await granted(site, { client_id: "web" });
  const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  await assertTokenError(await site.token({ ...form, client_id: "web" }), "invalid_client");
  const made = { ...form, client_id: "web", client_secret: SECRET };
  await assertTokenError(await site.token(made), "invalid_client");
  assertEquals(await isAlive(site, tokens, "web"), [true, true]);
});

/** What is presented in place of a refresh token. */
const FORGED: readonly (readonly [why: string, forge: (tokens: Tokens) => string])[] = [
  ["an access token, AS16", ({ access_token }) => access_token],
  ["an ID token, AS16", ({ id_token }) => id_token],
  ["the public id of the grant", ({ access_token }) => {
    const gid = String(claimsOf(access_token)["gid"]);
    return `${gid.slice(0, 22)}.${gid}`;
  }],
  ["the handle alone", ({ refresh_token }) => refresh_token.split(".")[0] ?? ""],
  ["the secret alone", ({ refresh_token }) => refresh_token.split(".")[1] ?? ""],
  ["a space after", ({ refresh_token }) => `${refresh_token} `],
  ["NUL, AS20", ({ refresh_token }) => `${refresh_token}\0`],
  ["10 kB, AS20", () => "a".repeat(10_000)],
];
for (const [why, forge] of FORGED) {
  Deno.test(`refreshTokens() refuses ${why}`, async () => {
    const site = serverSite();
    const tokens = await granted(site, OFFLINE);
    await assertTokenError(await refreshAs(site, "spa", forge(tokens)), "invalid_grant");
    assertEquals(lastRefusal(site), "refresh_token_refused");
    assertEquals(await isAlive(site, tokens), [true, true]);
  });
}

Deno.test("refreshTokens() of a used token ends the grant, BCP-2.2.2, AS15", async () => {
  const site = serverSite();
  const first = await granted(site, OFFLINE);
  const second = await tokensOf(await refreshAs(site, "spa", first.refresh_token));
  site.app.clock.now += 1;
  await assertTokenError(await refreshAs(site, "spa", first.refresh_token), "invalid_grant");
  assertEquals(await isAlive(site, second), [false, false]);
  assertEquals((await userinfo(site, first.access_token)).status, 401);
  assertEquals(await site.server.listGrants("u1"), []);
  assert(site.app.events.some(({ type }) => type === "refresh.reuse_detected"));
});

Deno.test("refreshTokens() narrows the scope of one access token only, RFC 6749 §6, AS16", async () => {
  const site = serverSite();
  const first = await granted(site, OFFLINE);
  const second = await tokensOf(
    await refreshAs(site, "spa", first.refresh_token, { scope: "notes:read" }),
  );
  assertEquals([second.scope, "id_token" in second], ["notes:read", false]);
  const access = claimsOf(second.access_token);
  assertEquals([access["scope"], access["aud"]], ["notes:read", "https://api.example"]);
  const third = await tokensOf(await refreshAs(site, "spa", second.refresh_token));
  assertEquals(third.scope, OFFLINE.scope);
});

Deno.test("refreshTokens() narrows a scope whose words are repeated, in the order of the request", async () => {
  const site = serverSite();
  const { refresh_token } = await granted(site, OFFLINE);
  const scope = "notes:write notes:read notes:write";
  const next = await tokensOf(await refreshAs(site, "spa", refresh_token, { scope }));
  assertEquals(next.scope, "notes:write notes:read");
});

Deno.test("refreshTokens() ends after 14 days without use, and 30 days after the consent, BCP-4.14-d", async () => {
  const idle = serverSite();
  const unused = await granted(idle, OFFLINE);
  idle.app.clock.now += 14 * DAY;
  await assertTokenError(await refreshAs(idle, "spa", unused.refresh_token), "invalid_grant");

  const site = serverSite();
  let { refresh_token } = await granted(site, OFFLINE);
  for (const days of [13, 13, 3]) {
    site.app.clock.now += days * DAY;
    ({ refresh_token } = await tokensOf(await refreshAs(site, "spa", refresh_token)));
  }
  site.app.clock.now += DAY;
  await assertTokenError(await refreshAs(site, "spa", refresh_token), "invalid_grant");
});

/** What ends a grant from outside, AS17. */
const ENDED: readonly (readonly [
  why: string,
  end: (site: ServerSite, tokens: Tokens) => Promise<unknown>,
])[] = [
  ["the user is disabled", ({ app }) => userService(app.stores).disable("u1")],
  ["the user is deleted, CVE-2022-3916", ({ app }) => userService(app.stores).remove("u1")],
  [
    "the password is changed, BCP-4.14-c",
    ({ app }) => app.runtime.passwords.reset("u1", "another long password"),
  ],
  [
    "the user withdraws the consent, CVE-2025-64521",
    ({ server }, { access_token }) =>
      server.revokeGrant("u1", String(claimsOf(access_token)["gid"])),
  ],
  ["the store loses the family", ({ app }) => app.stores.refreshTokens.revoke({ sub: "u1" })],
];
for (const [why, end] of ENDED) {
  Deno.test(`refreshTokens() refuses if ${why}, AS17, AS50`, async () => {
    const site = serverSite();
    const tokens = await granted(site, OFFLINE);
    await end(site, tokens);
    await assertTokenError(await refreshAs(site, "spa", tokens.refresh_token), "invalid_grant");
    assertEquals((await userinfo(site, tokens.access_token)).status, 401, "UserInfo at once");
    assertEquals(await site.server.listGrants("u1"), []);
  });
}

/** Changes of the client since the consent, AS17 and AS46: the error, or the scope that is left. */
const CLIENT_CHANGES: readonly (readonly [why: string, change: object | null, outcome: string])[] =
  [
    ["is deleted", null, "invalid_client"],
    ["is disabled", { disabled: true }, "invalid_client"],
    ["may not refresh", { grants: ["authorization_code"] }, "unauthorized_client"],
    ["has lost a scope", { scope: ["openid", "offline_access", "notes:read"] }, "notes:read"],
    ["has lost all scopes", { scope: ["profile"] }, "invalid_scope"],
    [
      "has a new redirect URI",
      { redirectUris: ["https://new.example/cb"] },
      "notes:read notes:write",
    ],
  ];
for (const [why, change, outcome] of CLIENT_CHANGES) {
  Deno.test(`refreshTokens() respects a client that ${why}, AS46`, async () => {
    const { clients, current } = changingClients();
    const site = serverSite({ server: { clients } });
    const tokens = await granted(site, OFFLINE);
    current.change = change;
    const response = await refreshAs(site, "spa", tokens.refresh_token);
    if (outcome.startsWith("notes")) {
      assertEquals((await tokensOf(response)).scope, `openid offline_access ${outcome}`);
    } else await assertTokenError(response, outcome);
    current.change = {};
    const next = outcome.startsWith("notes") ? undefined : tokens.refresh_token;
    if (next !== undefined) {
      assertEquals((await refreshAs(site, "spa", next)).status, 200, "the grant is left as it was");
    }
  });
}

Deno.test("refreshTokens() grants no scope that the server does not have any more", async () => {
  const first = serverSite();
  const tokens = await granted(first, OFFLINE);
  const second = serverSite({
    app: { stores: first.app.stores, clock: first.app.clock },
    server: { scopes: { "notes:read": { description: "Read your notes" } } },
  });
  const next = await tokensOf(await refreshAs(second, "spa", tokens.refresh_token));
  assertEquals(next.scope, "openid offline_access notes:read");
});

Deno.test("refreshTokens() refuses a grant of another issuer on the same store, AS47", async () => {
  const first = serverSite();
  const tokens = await granted(first, OFFLINE);
  const { stores, clock } = first.app;
  const issuer = `${ISSUER}/second`;
  const second = serverSite({ app: { stores, clock }, server: { issuer } });
  const send = async (path: string, fields: Record<string, string>) =>
    await second.send(path, {
      method: "POST",
      body: new URLSearchParams({ client_id: "spa", ...fields }),
    });
  const form = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
  await assertTokenError(await send("/second/oauth/token", form), "invalid_grant");
  for (const token of [tokens.refresh_token, tokens.access_token]) {
    assertEquals((await send("/second/oauth/revoke", { token })).status, 200);
  }
  assertEquals(await second.server.listGrants("u1"), []);
  const grantId = String(claimsOf(tokens.access_token)["gid"]);
  assertEquals(await second.server.revokeGrant("u1", grantId), false);
  assertEquals(await isAlive(first, tokens), [true, true]);
});

Deno.test("refreshTokens() refuses the tokens of the application's own sign-ins, and they stay valid", async () => {
  const site = serverSite();
  const issued = await ownSignIn(site);
  const { tokens } = site.app.runtime as TokenRuntime;
  const refreshToken = issued.refreshToken ?? "";
  await assertTokenError(await refreshAs(site, "spa", refreshToken), "invalid_grant");
  assertEquals(lastRefusal(site), "client_mismatch");
  assertEquals(typeof (await tokens.refresh(refreshToken)).accessToken, "string");
  assertEquals(await site.server.listGrants("u1"), []);
});

Deno.test("refreshTokens() of the application refuse a grant's token: it would not be limited to its scopes", async () => {
  const site = serverSite();
  const { refresh_token } = await granted(site, OFFLINE);
  const { tokens } = site.app.runtime as TokenRuntime;
  const outcome = await tokens.refresh(refresh_token).catch(({ code }) => code);
  assertEquals(outcome, "invalid_refresh_token");
});

Deno.test("refreshTokens() does not use up the token if a hook fails, and leaks nothing", async () => {
  const current = { fails: false };
  const site = serverSite({
    server: {
      accessTokenClaims() {
        if (current.fails) throw new Error("database password is hunter2");
        return undefined;
      },
    },
  });
  const tokens = await granted(site, OFFLINE);
  current.fails = true;
  const refused = await refreshAs(site, "spa", tokens.refresh_token);
  await assertTokenError(refused, "server_error", 500);
  current.fails = false;
  assertEquals(await isAlive(site, tokens), [true, true]);
});

Deno.test("refreshTokens() of a service that is unavailable is no refusal of the token", async () => {
  const current = { fails: false };
  const site = serverSite({
    server: {
      accessTokenClaims() {
        if (current.fails) throw new AuthError("service_unavailable");
        return undefined;
      },
    },
  });
  const tokens = await granted(site, OFFLINE);
  current.fails = true;
  const refused = await refreshAs(site, "spa", tokens.refresh_token);
  await assertTokenError(refused, "temporarily_unavailable", 503);
  current.fails = false;
  assertEquals(await isAlive(site, tokens), [true, true]);
});

Deno.test("refreshTokens() exchanges the newest token though a replica does not know it yet", async () => {
  const state = { stale: false };
  const last = new Map<string, RefreshFamily>();
  const site = serverSite({
    app: {
      wrap: ({ refreshTokens }) => ({
        refreshTokens: {
          ...refreshTokens,
          async find(familyId) {
            const found = await refreshTokens.find(familyId);
            if (!state.stale && found !== null) last.set(familyId, found);
            return state.stale ? last.get(familyId) ?? null : found;
          },
        },
      }),
    },
  });
  const first = await granted(site, OFFLINE);
  assertEquals((await userinfo(site, first.access_token)).status, 200);
  state.stale = true;
  const second = await tokensOf(await refreshAs(site, "spa", first.refresh_token));
  const third = await tokensOf(await refreshAs(site, "spa", second.refresh_token));
  assertEquals(third.scope, OFFLINE.scope);
  await assertTokenError(await refreshAs(site, "spa", first.refresh_token), "invalid_grant");
  state.stale = false;
  assertEquals(await isAlive(site, third), [false, false], "and detects the reuse of an old one");
});

Deno.test("refreshTokens() keeps what the user granted: a code of the same client is another grant", async () => {
  const site = serverSite();
  const browser = await site.signedIn();
  const first = await granted(site, OFFLINE, { browser });
  const second = await tokensOf(
    await redeemAs(site, "spa", await site.code(browser, { scope: "notes:read" })),
  );
  await tokensOf(await refreshAs(site, "spa", first.refresh_token));
  await assertTokenError(await refreshAs(site, "spa", first.refresh_token), "invalid_grant");
  assertEquals((await refreshAs(site, "spa", second.refresh_token)).status, 200);
});
