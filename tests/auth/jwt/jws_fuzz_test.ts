/**
 * Mutants of valid tokens, all of which are rejected. The mutations are the same in every run; signatures of ECDSA and PSS
 * are not, so a token that fails is printed.
 */

import { assert, assertEquals } from "@std/assert";
import { MUTANTS } from "../../_effort.ts";
import { AuthError } from "../../../auth/error.ts";
import type { JwaAlgorithm } from "../../../auth/jwt/jwa.ts";
import type { Jwk } from "../../../auth/jwt/types.ts";
import { jwsVerifier, signJws } from "../../../auth/jwt/jws.ts";
import { jwtVerifier } from "../../../auth/jwt/jwt.ts";
import { randomNumbers } from "../../static/_random.ts";
import { ALGORITHMS, KEYS, verifying } from "./_jws.ts";
import { mutant } from "./_jws_mutants.ts";

/** Shares of the mutants by algorithm: algorithms with fast signatures get more. 104 in all. */
const SHARES: Readonly<Record<JwaAlgorithm, number>> = {
  ...{ HS256: 16, HS384: 16, HS512: 16, EdDSA: 12, Ed25519: 12 },
  ...{ ES256: 5, ES384: 3, ES512: 3, RS256: 5, RS384: 3, RS512: 3 },
  ...{ PS256: 4, PS384: 3, PS512: 3 },
};

/** Tokens that are verified concurrently. */
const BATCH = 200;

/** Allowed reasons. */
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

/** Every algorithm is allowed and has a key: only the signature decides. */
const OPTIONS = {
  algorithms: ALGORITHMS,
  keys: ({ alg }: { readonly alg: string }) => KEY_OF.get(alg),
};

Deno.test(`verifyJws() and verifyJwt() reject all of ${MUTANTS} mutants of valid tokens`, async () => {
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
    for (let left = Math.ceil(SHARES[alg] * MUTANTS / 104); left > 0; left -= BATCH) {
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
  // deno-lint-ignore no-console -- the number of mutants and the reasons are part of the result
  console.log(`${ran} mutants, ${same} times an original instead;`, counts);
  assert(ran >= MUTANTS);
  assertEquals(Object.keys(counts).filter((reason) => !KNOWN.includes(reason)), []);
  // Mutants that all fail at the first dot would prove nothing
  assert((counts.signature_invalid ?? 0) > ran / 4);
});

/** Why a token is rejected. Any other outcome fails. */
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
    throw new Error(`${JSON.stringify(token)} caused another error`, { cause: error });
  }
  throw new Error(`${JSON.stringify(token)} was accepted`);
}
