/** The catalogue "JWT and JWS": tokens of the wrong kind, payloads, and the content of errors; rows are only added. */

import { assertEquals } from "@std/assert";
import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { utf8 } from "../../auth/_bytes.ts";
import { AuthError } from "../../auth/error.ts";
import { publicJwk } from "../../auth/jwt/jwk.ts";
import {
  signJwt,
  type SignJwtOptions,
  verifyJwt,
  type VerifyJwtOptions,
} from "../../auth/jwt/jwt.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { encoded, forge, KEYS, OCT, P256, reasonOf, RSA, sealed } from "../auth/jwt/_jws.ts";

const NOW = 1_700_000_000;
const ISSUER = "https://issuer.example";
const API = "https://api.example";
const CLIENT = "client-1";

const SIGN: SignJwtOptions = { algorithms: ["ES256"], key: P256, expiresIn: 600, now: () => NOW };
const VERIFY: VerifyJwtOptions = {
  algorithms: ["ES256"],
  keys: publicJwk(P256),
  issuer: ISSUER,
  now: () => NOW,
};
const ACCESS = { ...VERIFY, audience: API, typ: "at+jwt" };
const IDENTITY = { ...VERIFY, audience: CLIENT };

const reason = (token: string, options: VerifyJwtOptions) =>
  reasonOf(() => verifyJwt(token, options));

Deno.test("[ATTACKS, RFC 9068 §4] typ: an ID token as access token, and the reverse → rejected by typ and aud", async () => {
  const claims = { iss: ISSUER, sub: "u1" };
  const at = { ...SIGN, header: { typ: "at+jwt" } };
  const identity = await signJwt({ ...claims, aud: CLIENT, nonce: "n" }, SIGN);
  const access = await signJwt({ ...claims, aud: API }, at);
  assertEquals([await reason(access, ACCESS), await reason(identity, IDENTITY)], [
    "accepted",
    "accepted",
  ]);
  assertEquals(await reason(identity, ACCESS), "typ_mismatch");
  assertEquals(await reason(access, IDENTITY), "typ_mismatch");
  // One of the two checks is sufficient
  assertEquals(await reason(identity, { ...IDENTITY, audience: API }), "aud_mismatch");
  assertEquals(await reason(access, { ...ACCESS, audience: CLIENT }), "aud_mismatch");
  const untyped = await signJwt({ ...claims, aud: API }, { ...SIGN, header: { typ: undefined } });
  assertEquals(await reason(untyped, ACCESS), "typ_mismatch");
  const { audience: _, ...noAudience } = ACCESS;
  assertEquals(await reason(access, noAudience), "aud_mismatch");
});

/** Payloads with a valid signature. */
const PAYLOADS: readonly (readonly [
  source: string,
  attack: string,
  payload: unknown,
  refusal: string,
])[] = [
  ["ATTACKS", "an array", "[]", "claims_malformed"],
  ["neighbour", "claims in an array", `[{"exp":${NOW + 9}}]`, "claims_malformed"],
  ["ATTACKS", "null", "null", "claims_malformed"],
  ["ATTACKS", "a string", '"claims"', "claims_malformed"],
  ["neighbour", "a number", "1", "claims_malformed"],
  ["neighbour", "an empty string", "", "claims_malformed"],
  ["neighbour", "not JSON", "exp=1", "claims_malformed"],
  ["RFC 7519 §7.2", "a nested token", "a.b.c", "claims_malformed"],
  ["RFC 8259 §8.1", "a byte order mark", `\ufeff{"exp":${NOW + 9}}`, "claims_malformed"],
  [
    "RFC 7519 §3",
    "bytes that are not UTF-8",
    new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    "claims_malformed",
  ],
  ["ATTACKS", "exp twice", `{"exp":1,"exp":${NOW + 9}}`, "claims_malformed"],
  ["neighbour", "exp twice, escaped", `{"exp":1,"\\u0065xp":${NOW + 9}}`, "claims_malformed"],
  ["neighbour", "sub twice", `{"exp":${NOW + 9},"sub":"admin","sub":"u1"}`, "claims_malformed"],
  ["ATTACKS", "__proto__", `{"exp":${NOW + 9},"__proto__":{"admin":true}}`, "claims_malformed"],
  ["neighbour", "__proto__ within", `{"exp":${NOW + 9},"a":[{"__proto__":1}]}`, "claims_malformed"],
  [
    "neighbour",
    "claims in __proto__",
    `{"__proto__":{"exp":${NOW + 9},"iss":"${ISSUER}"}}`,
    "claims_malformed",
  ],
  [
    "neighbour",
    "a duplicate name in a nested object",
    `{"exp":${NOW + 9},"a":[[{"b":1,"b":2}]]}`,
    "claims_malformed",
  ],
  ["neighbour", "a comment", `{"exp":${NOW + 9}/**/}`, "claims_malformed"],
  ["neighbour", "two objects", `{"exp":${NOW + 9}}{"exp":1}`, "claims_malformed"],
  ["ATTACKS", "no claims", "{}", "exp_missing"],
  ["neighbour", "claims within claims", `{"claims":{"exp":${NOW + 9}}}`, "exp_missing"],
];

for (const [source, attack, payload, refusal] of PAYLOADS) {
  Deno.test(`[${source}] payload: ${attack} → ${refusal}`, async () => {
    const { issuer: _, ...options } = VERIFY;
    assertEquals(await reason(await forge({ alg: "ES256", payload }), options), refusal);
  });
}

Deno.test("[neighbour] payload: names of object members → ordinary claims, no prototype pollution", async () => {
  const claims = { exp: NOW + 9, constructor: { prototype: { x: 1 } }, toString: 5, then: null };
  const token = await forge({ alg: "ES256", payload: JSON.stringify(claims) });
  const { issuer: _, ...options } = VERIFY;
  assertEquals<unknown>((await verifyJwt(token, options)).claims, claims);
  assertEquals(({} as { x?: number }).x, undefined);
});

Deno.test("[RFC 8725 §3.3] payload: any payload with a foreign signature → signature_invalid, before any claim is checked", async () => {
  const other: Jwk = { ...KEYS.ES256, ...(await generated()) };
  for (const payload of [{ exp: 1 }, {}, "[]", "no JSON", { exp: NOW + 9, iss: "other" }]) {
    const token = await forge({ alg: "ES256", payload, key: other });
    assertEquals(await reason(token, VERIFY), "signature_invalid");
  }
});

async function generated(): Promise<Jwk> {
  const params = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(params, true, ["sign", "verify"]);
  const { kty = "", crv = "", x = "", y = "", d = "" } = await crypto.subtle.exportKey(
    "jwk",
    privateKey,
  );
  return { kty, crv, x, y, d };
}

Deno.test("[neighbour] token: parts of two tokens → rejected", async () => {
  const sign = (sub: string) => signJwt({ iss: ISSUER, sub }, SIGN);
  const { issuer: _, ...rest } = VERIFY;
  const [a, b] = [(await sign("u1")).split("."), (await sign("admin")).split(".")];
  assertEquals(await reason(`${a[0]}.${b[1]}.${a[2]}`, rest), "signature_invalid");
  assertEquals(await reason(`${a[0]}.${a[1]}.${b[2]}`, rest), "signature_invalid");
  const hs = await forge({ alg: "HS256", payload: { exp: NOW + 9 } });
  const mixed = { ...rest, algorithms: ["ES256", "HS256"] as const };
  assertEquals(await reason(hs, mixed), "key_mismatch");
  assertEquals(
    await reason(hs, { ...mixed, keys: { keys: [publicJwk(P256), OCT] } }),
    "key_ambiguous",
  );
});

/** Values that must not leak from a token, long enough to be found anywhere. */
const SECRETS = {
  kid: "kid-7f3a9c5e1b8d2046",
  typ: "typ-0c1d2e3f4a5b6978",
  sub: "sub-9b8c7d6e5f4a3b2c",
  iss: "https://iss-1a2b3c4d5e6f.example",
  aud: "aud-f0e1d2c3b4a59687",
  nonce: "nonce-55aa55aa66bb66bb",
};

/** Tokens that are rejected for each reason, all with the same secrets. */
async function refusedTokens(): Promise<readonly string[]> {
  const { kid, typ, ...parties } = SECRETS;
  const claims = { exp: NOW + 600, ...parties };
  const made = (more: object, header: object = {}) =>
    forge({
      alg: "ES256",
      header: { alg: "ES256", kid, ...header },
      payload: { ...claims, ...more },
    });
  const right = await made({});
  const [header = "", payload = ""] = right.split(".");
  return [
    right,
    right.slice(0, -1),
    `${right}=`,
    right.replaceAll(".", ":"),
    right.toUpperCase(),
    `${header}.${payload}`,
    `${header}.${payload}.${encodeBase64Url(new Uint8Array(64))}`,
    `${right}${"A".repeat(20_000)}`,
    `${encoded(`{"alg":"ES256","kid":"${kid}","kid":"${kid}"}`)}.${payload}.AAAA`,
    `${encoded(`{"alg":"ES256","kid":"${kid}" oops`)}.${payload}.AAAA`,
    await sealed(`${header}.${encoded(`{"sub":"${SECRETS.sub}" oops`)}`, "ES256", P256),
    await sealed(`${header}.${encoded(`{"sub":"${SECRETS.sub}","sub":"x"}`)}`, "ES256", P256),
    await made({}, { typ }),
    await made({}, { alg: typ }),
    await made({}, { crit: [typ] }),
    await made({ exp: NOW - 99 }),
    await made({ exp: SECRETS.nonce }),
    await made({ exp: undefined }),
    await made({ nbf: NOW + 99 }),
    await made({ aud: [5, SECRETS.aud] }),
    await made({ iss: undefined }),
    await made({ sub: { [SECRETS.sub]: 1 } }),
    await forge({ alg: "RS256", header: { alg: "RS256", kid }, payload: claims }),
    await forge({ alg: "HS256", header: { alg: "HS256", kid }, payload: claims }),
  ];
}

/** Everything of an error that could be logged or sent. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack = "", cause } = error;
  const own = Object.getOwnPropertyNames(error).filter((key) => key !== "cause");
  const members = own.map((key) =>
    JSON.stringify((error as unknown as Record<string, unknown>)[key])
  );
  const inner = cause === undefined ? "" : errorText(cause);
  return [name, message, stack, JSON.stringify(error), Deno.inspect(error), ...members, inner].join(
    "\n",
  );
}

Deno.test("[neighbour] leaks: errors of every reason → reveal nothing of the token", async () => {
  const others: VerifyJwtOptions[] = [
    { ...VERIFY, audience: API, subject: "u1" },
    { ...VERIFY, algorithms: ["ES256", "RS256", "HS256"], keys: { keys: [publicJwk(RSA)] } },
    { ...VERIFY, keys: { ...publicJwk(P256), y: P256.x ?? "" } },
    { ...VERIFY, issuer: SECRETS.iss, audience: SECRETS.aud, requiredClaims: ["jti"], maxAge: 60 },
    { ...VERIFY, keys: () => [publicJwk(P256), publicJwk(P256)] },
    { ...VERIFY, typ: "at+jwt" },
  ];
  const reasons = new Set<string>();
  for (const token of await refusedTokens()) {
    const parts = token.split(/[.:]/).slice(0, 3);
    const hidden = [...parts, ...parts.map(decodedText), ...Object.values(SECRETS)].map((each) =>
      each.slice(0, 3_000)
    );
    for (const options of others) {
      try {
        await verifyJwt(token, options);
        throw new Error("it was accepted");
      } catch (error) {
        if (!(error instanceof AuthError)) throw error;
        reasons.add(error.reason ?? "");
        const text = errorText(error);
        for (const secret of hidden) assertEquals(leaked(secret, text), undefined, error.reason);
      }
    }
  }
  const seen = [...reasons].sort();
  assertEquals(seen.length >= 16, true, seen.join());
});

function decodedText(part: string): string {
  try {
    return new TextDecoder().decode(decodeBase64Url(part));
  } catch {
    return "";
  }
}

/** Eight consecutive characters of a secret that occur in a text. Names of claims and algorithms are not secret. */
function leaked(secret: string, text: string): string | undefined {
  for (let i = 0; i + 8 <= secret.length; i++) {
    const piece = secret.slice(i, i + 8);
    if (text.includes(piece)) return piece;
  }
  return undefined;
}

Deno.test("[neighbour] leaks: a broken key of a resolver → the error reveals nothing of the token", async () => {
  const kid = SECRETS.kid;
  const token = await forge({ alg: "ES256", header: { alg: "ES256", kid }, payload: SECRETS });
  const broken = { kty: "EC", crv: "P-256", x: encodeBase64Url(utf8(kid)), y: kid };
  const run = () => verifyJwt(token, { ...VERIFY, keys: () => broken });
  const error = await run().then(() => undefined, (thrown: unknown) => thrown);
  assertEquals(error instanceof AuthError && error.reason, "key_mismatch");
  assertEquals(leaked(kid, errorText(error)), undefined);
  assertEquals(leaked(token, errorText(error)), undefined);
});

const VERIFY_CLAIMS: VerifyJwtOptions = { algorithms: ["HS256"], keys: OCT, now: () => NOW };
const GOOD = `"exp":${NOW + 600}`;
const EXACT = { clockTolerance: 0 };
const AGED = { maxAge: 60 };

/** Times as written in the payload. The leeway is 30 seconds unless a row says otherwise. */
const TIMES: readonly (readonly [
  source: string,
  what: string,
  members: string,
  options: Partial<VerifyJwtOptions>,
  outcome: string,
])[] = [
  ["GHSA-hm8q-7f3q-5f36", "exp as a string", `"exp":"${NOW + 600}"`, {}, "exp_malformed"],
  ["GHSA-hm8q-7f3q-5f36", "exp as the string NaN", '"exp":"NaN"', {}, "exp_malformed"],
  ["ATTACKS", "exp NaN", '"exp":NaN', {}, "claims_malformed"],
  ["ATTACKS", "exp 1e400", '"exp":1e400', {}, "exp_malformed"],
  ["ATTACKS", "exp negative", '"exp":-1', {}, "expired"],
  ["ATTACKS", "no exp", '"sub":"u1"', {}, "exp_missing"],
  ["ATTACKS", "exp now", `"exp":${NOW}`, EXACT, "expired"],
  ["ATTACKS", "exp a second from now", `"exp":${NOW + 1}`, EXACT, "accepted"],
  ["ATTACKS", "exp inside the leeway", `"exp":${NOW - 29}`, {}, "accepted"],
  ["ATTACKS", "exp just outside the leeway", `"exp":${NOW - 30}`, {}, "expired"],
  ["neighbour", "exp -1e400", '"exp":-1e400', {}, "exp_malformed"],
  ["neighbour", "exp null", '"exp":null', {}, "exp_malformed"],
  ["neighbour", "exp true", '"exp":true', {}, "exp_malformed"],
  ["neighbour", "exp in an array", `"exp":[${NOW + 600}]`, {}, "exp_malformed"],
  ["neighbour", "exp as a date", '"exp":"2999-01-01T00:00:00Z"', {}, "exp_malformed"],
  ["neighbour", "exp 0", '"exp":0', {}, "expired"],
  ["neighbour", "exp a fraction outside the leeway", `"exp":${NOW - 31}.9`, {}, "expired"],
  ["neighbour", "exp in other case", `"EXP":${NOW + 600}`, {}, "exp_missing"],
  ["GHSA-hm8q-7f3q-5f36", "nbf as a string", `${GOOD},"nbf":"0"`, {}, "nbf_malformed"],
  ["ATTACKS", "nbf NaN", `${GOOD},"nbf":NaN`, {}, "claims_malformed"],
  ["ATTACKS", "nbf 1e400", `${GOOD},"nbf":1e400`, {}, "nbf_malformed"],
  ["ATTACKS", "nbf negative", `${GOOD},"nbf":-1`, {}, "accepted"],
  ["ATTACKS", "nbf now", `${GOOD},"nbf":${NOW}`, EXACT, "accepted"],
  ["ATTACKS", "nbf in the future", `${GOOD},"nbf":${NOW + 1}`, EXACT, "not_yet_valid"],
  ["ATTACKS", "nbf inside the leeway", `${GOOD},"nbf":${NOW + 30}`, {}, "accepted"],
  ["ATTACKS", "nbf just outside the leeway", `${GOOD},"nbf":${NOW + 31}`, {}, "not_yet_valid"],
  ["neighbour", "nbf a fraction outside it", `${GOOD},"nbf":${NOW + 30}.5`, {}, "not_yet_valid"],
  ["neighbour", "nbf null", `${GOOD},"nbf":null`, {}, "nbf_malformed"],
  ["neighbour", "nbf false", `${GOOD},"nbf":false`, {}, "nbf_malformed"],
  ["GHSA-hm8q-7f3q-5f36", "iat as a string", `${GOOD},"iat":"${NOW}"`, {}, "iat_malformed"],
  ["ATTACKS", "iat NaN", `${GOOD},"iat":NaN`, {}, "claims_malformed"],
  ["ATTACKS", "iat 1e400", `${GOOD},"iat":1e400`, {}, "iat_malformed"],
  ["ATTACKS", "iat negative", `${GOOD},"iat":-1`, AGED, "max_age_exceeded"],
  ["neighbour", "iat null", `${GOOD},"iat":null`, {}, "iat_malformed"],
  ["neighbour", "no iat with maxTokenAge", GOOD, AGED, "iat_missing"],
  ["neighbour", "iat inside the maximum age", `${GOOD},"iat":${NOW - 90}`, AGED, "accepted"],
  [
    "neighbour",
    "iat just past the maximum age",
    `${GOOD},"iat":${NOW - 91}`,
    AGED,
    "max_age_exceeded",
  ],
  ["neighbour", "iat inside the leeway", `${GOOD},"iat":${NOW + 30}`, AGED, "accepted"],
  [
    "neighbour",
    "iat just outside the leeway",
    `${GOOD},"iat":${NOW + 31}`,
    AGED,
    "issued_in_future",
  ],
];

for (const [source, what, members, options, outcome] of TIMES) {
  Deno.test(`[${source}] claims: ${what}, leeway ${options.clockTolerance ?? 30} → ${outcome}`, async () => {
    assertEquals(await reasonClaims(`{${members}}`, options), outcome);
  });
}

/** Issuers that differ from the trusted one, `https://issuer.example`. */
const ISSUERS: readonly (readonly [source: string, what: string, iss: unknown, refusal: string])[] =
  [
    ["ATTACKS", "a slash at the end", `${ISSUER}/`, "iss_mismatch"],
    ["ATTACKS", "a host in other case", "https://Issuer.example", "iss_mismatch"],
    ["ATTACKS", "all in upper case", ISSUER.toUpperCase(), "iss_mismatch"],
    ["neighbour", "a scheme in other case", "HTTPS://issuer.example", "iss_mismatch"],
    ["neighbour", "two slashes at the end", `${ISSUER}//`, "iss_mismatch"],
    ["neighbour", "a path", `${ISSUER}/a/..`, "iss_mismatch"],
    ["neighbour", "an empty query", `${ISSUER}?`, "iss_mismatch"],
    ["neighbour", "the default port", `${ISSUER}:443`, "iss_mismatch"],
    ["neighbour", "http", "http://issuer.example", "iss_mismatch"],
    ["neighbour", "a dot at the end", `${ISSUER}.`, "iss_mismatch"],
    [
      "neighbour",
      "the issuer as a prefix of another host",
      `${ISSUER}.evil.example`,
      "iss_mismatch",
    ],
    ["neighbour", "the issuer as user information", `${ISSUER}@evil.example`, "iss_mismatch"],
    ["neighbour", "a similar letter", "https://ıssuer.example", "iss_mismatch"],
    ["neighbour", "a space before", ` ${ISSUER}`, "iss_mismatch"],
    ["neighbour", "a NUL at the end", `${ISSUER}\0`, "iss_mismatch"],
    ["neighbour", "an empty string", "", "iss_mismatch"],
    ["neighbour", "none", undefined, "iss_missing"],
    ["neighbour", "an array of it", [ISSUER], "iss_malformed"],
    ["neighbour", "null", null, "iss_malformed"],
  ];

for (const [source, what, iss, refusal] of ISSUERS) {
  Deno.test(`[${source}] claims: iss with ${what} → ${refusal}`, async () => {
    const payload = JSON.stringify({ exp: NOW + 600, iss });
    for (const issuer of [ISSUER, [ISSUER], ["https://other.example", ISSUER]]) {
      assertEquals(await reasonClaims(payload, { issuer }), refusal);
    }
  });
}

Deno.test("[ATTACKS] claims: iss without the trusted issuer's trailing slash → iss_mismatch", async () => {
  const payload = JSON.stringify({ exp: NOW + 600, iss: ISSUER });
  assertEquals(await reasonClaims(payload, { issuer: `${ISSUER}/` }), "iss_mismatch");
  assertEquals(await reasonClaims(payload, { issuer: ISSUER }), "accepted");
});

/** The reason why a token is rejected, or `"accepted"`. */
async function reasonClaims(
  payload: string,
  options: Partial<VerifyJwtOptions>,
): Promise<string | undefined> {
  const token = await forge({ payload });
  return await reasonOf(() => verifyJwt(token, { ...VERIFY_CLAIMS, ...options }));
}
