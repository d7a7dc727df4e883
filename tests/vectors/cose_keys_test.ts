/** COSE keys as JWK: those that WebAuthn can use are parsed, and all of their public keys are imported and exported. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { decodeBase64Url } from "../../auth/_base64url.ts";
import { type Bytes, decodeHex } from "../../auth/_bytes.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { exportJwk, importJwk, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { importCoseKey, parseCoseKey } from "../../auth/webauthn/_cose.ts";
import { CeremonyError } from "../../auth/webauthn/_failure.ts";
import { testVectors } from "./_vectors.ts";

interface CoseKeyCase {
  readonly id: string;
  /** In hexadecimal digits. */
  readonly cose: string;
  readonly jwk: Jwk;
  readonly alg?: number;
  /** Whether it names its algorithm. */
  readonly webauthnUsable: boolean;
}

/** COSE algorithms that JOSE has too: RFC 9053 §2.1, §2.2, RFC 8230 §2, RFC 8812 §2. */
const ALGORITHMS: Readonly<Record<number, JwaAlgorithm>> = {
  [-7]: "ES256",
  [-8]: "EdDSA",
  [-35]: "ES384",
  [-36]: "ES512",
  [-37]: "PS256",
  [-38]: "PS384",
  [-39]: "PS512",
  [-257]: "RS256",
  [-258]: "RS384",
  [-259]: "RS512",
};

/** Algorithms of keys that name none. */
const BY_CURVE: Readonly<Record<string, JwaAlgorithm>> = {
  "P-256": "ES256",
  "P-384": "ES384",
  "P-521": "ES512",
  Ed25519: "EdDSA",
};

function algorithmOf({ jwk: { crv, kty }, alg }: CoseKeyCase): JwaAlgorithm | undefined {
  if (alg !== undefined) return ALGORITHMS[alg];
  return crv === undefined && kty === "RSA" ? "RS256" : BY_CURVE[crv ?? ""];
}

testVectors<CoseKeyCase>({
  file: "cose/cose-keys.json",
  skip: (test) =>
    algorithmOf(test) === undefined ? "have an algorithm that JOSE has not" : undefined,
  async run(test) {
    const { id, jwk, webauthnUsable, cose } = test;
    const alg = algorithmOf(test);
    const imported = () => importJwk(jwk, { alg, extractable: true });
    if (jwk.crv !== undefined && BY_CURVE[jwk.crv] === undefined) {
      await assertRejects(imported, TypeError, "Cannot import key: ", `${id}: ${jwk.crv}`);
      assertThrows(() => parseCoseKey(decodeHex(cose)), CeremonyError, "key_invalid", id);
      return;
    }
    const key = await imported();
    assertEquals(key.type, "public", id);
    assertEquals(publicMembers(await exportJwk(key)), publicMembers(jwk), id);
    if (webauthnUsable) {
      const parsed = parseCoseKey(decodeHex(cose));
      assertEquals({ ...parsed }, { algorithm: test.alg, members: publicBytes(jwk) }, id);
      await importCoseKey(parsed);
    } else {
      assertThrows(() => parseCoseKey(decodeHex(cose)), CeremonyError, "key_invalid", id);
    }
  },
});

function publicMembers(jwk: Jwk): Jwk {
  const { kty, crv, x, y, n, e } = publicJwk(jwk);
  return JSON.parse(JSON.stringify({ kty, crv, x, y, n, e }));
}

function publicBytes(jwk: Jwk): Readonly<Record<string, Bytes>> {
  const { kty: _, crv: __, ...members } = publicMembers(jwk);
  const entries = Object.entries(members).map((
    [name, text],
  ) => [name, decodeBase64Url(String(text))]);
  return Object.fromEntries(entries);
}
