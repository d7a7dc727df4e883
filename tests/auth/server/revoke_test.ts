/** The revocation endpoint, RFC 7009. */

import { assertEquals } from "@std/assert";
import { userService } from "../../../auth/mod.ts";
import type { TokenRuntime } from "../../../auth/http/types.ts";
import { assertTokenError, type Params, serverSite } from "./_site.ts";
import {
  granted,
  isAlive,
  lastRefusal,
  ownSignIn,
  refreshAs,
  revokeAs,
  type Tokens,
  tokensOf,
  userinfo,
} from "./_tokens.ts";

const OFFLINE = { scope: "openid offline_access notes:read" } as const;

/** Tokens, and how they are sent: each ends the grant, RFC 7009 §2.1. */
const ENDING: readonly (readonly [why: string, pick: keyof Tokens, changes?: Params])[] = [
  ["a refresh token", "refresh_token"],
  ["an access token", "access_token"],
  ["a refresh token with its hint", "refresh_token", { token_type_hint: "refresh_token" }],
  ["a refresh token with another hint", "refresh_token", { token_type_hint: "access_token" }],
  ["an access token with another hint", "access_token", { token_type_hint: "refresh_token" }],
  ["an unknown hint, 7009-2.2.1", "refresh_token", { token_type_hint: "pct" }],
];
for (const clientId of ["spa", "web", "post"]) {
  for (const [why, pick, changes] of ENDING) {
    Deno.test(`revokeToken() of ${clientId} ends the grant by ${why}`, async () => {
      const site = serverSite();
      const tokens = await granted(site, { client_id: clientId, ...OFFLINE });
      const response = await revokeAs(site, clientId, tokens[pick] as string, changes);
      assertEquals([response.status, response.headers.get("Cache-Control")], [200, "no-store"]);
      assertEquals(await response.json(), {});
      assertEquals(await isAlive(site, tokens, clientId), [false, false]);
      assertEquals(await site.server.listGrants("u1"), []);
      assertEquals(site.app.events.filter(({ type }) => type === "refresh.revoked").length, 1);
      assertEquals((await revokeAs(site, clientId, tokens[pick] as string)).status, 200, "again");
    });
  }
}

Deno.test("revokeToken() of a token that was rotated ends the grant: its holder is the client", async () => {
  const site = serverSite();
  const first = await granted(site, OFFLINE);
  const second = await tokensOf(await refreshAs(site, "spa", first.refresh_token));
  assertEquals((await revokeAs(site, "spa", first.refresh_token)).status, 200);
  assertEquals(await isAlive(site, second), [false, false]);
});

Deno.test("revokeToken() ends one grant, and no other of the same user and client", async () => {
  const site = serverSite();
  const browser = await site.signedIn();
  const [first, second] = [
    await granted(site, OFFLINE, { browser }),
    await granted(site, OFFLINE, { browser }),
  ];
  assertEquals((await revokeAs(site, "spa", first.access_token)).status, 200);
  assertEquals(await isAlive(site, second), [true, true]);
});

/** Tokens that are left alone, with the answer that all others have, AS21 and AS22. */
const IGNORED: readonly (readonly [why: string, as: string, pick: (tokens: Tokens) => string])[] = [
  ["another client's refresh token, 7009-2.1, AS21", "own", ({ refresh_token }) => refresh_token],
  ["another client's access token, 7009-2.1, AS21", "own", ({ access_token }) => access_token],
  ["a confidential client's stranger, AS21", "web", ({ refresh_token }) => refresh_token],
  ["an unknown token, 7009-2.2, AS22", "spa", () => "x"],
  ["an ID token", "spa", ({ id_token }) => id_token],
  [
    "an access token with another signature",
    "spa",
    ({ access_token }) => `${access_token.slice(0, -4)}AAAA`,
  ],
  [
    "an access token without its signature",
    "spa",
    ({ access_token }) => access_token.slice(0, access_token.lastIndexOf(".") + 1),
  ],
  [
    "the secret of a refresh token",
    "spa",
    ({ refresh_token }) => refresh_token.split(".")[1] ?? "",
  ],
  ["NUL, AS20", "spa", () => "\0"],
  ["10 kB, AS20", "spa", () => "a".repeat(10_000)],
];
for (const [why, as, pick] of IGNORED) {
  Deno.test(`revokeToken() leaves ${why} alone, and says nothing`, async () => {
    const site = serverSite();
    const tokens = await granted(site, OFFLINE);
    const known = await revokeAs(site, "spa", "unknown");
    const response = await revokeAs(site, as, pick(tokens));
    assertEquals(
      [response.status, [...response.headers], await response.text()],
      [known.status, [...known.headers], await known.text()],
    );
    assertEquals(await isAlive(site, tokens), [true, true]);
  });
}

/** Requests that are refused. */
const REFUSED: readonly (readonly [why: string, form: Params, error: string, reason: string])[] = [
  ["no token", { client_id: "spa" }, "invalid_request", "parameter_missing"],
  ["an empty token", { client_id: "spa", token: "" }, "invalid_request", "parameter_missing"],
  ["no client", { token: "x" }, "invalid_client", "client_unknown"],
  [
    "a client without its secret",
    {
      client_id: "web",
      token: "x",
    },
    "invalid_client",
    "method_mismatch",
  ],
];
for (const [why, form, error, reason] of REFUSED) {
  Deno.test(`revokeToken() refuses ${why}`, async () => {
    const site = serverSite();
    const fields = Object.entries(form) as [string, string][];
    const body = new URLSearchParams(fields);
    await assertTokenError(await site.send("/oauth/revoke", { method: "POST", body }), error);
    assertEquals(lastRefusal(site), reason);
  });
}

Deno.test("revokeToken() leaves the application's own sign-ins alone", async () => {
  const site = serverSite();
  const issued = await ownSignIn(site);
  const { tokens } = site.app.runtime as TokenRuntime;
  for (const token of [issued.refreshToken ?? "", issued.accessToken]) {
    assertEquals((await revokeAs(site, "spa", token)).status, 200);
  }
  assertEquals(typeof (await tokens.refresh(issued.refreshToken ?? "")).accessToken, "string");
});

Deno.test("revokeToken() ignores tokens that have expired, or whose user has gone", async () => {
  const site = serverSite();
  const tokens = await granted(site, OFFLINE);
  await userService(site.app.stores).remove("u1");
  assertEquals((await revokeAs(site, "spa", tokens.access_token)).status, 200);
  site.app.clock.now += 2_592_000;
  for (const token of [tokens.access_token, tokens.refresh_token]) {
    assertEquals((await revokeAs(site, "spa", token)).status, 200);
  }
  assertEquals((await userinfo(site, tokens.access_token)).status, 401);
});

Deno.test("revokeToken() answers an error of the store by 500 without details, and may be repeated", async () => {
  const current = { fails: false };
  const site = serverSite({
    app: {
      wrap: ({ refreshTokens }) => ({
        refreshTokens: {
          ...refreshTokens,
          revoke: (by) =>
            current.fails ? Promise.reject(new Error("hunter2")) : refreshTokens.revoke(by),
        },
      }),
    },
  });
  const tokens = await granted(site, OFFLINE);
  current.fails = true;
  await assertTokenError(await revokeAs(site, "spa", tokens.refresh_token), "server_error", 500);
  current.fails = false;
  assertEquals((await revokeAs(site, "spa", tokens.refresh_token)).status, 200);
  assertEquals(await isAlive(site, tokens), [false, false]);
});
