/**
 * A hundred thousand tokens that are nearly right, and none of which verifies. How they are changed is the same in every
 * run; signatures of ECDSA and PSS are not, so that a token that fails is shown whole.
 */

import { assertEquals } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { jwsVerifier, signJws } from "../../../auth/jwt/jws.ts";
import { jwtVerifier } from "../../../auth/jwt/jwt.ts";
import { randomNumbers } from "../../static/_random.ts";
import { ALGORITHMS, KEYS, verifying } from "./_jws.ts";
import { mutant } from "./_jws_mutants.ts";

/** How many mutants of tokens of an algorithm: those whose signatures cost less get more. 104,000 in all. */
const MUTANTS: Readonly<Record<JwaAlgorithm, number>> = {
  ...{ HS256: 16_000, HS384: 16_000, HS512: 16_000, EdDSA: 12_000, Ed25519: 12_000 },
  ...{ ES256: 5_000, ES384: 3_000, ES512: 3_000, RS256: 5_000, RS384: 3_000, RS512: 3_000 },
  ...{ PS256: 4_000, PS384: 3_000, PS512: 3_000 },
};

/** At once, so that the runtime's threads have something to do. */
const BATCH = 200;

/** What refusals of these mutants may be. */
const KNOWN = [
  ...[
    "token_malformed",
    "alg_not_allowed",
    "crit_unsupported",
    "key_mismatch",
    "signature_invalid",
  ],
];

const PAYLOADS = [
  '{"sub":"u1","exp":1900000000}',
  '{"sub":"admin","exp":1900000001,"n":[1,"é"]}',
  "",
  "p",
];
const KEY_OF: ReadonlyMap<string, Jwk> = new Map(
  ALGORITHMS.map((alg) => [alg, verifying(KEYS[alg])]),
);

/** Every algorithm is allowed, and every algorithm has a key: the signature alone decides. */
const OPTIONS = {
  algorithms: ALGORITHMS,
  keys: ({ alg }: { readonly alg: string }) => KEY_OF.get(alg),
};

Deno.test("verifyJws() and verifyJwt() refuse all of 104,000 mutants of valid tokens", async () => {
  const verifyJws = jwsVerifier(OPTIONS);
  const verifyJwt = jwtVerifier({ ...OPTIONS, now: () => 1_800_000_000 });
  const originals = new Map<JwaAlgorithm, readonly string[]>();
  for (const alg of ALGORITHMS) {
    const sign = (payload: string) =>
      signJws(payload, { algorithms: [alg], key: KEYS[alg], header: { kid: `k-${alg}` } });
    originals.set(alg, await Promise.all(PAYLOADS.map(sign)));
  }
  const others = [...originals.values()].flat();
  const known = new Set(others);
  for (const token of known) await verifyJws(token);

  const counts: Record<string, number> = {};
  let same = 0;
  let ran = 0;
  for (const [i, alg] of ALGORITHMS.entries()) {
    const random = randomNumbers(7_519 + i);
    const own = originals.get(alg) ?? [];
    for (let left = MUTANTS[alg]; left > 0; left -= BATCH) {
      const batch: string[] = [];
      while (batch.length < Math.min(BATCH, left)) {
        const token = mutant(own[random(own.length)] ?? "", others, random);
        if (known.has(token)) same++;
        else batch.push(token);
      }
      ran += batch.length;
      const verify = random(8) === 0 ? verifyJwt : verifyJws;
      for (const reason of await Promise.all(batch.map((token) => outcome(verify, token)))) {
        counts[reason] = (counts[reason] ?? 0) + 1;
      }
    }
  }
  // deno-lint-ignore no-console -- how many ran, and how far they came, is part of the result
  console.log(`${ran} mutants, ${same} times an original instead;`, counts);
  assertEquals(ran, 104_000);
  assertEquals(Object.keys(counts).filter((reason) => !KNOWN.includes(reason)), []);
  // A fuzzer whose mutants all fail at the first dot shows nothing
  assertEquals((counts.signature_invalid ?? 0) > 30_000, true);
});

/** Why a token is refused. Anything but a refusal fails, and shows what it was. */
async function outcome(
  verify: (token: string) => Promise<unknown>,
  token: string,
): Promise<string> {
  try {
    await verify(token);
  } catch (error) {
    if (error instanceof AuthError && error.message === "invalid_token") {
      return error.reason ?? "none";
    }
    throw new Error(`${JSON.stringify(token)} made it throw something else`, { cause: error });
  }
  throw new Error(`${JSON.stringify(token)} was accepted`);
}
