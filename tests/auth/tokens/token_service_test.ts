import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { decode } from "../_decode.ts";
import { untyped } from "../../router/_helpers.ts";
import { tokenService } from "../../../auth/tokens/token_service.ts";
import type { TokenServiceOptions } from "../../../auth/tokens/token_types.ts";
import { DAY, STAMPED } from "./_refresh.ts";
import { repeat, START } from "../_services.ts";
import { AUDIENCE, ISSUER, present, withTokens } from "./_tokens.ts";

Deno.test("issue() makes an access token as RFC 9068 §2 has it", async () => {
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

Deno.test("issue() leaves out what is not known", async () => {
  const { tokens } = await withTokens();
  const { accessToken, scope } = await tokens.issue({ ...STAMPED, amr: [] });
  const { claims } = decode(accessToken);
  for (const claim of ["amr", "acr", "sid", "scope"]) assert(!(claim in claims), claim);
  assertEquals(scope, undefined);
});

Deno.test("issue() tells each token from all others, and nothing of the stamp", async () => {
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
  ["none", undefined, undefined, { scope: undefined, claim: undefined }],
  ["the service's", ["a", "b"], undefined, { scope: ["a", "b"], claim: "a b" }],
  ["those that are said", ["a", "b"], ["c"], { scope: ["c"], claim: "c" }],
  ["none where that is said", ["a", "b"], [], { scope: [], claim: undefined }],
  ["an empty list of the service", [], undefined, { scope: [], claim: undefined }],
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
      assertEquals(result.principal.scope, scope ?? []);
    }
  });
}

Deno.test("issue() asks which scopes somebody has, where nothing else is said of them", async () => {
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
  assertEquals([next.scope, asked.length], [["notes:write"], 1]); // as it was granted
  const wrong = another({ scope: () => untyped("notes:read") });
  await assertRejects(() => wrong.issue(STAMPED), TypeError, "scope");
});

Deno.test("issue() hands out a list of scopes that nobody can add to", async () => {
  const { tokens } = await withTokens({ tokens: { scope: ["notes:read"] } });
  const { scope } = await tokens.issue(STAMPED);
  assertThrows(() => untyped<string[]>(scope).push("admin"), TypeError);
  assertEquals((await tokens.issue(STAMPED)).scope, ["notes:read"]);
});

Deno.test("issue() takes a client of its own name, and another lifetime", async () => {
  const { tokens } = await withTokens({ tokens: { clientId: "app", lifetime: 60 } });
  const { accessToken, expiresIn } = await tokens.issue(STAMPED);
  const { client_id, aud, iat, exp } = decode(accessToken).claims;
  assertEquals([client_id, aud, iat, exp], ["app", AUDIENCE, START, START + 60]);
  assertEquals(expiresIn, 60);
});

Deno.test("issue() signs for as long as the keys allow", async () => {
  const { tokens } = await withTokens({ tokens: { lifetime: 3_600 } });
  assertEquals((await tokens.issue(STAMPED)).expiresIn, 3_600);
});

Deno.test("strategy recognises the service's own tokens", async () => {
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
  Deno.test(`strategy says ${code} of a token of 600 s after ${after} s`, async () => {
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
  Deno.test(`strategy refuses a token of the same keys for ${why}`, async () => {
    const { tokens, another } = await withTokens();
    const foreign = another(options);
    const { accessToken } = await foreign.issue(STAMPED);
    assertEquals((await present(foreign, accessToken)).status, "authenticated");
    const result = await present(tokens, accessToken);
    assertEquals(result.status === "failed" && result.code, "invalid_token");
  });
}

Deno.test("strategy refuses a token of other keys, and one of another type", async () => {
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

Deno.test("strategy goes on with tokens that old keys have signed", async () => {
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
  ["nothing", {}, {}, "the authentication lacks"],
  ["an empty session", STAMPED, { sessionId: "" }, "sessionId must be a non-empty string"],
  ["scopes in one text", STAMPED, { scope: "a b" }, "scope is no list"],
  ["scopes that are null", STAMPED, { scope: null }, "scope is no list"],
];
for (const [why, authentication, options, error] of UNSOUND) {
  Deno.test(`issue() refuses ${why}, and makes nothing`, async () => {
    const { tokens, asked, events } = await withTokens();
    const attempt = () => tokens.issue(authentication as typeof STAMPED, options);
    await assertRejects(attempt, TypeError, `Cannot issue tokens: ${error}`);
    assertEquals([asked, events], [[], []]);
  });
}

Deno.test("issue() refuses a scope that would be two", async () => {
  const { tokens, asked } = await withTokens();
  const attempt = () => tokens.issue(STAMPED, { scope: ["notes:read notes:write"] });
  await assertRejects(attempt, RangeError, "Cannot issue tokens: scope must not have");
  assertEquals(asked, []);
});

const WRONG: readonly [why: string, options: Record<string, unknown>, type: typeof Error][] = [
  ["no keys", { keys: undefined }, TypeError],
  ["keys that are none", { keys: {} }, TypeError],
  ["no issuer", { issuer: undefined }, TypeError],
  ["an empty issuer", { issuer: "" }, TypeError],
  ["no audience", { audience: undefined }, TypeError],
  ["several audiences", { audience: ["a", "b"] }, TypeError],
  ["an empty client", { clientId: "" }, TypeError],
  ["a client that is null", { clientId: null }, TypeError],
  ["scopes in one text", { scope: "a b" }, TypeError],
  ["a scope that is two", { scope: ["a b"] }, RangeError],
  ["no lifetime", { lifetime: 0 }, RangeError],
  ["a lifetime that is a fraction", { lifetime: 0.5 }, RangeError],
  ["a lifetime that is a text", { lifetime: "600" }, RangeError],
  ["a lifetime that is no number", { lifetime: NaN }, RangeError],
  ["an endless lifetime", { lifetime: Infinity }, RangeError],
  ["a lifetime that is longer than the keys allow", { lifetime: 3_601 }, RangeError],
];
for (const [why, options, type] of WRONG) {
  Deno.test(`tokenService() refuses ${why}`, async () => {
    const { tokens: { keys, issuer, audience } } = await withTokens();
    const given = { keys, issuer, audience, ...options } as TokenServiceOptions;
    assertThrows(() => tokenService(given), type, "Cannot create token service: ");
  });
}
