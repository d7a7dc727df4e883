/** Keys of COSE, as JWK. Reading COSE itself belongs to passkeys; here their public keys are imported and exported. */

import { assertEquals, assertRejects } from "@std/assert";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { exportJwk, importJwk, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { testVectors } from "./_vectors.ts";

interface CoseKeyCase {
  readonly id: string;
  readonly jwk: Jwk;
  readonly alg?: number;
}

/** Algorithms of COSE that JOSE has, too: RFC 9053 §2.1, §2.2, RFC 8230 §2, RFC 8812 §2. */
const ALGORITHMS: Readonly<Record<number, JwaAlgorithm>> = {
  [-7]: "ES256",
  [-8]: "EdDSA",
  [-35]: "ES384",
  [-36]: "ES512",
  [-38]: "PS384",
  [-257]: "RS256",
};

testVectors<CoseKeyCase>({
  file: "cose/cose-keys.json",
  expected: 8,
  skip: () => undefined,
  async run({ id, jwk, alg: number }) {
    const alg = number === undefined ? "ES256" : ALGORITHMS[number];
    if (alg === undefined) throw new Error(`${id} has another algorithm`);
    const imported = () => importJwk(jwk, { alg, extractable: true });
    if (jwk.crv === "Ed448") {
      await assertRejects(imported, TypeError, "Cannot import key: ", `${id}: no runtime has it`);
      return;
    }
    const key = await imported();
    assertEquals(key.type, "public", id);
    assertEquals(publicMembers(await exportJwk(key)), publicMembers(jwk), id);
  },
});

function publicMembers(jwk: Jwk): Jwk {
  const { kty, crv, x, y, n, e } = publicJwk(jwk);
  return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }));
}
