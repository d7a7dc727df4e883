/** Claims at their boundaries; the signature is right in every case. */

import { assertEquals } from "@std/assert";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import type { Jwk } from "../../auth/jwt/jwk.ts";
import { verifyJwt } from "../../auth/jwt/jwt.ts";
import { refusal } from "../auth/_refusal.ts";
import { testVectors } from "./_vectors.ts";

interface ClaimsDocument {
  readonly key_jwk: Jwk;
  readonly cases: readonly ClaimsCase[];
}

interface ClaimsCase {
  readonly id: string;
  readonly key?: Jwk;
  readonly jwt: string;
  readonly options: {
    readonly algorithms: readonly JwaAlgorithm[];
    readonly issuer: string | readonly string[];
    readonly audience: string | readonly string[];
    readonly subject?: string;
    readonly typ?: string;
    readonly clockTolerance?: number;
    readonly maxTokenAge?: number;
  };
  readonly now: number;
  readonly result: "valid" | "invalid";
  readonly peerCode?: string;
  readonly claim?: string;
}

/** What we say of each, and with it which claim it was. */
const REASONS: Readonly<Record<string, string>> = {
  "exp-now": "expired",
  "exp-at-tolerance": "expired",
  "exp-null": "exp_malformed",
  "exp-negative": "expired",
  "nbf-string": "nbf_malformed",
  "maxage-old": "max_age_exceeded", // jose names iat, from which the age is counted
  "maxage-iat-future": "issued_in_future",
  "iss-missing": "iss_missing",
  "iss-case": "iss_mismatch",
  "aud-array-without": "aud_mismatch",
  "aud-missing": "aud_missing",
  "aud-prefix": "aud_mismatch",
  "typ-missing": "typ_mismatch",
  "payload-array": "claims_malformed",
  "payload-not-json": "claims_malformed",
  "payload-null": "claims_malformed",
  "payload-bad-utf8": "claims_malformed",
};

testVectors<ClaimsCase>({
  file: "jws/generated-jwt-claims.json",
  casesOf: ({ key_jwk, cases }: ClaimsDocument) => cases.map((test) => ({ ...test, key: key_jwk })),
  expected: 28,
  skip: () => undefined,
  async run({ id, key, jwt, options, now, result, peerCode, claim }) {
    if (key === undefined) throw new Error("the file has no key");
    const { maxTokenAge, clockTolerance = 0, ...others } = options;
    const verify = () =>
      verifyJwt(jwt, {
        ...others,
        ...(maxTokenAge === undefined ? {} : { maxAge: maxTokenAge }),
        keys: key,
        clockTolerance,
        now: () => now,
      });
    if (result === "valid") {
      assertEquals((await verify()).header.alg, "ES256", id);
      return;
    }
    const error = await refusal(verify);
    const code = peerCode === "ERR_JWT_EXPIRED" ? "token_expired" : "invalid_token";
    assertEquals([error.code, error.reason], [code, REASONS[id]], id);
    const named = id === "maxage-old" ? "max" : claim ?? "claims";
    assertEquals(error.reason?.split("_")[0], named, id);
  },
});
