/** Claims of a token whose signature is right: RFC 7519 §4.1 with exact boundaries, RFC 8725 §3.8 to §3.11, RFC 9068 §4. */

import { assertEquals } from "@std/assert";
import { verifyJwt, type VerifyJwtOptions } from "../../../auth/jwt/jwt.ts";
import { forge, OCT, reasonOf } from "./_jws.ts";
import { refusal } from "../_refusal.ts";

const NOW = 1_700_000_000;
const VERIFY: VerifyJwtOptions = { algorithms: ["HS256"], keys: OCT, now: () => NOW };

type Options = Partial<VerifyJwtOptions>;

/** Why claims are refused, or that they are accepted. A text stands as it is. */
async function reason(claims: unknown, options: Options = {}, header: object = {}) {
  const payload = typeof claims === "string" ? claims : { exp: NOW + 600, ...claims as object };
  const token = await forge({ header: { alg: "HS256", ...header }, payload });
  return await reasonOf(() => verifyJwt(token, { ...VERIFY, ...options }));
}

/** [claims, options, outcome] Leeway is 30 seconds unless it is said. */
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
  [`{"exp":${NOW}000}`, {}, "accepted"], // milliseconds cannot be told from the far future
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
  // §4.1.6 says when it was issued, and forbids nothing
  [{ iat: NOW + 1e6 }, {}, "accepted"],
  [{ iat: 0 }, {}, "accepted"],
  // Once an age is asked for, it does
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

Deno.test("verifyJwt() looks at times with exact boundaries", async () => {
  for (const [claims, options, outcome] of TIMES) {
    assertEquals(await reason(claims, options), outcome, JSON.stringify([claims, options]));
  }
});

Deno.test("verifyJwt() floors its clock, so that a token ends at a whole second", async () => {
  const at = (now: number) => reason({ exp: NOW }, { now: () => now, clockTolerance: 0 });
  assertEquals([await at(NOW - 0.001), await at(NOW)], ["accepted", "expired"]);
});

const WRONG: readonly string[] = [
  ...['"1700000600"', "null", "true", "[]", "[1700000600]", "{}", '"NaN"', '""', "1e400"],
];

for (const name of ["exp", "nbf", "iat"]) {
  Deno.test(`verifyJwt() refuses ${name} that is no finite number`, async () => {
    for (const value of WRONG) {
      const claims = name === "exp" ? "" : `"exp":${NOW + 9},`;
      assertEquals(await reason(`{${claims}"${name}":${value}}`), `${name}_malformed`, value);
    }
    assertEquals(await reason(`{"${name}":NaN}`), "claims_malformed");
    assertEquals(await reason(`{"${name}":0x7fffffff}`), "claims_malformed");
  });
}

for (const name of ["iss", "sub", "jti"]) {
  Deno.test(`verifyJwt() refuses ${name} that is no text, asked for or not`, async () => {
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
  // §4.1.3: whoever does not find itself among the audience must refuse
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
  // Others that have to be there
  [{ jti: "x" }, { requiredClaims: ["jti", "exp"] }, "accepted"],
  [{}, { requiredClaims: ["jti"] }, "jti_missing"],
  [{ nonce: null }, { requiredClaims: ["nonce"] }, "nonce_missing"],
  [{ nonce: 0, empty: "", no: false }, { requiredClaims: ["nonce", "empty", "no"] }, "accepted"],
  [{}, { requiredClaims: ["constructor"] }, "constructor_missing"],
  [{}, { requiredClaims: ["__proto__"] }, "__proto___missing"],
  [{}, { requiredClaims: ["toString"] }, "toString_missing"],
];

Deno.test("verifyJwt() compares parties character by character", async () => {
  for (const [claims, options, outcome] of PARTIES) {
    assertEquals(await reason(claims, options), outcome, JSON.stringify([claims, options]));
  }
});

/** [typ of the header, typ that is asked for, outcome] RFC 8725 §3.11. */
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
  ["to\u212aen+jwt", "token+jwt", "token_malformed"], // a Kelvin sign, whose small letter is k
  [undefined, "JWT", "accepted"], // RFC 7519 §5.1
  ["at+jwt", "JWT", "typ_mismatch"], // an access token as ID token
  ["application/jwt", "JWT", "accepted"],
  [5, undefined, "token_malformed"],
  [null, undefined, "token_malformed"],
  [["at+jwt"], "at+jwt", "token_malformed"],
  [{ toString: 1 }, "at+jwt", "token_malformed"],
];

Deno.test("verifyJwt() takes only the type that is asked for, and JWT if none is", async () => {
  for (const [typ, wanted, outcome] of TYPES) {
    const options = wanted === undefined ? {} : { typ: wanted };
    const header = typ === undefined ? {} : { typ };
    assertEquals(await reason({}, options, header), outcome, JSON.stringify([typ, wanted]));
  }
});

Deno.test("verifyJwt() says token_expired for what was good once, invalid_token for all else", async () => {
  const error = async (claims: object, options: Options) => {
    const token = await forge({ payload: { exp: NOW + 600, ...claims } });
    const { code, status } = await refusal(() => verifyJwt(token, { ...VERIFY, ...options }));
    return [code, status];
  };
  assertEquals(await error({ exp: 1 }, {}), ["token_expired", 401]);
  assertEquals(await error({ iat: 1 }, { maxAge: 1 }), ["token_expired", 401]);
  assertEquals(await error({ nbf: NOW + 99 }, {}), ["invalid_token", 401]);
  assertEquals(await error({ iss: "x" }, { issuer: "y" }), ["invalid_token", 401]);
});

Deno.test("verifyJwt() names what an expired token lacks no sooner than that it has expired", async () => {
  const claims = { exp: NOW - 99, aud: "other", iss: "other" };
  assertEquals(await reason(claims, { issuer: "a", audience: "a" }), "expired");
});
