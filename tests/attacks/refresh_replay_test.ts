/** The catalogue "Refresh": what ends a family, and whom its tokens are for; rows are only added. */

import { assertEquals } from "@std/assert";
import { decode } from "../auth/_decode.ts";
import { DAY, foreignSecret } from "../auth/tokens/_refresh.ts";
import { patchUser, repeat, setDisabled, START } from "../auth/_services.ts";
import { present, type TokensOptions } from "../auth/tokens/_tokens.ts";
import { type Begun, begun, endpoint, REFUSED } from "./_refresh.ts";

/** What ends a family, after which its token is replayed. */
const ENDS: readonly (readonly [
  source: string,
  what: string,
  end: (begun: Begun) => unknown,
])[] = [
  ["ATTACKS", "past the family limit", async ({ clock, post, token }) => {
    let newest = token;
    for (const _ of repeat(29, () => 0)) {
      clock.now += DAY;
      newest = (await post(newest)).refreshToken;
    }
    clock.now = START + 30 * DAY;
    assertEquals(await post(newest), REFUSED);
  }],
  ["ATTACKS", "14 days without use", ({ clock }) => clock.now += 14 * DAY],
  ["ATTACKS", "the account disabled", ({ stores }) => setDisabled(stores)],
  ["ATTACKS", "the account disabled by the service", ({ accounts }) => accounts.disable("u1")],
  ["ATTACKS", "the account disabled and opened again", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }],
  ["ATTACKS", "the account deleted", ({ stores }) => stores.users.delete("u1")],
  ["ATTACKS", "the account removed", ({ accounts }) => accounts.remove("u1")],
  ["neighbour", "the account deleted, and its sub given away", async ({ stores }) => {
    await stores.users.delete("u1");
    const eve = { sub: "u1", identifier: "eve", securityStamp: "s9", createdAt: START };
    await stores.users.create(eve);
  }],
  ["ATTACKS", "another password", ({ passwords }) => passwords.reset("u1", "a long new password")],
  ["neighbour", "another stamp", ({ stores }) => patchUser(stores, { securityStamp: "s2" })],
  ["neighbour", "a logout everywhere", ({ sessions }) => sessions.revokeAll("u1")],
  ["RFC 7009", "a revocation", ({ tokens, token }) => tokens.revoke(token)],
  ["RFC 7009", "a revocation by a wrong secret", ({ tokens, familyId }) => {
    return tokens.revoke(foreignSecret({ familyId }));
  }],
  ["neighbour", "a clock that was ahead when it began", ({ clock }) => clock.now -= DAY],
];
for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] replay: ${what} → the one 401, however often it is tried`, async () => {
    const services = await begun();
    await end(services);
    const { post, token } = services;
    assertEquals(await Promise.all(repeat(20, () => post(token))), repeat(20, () => REFUSED));
  });
}

const PARTIES:
  readonly (readonly [source: string, what: string, options: TokensOptions["tokens"]])[] = [
    ["ATTACKS", "another client's token", { clientId: "another" }],
    ["ATTACKS", "a token for another audience", { audience: "https://admin.example.com" }],
  ];
for (const [source, what, options = {}] of PARTIES) {
  Deno.test(`[${source}] parties: ${what} → the one 401, and the family ends`, async () => {
    const { another, post, token } = await begun();
    assertEquals(await endpoint(another(options))(token), REFUSED);
    assertEquals(await post(token), REFUSED);
  });
}

Deno.test("[ATTACKS] scope: a service with more scopes → the next tokens have those that were granted", async () => {
  const { another, token } = await begun();
  const wider = another({ scope: ["notes:read", "admin"] });
  const { accessToken } = await endpoint(wider)(token);
  assertEquals(decode(accessToken).claims.scope, "notes:read");
  const result = await present(wider, accessToken);
  assertEquals(result.status === "authenticated" && result.principal.scope, ["notes:read"]);
});

Deno.test("[RFC 9470] step-up: refreshed for a month → the sign-in is as old as it is", async () => {
  const { post, token, clock } = await begun();
  let newest = token;
  for (const _ of repeat(29, () => 0)) {
    clock.now += DAY;
    const { accessToken, refreshToken } = await post(newest);
    assertEquals(decode(accessToken).claims.auth_time, START - 5);
    newest = refreshToken;
  }
});
