/**
 * Wycheproof signatures and MACs, with the keys and the algorithm table of verifyJws(). What upstream calls valid and we
 * reject on purpose has a reason.
 */

import type { JwaAlgorithm } from "../../auth/jwt/jwa.ts";
import { testSignatures } from "./_signatures.ts";

testSignatures({ file: "signatures/wycheproof-ed25519.json", alg: "Ed25519" });

const ECDSA: readonly (readonly [name: string, alg: JwaAlgorithm])[] = [
  ["es256", "ES256"],
  ["es384", "ES384"],
  ["es512", "ES512"],
];

const DER = "a DER signature; RFC 7518 §3.4 has R and S alone, and DER belongs to passkeys";

for (const [name, alg] of ECDSA) {
  testSignatures({ file: `signatures/wycheproof-${name}-p1363.json`, alg });
  testSignatures({ file: `signatures/wycheproof-${name}-der.json`, alg, decide: () => DER });
}

const SHORT_SECRET = "the secret is shorter than the hash, RFC 7518 §3.2";
const SHORT_MAC = "a truncated MAC, RFC 7518 §3.2";

const HMAC: readonly (readonly [name: string, alg: JwaAlgorithm, hashBytes: number])[] = [
  ["hs256", "HS256", 32],
  ["hs384", "HS384", 48],
  ["hs512", "HS512", 64],
];

for (const [name, alg, hashBytes] of HMAC) {
  testSignatures({
    file: `signatures/wycheproof-${name}.json`,
    alg,
    decide({ secret = "", signature }) {
      if (secret.length < 2 * hashBytes) return SHORT_SECRET;
      return signature.length < 2 * hashBytes ? SHORT_MAC : undefined;
    },
  });
}

const PSS: readonly (readonly [name: string, alg: JwaAlgorithm])[] = [
  ["ps256-2048", "PS256"],
  ["ps256-3072", "PS256"],
  ["ps256-4096", "PS256"],
  ["ps384-2048", "PS384"],
  ["ps384-4096", "PS384"],
  ["ps512-4096", "PS512"],
];

for (const [name, alg] of PSS) {
  testSignatures({ file: `signatures/wycheproof-${name}.json`, alg });
}

const WRONG_SALT = "RFC 7518 §3.5: the salt is as long as the hash, and MGF1 has the same hash";

/** Valid for other parameters than those of the algorithm. */
const WRONG_SALT_FILES: readonly (readonly [name: string, alg: JwaAlgorithm])[] = [
  ["ps256-2048-mgf1sha1-salt20", "PS256"],
  ["ps256-2048-salt0", "PS256"],
  ["ps512-4096-salt32", "PS512"],
];

for (const [name, alg] of WRONG_SALT_FILES) {
  const file = `signatures/wrong-salt/wycheproof-${name}.json`;
  testSignatures({ file, alg, decide: () => WRONG_SALT });
}

/**
 * RFC 8017 §9.2 note 1 lets a verifier accept a hash algorithm without NULL parameters; Web Crypto of Deno and Node does
 * not, and we want one form for each signature.
 */
const NO_NULL = "the hash algorithm has no NULL parameters";

const PKCS1: readonly (readonly [name: string, alg: JwaAlgorithm])[] = [
  ["rs256-2048", "RS256"],
  ["rs256-3072", "RS256"],
  ["rs256-4096", "RS256"],
  ["rs384-2048", "RS384"],
  ["rs384-3072", "RS384"],
  ["rs384-4096", "RS384"],
  ["rs512-2048", "RS512"],
  ["rs512-3072", "RS512"],
  ["rs512-4096", "RS512"],
];

for (const [name, alg] of PKCS1) {
  testSignatures({
    file: `signatures/wycheproof-${name}.json`,
    alg,
    decide: ({ upstream }) => upstream === "acceptable" ? NO_NULL : undefined,
  });
}
