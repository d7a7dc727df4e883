/** The catalogue "Refresh": tokens, reuse, races, crashes and outages; rows are only added. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { digestText } from "../../auth/_kdf.ts";
import type { RefreshFamily, RefreshTokenStore } from "../../auth/stores/types.ts";
import { decode } from "../auth/_decode.ts";
import { patchUser, repeat, setDisabled, START, types } from "../auth/_services.ts";
import { DAY, foreignSecret, STAMPED, withStore } from "../auth/tokens/_refresh.ts";
import { present, type TokensOptions } from "../auth/tokens/_tokens.ts";
import { type Begun, begun, endpoint, REFUSED } from "./_refresh.ts";

/** Tokens of an attacker who knows everything that is stored, shown and emitted, except the token. */
const TOKENS: readonly (readonly [
  source: string,
  what: string,
  present: (known: Known) => string | Promise<string>,
  family: "valid" | "revoked",
])[] = [
  ["ATTACKS", "an empty string", () => "", "valid"],
  ["neighbour", "the family's id", ({ stored }) => stored.id, "valid"],
  ["neighbour", "the family's id and a dot", ({ stored }) => `${stored.id}.`, "valid"],
  ["CWE-522", "the stored digest", ({ stored }) => stored.currentHash, "valid"],
  [
    "CWE-522",
    "the stored digest as the secret",
    ({ stored }) => `${stored.id}.${stored.currentHash}`,
    "valid",
  ],
  ["CWE-522", "the digest of the stored digest", async ({ stored }) => {
    return `${stored.id}.${await digestText(stored.currentHash)}`;
  }, "valid"],
  ["CWE-639", "the family's id and a secret of zeros", ({ stored }) => {
    return `${stored.id}.${"A".repeat(43)}`;
  }, "valid"],
  ["CWE-639", "the family's id, as long as a handle, and a secret of zeros", ({ stored }) => {
    return `${stored.id.slice(0, 21)}A.${"A".repeat(43)}`;
  }, "valid"],
  ["RFC 9700 §4.14.2", "a secret of zeros, by a holder of a token", ({ token }) => {
    return foreignSecret({ refreshToken: token });
  }, "revoked"],
  ["neighbour", "a secret of another family, by a holder of a token", async ({ token, tokens }) => {
    const { refreshToken = "" } = await tokens.issue(STAMPED);
    return token.slice(0, 23) + refreshToken.slice(23);
  }, "revoked"],
  ["neighbour", "an unknown family", ({ token }) => `${"A".repeat(22)}${token.slice(22)}`, "valid"],
  ["neighbour", "the token truncated", ({ token }) => token.slice(0, -1), "valid"],
  ["neighbour", "the token with an additional character", ({ token }) => `${token}A`, "valid"],
  ["neighbour", "the token with padding", ({ token }) => `${token}=`, "valid"],
  ["neighbour", "the token with white space", ({ token }) => ` ${token}`, "valid"],
  ["neighbour", "the token with a line feed", ({ token }) => `${token}\n`, "valid"],
  ["neighbour", "the token with NUL", ({ token }) => `${token}\0`, "valid"],
  ["neighbour", "the token quoted", ({ token }) => `"${token}"`, "valid"],
  ["neighbour", "the token percent-encoded", ({ token }) => token.replace(".", "%2E"), "valid"],
  ["neighbour", "another encoding of the same bytes", ({ token }) => sameBytes(token), "valid"],
  ["neighbour", "the access token", ({ accessToken }) => accessToken, "valid"],
  ["neighbour", "a path", () => "../../../../../../../x.y", "valid"],
  ["neighbour", "a member of Object.prototype", () => "__proto__.constructor", "valid"],
  ["neighbour", "5 MB", () => "A".repeat(5_000_000), "valid"],
];
for (const [source, what, present, family] of TOKENS) {
  Deno.test(`[${source}] token: ${what} → the same 401, and the family is ${family}`, async () => {
    const services = await begun();
    const { stores, token, familyId, post } = services;
    const stored = await stores.refreshTokens.find(familyId);
    assert(stored !== null);
    const presented = await present({ ...services, stored });
    assertNotEquals(presented, token);
    assertEquals(await post(presented), REFUSED);
    assertEquals((await post(token)).status, family === "valid" ? 200 : 401);
  });
}

/** The token that is presented before the newest one. */
const REPLAYS: readonly (readonly [source: string, what: string, rotations: number])[] = [
  ["ATTACKS", "the token from before a rotation", 1],
  ["ATTACKS", "the token from before two rotations", 2],
  ["neighbour", "the first of twenty tokens", 20],
];
for (const [source, what, rotations] of REPLAYS) {
  Deno.test(`[${source}] reuse: ${what} → the whole family is revoked, including the newest token`, async () => {
    const { post, token, events, stores, familyId } = await begun();
    let newest = token;
    for (const _ of repeat(rotations, () => 0)) newest = (await post(newest)).refreshToken;
    assertEquals(await post(token), REFUSED);
    assertEquals(await post(newest), REFUSED);
    assertEquals((await stores.refreshTokens.find(familyId))?.revoked, true);
    const expected = [...repeat(rotations, () => "refresh.rotated"), "refresh.reuse_detected"];
    assertEquals(types(events), expected);
  });
}

Deno.test("[RFC 9700 §4.14.2] reuse: the attacker refreshes first → the owner's next attempt revokes the attacker's tokens", async () => {
  const { post, token } = await begun();
  const thief = (await post(token)).refreshToken;
  const later = (await post(thief)).refreshToken;
  assertEquals(await post(token), REFUSED); // the owner
  assertEquals(await post(later), REFUSED);
});

Deno.test("[ATTACKS] reuse: every token of a family, in any order → all rejected", async () => {
  const { post, token } = await begun();
  const all = [token];
  for (const _ of repeat(5, () => 0)) all.push((await post(all.at(-1) ?? "")).refreshToken);
  for (const each of [...all.slice(0, -1), ...all, ...all.toReversed()]) {
    assertEquals(await post(each), REFUSED);
  }
});

Deno.test("[ATTACKS] races: 50 rotations at once → exactly one 200, 49 identical 401s, the family revoked", async () => {
  const { post, token, stores, familyId, events } = await begun();
  const answers = await Promise.all(repeat(50, () => post(token)));
  const [won, ...others] = answers.filter(({ status }) => status === 200);
  assertEquals(others, []);
  assertEquals(answers.filter(({ status }) => status === 401), repeat(49, () => REFUSED));
  assertEquals((await stores.refreshTokens.find(familyId))?.revoked, true);
  assertEquals(await post(won?.refreshToken ?? ""), REFUSED);
  assertEquals(types(events).sort(), ["refresh.reuse_detected", "refresh.rotated"]);
});

Deno.test("[neighbour] races: 50 concurrent rotations of 20 families → one winner each, and all revoked", async () => {
  const { post, tokens } = await begun();
  const issued = await Promise.all(repeat(20, () => tokens.issue(STAMPED)));
  await Promise.all(issued.map(async ({ refreshToken = "" }) => {
    const answers = await Promise.all(repeat(50, () => post(refreshToken)));
    const won = answers.filter(({ status }) => status === 200);
    assertEquals(won.length, 1);
    assertEquals(await post(won[0]?.refreshToken ?? ""), REFUSED);
  }));
});

/** A process that crashes before or after the rotation is stored. */
const KILLED: readonly (readonly [
  source: string,
  when: "before" | "after",
  rotate: (store: RefreshTokenStore) => RefreshTokenStore["rotate"],
])[] = [
  ["ATTACKS", "before", () => () => Promise.reject(new Error("killed"))],
  ["ATTACKS", "after", (store) => async (rotation) => {
    await store.rotate(rotation);
    throw new Error("killed");
  }],
];
for (const [source, when, rotate] of KILLED) {
  Deno.test(
    `[${source}] crash: killed ${when} the step of the store → the ${
      when === "before" ? "old" : "new"
    } token is valid, never both`,
    async () => {
      let isKilled = true;
      const { post, token, stores, familyId } = await begun(withStore((store) => ({
        rotate: (rotation) => (isKilled ? rotate(store) : store.rotate)(rotation),
      })));
      const oldHash = await digestText(token.slice(23));
      assertEquals((await post(token)).status, 500);
      isKilled = false;
      const family = await stores.refreshTokens.find(familyId);
      assertEquals([family?.revoked, family?.currentHash === oldHash], [false, when === "before"]);
      assertEquals((await post(token)).status, when === "before" ? 200 : 401);
      assertEquals(await post(token), REFUSED);
    },
  );
}

const OUTAGES: readonly (readonly [source: string, what: string, options: TokensOptions])[] = [
  ["GHSA-8fpg-xm3f-6cx3", "find()", withStore(() => ({ find: down }))],
  ["GHSA-8fpg-xm3f-6cx3", "rotate()", withStore(() => ({ rotate: down }))],
  ["GHSA-8fpg-xm3f-6cx3", "the users", {
    wrap: ({ users }) => ({ users: { ...users, findBySub: down } }),
  }],
  [
    "neighbour",
    "rotate() that returns OK",
    withStore(() => ({
      rotate: () => Promise.resolve("OK" as "rotated"),
    })),
  ],
  [
    "neighbour",
    "rotate() that returns nothing",
    withStore(() => ({
      rotate: () => Promise.resolve(undefined as unknown as "rotated"),
    })),
  ],
];
for (const [source, what, options] of OUTAGES) {
  Deno.test(`[${source}] outage: ${what} → 500, never a token`, async () => {
    const { post, token } = await begun(options);
    const { status, text } = await post(token);
    assertEquals(status, 500);
    for (const hidden of ["SELECT", "Token", token.slice(23)]) assert(!text.includes(hidden));
  });
}

Deno.test("[ATTACKS] leaks: no event, response or error contains a usable token", async () => {
  const { post, token, events, stores, familyId } = await begun();
  const next = (await post(token)).refreshToken;
  const answers = [await post(token), await post(next)];
  const stored = await stores.refreshTokens.find(familyId);
  const written = JSON.stringify([events, answers]);
  for (
    const secret of [token, next, token.slice(23), next.slice(23), stored?.currentHash, '"s1"']
  ) {
    assert(secret !== undefined && !written.includes(`${secret}`), "a secret was leaked");
  }
  const kept = JSON.stringify(stored);
  for (const secret of [token.slice(23), next.slice(23)]) assert(!kept.includes(secret));
});

interface Known extends Begun {
  readonly stored: RefreshFamily;
}

function down(): Promise<never> {
  return Promise.reject(new Error("SELECT refreshToken FROM families"));
}

/** The last character has two unused bits. */
function sameBytes(token: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.slice(-1)) + 1];
}

/** What expires or revokes a family before its token is replayed. */
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
  ["ATTACKS", "the account disabled and enabled again", async ({ accounts }) => {
    await accounts.disable("u1");
    await accounts.enable("u1");
  }],
  ["ATTACKS", "the account deleted", ({ stores }) => stores.users.delete("u1")],
  ["ATTACKS", "the account removed", ({ accounts }) => accounts.remove("u1")],
  ["neighbour", "the account deleted, and its sub reused", async ({ stores }) => {
    await stores.users.delete("u1");
    const eve = { sub: "u1", identifier: "eve", securityStamp: "s9", createdAt: START };
    await stores.users.create(eve);
  }],
  [
    "ATTACKS",
    "a password reset",
    ({ passwords }) => passwords.reset("u1", "babbage built engines"),
  ],
  [
    "neighbour",
    "another security stamp",
    ({ stores }) => patchUser(stores, { securityStamp: "s2" }),
  ],
  ["neighbour", "a logout everywhere", ({ sessions }) => sessions.revokeAll("u1")],
  ["RFC 7009", "a revocation", ({ tokens, token }) => tokens.revoke(token)],
  ["RFC 7009", "a revocation by a token that was exchanged", async ({ tokens, post, token }) => {
    await post(token);
    await tokens.revoke(token);
  }],
  ["neighbour", "a clock that is set back to before the start", ({ clock }) => clock.now -= DAY],
];
for (const [source, what, end] of ENDS) {
  Deno.test(`[${source}] replay: ${what} → the same 401, however often it is tried`, async () => {
    const services = await begun();
    await end(services);
    const { post, token } = services;
    assertEquals(await Promise.all(repeat(20, () => post(token))), repeat(20, () => REFUSED));
  });
}

/** What an attacker knows who has seen the pages and events of a user. */
const FORGED:
  readonly (readonly [source: string, what: string, of: (familyId: string) => string])[] = [
    ["CWE-639", "the family's id", (familyId) => familyId],
    ["CWE-639", "the id and a secret of zeros", (familyId) => `${familyId}.${"A".repeat(43)}`],
    ["CWE-639", "the start of the id and a secret of zeros", (familyId) => {
      return `${familyId.slice(0, 21)}A.${"A".repeat(43)}`;
    }],
  ];
for (const [source, what, of] of FORGED) {
  Deno.test(`[${source}] revocation: ${what} → nothing is revoked, refresh or logout`, async () => {
    const { tokens, post, token, familyId, events } = await begun();
    await tokens.revoke(of(familyId));
    assertEquals(await post(of(familyId)), REFUSED);
    assertEquals(events, []);
    assertEquals((await post(token)).status, 200);
  });
}

const PARTIES:
  readonly (readonly [source: string, what: string, options: TokensOptions["tokens"]])[] = [
    ["ATTACKS", "another client's token", { clientId: "another" }],
    ["ATTACKS", "a token for another audience", { audience: "https://admin.example.com" }],
  ];
for (const [source, what, options = {}] of PARTIES) {
  Deno.test(`[${source}] parties: ${what} → the same 401, and the family is revoked`, async () => {
    const { another, post, token } = await begun();
    assertEquals(await endpoint(another(options))(token), REFUSED);
    assertEquals(await post(token), REFUSED);
  });
}

Deno.test("[ATTACKS] scope: a service with more scopes → the next tokens keep the granted ones", async () => {
  const { another, token } = await begun();
  const wider = another({ scope: ["notes:read", "admin"] });
  const { accessToken } = await endpoint(wider)(token);
  assertEquals(decode(accessToken).claims.scope, "notes:read");
  const result = await present(wider, accessToken);
  assertEquals(result.status === "authenticated" && result.principal.scope, ["notes:read"]);
});

Deno.test("[RFC 9470] step-up: refreshes for a month → authTime is unchanged", async () => {
  const { post, token, clock } = await begun();
  let newest = token;
  for (const _ of repeat(29, () => 0)) {
    clock.now += DAY;
    const { accessToken, refreshToken } = await post(newest);
    assertEquals(decode(accessToken).claims.auth_time, START - 5);
    newest = refreshToken;
  }
});
