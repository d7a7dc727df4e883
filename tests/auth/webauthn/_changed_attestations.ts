/**
 * Registrations whose attestation object is changed: the statement, the key and the CBOR, from the catalogue of attacks.
 *
 * @module
 */

import type { Bytes } from "../../../auth/_bytes.ts";
import type { CoseAlgorithm } from "../../../auth/webauthn/types.ts";
import { type Attester, attester, type CreateChange, selfAttester } from "./_authenticator.ts";
import {
  concat,
  type Encodable,
  encodeCbor,
  head,
  indefinite,
  raw,
  tagged,
  unsorted,
} from "./_cbor.ts";
import type { ChangedCeremony } from "./_changed_ceremony.ts";

const BYTE = Uint8Array.of(0);

type Key = Map<Encodable, Encodable>;

/** A key with other members: `undefined` deletes. */
function withMembers(
  members: readonly (readonly [Encodable, Encodable | undefined])[],
  algorithm: CoseAlgorithm = -7,
): CreateChange {
  return {
    algorithm,
    coseKey(key: Key) {
      const changed = new Map(key);
      for (const [label, value] of members) {
        if (value === undefined) changed.delete(label);
        else changed.set(label, value);
      }
      return changed;
    },
  };
}

/** An attestation object that is written in another way. */
function written(write: (members: Map<string, Encodable>) => Encodable): CreateChange {
  return { attestationObject: (_, members) => encodeCbor(write(members)) };
}

/** Self attestation with a member more. */
function selfWith(name: string, value: Encodable): CreateChange {
  const statement: Attester["statement"] = async (signed, key) =>
    new Map([...await selfAttester().statement(signed, key) as Key, [name, value]]);
  return { attester: { fmt: "packed", statement } };
}

function flipLast(bytes: Encodable | undefined): Bytes {
  const flipped = Uint8Array.from(bytes as Uint8Array);
  flipped[flipped.length - 1] = (flipped.at(-1) ?? 0) ^ 1;
  return flipped;
}

/** Each row once. */
export const CHANGED_ATTESTATIONS: readonly ChangedCeremony<CreateChange>[] = [
  {
    why: "none with a statement",
    change: { attester: attester("none", new Map([["a", 1]])) },
    ends: "attestation_invalid",
  },
  ...["None", "packed ", "x", "\u0000none"].map((fmt): ChangedCeremony<CreateChange> => ({
    why: `format ${JSON.stringify(fmt)}`,
    change: { attester: attester(fmt, new Map()) },
    ends: /^[!-~]+$/.test(fmt) ? "attestation_unsupported" : "attestation_malformed",
  })),
  {
    why: "self attestation with another algorithm than the key's",
    change: { attester: selfAttester(-257) },
    ends: "attestation_invalid",
    differs: "§8.2: alg matches the algorithm of the key",
  },
  {
    why: "self attestation over other data",
    change: {
      attester: {
        fmt: "packed",
        statement: (signed, key) => selfAttester().statement(signed.slice(1), key),
      },
    },
    ends: "attestation_invalid",
  },
  {
    why: "self attestation with a member more",
    change: selfWith("x", 1),
    ends: "attestation_invalid",
    differs: "§8.2: the syntax of a statement without x5c is { alg, sig }",
  },
  { why: "sig as text", change: selfWith("sig", "x"), ends: "attestation_invalid" },
  {
    why: "packed with ecdaaKeyId",
    change: selfWith("ecdaaKeyId", BYTE),
    ends: "attestation_unsupported",
    differs: "§8.2: ECDAA was removed in Level 2, and it is not self attestation",
  },
  {
    why: "packed with a certificate that is none",
    change: {
      attester: attester(
        "packed",
        new Map<Encodable, Encodable>([["alg", -7], ["sig", BYTE], ["x5c", [BYTE]]]),
      ),
    },
    ends: "attestation_unsupported",
  },

  {
    why: "an algorithm that was not offered",
    change: { algorithm: -257 },
    config: { algorithms: [-7] },
    ends: "algorithm_not_offered",
  },
  { why: "RS1", change: withMembers([[3, -65_535]], -257), ends: "algorithm_unsupported" },
  {
    why: "a P-384 key with ES256",
    change: withMembers([[3, -7]], -35),
    ends: "key_invalid",
    differs: "§5.8.5: with -7, crv must be P-256",
  },
  {
    why: "an EC key with RS256",
    change: withMembers([[3, -257]]),
    ends: "key_invalid",
    differs: "RFC 8812 §2: kty is RSA",
  },
  {
    why: "an Ed25519 key with ES256",
    change: withMembers([[3, -7]], -8),
    ends: "key_invalid",
    differs: "RFC 9053 §2.1: kty is EC2",
  },
  {
    why: "a symmetric key",
    change: withMembers([[1, 4]]),
    ends: "key_invalid",
    differs: "RFC 9053 §2.1: kty is EC2",
  },
  {
    why: "a key with d",
    change: withMembers([[-4, new Uint8Array(32)]]),
    ends: "key_invalid",
    differs: "§6.5.1: only required parameters",
  },
  {
    why: "a key with key_ops",
    change: withMembers([[4, [2]]]),
    ends: "key_invalid",
    differs: "§6.5.1: only required parameters",
  },
  { why: "a key without alg", change: withMembers([[3, undefined]]), ends: "key_invalid" },
  {
    why: "a key without y",
    change: withMembers([[-3, undefined]]),
    ends: "key_invalid",
    differs: "§6.5.1: all required parameters",
  },
  {
    why: "a compressed point",
    change: withMembers([[-3, true]]),
    ends: "key_invalid",
    differs: "§5.8.5: no compressed points",
  },
  {
    why: "x of 31 bytes",
    change: withMembers([[-2, new Uint8Array(31)]]),
    ends: "key_invalid",
    differs: "RFC 9053 §7.1.1",
  },
  {
    why: "a point that is not on the curve",
    change: { coseKey: (key) => new Map(key).set(-3, flipLast(key.get(-3))) },
    ends: "key_invalid",
    differs: "RFC 9053 §7.1.1, §2.1",
  },
  {
    why: "the point 0, 0",
    change: withMembers([[-2, new Uint8Array(32)], [-3, new Uint8Array(32)]]),
    ends: "key_invalid",
    differs: "RFC 9053 §7.1.1, §2.1",
  },
  {
    why: "an Ed25519 key of small order",
    change: withMembers([[-2, Uint8Array.of(1, ...new Uint8Array(31))]], -8),
    ends: "key_invalid",
    differs: "RFC 8032 §8.9: such a key verifies forged signatures",
  },
  {
    why: "an RSA key with exponent 1",
    change: withMembers([[-2, Uint8Array.of(1)]], -257),
    ends: "key_invalid",
    differs: "RFC 8017 §3.1: signatures are the padded message",
  },
  {
    why: "an RSA key with an exponent of 40 bits",
    change: withMembers([[-2, Uint8Array.of(1, 0, 0, 0, 1)]], -257),
    ends: "key_invalid",
    differs: "stricter than RFC 8230: Web Crypto refuses it at the first sign-in",
  },
  {
    why: "an RSA key of 1,024 bits",
    change: withMembers([[-1, new Uint8Array(128).fill(0xff)]], -257),
    ends: "key_invalid",
    differs: "RFC 8812 §2: at least 2,048 bits",
  },
  {
    why: "keys of the COSE map in another order",
    change: { coseKey: (key) => unsorted([...key].reverse()) },
    ends: "authenticator_data_malformed",
    differs: "§6.5.1: CTAP2 canonical CBOR",
  },
  {
    why: "kty twice in the COSE map",
    change: { coseKey: (key) => unsorted([[1, 1], ...key]) },
    ends: "authenticator_data_malformed",
  },

  {
    why: "a byte after the attestation object",
    change: { attestationObject: (object) => concat(object, BYTE) },
    ends: "attestation_malformed",
    differs: "§7.1 step 13",
  },
  {
    why: "an attestation object that is cut",
    change: { attestationObject: (object) => object.slice(0, -1) },
    ends: "attestation_malformed",
    differs: "§7.1 step 13",
  },
  {
    why: "members in another order",
    change: written((members) => unsorted([...members].reverse())),
    ends: "accept",
  },
  {
    why: "a fourth member",
    change: written((members) => new Map<string, Encodable>([...members, ["x", 1]])),
    ends: "attestation_malformed",
    differs: "§6.5.4: three members",
  },
  {
    why: "fmt twice",
    change: written((members) => unsorted([["fmt", "packed"], ...members])),
    ends: "attestation_malformed",
  },
  {
    why: "an indefinite map",
    change: written((members) => indefinite(5, [...members].flat())),
    ends: "attestation_malformed",
  },
  {
    why: "a length in a longer form",
    change: written((members) =>
      unsorted(
        [...members].map((
          [key, value],
        ) => [
          key === "fmt" ? raw(concat(head(3, 3, 1), new TextEncoder().encode(key))) : key,
          value,
        ]),
      )
    ),
    ends: "attestation_malformed",
  },
  {
    why: "a tag",
    change: written((members) => tagged(55_799, members)),
    ends: "attestation_malformed",
  },
  {
    why: "a statement nested 1,000 times",
    change: { attester: attester("none", raw("81".repeat(1_000) + "80")) },
    ends: "attestation_malformed",
    differs: "§6.5.4: attStmt is a map; CTAP 2.2 §8: at most four levels",
  },
  {
    why: "an attestation object of 50 kB",
    change: { attester: attester("none", new Map([["x", new Uint8Array(50_000)]])) },
    ends: "attestation_malformed",
  },
  {
    why: "a length of 4 GB",
    change: { attestationObject: () => concat(Uint8Array.of(0xa3), head(3, 2 ** 32 - 1)) },
    ends: "attestation_malformed",
  },
];
