/** JWT: the example of RFC 7519 §3.1, the output of signJwt(), and the options of signing and verifying. */

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
import { refusal } from "../_refusal.ts";
import { ALGORITHMS, forge, KEYS, OCT, reasonOf, verifying } from "./_jws.ts";

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
  Deno.test(`signJwt() and verifyJwt() round-trip ${alg}`, async () => {
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

/** The output of signJwt(). */
async function signed(claims: JwtClaims, options: Partial<SignJwtOptions> = {}) {
  return written(await signJwt(claims, { ...SIGN, expiresIn: 60, ...options }));
}

Deno.test("signJwt() sets typ, iat and exp, and keeps given values", async () => {
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

Deno.test("signJwt() prefers expiresIn to the claim exp", async () => {
  assertEquals((await signed({ exp: 9 })).payload, `{"exp":${NOW + 60},"iat":${NOW}}`);
});

/** [why, claims, options, error] */
const UNSIGNABLE: readonly (readonly [string, unknown, object, ErrorConstructor])[] = [
  ["claims that never expire", {}, { expiresIn: undefined }, TypeError],
  ["null", null, {}, TypeError],
  ["an array", [], {}, TypeError],
  ["a string", "claims", {}, TypeError],
  ["nothing", undefined, {}, TypeError],
  ["iss that is not a string", { iss: 5 }, {}, TypeError],
  ["sub that is not a string", { sub: null }, {}, TypeError],
  ["jti that is not a string", { jti: {} }, {}, TypeError],
  ["aud that is a number", { aud: 5 }, {}, TypeError],
  ["aud with an element that is not a string", { aud: ["a", 5] }, {}, TypeError],
  ["exp as a string", { exp: "1700000060" }, { expiresIn: undefined }, TypeError],
  ["exp as a Date", { exp: new Date() }, { expiresIn: undefined }, TypeError],
  ["exp that is not a number", { exp: NaN }, { expiresIn: undefined }, TypeError],
  ["an infinite exp", { exp: Infinity }, { expiresIn: undefined }, TypeError],
  ["nbf as a string", { nbf: "1" }, {}, TypeError],
  ["iat as a string", { iat: "1" }, {}, TypeError],
  ["expiresIn of 0", {}, { expiresIn: 0 }, RangeError],
  ["expiresIn below 0", {}, { expiresIn: -1 }, RangeError],
  ["an infinite expiresIn", {}, { expiresIn: Infinity }, RangeError],
  ["expiresIn that is not a number", {}, { expiresIn: NaN }, RangeError],
  ["expiresIn as a string", {}, { expiresIn: "60" }, RangeError],
  ["null as expiresIn", {}, { expiresIn: null }, RangeError],
  ["no algorithms", {}, { algorithms: undefined }, TypeError],
  ["an empty array of algorithms", {}, { algorithms: [] }, TypeError],
  ["none", {}, { algorithms: ["none"] }, TypeError],
  ["no key", {}, { key: undefined }, TypeError],
  ["null as key", {}, { key: null }, TypeError],
  ["a string as key", {}, { key: "secret" }, TypeError],
  ["bytes as key", {}, { key: new Uint8Array(64) }, TypeError],
  ["a key of another algorithm", {}, { key: KEYS.ES256 }, TypeError],
  ["a header with alg", {}, { header: { alg: "none" } }, TypeError],
  ["a clock in milliseconds", {}, { now: () => NOW * 1_000 }, RangeError],
  ["a clock that returns NaN", {}, { now: () => NaN }, RangeError],
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
  ["an empty array of algorithms", { algorithms: [] }, TypeError],
  ["none as an algorithm", { algorithms: ["HS256", "none"] }, TypeError],
  ["no keys", { keys: undefined }, TypeError],
  ["a string as keys", { keys: "secret" }, TypeError],
  ["bytes as keys", { keys: new Uint8Array(64) }, TypeError],
  // An undefined variable must not disable a check
  ...["issuer", "audience", "subject", "typ", "maxAge", "requiredClaims"].flatMap((name) => [
    [`an undefined ${name}`, { [name]: undefined }, TypeError] as const,
    [`a null ${name}`, { [name]: null }, Error] as const,
  ]),
  ["a misspelled option", { audiance: "a" }, TypeError],
  ["an option of other libraries", { maxTokenAge: 60 }, TypeError],
  ["an empty issuer", { issuer: "" }, TypeError],
  ["an empty array of issuers", { issuer: [] }, TypeError],
  ["an empty issuer in an array", { issuer: ["a", ""] }, TypeError],
  ["an issuer as a RegExp", { issuer: /joe/ }, TypeError],
  ["an issuer as a URL", { issuer: new URL("https://a.example") }, TypeError],
  ["an empty audience", { audience: "" }, TypeError],
  ["an empty array of audiences", { audience: [] }, TypeError],
  ["an audience that is a number", { audience: [5] }, TypeError],
  ["an empty subject", { subject: "" }, TypeError],
  ["an array of subjects", { subject: ["a"] }, TypeError],
  ["an empty typ", { typ: "" }, TypeError],
  ["typ as an array", { typ: ["at+jwt"] }, TypeError],
  ["clockTolerance below 0", { clockTolerance: -1 }, RangeError],
  ["clockTolerance above 600", { clockTolerance: 601 }, RangeError],
  ["clockTolerance that is not a number", { clockTolerance: NaN }, RangeError],
  ["clockTolerance as a string", { clockTolerance: "30" }, Error],
  ["clockTolerance that is null", { clockTolerance: null }, Error],
  ["clockTolerance as an array", { clockTolerance: [30] }, Error],
  ["maxAge below 0", { maxAge: -1 }, RangeError],
  ["an infinite maxAge", { maxAge: Infinity }, RangeError],
  ["maxAge that is not a number", { maxAge: NaN }, RangeError],
  ["maxAge as a string", { maxAge: "60" }, Error],
  ["requiredClaims as a string", { requiredClaims: "jti" }, TypeError],
  ["a claim without a name", { requiredClaims: [""] }, TypeError],
  ["maxBytes of 0", { maxBytes: 0 }, RangeError],
];

for (const [why, wrong, kind] of WRONG_OPTIONS) {
  Deno.test(`verifyJwt() throws an error other than AuthError for ${why}`, async () => {
    const options = !wrong ? wrong : { ...VERIFY, ...wrong as object };
    for (const token of [EXAMPLE, "no token"]) {
      const run = () => verifyJwt(token, options as unknown as VerifyJwtOptions);
      const error = await assertRejects(run, kind, "Cannot verify token: ");
      assertEquals(["TypeError", "RangeError"].includes(error.name), true, error.name);
    }
  });
}

Deno.test("jwtVerifier() reads its options once, and reads the clock each time", async () => {
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

Deno.test("verifyJwt() throws for a clock in milliseconds", async () => {
  const token = await signJwt({}, { ...SIGN, expiresIn: 60 });
  const run = () => verifyJwt(token, { ...VERIFY, now: () => NOW * 1_000 });
  await assertRejects(run, RangeError, "Invalid clock: ");
});

const VERIFY_CLAIMS: VerifyJwtOptions = { algorithms: ["HS256"], keys: OCT, now: () => NOW };

type Options = Partial<VerifyJwtOptions>;

/** Reasons why claims are rejected, or `accepted`. A string is used as it is. */
async function reason(claims: unknown, options: Options = {}, header: object = {}) {
  const payload = typeof claims === "string" ? claims : { exp: NOW + 600, ...claims as object };
  const token = await forge({ header: { alg: "HS256", ...header }, payload });
  return await reasonOf(() => verifyJwt(token, { ...VERIFY_CLAIMS, ...options }));
}

/** [claims, options, outcome] The default leeway is 30 seconds. */
const TIMES: readonly (readonly [unknown, Options, string])[] = [
  // §4.1.4: on or after that time it is no longer valid
  [{ exp: NOW + 1 }, {}, "accepted"],
  [{ exp: NOW }, {}, "accepted"],
  [{ exp: NOW - 29 }, {}, "accepted"],
  [{ exp: NOW - 29.5 }, {}, "accepted"],
  [{ exp: NOW - 30 }, {}, "expired"],
  [{ exp: NOW - 31 }, {}, "expired"],
  [{ exp: NOW + 1 }, { clockTolerance: 0 }, "accepted"],
  [{ exp: NOW + 0.1 }, { clockTolerance: 0 }, "accepted"],
  [{ exp: NOW }, { clockTolerance: 0 }, "expired"],
  [{ exp: NOW - 0.1 }, { clockTolerance: 0 }, "expired"],
  [{ exp: NOW - 599 }, { clockTolerance: 600 }, "accepted"],
  [{ exp: NOW - 600 }, { clockTolerance: 600 }, "expired"],
  [{ exp: 0 }, {}, "expired"],
  [{ exp: -1 }, {}, "expired"],
  [`{"exp":-0}`, {}, "expired"],
  [`{"exp":${NOW}000}`, {}, "accepted"], // milliseconds are indistinguishable from the far future
  [`{"exp":9007199254740993}`, {}, "accepted"],
  [`{"exp":1e308}`, {}, "accepted"],
  [`{"exp":1e400}`, {}, "exp_malformed"],
  [`{"exp":-1e400}`, {}, "exp_malformed"],
  [{}, {}, "accepted"],
  ["{}", {}, "exp_missing"],
  [`{"Exp":${NOW + 9}}`, {}, "exp_missing"],
  [`{"claims":{"exp":${NOW + 9}}}`, {}, "exp_missing"],
  // §4.1.5: not before that time
  [{ nbf: NOW }, {}, "accepted"],
  [{ nbf: NOW + 30 }, {}, "accepted"],
  [{ nbf: NOW + 30.5 }, {}, "not_yet_valid"],
  [{ nbf: NOW + 31 }, {}, "not_yet_valid"],
  [{ nbf: NOW }, { clockTolerance: 0 }, "accepted"],
  [{ nbf: NOW + 0.1 }, { clockTolerance: 0 }, "not_yet_valid"],
  [{ nbf: -5 }, {}, "accepted"],
  [{ nbf: NOW + 100, exp: NOW + 50 }, {}, "not_yet_valid"],
  // §4.1.6: the time of issue, which forbids nothing
  [{ iat: NOW + 1e6 }, {}, "accepted"],
  [{ iat: 0 }, {}, "accepted"],
  // It does with a maximum age
  [{}, { maxAge: 60 }, "iat_missing"],
  [{ iat: NOW - 60 }, { maxAge: 60, clockTolerance: 0 }, "accepted"],
  [{ iat: NOW - 60.5 }, { maxAge: 60, clockTolerance: 0 }, "max_age_exceeded"],
  [{ iat: NOW - 61 }, { maxAge: 60, clockTolerance: 0 }, "max_age_exceeded"],
  [{ iat: NOW - 90 }, { maxAge: 60 }, "accepted"],
  [{ iat: NOW - 91 }, { maxAge: 60 }, "max_age_exceeded"],
  [{ iat: NOW + 30 }, { maxAge: 60 }, "accepted"],
  [{ iat: NOW + 31 }, { maxAge: 60 }, "issued_in_future"],
  [{ iat: NOW }, { maxAge: 0, clockTolerance: 0 }, "accepted"],
  [{ iat: NOW - 1 }, { maxAge: 0, clockTolerance: 0 }, "max_age_exceeded"],
  [{ iat: "1" }, { maxAge: 60 }, "iat_malformed"],
];

Deno.test("verifyJwt() checks times at their exact boundaries", async () => {
  for (const [claims, options, outcome] of TIMES) {
    assertEquals(await reason(claims, options), outcome, JSON.stringify([claims, options]));
  }
});

Deno.test("verifyJwt() rounds its clock down, so that a token expires at a whole second", async () => {
  const at = (now: number) => reason({ exp: NOW }, { now: () => now, clockTolerance: 0 });
  assertEquals([await at(NOW - 0.001), await at(NOW)], ["accepted", "expired"]);
});

const WRONG: readonly string[] = [
  ...['"1700000600"', "null", "true", "[]", "[1700000600]", "{}", '"NaN"', '""', "1e400"],
];

for (const name of ["exp", "nbf", "iat"]) {
  Deno.test(`verifyJwt() rejects ${name} that is not a finite number`, async () => {
    for (const value of WRONG) {
      const claims = name === "exp" ? "" : `"exp":${NOW + 9},`;
      assertEquals(await reason(`{${claims}"${name}":${value}}`), `${name}_malformed`, value);
    }
    assertEquals(await reason(`{"${name}":NaN}`), "claims_malformed");
    assertEquals(await reason(`{"${name}":0x7fffffff}`), "claims_malformed");
  });
}

for (const name of ["iss", "sub", "jti"]) {
  Deno.test(`verifyJwt() rejects ${name} that is not a string, expected or not`, async () => {
    for (const value of [5, null, true, {}, ["https://a.example"]]) {
      assertEquals(await reason({ [name]: value }), `${name}_malformed`, String(value));
      const options = { issuer: "https://a.example", subject: "https://a.example" };
      assertEquals(await reason({ [name]: value }, options), `${name}_malformed`, String(value));
    }
  });
}

const ISSUER = "https://issuer.example";

/** [claims, options, outcome] */
const PARTIES: readonly (readonly [object, Options, string])[] = [
  [{ iss: ISSUER }, { issuer: ISSUER }, "accepted"],
  [{ iss: ISSUER }, {}, "accepted"],
  [{ iss: ISSUER }, { issuer: ["https://other.example", ISSUER] }, "accepted"],
  [{}, { issuer: ISSUER }, "iss_missing"],
  [{ iss: "" }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: `${ISSUER}/` }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: ISSUER }, { issuer: `${ISSUER}/` }, "iss_mismatch"],
  [{ iss: ISSUER.toUpperCase() }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: "https://Issuer.example" }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: ` ${ISSUER}` }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: `${ISSUER}:443` }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: "http://issuer.example" }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: "https://issuer.example.evil.example" }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: "https://ıssuer.example" }, { issuer: ISSUER }, "iss_mismatch"],
  [{ iss: "e\u0301" }, { issuer: "é" }, "iss_mismatch"],
  [{ iss: "__proto__" }, { issuer: ISSUER }, "iss_mismatch"],
  // §4.1.3: a principal that is not among the audience must reject the token
  [{ aud: "a" }, { audience: "a" }, "accepted"],
  [{ aud: ["b", "a"] }, { audience: "a" }, "accepted"],
  [{ aud: ["b", "a"] }, { audience: ["c", "a"] }, "accepted"],
  [{}, { audience: "a" }, "aud_missing"],
  [{ aud: [] }, { audience: "a" }, "aud_mismatch"],
  [{ aud: "" }, { audience: "a" }, "aud_mismatch"],
  [{ aud: "A" }, { audience: "a" }, "aud_mismatch"],
  [{ aud: "ab" }, { audience: "a" }, "aud_mismatch"],
  [{ aud: "a b" }, { audience: "a" }, "aud_mismatch"],
  [{ aud: "a,b" }, { audience: "a" }, "aud_mismatch"],
  [{ aud: ["b", "c"] }, { audience: "a" }, "aud_mismatch"],
  [{ aud: "a" }, {}, "aud_mismatch"],
  [{ aud: ["a"] }, {}, "aud_mismatch"],
  [{ aud: [] }, {}, "aud_mismatch"],
  [{ aud: null }, { audience: "a" }, "aud_malformed"],
  [{ aud: [["a"]] }, { audience: "a" }, "aud_malformed"],
  [{ aud: ["a", null] }, { audience: "a" }, "aud_malformed"],
  [{ aud: { 0: "a", length: 1 } }, { audience: "a" }, "aud_malformed"],
  [{ aud: true }, {}, "aud_malformed"],
  [{ sub: "u1" }, { subject: "u1" }, "accepted"],
  [{ sub: "u2" }, { subject: "u1" }, "sub_mismatch"],
  [{}, { subject: "u1" }, "sub_missing"],
  // Other required claims
  [{ jti: "x" }, { requiredClaims: ["jti", "exp"] }, "accepted"],
  [{}, { requiredClaims: ["jti"] }, "jti_missing"],
  [{ nonce: null }, { requiredClaims: ["nonce"] }, "nonce_missing"],
  [{ nonce: 0, empty: "", no: false }, { requiredClaims: ["nonce", "empty", "no"] }, "accepted"],
  [{}, { requiredClaims: ["constructor"] }, "constructor_missing"],
  [{}, { requiredClaims: ["__proto__"] }, "__proto___missing"],
  [{}, { requiredClaims: ["toString"] }, "toString_missing"],
];

Deno.test("verifyJwt() compares iss, aud and sub exactly", async () => {
  for (const [claims, options, outcome] of PARTIES) {
    assertEquals(await reason(claims, options), outcome, JSON.stringify([claims, options]));
  }
});

/** [typ of the header, required typ, outcome] RFC 8725 §3.11. */
const TYPES: readonly (readonly [unknown, string | undefined, string])[] = [
  [undefined, undefined, "accepted"],
  ["JWT", undefined, "accepted"],
  ["jwt", undefined, "accepted"],
  ["application/jwt", undefined, "accepted"],
  ["at+jwt", undefined, "typ_mismatch"],
  ["logout+jwt", undefined, "typ_mismatch"],
  ["JOSE", undefined, "typ_mismatch"],
  ["", undefined, "typ_mismatch"],
  ["JWT ", undefined, "typ_mismatch"],
  ["at+jwt", "at+jwt", "accepted"],
  ["at+JWT", "at+jwt", "accepted"], // RFC 9068 §4
  ["application/at+jwt", "at+jwt", "accepted"],
  ["APPLICATION/AT+JWT", "at+jwt", "accepted"],
  ["at+jwt", "application/at+jwt", "accepted"],
  ["JWT", "at+jwt", "typ_mismatch"], // an ID token as access token
  [undefined, "at+jwt", "typ_mismatch"],
  ["application/application/at+jwt", "at+jwt", "typ_mismatch"],
  ["application/", "at+jwt", "typ_mismatch"],
  ["x/at+jwt", "at+jwt", "typ_mismatch"],
  ["at+jwt;charset=utf-8", "at+jwt", "typ_mismatch"],
  ["at+jwt\u0000", "at+jwt", "token_malformed"],
  ["to\u212aen+jwt", "token+jwt", "token_malformed"], // a Kelvin sign, whose lower case is k
  [undefined, "JWT", "accepted"], // RFC 7519 §5.1
  ["at+jwt", "JWT", "typ_mismatch"], // an access token as ID token
  ["application/jwt", "JWT", "accepted"],
  [5, undefined, "token_malformed"],
  [null, undefined, "token_malformed"],
  [["at+jwt"], "at+jwt", "token_malformed"],
  [{ toString: 1 }, "at+jwt", "token_malformed"],
];

Deno.test("verifyJwt() accepts only the required type, by default JWT", async () => {
  for (const [typ, wanted, outcome] of TYPES) {
    const options = wanted === undefined ? {} : { typ: wanted };
    const header = typ === undefined ? {} : { typ };
    assertEquals(await reason({}, options, header), outcome, JSON.stringify([typ, wanted]));
  }
});

Deno.test("verifyJwt() returns token_expired for expired tokens, and invalid_token for all others", async () => {
  const error = async (claims: object, options: Options) => {
    const token = await forge({ payload: { exp: NOW + 600, ...claims } });
    const { code, status } = await refusal(() =>
      verifyJwt(token, { ...VERIFY_CLAIMS, ...options })
    );
    return [code, status];
  };
  assertEquals(await error({ exp: 1 }, {}), ["token_expired", 401]);
  assertEquals(await error({ iat: 1 }, { maxAge: 1 }), ["token_expired", 401]);
  assertEquals(await error({ nbf: NOW + 99 }, {}), ["invalid_token", 401]);
  assertEquals(await error({ iss: "x" }, { issuer: "y" }), ["invalid_token", 401]);
});

Deno.test("verifyJwt() reports expired before other missing claims", async () => {
  const claims = { exp: NOW - 99, aud: "other", iss: "other" };
  assertEquals(await reason(claims, { issuer: "a", audience: "a" }), "expired");
});
