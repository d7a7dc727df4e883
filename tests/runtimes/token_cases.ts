/**
 * Tokens of every algorithm, and refusals: whatever a runtime's Web Crypto lets through, each of them refuses the same.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { Bytes } from "../../auth/_bytes.ts";
import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { generateJwk, jwkThumbprint } from "../../auth/jwt/jwk.ts";
import { jwtVerifier, signJwt, verifyJwt } from "../../auth/jwt/jwt.ts";
import { ALGORITHMS, KEYS, reasonOf, verifying } from "../auth/jwt/_jws.ts";
import { assertSame, type RuntimeCase } from "./harness.ts";
import { CLAIMS, longToken, NOW, OWN, type Refusal } from "./token_forgery.ts";
import { HIDDEN_KEYS, KEY_REFUSALS, SET_REFUSALS, WEAK_KEYS } from "./token_key_refusals.ts";
import { FORM_REFUSALS, HEADER_REFUSALS, SIGNATURE_REFUSALS } from "./token_refusals.ts";

/** All rows. */
export const REFUSALS: readonly Refusal[] = [
  ...HEADER_REFUSALS,
  ...FORM_REFUSALS,
  ...SIGNATURE_REFUSALS,
  ...WEAK_KEYS,
  ...HIDDEN_KEYS,
  ...KEY_REFUSALS,
  ...SET_REFUSALS,
];

const now = () => NOW;

/** The cases, in the order in which they run. */
export const tokenCases: readonly RuntimeCase[] = [
  {
    name: "tokens: all 14 algorithms sign and verify, by keys that are made and by keys of RFCs",
    async run() {
      const missing: string[] = [];
      for (const alg of ALGORITHMS) {
        try {
          await roundTrip(alg);
        } catch (error) {
          missing.push(`${alg}: ${error}`);
        }
      }
      assertSame([ALGORITHMS.length, missing], [14, []]);
    },
  },
  {
    name: "tokens: no bit of a token may be another",
    async run() {
      for (const alg of ["HS256", "ES256", "Ed25519"] as const) {
        const token = await signJwt(CLAIMS, { algorithms: [alg], key: KEYS[alg], now });
        const keys = verifying(KEYS[alg]);
        const verify = jwtVerifier({ algorithms: [...ALGORITHMS], keys, now });
        await verify(token);
        for (const forged of flippedTokens(token)) {
          const reason = await reasonOf(() => verify(forged));
          if (reason === "accepted") throw new Error(`${alg} took ${forged} for ${token}`);
        }
      }
    },
  },
  {
    name: "tokens: 16,384 bytes are taken",
    async run() {
      const token = await longToken(16_384);
      const { claims } = await verifyJwt(token, { algorithms: ["ES256"], keys: OWN, now });
      assertSame([token.length, claims.sub], [16_384, "u1"]);
    },
  },
  ...REFUSALS.map(({ why, reason, token, keys = OWN, algorithms = ["ES256"] }) => ({
    name: `tokens: refused: ${why}`,
    async run() {
      const forged = await token();
      assertSame(await reasonOf(() => verifyJwt(forged, { algorithms, keys, now })), reason);
    },
  })),
];

async function roundTrip(alg: JwaAlgorithm): Promise<void> {
  for (const key of [await generateJwk(alg), KEYS[alg]]) {
    const token = await signJwt(CLAIMS, { algorithms: [alg], key, now });
    const keys = verifying(key);
    const { claims, header } = await verifyJwt(token, { algorithms: [alg], keys, now });
    assertSame([header.alg, claims], [alg, { ...CLAIMS, iat: NOW }]);
    if (key.kty !== "oct") {
      assertSame(key.kid ?? await jwkThumbprint(key), await jwkThumbprint(key));
    }
  }
}

/** The token with each of its bits turned over, one at a time. */
function* flippedTokens(token: string): Iterable<string> {
  const parts = token.split(".").map(decodeBase64Url);
  for (const [i, part] of parts.entries()) {
    for (let bit = 0; bit < part.length * 8; bit++) {
      yield parts.map((each, j) => encodeBase64Url(i === j ? flip(each, bit) : each)).join(".");
    }
  }
}

function flip(bytes: Bytes, bit: number): Bytes {
  return bytes.map((byte, i) => i === bit >> 3 ? byte ^ 0x80 >> (bit & 7) : byte);
}
