/** What a bearer strategy makes of its options, and of what is nearly a credential. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  AuthError,
  bearerTokenStrategy,
  type BearerTokenStrategyOptions,
  generateJwk,
  type JwtClaims,
} from "../../../auth/mod.ts";
import { untyped } from "../../router/_helpers.ts";
import { AUDIENCE, createIssuer, ISSUER } from "./_bearer.ts";

/** Each has the scheme somewhere: to overlook it would let the request pass as anonymous, or by what is beside it. */
const OVERLOOKED: readonly (readonly [why: string, authorization: string])[] = [
  ["the scheme and a comma", "Bearer,"],
  ["the scheme and a comma behind another one", "Basic dTI6cGFzc3dvcmQ=, bearer,"],
  ["a tab in front of the scheme", "Basic dTI6cGFzc3dvcmQ=,\tBearer abc"],
  ["a tab and blanks in front of the scheme", "Basic dTI6cGFzc3dvcmQ=, \t Bearer abc"],
];

for (const [why, authorization] of OVERLOOKED) {
  Deno.test(`bearerTokenStrategy() overlooks no credential: ${why}`, async () => {
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
    "no sub, which nobody has to name",
    { tenant: 7, azp: "app", sub: untyped(undefined) },
    "sub_missing",
  ],
];

for (const [why, claims, outcome] of NEEDED) {
  Deno.test(`bearerTokenStrategy() wants the claims that it was told to: ${why}`, async () => {
    const { ask, token } = await createIssuer({ requiredClaims: ["tenant", "azp"] });
    const result = await ask(`Bearer ${await token(claims)}`);
    assertEquals(result.status === "failed" ? result.message : result.status, outcome);
  });
}

Deno.test("bearerTokenStrategy() parts scopes at blanks alone, RFC 6749 §3.3", async () => {
  const { ask, token } = await createIssuer();
  const result = await ask(`Bearer ${await token({ scope: "a\tb\nc d" })}`);
  assert(result.status === "authenticated");
  assertEquals(result.principal.scope, ["a\tb\nc", "d"]);
});

Deno.test("bearerTokenStrategy() lets what is no 401 through as it is, below 500 as well", async () => {
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
  ["a list of one", ["api"]],
  ["a backslash, which would take the quote behind it along", "api\\"],
  ["a backslash in the middle", "a\\b"],
  ["a delete character", "a\x7fb"],
  ["a character of no header field", "ä"],
];

for (const [why, realm] of REALMS) {
  Deno.test(`bearerTokenStrategy() refuses a realm that is no plain text: ${why}`, async () => {
    const keys = await generateJwk("ES256");
    const options = { algorithms: ["ES256"], keys, issuer: ISSUER, audience: AUDIENCE, realm };
    assertThrows(
      () => bearerTokenStrategy(untyped(options)),
      TypeError,
      "realm must be printable ASCII",
    );
  });
}

/** What `verifyJwt` takes, the strategy hands on; a token of 600 s, so many seconds after. */
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
  Deno.test(`bearerTokenStrategy() with ${Deno.inspect(options)} says after ${after} s: ${outcome}`, async () => {
    const { ask, token, clock } = await createIssuer(options);
    const text = await token();
    clock.now += after;
    const result = await ask(`Bearer ${text}`);
    assertEquals(result.status === "failed" ? result.message : result.status, outcome);
  });
}
