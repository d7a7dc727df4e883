/** Claims at their boundaries; the signature is valid in every case. */

import { assert, assertEquals } from "@std/assert";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
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

/** The claim that a reason is about, as the peer names it: `aud_mismatch` names its own. */
const CLAIM_OF: Readonly<Record<string, string>> = {
  expired: "exp",
  not_yet_valid: "nbf",
  issued_in_future: "iat",
  max_age_exceeded: "iat",
};

testVectors<ClaimsCase>({
  file: "jws/generated-jwt-claims.json",
  casesOf: ({ key_jwk, cases }: ClaimsDocument) => cases.map((test) => ({ ...test, key: key_jwk })),
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
      assert(options.algorithms.includes((await verify()).header.alg), id);
      return;
    }
    const error = await refusal(verify);
    const code = peerCode === "ERR_JWT_EXPIRED" ? "token_expired" : "invalid_token";
    assertEquals(error.code, code, id);
    const reason = error.reason ?? "";
    assertEquals(CLAIM_OF[reason] ?? reason.split("_")[0], claim ?? "claims", id);
  },
});
