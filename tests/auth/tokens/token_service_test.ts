/** Token services: access tokens, scopes, refreshing, invalid options and faulty stores. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertThrows,
} from "@std/assert";
import { digestText } from "../../../auth/_kdf.ts";
import { keyService } from "../../../auth/keys/key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import { familyIdOf } from "../../../auth/tokens/_refresh_limits.ts";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import { tokenService } from "../../../auth/tokens/token_service.ts";
import type { IssuedTokens, TokenServiceOptions } from "../../../auth/tokens/token_types.ts";
import { untyped } from "../../router/_helpers.ts";
import { decode } from "../_decode.ts";
import { refusal, repeat, START, types } from "../_services.ts";
import { DAY, failure, familyOf, STAMPED, withStore } from "./_refresh.ts";
import {
  AUDIENCE,
  ISSUER,
  present,
  refreshTokenOf,
  type TokensOptions,
  type WithTokens,
  withTokens,
} from "./_tokens.ts";

Deno.test("issue() issues an access token as in RFC 9068 §2", async () => {
  const { tokens } = await withTokens();
  const authentication = { ...STAMPED, acr: "urn:example:aal2" };
  const options = { sessionId: "session 1", scope: ["notes:read", "notes:write"] };
  const issued = await tokens.issue(authentication, options);
  const { accessToken, refreshToken = "" } = issued;
  assertEquals(issued, {
    accessToken,
    tokenType: "Bearer",
    expiresIn: 600,
    refreshToken,
    scope: ["notes:read", "notes:write"],
  });
  const { header, claims } = decode(accessToken);
  assertEquals(header, { alg: "ES256", typ: "at+jwt", kid: header.kid });
  assertEquals(claims, {
    iss: ISSUER,
    aud: AUDIENCE,
    client_id: AUDIENCE,
    sub: "u1",
    stamp: await digestText("s1"),
    jti: claims.jti,
    auth_time: START - 5,
    amr: ["pwd", "otp"],
    acr: "urn:example:aal2",
    sid: "session 1",
    scope: "notes:read notes:write",
    iat: START,
    exp: START + 600,
  });
  assertMatch(`${claims.jti}`, /^[\w-]{22}$/);
  assertMatch(refreshToken, /^[\w-]{22}\.[\w-]{43}$/);
});

Deno.test("issue() omits unknown members", async () => {
  const { tokens } = await withTokens();
  const { accessToken, scope } = await tokens.issue({ ...STAMPED, amr: [] });
  const { claims } = decode(accessToken);
  for (const claim of ["amr", "acr", "sid", "scope"]) assert(!(claim in claims), claim);
  assertEquals(scope, undefined);
});

Deno.test("issue() returns each token a unique jti, and no security stamp", async () => {
  const { tokens } = await withTokens();
  const issued = await Promise.all(repeat(20, () => tokens.issue(STAMPED)));
  assertEquals(new Set(issued.map(({ accessToken }) => decode(accessToken).claims.jti)).size, 20);
  assertEquals(new Set(issued.map(({ refreshToken }) => refreshToken)).size, 20);
  const [first] = issued;
  const said = JSON.stringify(decode(first?.accessToken ?? ""));
  const [, secret = "?"] = first?.refreshToken?.split(".") ?? [];
  for (const hidden of ["s1", "ada", secret]) assert(!said.includes(`"${hidden}"`), hidden);
});

const SCOPES: readonly [
  why: string,
  ofService: readonly string[] | undefined,
  given: readonly string[] | undefined,
  expected: { readonly scope: readonly string[] | undefined; readonly claim: string | undefined },
][] = [
  ["no limit", undefined, undefined, { scope: undefined, claim: undefined }],
  ["those of the service", ["a", "b"], undefined, { scope: ["a", "b"], claim: "a b" }],
  ["the given ones", ["a", "b"], ["c"], { scope: ["c"], claim: "c" }],
  ["none if an empty array is given", ["a", "b"], [], { scope: [], claim: "" }],
  ["an empty array of the service", [], undefined, { scope: [], claim: "" }],
];
for (const [why, ofService, given, { scope, claim }] of SCOPES) {
  Deno.test(`issue() and refresh() grant scopes: ${why}`, async () => {
    const { tokens } = await withTokens({ tokens: { scope: ofService } });
    const first = await tokens.issue(STAMPED, { scope: given });
    for (const issued of [first, await tokens.refresh(first.refreshToken ?? "")]) {
      assertEquals(issued.scope, scope);
      assertEquals(decode(issued.accessToken).claims.scope, claim);
      const result = await present(tokens, issued.accessToken);
      assert(result.status === "authenticated");
      assertEquals(result.principal.scope, scope);
    }
  });
}

Deno.test("issue() uses the default scopes if none are given", async () => {
  const asked: string[] = [];
  const { tokens, another } = await withTokens({
    tokens: {
      scope: ({ sub }) => {
        asked.push(sub);
        return Promise.resolve(["notes:read"]);
      },
    },
  });
  assertEquals(decode((await tokens.issue(STAMPED)).accessToken).claims["scope"], "notes:read");
  const given = await tokens.issue(STAMPED, { scope: ["notes:write"] });
  assertEquals(given.scope, ["notes:write"]);
  assertEquals(asked, ["u1"]);
  const next = await tokens.refresh(given.refreshToken ?? "");
  assertEquals([next.scope, asked.length], [["notes:write"], 1]); // as granted
  const wrong = another({ scope: () => untyped("notes:read") });
  await assertRejects(() => wrong.issue(STAMPED), TypeError, "scope");
});

Deno.test("issue() returns a frozen array of scopes", async () => {
  const { tokens } = await withTokens({ tokens: { scope: ["notes:read"] } });
  const { scope } = await tokens.issue(STAMPED);
  assertThrows(() => untyped<string[]>(scope).push("admin"), TypeError);
  assertEquals((await tokens.issue(STAMPED)).scope, ["notes:read"]);
});

Deno.test("issue() uses clientId and lifetime", async () => {
  const { tokens } = await withTokens({ tokens: { clientId: "app", lifetime: 60 } });
  const { accessToken, expiresIn } = await tokens.issue(STAMPED);
  const { client_id, aud, iat, exp } = decode(accessToken).claims;
  assertEquals([client_id, aud, iat, exp], ["app", AUDIENCE, START, START + 60]);
  assertEquals(expiresIn, 60);
});

Deno.test("issue() signs for up to maxTokenAge", async () => {
  const { tokens } = await withTokens({ tokens: { lifetime: 3_600 } });
  assertEquals((await tokens.issue(STAMPED)).expiresIn, 3_600);
});

Deno.test("strategy accepts the service's own tokens", async () => {
  const { tokens } = await withTokens();
  assertEquals([tokens.strategy.name, tokens.strategy.scheme], ["bearer", { type: "bearer" }]);
  const authentication = { ...STAMPED, acr: "urn:example:aal2" };
  const options = { sessionId: "session 1", scope: ["notes:read"] };
  const { accessToken } = await tokens.issue(authentication, options);
  const result = await present(tokens, accessToken);
  assert(result.status === "authenticated");
  const { claims: _, ...principal } = result.principal;
  assertEquals(principal, {
    sub: "u1",
    method: "bearer",
    amr: ["pwd", "otp"],
    acr: "urn:example:aal2",
    authTime: START - 5,
    scope: ["notes:read"],
    sessionId: "session 1",
  });
  assertEquals(await present(tokens, ""), await present(tokens, "forged"));
});

const TIMES: readonly [after: number, code: "authenticated" | "token_expired"][] = [
  [0, "authenticated"],
  [600, "authenticated"],
  [629, "authenticated"],
  [630, "token_expired"],
  [631, "token_expired"],
  [DAY, "token_expired"],
];
for (const [after, code] of TIMES) {
  Deno.test(`strategy returns ${code} for a token of 600 s after ${after} s`, async () => {
    const { tokens, clock } = await withTokens();
    const { accessToken } = await tokens.issue(STAMPED);
    clock.now += after;
    const result = await present(tokens, accessToken);
    assertEquals(result.status === "failed" ? result.code : result.status, code);
  });
}

const FOREIGN: readonly [why: string, options: Partial<TokenServiceOptions>][] = [
  ["another audience", { audience: "https://admin.example.com" }],
  ["another issuer", { issuer: "https://example.org" }],
  ["an issuer that differs in a slash", { issuer: `${ISSUER}/` }],
  ["an issuer that differs in case", { issuer: "https://Example.com" }],
];
for (const [why, options] of FOREIGN) {
  Deno.test(`strategy rejects a token of the same keys for ${why}`, async () => {
    const { tokens, another } = await withTokens();
    const foreign = another(options);
    const { accessToken } = await foreign.issue(STAMPED);
    assertEquals((await present(foreign, accessToken)).status, "authenticated");
    const result = await present(tokens, accessToken);
    assertEquals(result.status === "failed" && result.code, "invalid_token");
  });
}

Deno.test("strategy rejects a token of other keys, and one of another type", async () => {
  const { tokens } = await withTokens();
  const stranger = await withTokens();
  const { accessToken } = await stranger.tokens.issue(STAMPED);
  const claims = { iss: ISSUER, aud: AUDIENCE, sub: "u1" };
  const idToken = await tokens.keys.sign(claims, { expiresIn: 600 });
  for (const token of [accessToken, idToken]) {
    const result = await present(tokens, token);
    assertEquals(result.status === "failed" && result.code, "invalid_token");
  }
});

Deno.test("strategy accepts tokens of retired keys", async () => {
  const { tokens } = await withTokens();
  const { accessToken } = await tokens.issue(STAMPED);
  await tokens.keys.rotate();
  assertEquals((await present(tokens, accessToken)).status, "authenticated");
  const next = await tokens.issue(STAMPED);
  assert(decode(next.accessToken).header.kid !== decode(accessToken).header.kid);
});

const UNSOUND: readonly [why: string, authentication: object, options: object, error: string][] = [
  ["no stamp", { ...STAMPED, securityStamp: "" }, {}, "the authentication must have"],
  ["a time in milliseconds", { ...STAMPED, authTime: START * 1_000 }, {}, "the authentication"],
  ["nothing", {}, {}, "the authentication must have"],
  ["an empty session", STAMPED, { sessionId: "" }, "sessionId must be a non-empty string"],
  ["scopes in one text", STAMPED, { scope: "a b" }, "scope must be an array"],
  ["scopes that are null", STAMPED, { scope: null }, "scope must be an array"],
];
for (const [why, authentication, options, error] of UNSOUND) {
  Deno.test(`issue() rejects ${why}, and issues nothing`, async () => {
    const { tokens, asked, events } = await withTokens();
    const attempt = () => tokens.issue(authentication as typeof STAMPED, options);
    await assertRejects(attempt, TypeError, `Cannot issue tokens: ${error}`);
    assertEquals([asked, events], [[], []]);
  });
}

Deno.test("issue() rejects a scope with a space", async () => {
  const { tokens, asked } = await withTokens();
  const attempt = () => tokens.issue(STAMPED, { scope: ["notes:read notes:write"] });
  await assertRejects(attempt, RangeError, "Cannot issue tokens: scope must not have");
  assertEquals(asked, []);
});

const WRONG: readonly [why: string, options: Record<string, unknown>, type: typeof Error][] = [
  ["no keys", { keys: undefined }, TypeError],
  ["invalid keys", { keys: {} }, TypeError],
  ["no issuer", { issuer: undefined }, TypeError],
  ["an empty issuer", { issuer: "" }, TypeError],
  ["no audience", { audience: undefined }, TypeError],
  ["several audiences", { audience: ["a", "b"] }, TypeError],
  ["an empty client", { clientId: "" }, TypeError],
  ["a client that is null", { clientId: null }, TypeError],
  ["scopes in one string", { scope: "a b" }, TypeError],
  ["a scope with a space", { scope: ["a b"] }, RangeError],
  ["a lifetime of 0", { lifetime: 0 }, RangeError],
  ["a fractional lifetime", { lifetime: 0.5 }, RangeError],
  ["a lifetime that is a string", { lifetime: "600" }, RangeError],
  ["a lifetime that is NaN", { lifetime: NaN }, RangeError],
  ["an infinite lifetime", { lifetime: Infinity }, RangeError],
  ["a lifetime that exceeds maxTokenAge", { lifetime: 3_601 }, RangeError],
  ["a misspelt accept, which would accept everyone", { acept: () => false }, TypeError],
];
for (const [why, options, type] of WRONG) {
  Deno.test(`tokenService() rejects ${why}`, async () => {
    const { tokens: { keys, issuer, audience } } = await withTokens();
    const given = { keys, issuer, audience, ...options } as TokenServiceOptions;
    assertThrows(() => tokenService(given), type, "Cannot create token service: ");
  });
}

const PARTIES = { issuer: ISSUER, audience: AUDIENCE };

for (const lifetime of [1, 3_600, 2_592_000]) {
  Deno.test(`tokenService() accepts a lifetime of ${lifetime} s`, async () => {
    const keys = keyService({ store: inMemoryAuthStores().keys, maxTokenAge: lifetime });
    const tokens = tokenService({ ...PARTIES, keys, lifetime });
    const { accessToken, expiresIn } = await tokens.issue({ ...STAMPED, authTime: 0 });
    const { iat, exp } = decode(accessToken).claims;
    assertEquals([Number(exp) - Number(iat), expiresIn], [lifetime, lifetime]);
  });
}

/** Invalid audiences and issuers, even if clientId is given. */
const WRONG_RULES: readonly (readonly [why: string, parties: object, name: string])[] = [
  ["several audiences", { audience: [AUDIENCE, "https://admin.example.com"] }, "audience"],
  ["no audience", { audience: undefined }, "audience"],
  ["an empty audience", { audience: "" }, "audience"],
  ["several issuers", { issuer: [ISSUER] }, "issuer"],
];

for (const [why, parties, name] of WRONG_RULES) {
  Deno.test(`tokenService() with a clientId rejects ${why}`, () => {
    const keys = keyService({ store: inMemoryAuthStores().keys });
    const options = { ...PARTIES, keys, clientId: "app", ...parties };
    assertThrows(
      () => tokenService(untyped(options)),
      TypeError,
      `Cannot create token service: ${name} must be a non-empty string`,
    );
  });
}

Deno.test("tokenService() and refreshService() are frozen", () => {
  const stores = inMemoryAuthStores();
  const keys = keyService({ store: stores.keys });
  const refresh = refreshService(stores);
  for (const service of [refresh, tokenService({ ...PARTIES, keys, refresh })]) {
    assert(Object.isFrozen(service));
  }
});

Deno.test("revoke() of a token service waits for the store, and rejects if it fails", async () => {
  let isDown = true;
  const { tokens } = await withTokens(withStore((store) => ({
    async revoke(by) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (isDown) throw new Error("The store is out of order");
      await store.revoke(by);
    },
  })));
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  await assertRejects(() => tokens.revoke(first), Error, "out of order");
  isDown = false;
  await tokens.revoke(first);
  await assertRejects(() => tokens.refresh(first));
});

Deno.test("refresh() keeps scopes that are not marked as defaults", async () => {
  const { tokens, refresh } = await withTokens({ tokens: { scope: ["a"] } });
  const data = { clientId: AUDIENCE, audience: AUDIENCE }; // as in a family of an older version
  const { refreshToken } = await refresh.issue(STAMPED, { scope: ["a", "b"], data });
  assertEquals((await tokens.refresh(refreshToken)).scope, ["a", "b"]);
});

Deno.test("refresh() grants no default scopes if the service no longer has any", async () => {
  const { tokens, another } = await withTokens({ tokens: { scope: ["a", "b"] } });
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  const next = await another({ scope: undefined }).refresh(first);
  assertEquals([next.scope, decode(next.accessToken).claims["scope"]], [[], ""]);
});

Deno.test("refresh() revokes the family of another audience before it rejects", async () => {
  const { tokens, another, stores } = await withTokens(withStore((store) => ({
    async revoke(by) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await store.revoke(by);
    },
  })));
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  const { reason } = await refusal(() => another({ audience: "other" }).refresh(first));
  const familyId = await familyIdOf(first.slice(0, 22));
  const family = await stores.refreshTokens.find(familyId);
  assertEquals([reason, family?.revoked], ["client_mismatch", true]);
});

Deno.test("refresh() rejects if a custom refresh service does not call prepare", async () => {
  const { tokens, another, refresh } = await withTokens();
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  const careless = { ...refresh, rotate: (token: string) => refresh.rotate(token) };
  const attempt = () => another({ refresh: careless }).refresh(first);
  await assertRejects(attempt, TypeError, "Cannot refresh tokens");
});

const OPTIONS = { sessionId: "session 1", scope: ["notes:read"] };

Deno.test("refresh() returns the next tokens of the same sign-in", async () => {
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

Deno.test("refresh() works until the family expires, and keeps authTime", async () => {
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

Deno.test("refresh() keeps the granted scope if the default changes", async () => {
  const { another, first } = await begun();
  const wider = another({ scope: ["notes:read", "admin"] });
  const second = await wider.refresh(refreshTokenOf(first));
  assertEquals(second.scope, ["notes:read"]);
  assertEquals(decode(second.accessToken).claims.scope, "notes:read");
});

Deno.test("refresh() limits a sign-in without a scope to the default scopes that there are now", async () => {
  const { tokens, another } = await withTokens();
  const first = await tokens.issue(STAMPED);
  const second = await tokens.refresh(refreshTokenOf(first));
  assertEquals([second.scope, "scope" in decode(second.accessToken).claims], [undefined, false]);
  const third = await another({ scope: ["notes"] }).refresh(refreshTokenOf(second));
  assertEquals([third.scope, decode(third.accessToken).claims.scope], [["notes"], "notes"]);
});

Deno.test("issue() and refresh() reject a function of scopes that returns none, which would not limit the token", async () => {
  const { tokens, another } = await withTokens();
  const silent = another({ scope: untyped(() => undefined) });
  await assertRejects(() => silent.issue(STAMPED), TypeError, "must return an array");
  const first = refreshTokenOf(await tokens.issue(STAMPED));
  await assertRejects(() => silent.refresh(first), TypeError, "must return an array");
  assertEquals((await tokens.refresh(first)).tokenType, "Bearer", "the token is not used up");
});

Deno.test("refresh() of a used token revokes the family", async () => {
  const { tokens, first, events } = await begun();
  const second = await tokens.refresh(refreshTokenOf(first));
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "reused");
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(second))), "revoked");
  assertEquals(types(events), ["refresh.rotated", "refresh.reuse_detected"]);
});

Deno.test("refresh() rejects a malformed refresh token", async () => {
  const { tokens, first } = await begun();
  for (const token of ["", first.accessToken, undefined as unknown as string]) {
    assertEquals(await failure(() => tokens.refresh(token)), "malformed");
  }
});

const PARTIES_REFRESH: readonly [why: string, options: Partial<TokenServiceOptions>][] = [
  ["another audience", { audience: "https://admin.example.com" }],
  ["another audience of the same client", {
    audience: "https://admin.example.com",
    clientId: AUDIENCE,
  }],
  ["another client", { clientId: "another" }],
];
for (const [why, options] of PARTIES_REFRESH) {
  Deno.test(`refresh() rejects a token for ${why}, and revokes the family`, async () => {
    const { tokens, another, first } = await begun();
    const attempt = () => another(options).refresh(refreshTokenOf(first));
    assertEquals(await failure(attempt), "client_mismatch");
    assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "revoked");
  });
}

Deno.test("refresh() rejects a family that another issuer created", async () => {
  const { tokens, refresh } = await withTokens();
  for (const data of [undefined, null, 7, "text", { clientId: AUDIENCE }, { audience: AUDIENCE }]) {
    const { refreshToken } = await refresh.issue(STAMPED, { data });
    assertEquals(await failure(() => tokens.refresh(refreshToken)), "client_mismatch");
  }
});

Deno.test("refresh() does not use up the token if the keys cannot be read", async () => {
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
  clock.now += 3_600; // cached keys are stale by then
  asked.length = 0;

  const keys = keyService({ store: stores.keys, now: () => clock.now }); // a process without cached keys
  const tokens = another({ keys });
  const error = await assertRejects(() => tokens.refresh(refreshTokenOf(first)));
  assert(!`${error}`.includes("invalid_refresh_token"));
  await assertRejects(() => tokens.issue(STAMPED));
  assertEquals(asked, ["find"]);
  isDown = false;
  assertEquals((await tokens.refresh(refreshTokenOf(first))).expiresIn, 600);
});

Deno.test("refresh() passes on errors of the store", async () => {
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
  ["is revoked with all sessions", ({ sessions }) => sessions.revokeAll("u1")],
  [
    "is revoked with the password",
    ({ passwords }) => passwords.reset("u1", "babbage built engines"),
  ],
  ["is revoked with the account", ({ accounts }) => accounts.disable("u1")],
];
for (const [why, end] of ENDS) {
  Deno.test(`refresh() rejects a token that ${why}, and access tokens stay valid until they expire`, async () => {
    const services = await begun();
    const { tokens, first, clock } = services;
    await end(services);
    assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "revoked");
    assertEquals((await present(tokens, first.accessToken)).status, "authenticated");
    clock.now += 630;
    assertEquals((await present(tokens, first.accessToken)).status, "failed");
  });
}

Deno.test("revoke() ignores unknown tokens", async () => {
  const { tokens, first } = await begun();
  for (const token of ["", first.accessToken, `${"A".repeat(22)}.${"A".repeat(43)}`]) {
    await tokens.revoke(token);
  }
  assertEquals((await tokens.refresh(refreshTokenOf(first))).tokenType, "Bearer");
});

Deno.test("list() and revokeById() show the sign-ins of API clients, and revoke one", async () => {
  const services = await begun();
  const { tokens, first, clock } = services;
  clock.now += DAY;
  const second = await tokens.issue(STAMPED);
  const [familyId = "", firstId = ""] = await Promise.all([second, first].map(familyOfTokens));
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

Deno.test("list() and revokeById() see families of another service on the same stores", async () => {
  const { tokens, another, first } = await begun();
  const admin = another({ clientId: "admin", audience: "https://admin.example.com" });
  assertEquals((await admin.list("u1")).map(({ clientId }) => clientId), [AUDIENCE]);
  assertEquals(await admin.revokeById("u1", await familyOfTokens(first)), true);
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "revoked");
});

Deno.test("issue() without a refresh service issues only an access token", async () => {
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

Deno.test("issue() stores client and audience with the family, and no secret", async () => {
  const services = await begun();
  const familyId = await familyOfTokens(services.first);
  const { data, scope, sessionId, authTime, acr } = await familyOf(services, { familyId });
  assertEquals(data, { clientId: AUDIENCE, audience: AUDIENCE, isDefaultScope: false });
  assertEquals([scope, sessionId], [["notes:read"], "session 1"]);
  assertEquals([authTime, acr], [START - 5, "urn:example:aal2"]);
});

Deno.test("refresh() grants only the default scopes that the user still has", async () => {
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
  assertEquals([third.scope, decode(third.accessToken).claims.scope], [[], ""]);
  const back = await another({ scope: ["admin"] }).refresh(refreshTokenOf(third));
  assertEquals(back.scope, ["admin"]); // as originally granted
});

Deno.test("refresh() grants no scope if a store has lost it, rather than an unlimited token", async () => {
  for (const given of [undefined, ["a"]]) {
    const { tokens } = await withTokens({
      ...withStore((store) => ({
        find: async (id) => untyped({ ...await store.find(id), scope: null }),
      })),
      tokens: { scope: ["a"] },
    });
    const first = await tokens.issue(STAMPED, { scope: given });
    const next = await tokens.refresh(refreshTokenOf(first));
    assertEquals([next.scope, decode(next.accessToken).claims.scope], [[], ""]);
  }
});

Deno.test("refresh() keeps requested scopes", async () => {
  const { tokens, another } = await withTokens({ tokens: { scope: ["notes:read"] } });
  const first = await tokens.issue(STAMPED, { scope: ["admin"] });
  const second = await another({ scope: [] }).refresh(refreshTokenOf(first));
  assertEquals(second.scope, ["admin"]);
});

Deno.test("refresh() keeps the token if the scopes are unavailable", async () => {
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

  // A used secret is still reuse
  given = () => Promise.reject(new Error("down"));
  assertEquals(await failure(() => tokens.refresh(refreshTokenOf(first))), "reused");
  assertEquals(types(events), ["refresh.rotated", "refresh.reuse_detected"]);
});

async function familyOfTokens(issued: IssuedTokens): Promise<string> {
  return await familyIdOf(refreshTokenOf(issued).slice(0, 22));
}

interface Begun extends WithTokens {
  readonly first: IssuedTokens;
}

async function begun(options: TokensOptions = {}): Promise<Begun> {
  const services = await withTokens(options);
  const authentication = { ...STAMPED, acr: "urn:example:aal2" };
  return { ...services, first: await services.tokens.issue(authentication, OPTIONS) };
}
