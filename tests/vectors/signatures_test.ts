/**
 * Signatures and codes of Wycheproof, through the keys and the table that verifyJws() takes. What upstream calls valid and
 * we refuse on purpose is listed with the reason.
 */

import { type SignatureCase, testSignatures } from "./_signatures.ts";

testSignatures({
  file: "signatures/wycheproof-ed25519.json",
  alg: "Ed25519",
  verified: 43,
  refused: 32,
});

/** [file, algorithm, verified, refused] In the form of JOSE: R and S one after the other. */
const P1363 = [
  ["es256", "ES256", 86, 46],
  ["es384", "ES384", 97, 42],
  ["es512", "ES512", 115, 45],
] as const;

for (const [name, alg, verified, refused] of P1363) {
  const file = `signatures/wycheproof-${name}-p1363.json`;
  testSignatures({ file, alg, verified, refused });
}

const DER = "a DER signature; RFC 7518 §3.4 has R and S alone, and reading DER belongs to passkeys";

/** [file, algorithm, valid upstream, invalid upstream] */
const DER_FILES = [
  ["es256", "ES256", 88, 154],
  ["es384", "ES384", 96, 156],
  ["es512", "ES512", 115, 156],
] as const;

for (const [name, alg, valid, invalid] of DER_FILES) {
  testSignatures({
    file: `signatures/wycheproof-${name}-der.json`,
    alg,
    verified: 0,
    refused: valid + invalid,
    decide: () => DER,
    decided: { [DER]: valid },
  });
}

const SHORT_SECRET = "the secret is shorter than the hash, RFC 7518 §3.2";
const SHORT_CODE = "the code is a part of one; RFC 7518 §3.2 has all of it";

/** [file, algorithm, bytes of the hash] */
const HMAC = [
  ["hs256", "HS256", 32],
  ["hs384", "HS384", 48],
  ["hs512", "HS512", 64],
] as const;

for (const [name, alg, bytes] of HMAC) {
  testSignatures({
    file: `signatures/wycheproof-${name}.json`,
    alg,
    verified: 16,
    refused: 72,
    decide({ secret = "", signature }) {
      if (secret.length < 2 * bytes) return SHORT_SECRET;
      return signature.length < 2 * bytes ? SHORT_CODE : undefined;
    },
    decided: { [SHORT_SECRET]: ["tc163", "tc165", "tc167"], [SHORT_CODE]: 15 },
  });
}

/** [file, algorithm, verified, refused] */
const PSS = [
  ["ps256-2048", "PS256", 31, 22],
  ["ps256-3072", "PS256", 32, 22],
  ["ps256-4096", "PS256", 32, 22],
  ["ps384-2048", "PS384", 48, 23],
  ["ps384-4096", "PS384", 47, 23],
  ["ps512-4096", "PS512", 66, 23],
] as const;

for (const [name, alg, verified, refused] of PSS) {
  testSignatures({ file: `signatures/wycheproof-${name}.json`, alg, verified, refused });
}

const WRONG_SALT = "RFC 7518 §3.5: the salt is as long as the hash, and MGF1 has the same hash";

/** [file, algorithm, valid upstream] Right for other parameters than those of the algorithm. */
const WRONG_SALT_FILES = [
  ["ps256-2048-mgf1sha1-salt20", "PS256", 31],
  ["ps256-2048-salt0", "PS256", 30],
  ["ps512-4096-salt32", "PS512", 67],
] as const;

for (const [name, alg, refused] of WRONG_SALT_FILES) {
  testSignatures({
    file: `signatures/wrong-salt/wycheproof-${name}.json`,
    alg,
    verified: 0,
    refused,
    decide: () => WRONG_SALT,
    decided: { [WRONG_SALT]: refused },
  });
}

/**
 * RFC 8017 §9.2 note 1 lets a verifier take a hash function without parameters (NULL); Web Crypto of Deno and Node does
 * not, and one signature in one form is what we want.
 */
const NO_NULL = "there is no NULL behind the hash function";
const NO_NULL_FILES = ["rs256-3072", "rs256-4096", "rs384-4096", "rs512-4096"];

/** [file, algorithm, verified, refused] */
const PKCS1 = [
  ["rs256-2048", "RS256", 5, 123],
  ["rs256-3072", "RS256", 3, 128],
  ["rs256-4096", "RS256", 3, 128],
  ["rs384-2048", "RS384", 4, 124],
  ["rs384-3072", "RS384", 4, 125],
  ["rs384-4096", "RS384", 3, 127],
  ["rs512-2048", "RS512", 5, 124],
  ["rs512-3072", "RS512", 5, 125],
  ["rs512-4096", "RS512", 3, 127],
] as const;

for (const [name, alg, verified, refused] of PKCS1) {
  const isAcceptable = ({ upstream }: SignatureCase) => upstream === "acceptable";
  testSignatures({
    file: `signatures/wycheproof-${name}.json`,
    alg,
    verified,
    refused,
    decide: (test) => isAcceptable(test) ? NO_NULL : undefined,
    ...(NO_NULL_FILES.includes(name) ? { decided: { [NO_NULL]: ["tc8"] } } : {}),
  });
}
