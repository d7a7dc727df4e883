/** Bearer tokens: RFC 6750 §2 and §3, RFC 9068 §4. */

import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import {
  AuthError,
  bearerTokenStrategy,
  type BearerTokenStrategyOptions,
  generateJwk,
  type JwtClaims,
} from "../../../auth/mod.ts";
import { untyped } from "../../router/_helpers.ts";
import { START } from "../_services.ts";
import { AUDIENCE, createIssuer, ISSUER } from "./_bearer.ts";

const NOBODY = { status: "no-credential" } as const;

const INVALID =
  'Bearer realm="api", error="invalid_token", error_description="The token is not valid"';
const EXPIRED =
  'Bearer realm="api", error="invalid_token", error_description="The token has expired"';

const ABSENT: readonly (readonly [why: string, authorization: string | undefined])[] = [
  ["nothing", undefined],
  ["Basic credentials", "Basic dTI6cGFzc3dvcmQ="],
  ["a scheme that starts alike", "BearerX abc"],
  ["a scheme that ends alike", "XBearer abc"],
  ["Basic credentials with the name Bearer", "Basic bearer"],
  ["a token without a scheme", "eyJhbGciOiJFUzI1NiJ9.e30.AAAA"],
];

for (const [why, authorization] of ABSENT) {
  Deno.test(`bearerTokenStrategy() has no credential in ${why}`, async () => {
    const { ask } = await createIssuer();
    assertEquals(await ask(authorization), NOBODY);
  });
}

for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer  "]) {
  Deno.test(`bearerTokenStrategy() accepts a token after "${scheme}"`, async () => {
    const { ask, token } = await createIssuer();
    const result = await ask(`${scheme} ${await token()}`);
    assertEquals(result.status, "authenticated");
  });
}

const FAILED: readonly (readonly [why: string, (token: string) => string])[] = [
  ["only the scheme", () => "Bearer"],
  ["the scheme and spaces", () => "Bearer   "],
  ["two tokens", (token) => `Bearer ${token}, Bearer ${token}`],
  ["two tokens in one", (token) => `Bearer ${token} ${token}`],
  ["a token after Basic credentials", (token) => `Basic dTI6cGFzc3dvcmQ=, Bearer ${token}`],
  ["a token and Basic credentials", (token) => `Bearer ${token}, Basic dTI6cGFzc3dvcmQ=`],
  ["a token with a comma", (token) => `Bearer ${token},`],
  ["a token in quotes", (token) => `Bearer "${token}"`],
  ["a token as a parameter", (token) => `Bearer token=${token}`],
  ["a tab instead of a space", (token) => `Bearer\t${token}`],
  ["something else", () => "Bearer abc"],
  ["an API key", () => "Bearer key_0000000000000000000000_00000000000000000000000"],
];

for (const [why, authorization] of FAILED) {
  Deno.test(`bearerTokenStrategy() fails at ${why}`, async () => {
    const { ask, token } = await createIssuer();
    const result = await ask(authorization(await token()));
    assertEquals(result, {
      status: "failed",
      code: "invalid_token",
      message: "token_malformed",
      challenge: INVALID,
    });
  });
}

const REFUSED: readonly (readonly [
  why: string,
  claims: JwtClaims,
  options: { readonly header?: { readonly typ?: string }; readonly at?: number },
  message: string,
])[] = [
  ["an ID token", {}, { header: { typ: "JWT" } }, "typ_mismatch"],
  ["one without a type", {}, { header: { typ: untyped(undefined) } }, "typ_mismatch"],
  ["one for another audience", { aud: "https://other.example" }, {}, "aud_mismatch"],
  ["one without an audience", { aud: [] }, {}, "aud_mismatch"],
  ["one of another issuer", { iss: `${ISSUER}/` }, {}, "iss_mismatch"],
  ["one without sub", { sub: untyped(undefined) }, {}, "sub_missing"],
  ["one with an empty sub", { sub: "" }, {}, "claims_malformed"],
  ["one with a future nbf", { nbf: START + 31 }, {}, "not_yet_valid"],
  ["one with a future auth_time", { auth_time: START + 301 }, {}, "claims_malformed"],
  ["one with auth_time as a string", { auth_time: "now" }, {}, "claims_malformed"],
  ["one with amr as a string", { amr: "pwd" }, {}, "claims_malformed"],
  ["one with acr as an array", { acr: ["1"] }, {}, "claims_malformed"],
  ["one with sid as a number", { sid: 5 }, {}, "claims_malformed"],
  ["one with scope as a number", { scope: 5 }, {}, "claims_malformed"],
  ["one with scope as an array of numbers", { scope: [5] }, {}, "claims_malformed"],
  ["one with scope null", { scope: null }, {}, "claims_malformed"],
];

for (const [why, claims, { header, at = START }, message] of REFUSED) {
  Deno.test(`bearerTokenStrategy() rejects ${why}`, async () => {
    const { ask, token, clock } = await createIssuer();
    const text = await token(claims, header === undefined ? {} : { header });
    clock.now = at;
    const result = await ask(`Bearer ${text}`);
    assertEquals(result, { status: "failed", code: "invalid_token", message, challenge: INVALID });
    assertFalse(JSON.stringify(result).includes(text.slice(-8)));
  });
}

const ENDS: readonly (readonly [after: number, status: string])[] = [
  [599, "authenticated"],
  [629, "authenticated"],
  [630, "failed"],
];

for (const [after, status] of ENDS) {
  Deno.test(`bearerTokenStrategy() returns ${status} for a token of 600 s after ${after} s`, async () => {
    const { ask, token, clock } = await createIssuer();
    const text = await token();
    clock.now += after;
    const result = await ask(`Bearer ${text}`);
    assertEquals(result.status, status);
    if (result.status !== "failed") return;
    const { code, message, challenge } = result;
    assertEquals([code, message, challenge], ["token_expired", "expired", EXPIRED]);
  });
}

Deno.test("bearerTokenStrategy() creates a frozen principal from the claims", async () => {
  const { ask, token } = await createIssuer();
  const claims = {
    scope: "notes:read notes:write",
    auth_time: START - 60,
    amr: ["pwd"],
    acr: "1",
    sid: "s1",
    tenant: { id: 7 },
  };
  const result = await ask(`Bearer ${await token(claims)}`);
  assert(result.status === "authenticated");
  const { claims: all, ...principal } = result.principal;
  assertEquals(principal, {
    sub: "u1",
    method: "bearer",
    scope: ["notes:read", "notes:write"],
    authTime: START - 60,
    amr: ["pwd"],
    acr: "1",
    sessionId: "s1",
  });
  const times = { iat: START, exp: START + 600 };
  assertEquals({ ...all }, { iss: ISSUER, aud: AUDIENCE, sub: "u1", ...claims, ...times });
  assert(Object.isFrozen(result.principal) && Object.isFrozen(all?.["tenant"]));
});

Deno.test("bearerTokenStrategy() returns a token without claims an empty scope and authTime 0", async () => {
  const { ask, token } = await createIssuer();
  const result = await ask(`Bearer ${await token()}`);
  assert(result.status === "authenticated");
  assertEquals([result.principal.scope, result.principal.authTime], [[], 0]);
});

const SCOPES: readonly (readonly [claim: unknown, scope: readonly string[]])[] = [
  ["", []],
  ["a", ["a"]],
  ["a  b ", ["a", "b"]],
  [["a", "b"], ["a", "b"]],
  [[], []],
];

for (const [claim, scope] of SCOPES) {
  Deno.test(`bearerTokenStrategy() reads the scopes ${JSON.stringify(claim)} from scopeClaim`, async () => {
    const { ask, token } = await createIssuer({ scopeClaim: "scp" });
    const result = await ask(`Bearer ${await token({ scp: claim, scope: "other" })}`);
    assert(result.status === "authenticated");
    assertEquals(result.principal.scope, scope);
  });
}

Deno.test("bearerTokenStrategy() accepts application/at+jwt, and JWT if configured", async () => {
  const { ask, token } = await createIssuer();
  const named = await token({}, { header: { typ: "application/AT+JWT" } });
  assertEquals((await ask(`Bearer ${named}`)).status, "authenticated");
  const plain = await createIssuer({ typ: "JWT" });
  const text = await plain.token({}, { header: { typ: "JWT" } });
  assertEquals((await plain.ask(`Bearer ${text}`)).status, "authenticated");
  assertEquals((await plain.ask(`Bearer ${await plain.token()}`)).status, "failed");
});

Deno.test("bearerTokenStrategy() calls accept() with a valid token", async () => {
  const asked: unknown[] = [];
  let says: () => unknown = () => true;
  const { ask, token } = await createIssuer({
    accept: (principal, claims) => {
      asked.push(principal.sub, claims["tenant"]);
      return untyped(says());
    },
  });
  const text = await token({ tenant: 7 });
  assertEquals((await ask(`Bearer ${text}`)).status, "authenticated");
  assertEquals(asked, ["u1", 7]);
  for (const answer of [false, undefined, 1, "yes", Promise.resolve(false)]) {
    says = () => answer;
    const result = await ask(`Bearer ${text}`);
    assert(result.status === "failed");
    assertEquals([result.code, result.message], ["invalid_token", "not_accepted"]);
  }
  says = () => Promise.reject(new Error("down"));
  await assertRejects(() => ask(`Bearer ${text}`), Error, "down");
  await ask("Bearer x");
  assertEquals(asked.length, 14, "it was called with an invalid token");
});

Deno.test("bearerTokenStrategy() does not report unavailable keys as an invalid token", async () => {
  for (const error of [new AuthError("service_unavailable"), new TypeError("broken")]) {
    const { ask, token } = await createIssuer({ keys: () => Promise.reject(error) });
    const text = await token();
    assertEquals(await assertRejects(() => ask(`Bearer ${text}`)), error);
  }
});

Deno.test("bearerTokenStrategy() sends its realm, and no error without a token", async () => {
  const { strategy } = await createIssuer({ realm: "notes of Ada" });
  assertEquals(strategy.name, "bearer");
  assertEquals(strategy.scheme, { type: "bearer" });
  assertEquals(strategy.challenge, 'Bearer realm="notes of Ada"'); // RFC 6750 §3
  assert(Object.isFrozen(strategy));
});

const WRONG: readonly (readonly [why: string, options: object, message: string])[] = [
  ["no issuer", { issuer: undefined }, "issuer or audience"],
  ["no audience", { audience: undefined }, "issuer or audience"],
  ["an empty issuer", { issuer: "" }, "issuer"],
  ["an empty array of audiences", { audience: [] }, "audience"],
  ["no algorithms", { algorithms: [] }, "algorithms"],
  ["a string for a key", { keys: "secret" }, "keys"],
  ["a realm with quotes", { realm: 'a"b' }, "realm"],
  ["a realm with a line break", { realm: "a\r\nb" }, "realm"],
  ["an empty realm", { realm: "" }, "realm"],
  ["accept that is true", { accept: true }, "accept must be a function"],
  ["scopeClaim that is not a string", { scopeClaim: 5 }, "scopeClaim must be a non-empty string"],
  ["an empty scopeClaim", { scopeClaim: "" }, "scopeClaim must be a non-empty string"],
  ["an undefined typ", { typ: undefined }, "typ must not be undefined"],
  ["undefined requiredClaims", { requiredClaims: undefined }, "requiredClaims must be an array"],
  ["a subject", { subject: "u1" }, "unknown option subject"],
  ["a misspelled option", { acept: () => false }, "unknown option acept"],
  ["an undefined issuer, with a misspelled option", { isuer: ISSUER }, "unknown option isuer"],
];

for (const [why, options, message] of WRONG) {
  Deno.test(`bearerTokenStrategy() rejects ${why}`, async () => {
    const keys = await generateJwk("ES256");
    const sound = { algorithms: ["ES256"], keys, issuer: ISSUER, audience: AUDIENCE };
    assertThrows(() => bearerTokenStrategy(untyped({ ...sound, ...options })), TypeError, message);
  });
}

/** Each contains the scheme: ignoring it would make the request anonymous, or authenticate it by other credentials. */
const OVERLOOKED: readonly (readonly [why: string, authorization: string])[] = [
  ["the scheme and a comma", "Bearer,"],
  ["the scheme and a comma after another scheme", "Basic dTI6cGFzc3dvcmQ=, bearer,"],
  ["a tab before the scheme", "Basic dTI6cGFzc3dvcmQ=,\tBearer abc"],
  ["a tab and spaces before the scheme", "Basic dTI6cGFzc3dvcmQ=, \t Bearer abc"],
];

for (const [why, authorization] of OVERLOOKED) {
  Deno.test(`bearerTokenStrategy() does not ignore a credential: ${why}`, async () => {
    const { ask } = await createIssuer();
    const result = await ask(authorization);
    assert(result.status === "failed");
    assertEquals([result.code, result.message], ["invalid_token", "token_malformed"]);
  });
}

const NEEDED: readonly (readonly [
  why: string,
  claims: JwtClaims,
  outcome: string,
])[] = [
  ["all of them", { tenant: 7, azp: "app" }, "authenticated"],
  ["one of two", { tenant: 7 }, "azp_missing"],
  ["one that is null", { tenant: 7, azp: null }, "azp_missing"],
  [
    "no sub, which is always required",
    { tenant: 7, azp: "app", sub: untyped(undefined) },
    "sub_missing",
  ],
];

for (const [why, claims, outcome] of NEEDED) {
  Deno.test(`bearerTokenStrategy() requires the configured claims: ${why}`, async () => {
    const { ask, token } = await createIssuer({ requiredClaims: ["tenant", "azp"] });
    const result = await ask(`Bearer ${await token(claims)}`);
    assertEquals(result.status === "failed" ? result.message : result.status, outcome);
  });
}

Deno.test("bearerTokenStrategy() splits scopes at spaces only, RFC 6749 §3.3", async () => {
  const { ask, token } = await createIssuer();
  const result = await ask(`Bearer ${await token({ scope: "a\tb\nc d" })}`);
  assert(result.status === "authenticated");
  assertEquals(result.principal.scope, ["a\tb\nc", "d"]);
});

Deno.test("bearerTokenStrategy() passes on errors other than 401, below 500 too", async () => {
  for (const code of ["access_denied", "throttled", "insufficient_scope"] as const) {
    const error = new AuthError(code);
    const { ask, token } = await createIssuer({ keys: () => Promise.reject(error) });
    const text = await token();
    assertEquals(await assertRejects(() => ask(`Bearer ${text}`)), error);
  }
});

const REALMS: readonly (readonly [why: string, realm: unknown])[] = [
  ["a number", 5],
  ["null", null],
  ["an array of one element", ["api"]],
  ["a trailing backslash, which would escape the quote", "api\\"],
  ["a backslash in the middle", "a\\b"],
  ["a DEL character", "a\x7fb"],
  ["a character that is not allowed in header fields", "ä"],
];

for (const [why, realm] of REALMS) {
  Deno.test(`bearerTokenStrategy() rejects a realm that is not printable ASCII: ${why}`, async () => {
    const keys = await generateJwk("ES256");
    const options = { algorithms: ["ES256"], keys, issuer: ISSUER, audience: AUDIENCE, realm };
    assertThrows(
      () => bearerTokenStrategy(untyped(options)),
      TypeError,
      "realm and resourceMetadata must be printable ASCII",
    );
  });
}

/** Options that the strategy passes on to `verifyJwt`; a token of 600 s, after a number of seconds. */
const HANDED_ON: readonly (readonly [
  options: Partial<BearerTokenStrategyOptions>,
  after: number,
  outcome: string,
])[] = [
  [{ clockTolerance: 0 }, 599, "authenticated"],
  [{ clockTolerance: 0 }, 600, "expired"],
  [{ maxAge: 60 }, 90, "authenticated"],
  [{ maxAge: 60 }, 91, "max_age_exceeded"],
  [{ maxBytes: 1_000 }, 0, "authenticated"],
  [{ maxBytes: 100 }, 0, "token_too_large"],
];

for (const [options, after, outcome] of HANDED_ON) {
  Deno.test(`bearerTokenStrategy() with ${Deno.inspect(options)} returns ${outcome} after ${after} s`, async () => {
    const { ask, token, clock } = await createIssuer(options);
    const text = await token();
    clock.now += after;
    const result = await ask(`Bearer ${text}`);
    assertEquals(result.status === "failed" ? result.message : result.status, outcome);
  });
}
