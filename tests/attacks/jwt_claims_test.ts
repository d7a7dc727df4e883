/** The catalogue "JWT and JWS": when a token is good, and who issued it, behind a signature that is right; rows are only added. */

import { assertEquals } from "@std/assert";
import { verifyJwt, type VerifyJwtOptions } from "../../auth/jwt/jwt.ts";
import { forge, OCT, reasonOf } from "../auth/jwt/_jws.ts";

const NOW = 1_700_000_000;
const ISSUER = "https://issuer.example";
const VERIFY: VerifyJwtOptions = { algorithms: ["HS256"], keys: OCT, now: () => NOW };
const GOOD = `"exp":${NOW + 600}`;
const EXACT = { clockTolerance: 0 };
const AGED = { maxAge: 60 };

/** Times as they stand in the payload. The leeway is 30 seconds unless a row says otherwise. */
const TIMES: readonly (readonly [
  source: string,
  what: string,
  members: string,
  options: Partial<VerifyJwtOptions>,
  outcome: string,
])[] = [
  ["GHSA-hm8q-7f3q-5f36", "exp as text", `"exp":"${NOW + 600}"`, {}, "exp_malformed"],
  ["GHSA-hm8q-7f3q-5f36", "exp as the text NaN", '"exp":"NaN"', {}, "exp_malformed"],
  ["ATTACKS", "exp NaN", '"exp":NaN', {}, "claims_malformed"],
  ["ATTACKS", "exp 1e400", '"exp":1e400', {}, "exp_malformed"],
  ["ATTACKS", "exp negative", '"exp":-1', {}, "expired"],
  ["ATTACKS", "no exp", '"sub":"u1"', {}, "exp_missing"],
  ["ATTACKS", "exp now", `"exp":${NOW}`, EXACT, "expired"],
  ["ATTACKS", "exp a second from now", `"exp":${NOW + 1}`, EXACT, "accepted"],
  ["ATTACKS", "exp inside the leeway", `"exp":${NOW - 29}`, {}, "accepted"],
  ["ATTACKS", "exp just past the leeway", `"exp":${NOW - 30}`, {}, "expired"],
  ["neighbour", "exp -1e400", '"exp":-1e400', {}, "exp_malformed"],
  ["neighbour", "exp null", '"exp":null', {}, "exp_malformed"],
  ["neighbour", "exp true", '"exp":true', {}, "exp_malformed"],
  ["neighbour", "exp in a list", `"exp":[${NOW + 600}]`, {}, "exp_malformed"],
  ["neighbour", "exp as a date", '"exp":"2999-01-01T00:00:00Z"', {}, "exp_malformed"],
  ["neighbour", "exp 0", '"exp":0', {}, "expired"],
  ["neighbour", "exp a fraction past the leeway", `"exp":${NOW - 31}.9`, {}, "expired"],
  ["neighbour", "exp in other case", `"EXP":${NOW + 600}`, {}, "exp_missing"],
  ["GHSA-hm8q-7f3q-5f36", "nbf as text", `${GOOD},"nbf":"0"`, {}, "nbf_malformed"],
  ["ATTACKS", "nbf NaN", `${GOOD},"nbf":NaN`, {}, "claims_malformed"],
  ["ATTACKS", "nbf 1e400", `${GOOD},"nbf":1e400`, {}, "nbf_malformed"],
  ["ATTACKS", "nbf negative", `${GOOD},"nbf":-1`, {}, "accepted"],
  ["ATTACKS", "nbf now", `${GOOD},"nbf":${NOW}`, EXACT, "accepted"],
  ["ATTACKS", "nbf in the future", `${GOOD},"nbf":${NOW + 1}`, EXACT, "not_yet_valid"],
  ["ATTACKS", "nbf inside the leeway", `${GOOD},"nbf":${NOW + 30}`, {}, "accepted"],
  ["ATTACKS", "nbf just past the leeway", `${GOOD},"nbf":${NOW + 31}`, {}, "not_yet_valid"],
  ["neighbour", "nbf a fraction past it", `${GOOD},"nbf":${NOW + 30}.5`, {}, "not_yet_valid"],
  ["neighbour", "nbf null", `${GOOD},"nbf":null`, {}, "nbf_malformed"],
  ["neighbour", "nbf false", `${GOOD},"nbf":false`, {}, "nbf_malformed"],
  ["GHSA-hm8q-7f3q-5f36", "iat as text", `${GOOD},"iat":"${NOW}"`, {}, "iat_malformed"],
  ["ATTACKS", "iat NaN", `${GOOD},"iat":NaN`, {}, "claims_malformed"],
  ["ATTACKS", "iat 1e400", `${GOOD},"iat":1e400`, {}, "iat_malformed"],
  ["ATTACKS", "iat negative", `${GOOD},"iat":-1`, AGED, "max_age_exceeded"],
  ["neighbour", "iat null", `${GOOD},"iat":null`, {}, "iat_malformed"],
  ["neighbour", "no iat where an age is asked for", GOOD, AGED, "iat_missing"],
  ["neighbour", "iat inside the age", `${GOOD},"iat":${NOW - 90}`, AGED, "accepted"],
  ["neighbour", "iat just past the age", `${GOOD},"iat":${NOW - 91}`, AGED, "max_age_exceeded"],
  ["neighbour", "iat inside the leeway", `${GOOD},"iat":${NOW + 30}`, AGED, "accepted"],
  ["neighbour", "iat just past the leeway", `${GOOD},"iat":${NOW + 31}`, AGED, "issued_in_future"],
];

for (const [source, what, members, options, outcome] of TIMES) {
  Deno.test(`[${source}] claims: ${what}, leeway ${options.clockTolerance ?? 30} → ${outcome}`, async () => {
    assertEquals(await reason(`{${members}}`, options), outcome);
  });
}

/** An issuer who is not the one that is trusted, `https://issuer.example`. */
const ISSUERS: readonly (readonly [source: string, what: string, iss: unknown, refusal: string])[] =
  [
    ["ATTACKS", "a slash behind", `${ISSUER}/`, "iss_mismatch"],
    ["ATTACKS", "a host in other case", "https://Issuer.example", "iss_mismatch"],
    ["ATTACKS", "all in upper case", ISSUER.toUpperCase(), "iss_mismatch"],
    ["neighbour", "a scheme in other case", "HTTPS://issuer.example", "iss_mismatch"],
    ["neighbour", "two slashes behind", `${ISSUER}//`, "iss_mismatch"],
    ["neighbour", "a path", `${ISSUER}/a/..`, "iss_mismatch"],
    ["neighbour", "an empty query", `${ISSUER}?`, "iss_mismatch"],
    ["neighbour", "the port that goes without saying", `${ISSUER}:443`, "iss_mismatch"],
    ["neighbour", "http", "http://issuer.example", "iss_mismatch"],
    ["neighbour", "a dot behind", `${ISSUER}.`, "iss_mismatch"],
    ["neighbour", "a host that begins like it", `${ISSUER}.evil.example`, "iss_mismatch"],
    ["neighbour", "a host behind a name like it", `${ISSUER}@evil.example`, "iss_mismatch"],
    ["neighbour", "a letter that looks like it", "https://ıssuer.example", "iss_mismatch"],
    ["neighbour", "a blank in front", ` ${ISSUER}`, "iss_mismatch"],
    ["neighbour", "a NUL behind", `${ISSUER}\0`, "iss_mismatch"],
    ["neighbour", "nothing", "", "iss_mismatch"],
    ["neighbour", "none", undefined, "iss_missing"],
    ["neighbour", "a list of it", [ISSUER], "iss_malformed"],
    ["neighbour", "null", null, "iss_malformed"],
  ];

for (const [source, what, iss, refusal] of ISSUERS) {
  Deno.test(`[${source}] claims: iss with ${what} → ${refusal}`, async () => {
    const payload = JSON.stringify({ exp: NOW + 600, iss });
    for (const issuer of [ISSUER, [ISSUER], ["https://other.example", ISSUER]]) {
      assertEquals(await reason(payload, { issuer }), refusal);
    }
  });
}

Deno.test("[ATTACKS] claims: iss without the slash that is trusted → iss_mismatch", async () => {
  const payload = JSON.stringify({ exp: NOW + 600, iss: ISSUER });
  assertEquals(await reason(payload, { issuer: `${ISSUER}/` }), "iss_mismatch");
  assertEquals(await reason(payload, { issuer: ISSUER }), "accepted");
});

/** Why a token is refused, or that it is accepted. */
async function reason(
  payload: string,
  options: Partial<VerifyJwtOptions>,
): Promise<string | undefined> {
  const token = await forge({ payload });
  return await reasonOf(() => verifyJwt(token, { ...VERIFY, ...options }));
}
