/** JWT: the example of RFC 7519 §3.1, what signJwt() writes, and the options of both. */

import { assertEquals, assertRejects } from "@std/assert";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import {
  jwtVerifier,
  signJwt,
  type SignJwtOptions,
  verifyJwt,
  type VerifyJwtOptions,
} from "../../../auth/jwt/jwt.ts";
import type { JwtClaims } from "../../../auth/jwt/types.ts";
import { written } from "../_decode.ts";
import { ALGORITHMS, forge, KEYS, OCT, reasonOf, verifying } from "./_jws.ts";
import { refusal } from "../_refusal.ts";

const NOW = 1_700_000_000;
const now = () => NOW;
const SIGN = { algorithms: ["HS256"], key: OCT, now } as const;
const VERIFY = { algorithms: ["HS256"], keys: OCT, now } as const;

/** RFC 7519 §3.1. */
const EXAMPLE = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9." +
  "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ." +
  "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

Deno.test("verifyJwt() matches RFC 7519 §3.1", async () => {
  const options = { ...VERIFY, issuer: "joe" };
  const { header, claims } = await verifyJwt(EXAMPLE, { ...options, now: () => 1_300_819_379 });
  assertEquals<unknown>(header, { typ: "JWT", alg: "HS256" });
  const root = "http://example.com/is_root";
  assertEquals<unknown>(claims, { iss: "joe", exp: 1_300_819_380, [root]: true });
  const late = await refusal(() => verifyJwt(EXAMPLE, options));
  assertEquals([late.code, late.status, late.reason], ["token_expired", 401, "expired"]);
});

for (const alg of ALGORITHMS) {
  Deno.test(`signJwt() and verifyJwt() agree for ${alg}`, async () => {
    const key = { ...KEYS[alg], kid: "k1" };
    const claims = {
      iss: "i",
      sub: "s",
      aud: ["a", "b"],
      jti: "j",
      list: [1, null],
      text: "é\ud83d",
    };
    const token = await signJwt(claims, { algorithms: [alg], key, expiresIn: 60, now });
    const keys = { keys: [verifying(key)] };
    const expected = { issuer: "i", audience: "b", subject: "s", requiredClaims: ["jti"] };
    const verified = await verifyJwt(token, { algorithms: [alg], keys, now, ...expected });
    assertEquals<unknown>(verified.header, { alg, kid: "k1", typ: "JWT" });
    assertEquals<unknown>(verified.claims, { ...claims, iat: NOW, exp: NOW + 60 });
  });
}

/** What signJwt() wrote. */
async function signed(claims: JwtClaims, options: Partial<SignJwtOptions> = {}) {
  return written(await signJwt(claims, { ...SIGN, expiresIn: 60, ...options }));
}

Deno.test("signJwt() sets typ, iat and exp, and keeps what is said", async () => {
  assertEquals(await signed({}), {
    header: '{"alg":"HS256","typ":"JWT"}',
    payload: `{"iat":${NOW},"exp":${NOW + 60}}`,
  });
  assertEquals((await signed({ iat: 5 })).payload, '{"iat":5,"exp":65}');
  const said = { algorithms: SIGN.algorithms, key: OCT };
  const token = await signJwt({ iat: 5, exp: 70, nbf: 6.5 }, said);
  assertEquals(written(token).payload, '{"iat":5,"exp":70,"nbf":6.5}');
  assertEquals(
    (await signed({}, { header: { typ: "at+jwt", cty: "x" } })).header,
    '{"alg":"HS256","typ":"at+jwt","cty":"x"}',
  );
});

Deno.test("signJwt() lets expiresIn say when a token ends, whatever the claims say", async () => {
  assertEquals((await signed({ exp: 9 })).payload, `{"exp":${NOW + 60},"iat":${NOW}}`);
});

/** [why, claims, options, error] */
const UNSIGNABLE: readonly (readonly [string, unknown, object, ErrorConstructor])[] = [
  ["claims that never end", {}, { expiresIn: undefined }, TypeError],
  ["null", null, {}, TypeError],
  ["a list", [], {}, TypeError],
  ["a text", "claims", {}, TypeError],
  ["nothing", undefined, {}, TypeError],
  ["iss that is no text", { iss: 5 }, {}, TypeError],
  ["sub that is no text", { sub: null }, {}, TypeError],
  ["jti that is no text", { jti: {} }, {}, TypeError],
  ["aud that is a number", { aud: 5 }, {}, TypeError],
  ["aud with something else in it", { aud: ["a", 5] }, {}, TypeError],
  ["exp as text", { exp: "1700000060" }, { expiresIn: undefined }, TypeError],
  ["exp as a date", { exp: new Date() }, { expiresIn: undefined }, TypeError],
  ["exp that is no number", { exp: NaN }, { expiresIn: undefined }, TypeError],
  ["exp without end", { exp: Infinity }, { expiresIn: undefined }, TypeError],
  ["nbf as text", { nbf: "1" }, {}, TypeError],
  ["iat as text", { iat: "1" }, {}, TypeError],
  ["expiresIn of 0", {}, { expiresIn: 0 }, RangeError],
  ["expiresIn below 0", {}, { expiresIn: -1 }, RangeError],
  ["expiresIn without end", {}, { expiresIn: Infinity }, RangeError],
  ["expiresIn that is no number", {}, { expiresIn: NaN }, RangeError],
  ["expiresIn as text", {}, { expiresIn: "60" }, RangeError],
  ["null as expiresIn", {}, { expiresIn: null }, RangeError],
  ["no algorithms", {}, { algorithms: undefined }, TypeError],
  ["an empty list of algorithms", {}, { algorithms: [] }, TypeError],
  ["none", {}, { algorithms: ["none"] }, TypeError],
  ["no key", {}, { key: undefined }, TypeError],
  ["null as key", {}, { key: null }, TypeError],
  ["a text as key", {}, { key: "secret" }, TypeError],
  ["bytes as key", {}, { key: new Uint8Array(64) }, TypeError],
  ["a key of another algorithm", {}, { key: KEYS.ES256 }, TypeError],
  ["a header that says alg", {}, { header: { alg: "none" } }, TypeError],
  ["a clock in milliseconds", {}, { now: () => NOW * 1_000 }, RangeError],
  ["a clock that stands nowhere", {}, { now: () => NaN }, RangeError],
];

for (const [why, claims, wrong, kind] of UNSIGNABLE) {
  Deno.test(`signJwt() throws ${kind.name} for ${why}`, async () => {
    const options = { ...SIGN, expiresIn: 60, ...wrong } as SignJwtOptions;
    await assertRejects(
      () => signJwt(claims as JwtClaims, options),
      kind,
      "now" in wrong ? "Invalid clock" : "Cannot ",
    );
  });
}

/** [why, what is wrong, error] */
const WRONG_OPTIONS: readonly (readonly [string, unknown, ErrorConstructor])[] = [
  ["no options", undefined, TypeError],
  ["null as options", null, TypeError],
  ["no algorithms", { algorithms: undefined }, TypeError],
  ["an empty list of algorithms", { algorithms: [] }, TypeError],
  ["none among them", { algorithms: ["HS256", "none"] }, TypeError],
  ["no keys", { keys: undefined }, TypeError],
  ["a text as keys", { keys: "secret" }, TypeError],
  ["bytes as keys", { keys: new Uint8Array(64) }, TypeError],
  // A variable that is not set must not switch a check off
  ...["issuer", "audience", "subject", "typ", "maxAge", "requiredClaims"].flatMap((name) => [
    [`${name} that is undefined`, { [name]: undefined }, TypeError] as const,
    [`${name} that is null`, { [name]: null }, Error] as const,
  ]),
  ["a misspelt option", { audiance: "a" }, TypeError],
  ["an option of other libraries", { maxTokenAge: 60 }, TypeError],
  ["an empty issuer", { issuer: "" }, TypeError],
  ["no issuer in a list", { issuer: [] }, TypeError],
  ["an empty issuer in a list", { issuer: ["a", ""] }, TypeError],
  ["an issuer by pattern", { issuer: /joe/ }, TypeError],
  ["an issuer as URL", { issuer: new URL("https://a.example") }, TypeError],
  ["an empty audience", { audience: "" }, TypeError],
  ["no audience in a list", { audience: [] }, TypeError],
  ["an audience that is a number", { audience: [5] }, TypeError],
  ["an empty subject", { subject: "" }, TypeError],
  ["a list of subjects", { subject: ["a"] }, TypeError],
  ["an empty typ", { typ: "" }, TypeError],
  ["typ as list", { typ: ["at+jwt"] }, TypeError],
  ["clockTolerance below 0", { clockTolerance: -1 }, RangeError],
  ["clockTolerance above 600", { clockTolerance: 601 }, RangeError],
  ["clockTolerance that is no number", { clockTolerance: NaN }, RangeError],
  ["clockTolerance as text", { clockTolerance: "30" }, Error],
  ["clockTolerance that is null", { clockTolerance: null }, Error],
  ["clockTolerance as list", { clockTolerance: [30] }, Error],
  ["maxAge below 0", { maxAge: -1 }, RangeError],
  ["maxAge without end", { maxAge: Infinity }, RangeError],
  ["maxAge that is no number", { maxAge: NaN }, RangeError],
  ["maxAge as text", { maxAge: "60" }, Error],
  ["requiredClaims as text", { requiredClaims: "jti" }, TypeError],
  ["a claim without a name", { requiredClaims: [""] }, TypeError],
  ["maxBytes of 0", { maxBytes: 0 }, RangeError],
];

for (const [why, wrong, kind] of WRONG_OPTIONS) {
  Deno.test(`verifyJwt() throws, and refuses no token, for ${why}`, async () => {
    const options = !wrong ? wrong : { ...VERIFY, ...wrong as object };
    for (const token of [EXAMPLE, "no token"]) {
      const run = () => verifyJwt(token, options as unknown as VerifyJwtOptions);
      const error = await assertRejects(run, kind, "Cannot verify token: ");
      assertEquals(["TypeError", "RangeError"].includes(error.name), true, error.name);
    }
  });
}

Deno.test("jwtVerifier() reads its options once, and asks the clock each time", async () => {
  let time = NOW;
  const audience = ["a"];
  const algorithms: JwaAlgorithm[] = ["HS256"];
  const verify = jwtVerifier({ algorithms, keys: OCT, audience, now: () => time });
  audience[0] = "b";
  algorithms.push("HS384");
  const token = await signJwt({ aud: "a" }, { ...SIGN, expiresIn: 60 });
  const reason = () => reasonOf(() => verify(token));
  assertEquals(await reason(), "accepted");
  time = NOW + 90;
  assertEquals(await reason(), "expired");
  const other = await forge({ alg: "HS384", payload: { exp: NOW + 900, aud: "a" } });
  assertEquals(await reasonOf(() => verify(other)), "alg_not_allowed");
});

Deno.test("verifyJwt() with a clock that gives milliseconds throws, and lets nothing in", async () => {
  const token = await signJwt({}, { ...SIGN, expiresIn: 60 });
  const run = () => verifyJwt(token, { ...VERIFY, now: () => NOW * 1_000 });
  await assertRejects(run, RangeError, "Invalid clock: ");
});
