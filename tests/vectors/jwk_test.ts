/** JWK thumbprints of the RFCs' keys, and the claims of RFC 9068 under a key of ours. */

import { assertEquals } from "@std/assert";
import type { HashName } from "../../auth/_kdf.ts";
import { generateJwk, jwkThumbprint, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk, JwtClaims } from "../../auth/jwt/types.ts";
import { signJwt, verifyJwt } from "../../auth/jwt/jwt.ts";
import { refusal } from "../auth/_refusal.ts";
import { testVectors } from "./_vectors.ts";

interface ThumbprintCase {
  readonly id: string;
  readonly hash: HashName;
  readonly jwk: Jwk;
  readonly thumbprint: string;
}

testVectors<ThumbprintCase>({
  file: "jws/jwk-thumbprint.json",
  async run({ id, hash, jwk, thumbprint }) {
    assertEquals(await jwkThumbprint(jwk, hash), thumbprint, id);
    if (hash === "SHA-256") assertEquals(await jwkThumbprint(jwk), thumbprint, id);
    if (jwk.kty !== "oct") assertEquals(await jwkThumbprint(publicJwk(jwk), hash), thumbprint, id);
  },
});

interface AccessTokenCase {
  readonly id: string;
  readonly header: { readonly typ: string; readonly alg: "RS256"; readonly kid: string };
  readonly claims: JwtClaims & { readonly iat: number; readonly exp: number };
}

testVectors<AccessTokenCase>({
  file: "jws/rfc9068-example.json",
  async run({ header, claims }) {
    const algorithms = ["RS256"] as const;
    const key = await generateJwk("RS256");
    const { alg: _alg, ...named } = header; // the key says which
    const token = await signJwt(claims, { algorithms, key, header: named });
    const { iss: issuer = "", aud: audience = "", exp } = claims;
    const options = { algorithms, keys: publicJwk(key), issuer, audience, typ: "at+jwt" };
    const now = () => claims.iat;
    const verified = await verifyJwt(token, { ...options, now });
    assertEquals<unknown>(verified.header, header);
    assertEquals<unknown>(verified.claims, claims);
    const late = await refusal(() => verifyJwt(token, { ...options, now: () => exp + 30 }));
    assertEquals(late.code, "token_expired");
    const { typ: _, ...untyped } = options;
    assertEquals(
      (await refusal(() => verifyJwt(token, { ...untyped, now }))).reason,
      "typ_mismatch",
    );
  },
});
