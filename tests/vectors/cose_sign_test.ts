/**
 * Signatures with the keys and algorithms of passkeys: messages of RFC 9052, whose ECDSA signatures are r and s alone, and the DER
 * signatures of Wycheproof.
 */

import { assert, assertEquals } from "@std/assert";
import { type Bytes, decodeHex, encodeHex } from "../../auth/_bytes.ts";
import { type AsymmetricAlgorithm, verifySignature } from "../../auth/jwt/jwa.ts";
import { importJwk, publicJwk } from "../../auth/jwt/jwk.ts";
import type { Jwk } from "../../auth/jwt/types.ts";
import { decodeCbor } from "../../auth/webauthn/_cbor.ts";
import { importCoseKey, parseCoseKey, verifyCoseSignature } from "../../auth/webauthn/_cose.ts";
import type { CoseAlgorithm } from "../../auth/webauthn/types.ts";
import { type Encodable, encodeCbor } from "../auth/webauthn/_cbor.ts";
import { testVectors } from "./_vectors.ts";

interface CoseSignCase {
  readonly id: string;
  readonly structure: "COSE_Sign1" | "COSE_Sign";
  readonly cbor: string;
  readonly externalAad: string;
  readonly signers: readonly { readonly jwk: Jwk; readonly alg: string }[];
  readonly sigStructure: readonly string[];
  readonly result: "valid" | "invalid";
}

const ALGORITHMS: Readonly<Record<string, AsymmetricAlgorithm>> = {
  ES256: "ES256",
  ES384: "ES384",
  ES512: "ES512",
  EdDSA: "EdDSA",
  "RSA-PSS-256": "PS256",
  "RSA-PSS-384": "PS384",
  "RSA-PSS-512": "PS512",
};

/** Curves of our algorithms; COSE's ES512 is SHA-512 with any curve. */
const CURVES: Readonly<Record<string, string>> = {
  ES256: "P-256",
  ES384: "P-384",
  ES512: "P-521",
  EdDSA: "Ed25519",
};

/** Initial bytes of the tags, RFC 9052 §2. */
const TAGS: Readonly<Record<CoseSignCase["structure"], string>> = {
  COSE_Sign1: "d2",
  COSE_Sign: "d862",
};

/** A signature, and what it signs. */
interface Signed {
  readonly signature: Bytes;
  readonly data: Bytes;
}

/** The signatures of a message, with the Sig_structure of RFC 9052 §4.4; `undefined` if its tag is another structure's. */
function signaturesOf(
  { cbor, structure, externalAad }: CoseSignCase,
): readonly Signed[] | undefined {
  const tag = TAGS[structure];
  const isTagged = cbor.startsWith(tag);
  if (!isTagged && !cbor.startsWith("84")) return undefined;
  const message = decodeHex(isTagged ? cbor.slice(tag.length) : cbor);
  const [headers, , payload = "", last] = decodeCbor(message, { anyKeyOrder: true }) as Encodable[];
  const external = decodeHex(externalAad);
  if (structure === "COSE_Sign1") {
    const data = encodeCbor(["Signature1", protectedOf(headers), external, payload]);
    return [{ signature: last as Bytes, data }];
  }
  return (last as Encodable[][]).map(([signerHeaders, , signature]) => {
    const both = [protectedOf(headers), protectedOf(signerHeaders)];
    const data = encodeCbor(["Signature", ...both, external, payload]);
    return { signature: signature as Bytes, data };
  });
}

/** Protected headers: an empty map counts as no bytes. */
function protectedOf(headers: Encodable | undefined): Bytes {
  const bytes = headers as Bytes;
  return encodeHex(bytes) === "a0" ? new Uint8Array() : bytes;
}

testVectors<CoseSignCase>({
  file: "cose/cose-sign.json",
  skip: ({ signers }) =>
    signers.some(({ jwk, alg }) => CURVES[alg] !== undefined && CURVES[alg] !== jwk.crv)
      ? "have a key of another curve than JOSE and WebAuthn allow for the algorithm"
      : undefined,
  async run(test) {
    const { id, signers, sigStructure, result } = test;
    const signed = signaturesOf(test) ?? [];
    if (result === "valid") {
      assertEquals(signed.map(({ data }) => encodeHex(data)), sigStructure, id);
    }
    const verified = await Promise.all(signed.map(async (each, i) => {
      const { jwk, alg: name } = signers[i] ?? {};
      const alg = ALGORITHMS[name ?? ""];
      assert(jwk !== undefined && alg !== undefined, id);
      return await verifySignature(alg, await importJwk(publicJwk(jwk), { alg }), each);
    }));
    assertEquals(verified.length > 0 && verified.every((ok) => ok), result === "valid", id);
  },
});

interface DerCase {
  readonly msg: string;
  readonly sig: string;
  readonly result: "valid" | "invalid";
}

interface DerFile {
  readonly testGroups: readonly {
    readonly publicKey: { readonly uncompressed: string };
    readonly tests: readonly (DerCase & { readonly tcId: number })[];
  }[];
}

/** [file, algorithm, curve in COSE, bytes of a coordinate] */
const DER: readonly (readonly [string, CoseAlgorithm, number, number])[] = [
  ["es256", -7, 1, 32],
  ["es384", -35, 2, 48],
  ["es512", -36, 3, 66],
];

for (const [name, algorithm, crv, length] of DER) {
  testVectors<DerCase & { readonly id: string; readonly point: string }>({
    file: `signatures/wycheproof-${name}-der.json`,
    casesOf: ({ testGroups }: DerFile) =>
      testGroups.flatMap(({ publicKey: { uncompressed: point }, tests }) =>
        tests.map((test) => ({ ...test, id: `tc${test.tcId}`, point }))
      ),
    async run({ id, point, msg, sig, result }) {
      const [x, y] = [
        decodeHex(point.slice(2)).slice(0, length),
        decodeHex(point.slice(-2 * length)),
      ];
      const cose = new Map<Encodable, Encodable>([[1, 2], [3, algorithm], [-1, crv], [-2, x], [
        -3,
        y,
      ]]);
      const key = await importCoseKey(parseCoseKey(encodeCbor(cose)));
      const signed = { signature: decodeHex(sig), data: decodeHex(msg) };
      assertEquals(await verifyCoseSignature(key, algorithm, signed), result === "valid", id);
    },
  });
}
