import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { keyService } from "../../../auth/keys/key_service.ts";
import type { IssuedTokens, TokenServiceOptions } from "../../../auth/tokens/token_types.ts";
import { decode } from "../_decode.ts";
import { untyped } from "../../router/_helpers.ts";
import { DAY, failure, familyOf, STAMPED } from "./_refresh.ts";
import { repeat, START, types } from "../_services.ts";
import {
  AUDIENCE,
  present,
  refreshTokenOf,
  type TokensOptions,
  type WithTokens,
  withTokens,
} from "./_tokens.ts";

const OPTIONS = { sessionId: "session 1", scope: ["notes:read"] };

Deno.test("refresh() gives the next tokens, of the same sign-in", async () => {
  const { tokens, clock, first, events } = await begun();
  clock.now += DAY;
  const second = await tokens.refresh(refreshTokenOf(first));
  const { accessToken, refreshToken = "" } = second;
  assertEquals(second, {
    accessToken,
    tokenType: "Bearer",
    expiresIn: 600,
    refreshToken,
    scope: ["notes:read"],
  });
  assertNotEquals(refreshToken, first.refreshToken);
  const [was, is] = [decode(first.accessToken).claims, decode(accessToken).claims];
  assertNotEquals(is.jti, was.jti);
  assertEquals(is, { ...was, jti: is.jti, iat: clock.now, exp: clock.now + 600 });
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
  assertEquals(types(events), ["refresh.rotated"]);
});

Deno.test("refresh() goes on to the family's end, and the sign-in stays as old as it is", async () => {
  const { tokens, clock, first } = await begun();
  let refreshToken = refreshTokenOf(first);
  for (const _ of repeat(29, () => 0)) {
    clock.now += DAY;
    const next = await tokens.refresh(refreshToken);
    const { auth_time, amr, acr, sid, scope } = decode(next.accessToken).claims;
    assertEquals([auth_time, amr, acr], [START - 5, ["pwd", "otp"], "urn:example:aal2"]);
    assertEquals([sid, scope], ["session 1", "notes:read"]);
    refreshToken = refreshTokenOf(next);
  }
  clock.now += DAY;
  assertEquals(await failure(() => tokens.refresh(refreshToken)), "expired");
});

Deno.test("refresh() keeps the scope that was granted, whatever the service's is now", async () => {
  const { another, first } = await begun();
  const wider = another({ scope: ["notes:read", "admin"] });
  const second = await wider.refresh(refreshTokenOf(first));
  assertEquals(second.scope, ["notes:read"]);
  assertEquals(decode(second.accessToken).claims.scope, "notes:read");
});

Deno.test("refresh() gives no scope where none was granted", async () => {
  const { tokens, another } = await withTokens();
  const first = await tokens.issue(STAMPED);
  const second = await another({ scope: ["admin"] }).refresh(refreshTokenOf(first));
  assertEquals(second.scope, undefined);
  assert(!("scope" in decode(second.accessToken).claims));
});

Deno.test("refresh() of a token that was exchanged ends all that follow from it", async () => {
  const { tokens, first, events } = await begun();
  const second = await tokens.refresh(refreshTokenOf(first));
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "reused");
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(second))), "revoked");
  assertEquals(types(events), ["refresh.rotated", "refresh.reuse_detected"]);
});

Deno.test("refresh() refuses what is no refresh token", async () => {
  const { tokens, first } = await begun();
  for (const token of ["", first.accessToken, undefined as unknown as string]) {
    assertEquals(await failure(() => tokens.refresh(token)), "malformed");
  }
});

const PARTIES: readonly [why: string, options: Partial<TokenServiceOptions>][] = [
  ["another audience", { audience: "https://admin.example.com" }],
  ["another audience of the same client", {
    audience: "https://admin.example.com",
    clientId: AUDIENCE,
  }],
  ["another client", { clientId: "another" }],
];
for (const [why, options] of PARTIES) {
  Deno.test(`refresh() gives nobody tokens for ${why}, and ends the family`, async () => {
    const { tokens, another, first } = await begun();
    const attempt = () => another(options).refresh(refreshTokenOf(first));
    assertEquals(await failure(attempt), "client_mismatch");
    assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "revoked");
  });
}

Deno.test("refresh() takes no family that was begun without the service", async () => {
  const { tokens, refresh } = await withTokens();
  for (const data of [undefined, null, 7, "text", { clientId: AUDIENCE }, { audience: AUDIENCE }]) {
    const { refreshToken } = await refresh.issue(STAMPED, { data });
    assertEquals(await failure(() => tokens.refresh(refreshToken)), "client_mismatch");
  }
});

Deno.test("refresh() costs nobody the token where the keys cannot be read", async () => {
  let isDown = false;
  const services = await begun({
    wrap: ({ keys }) => ({
      keys: {
        ...keys,
        load: () => isDown ? Promise.reject(new Error("The keys are out of order")) : keys.load(),
      },
    }),
  });
  const { another, first, asked, clock, stores } = services;
  isDown = true;
  clock.now += 3_600; // what is known of the keys is old by then
  asked.length = 0;

  const keys = keyService({ store: stores.keys, now: () => clock.now }); // of a process that has just begun
  const tokens = another({ keys });
  const error = await assertRejects(() => tokens.refresh(refreshTokenOf(first)));
  assert(!`${error}`.includes("invalid_refresh_token"));
  await assertRejects(() => tokens.issue(STAMPED));
  assertEquals(asked, ["find"]);
  isDown = false;
  assertEquals((await tokens.refresh(refreshTokenOf(first))).expiresIn, 600);
});

Deno.test("refresh() rejects, and is no refusal, where the refresh tokens cannot be read", async () => {
  const { tokens, first } = await begun({
    wrap: ({ refreshTokens }) => ({
      refreshTokens: {
        ...refreshTokens,
        find: () => Promise.reject(new Error("The store is out of order")),
      },
    }),
  });
  await assertRejects(() => tokens.refresh(refreshTokenOf(first)), Error, "out of order");
});

const ENDS: readonly [why: string, end: (begun: Begun) => Promise<unknown>][] = [
  ["is revoked", ({ tokens, first }) => tokens.revoke(refreshTokenOf(first))],
  ["is revoked by all sessions' end", ({ sessions }) => sessions.revokeAll("u1")],
  ["ends with the password", ({ passwords }) => passwords.reset("u1", "a long new password")],
  ["ends with the account", ({ accounts }) => accounts.disable("u1")],
];
for (const [why, end] of ENDS) {
  Deno.test(`refresh() refuses a token that ${why}, and access tokens go on until they end`, async () => {
    const services = await begun();
    const { tokens, first, clock } = services;
    await end(services);
    assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "revoked");
    assertEquals((await present(tokens, first.accessToken)).status, "authenticated");
    clock.now += 630;
    assertEquals((await present(tokens, first.accessToken)).status, "failed");
  });
}

Deno.test("revoke() says nothing of what it does not know", async () => {
  const { tokens, first } = await begun();
  for (const token of ["", first.accessToken, `${"A".repeat(22)}.${"A".repeat(43)}`]) {
    await tokens.revoke(token);
  }
  assertEquals((await tokens.refresh(refreshTokenOf(first))).tokenType, "Bearer");
});

Deno.test("list() and end() show a user the programs' sign-ins, and end one of them", async () => {
  const services = await begun();
  const { tokens, first, clock } = services;
  clock.now += DAY;
  const second = await tokens.issue(STAMPED);
  const [familyId = "", firstId = ""] = [second, first].map((issued) => familyIdOf(issued));
  const clientId = AUDIENCE;
  const { amr, authTime } = STAMPED;
  const [begins, ends] = [START, START + 14 * DAY];
  assertEquals(await tokens.list("u1"), [
    { familyId, createdAt: begins + DAY, expiresAt: ends + DAY, amr, authTime, clientId },
    {
      familyId: firstId,
      createdAt: begins,
      expiresAt: ends,
      ...OPTIONS,
      amr,
      authTime,
      clientId,
    },
  ]);
  assertEquals([await tokens.list("u2"), await tokens.revokeById("u2", familyId)], [[], false]);
  assertEquals([await tokens.revokeById("u1", familyId), await tokens.revokeById("u1", familyId)], [
    true,
    false,
  ]);
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(second))), "revoked");
  assertEquals((await present(tokens, second.accessToken)).status, "authenticated");
  assertEquals((await tokens.refresh(refreshTokenOf(first))).scope, OPTIONS.scope);
});

Deno.test("list() and end() know what another service on the same stores began", async () => {
  const { tokens, another, first } = await begun();
  const admin = another({ clientId: "admin", audience: "https://admin.example.com" });
  assertEquals((await admin.list("u1")).map(({ clientId }) => clientId), [AUDIENCE]);
  assertEquals(await admin.revokeById("u1", familyIdOf(first)), true);
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "revoked");
});

Deno.test("issue() without a service for refresh tokens makes an access token alone", async () => {
  const { tokens, another, asked } = await withTokens();
  const alone = another({ refresh: undefined });
  const issued = await alone.issue(STAMPED, OPTIONS);
  assert(!("refreshToken" in issued));
  assertEquals(asked, []);
  assertEquals((await present(alone, issued.accessToken)).status, "authenticated");
  const { refreshToken } = await tokens.issue(STAMPED);
  const attempts = [
    () => alone.refresh(refreshToken ?? ""),
    () => alone.revoke(refreshToken ?? ""),
    () => alone.list("u1"),
    () => alone.revokeById("u1", refreshToken?.slice(0, 22) ?? ""),
  ];
  for (const attempt of attempts) {
    await assertRejects(attempt, TypeError, "the token service has no refresh option");
  }
});

Deno.test("issue() keeps with the family whom its tokens are for, and no secret", async () => {
  const services = await begun();
  const familyId = familyIdOf(services.first);
  const { data, scope, sessionId, authTime, acr } = await familyOf(services, { familyId });
  assertEquals(data, { clientId: AUDIENCE, audience: AUDIENCE, isDefaultScope: false });
  assertEquals([scope, sessionId], [["notes:read"], "session 1"]);
  assertEquals([authTime, acr], [START - 5, "urn:example:aal2"]);
});

Deno.test("refresh() grants of the service's scopes those that it still gives to somebody", async () => {
  const roles = { scope: ["notes:read", "admin"] as readonly string[], asked: 0 };
  const { tokens, another } = await withTokens({
    tokens: {
      scope: ({ sub }) => {
        assertEquals(sub, "u1");
        roles.asked++;
        return roles.scope;
      },
    },
  });
  const first = await tokens.issue(STAMPED);
  assertEquals(first.scope, ["notes:read", "admin"]);
  roles.scope = ["notes:read", "notes:write"];
  const second = await tokens.refresh(refreshTokenOf(first));
  assertEquals(second.scope, ["notes:read"]); // RFC 6749 §6: none that was not granted
  assertEquals(decode(second.accessToken).claims.scope, "notes:read");
  assertEquals(roles.asked, 2);
  roles.scope = [];
  const third = await tokens.refresh(refreshTokenOf(second));
  assertEquals([third.scope, decode(third.accessToken).claims.scope], [[], undefined]);
  const back = await another({ scope: ["admin"] }).refresh(refreshTokenOf(third));
  assertEquals(back.scope, ["admin"]); // as it was granted at first
});

Deno.test("refresh() keeps scopes that somebody said, and are not the service's", async () => {
  const { tokens, another } = await withTokens({ tokens: { scope: ["notes:read"] } });
  const first = await tokens.issue(STAMPED, { scope: ["admin"] });
  const second = await another({ scope: [] }).refresh(refreshTokenOf(first));
  assertEquals(second.scope, ["admin"]);
});

Deno.test("refresh() whose scopes cannot be had takes nothing: the same token is good afterwards", async () => {
  let given: () => Promise<readonly string[]> = () => Promise.resolve(["a"]);
  const { tokens, events } = await withTokens({ tokens: { scope: () => given() } });
  const first = await tokens.issue(STAMPED);
  given = () => Promise.reject(new Error("down"));
  await assertRejects(() => tokens.refresh(refreshTokenOf(first)), Error, "down");
  given = () => Promise.resolve(untyped("a b"));
  await assertRejects(() => tokens.refresh(refreshTokenOf(first)), TypeError, "scope");
  given = () => Promise.resolve(["a"]);
  const second = await tokens.refresh(refreshTokenOf(first));
  assertEquals(second.scope, ["a"]);

  // A secret that was used up is reuse all the same
  given = () => Promise.reject(new Error("down"));
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "reused");
  assertEquals(types(events), ["refresh.rotated", "refresh.reuse_detected"]);
});

function familyIdOf(issued: IssuedTokens): string {
  return refreshTokenOf(issued).split(".")[0] ?? "";
}

interface Begun extends WithTokens {
  readonly first: IssuedTokens;
}

async function begun(options: TokensOptions = {}): Promise<Begun> {
  const services = await withTokens(options);
  const authentication = { ...STAMPED, acr: "urn:example:aal2" };
  return { ...services, first: await services.tokens.issue(authentication, OPTIONS) };
}
