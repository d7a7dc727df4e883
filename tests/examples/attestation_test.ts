/** `examples/attestation/packed.ts` on statements that are made here; `tests/vectors/` has real ones. */

import { assertEquals, assertThrows } from "@std/assert";
import type { AttestationEvidence, CborValue } from "../../auth/webauthn/types.ts";
import { packedAttestation } from "../../examples/attestation/packed.ts";
import { sign } from "node:crypto";
import {
  ATTESTATION_SUBJECT,
  type CertificateOptions,
  createCertificate,
  type TestCertificate,
} from "./_certificates.ts";

const MAKE = "0123456789abcdef0123456789abcdef";
const OTHER_MAKE = "ffffffffffffffffffffffffffffffff";
const AAGUID = "01234567-89ab-cdef-0123-456789abcdef";
const NOW = Date.UTC(2026, 0, 1) / 1_000;

const root = createCertificate({ subject: { CN: "Root" }, ca: true });
const intermediate = createCertificate({ subject: { CN: "Batch" }, ca: true, issuer: root });
const leaf = leafOf({ issuer: intermediate, aaguid: MAKE });

function leafOf(options: CertificateOptions): TestCertificate {
  return createCertificate({ subject: ATTESTATION_SUBJECT, ...options });
}

/** Evidence whose statement the first certificate has signed. */
function evidenceOf(chain: readonly TestCertificate[]): AttestationEvidence {
  const [authData, clientDataHash] = [new Uint8Array(180).fill(1), new Uint8Array(32).fill(2)];
  const signed = new Uint8Array([...authData, ...clientDataHash]);
  const sig = chain[0] === undefined ? [] : sign("sha256", signed, chain[0].privateKey);
  const x5c = chain.map(({ der }) => der);
  return {
    fmt: "packed",
    statement: new Map<string, CborValue>([["alg", -7], ["sig", new Uint8Array(sig)], [
      "x5c",
      x5c,
    ]]),
    authData,
    clientDataHash,
    aaguid: AAGUID,
    credentialId: new Uint8Array(16),
    publicKey: new Uint8Array(77),
    algorithm: -7,
    x5c,
  };
}

/** The evidence of a good chain with another member of its statement. */
function withStatement(name: string, value: CborValue): AttestationEvidence {
  const evidence = evidenceOf([leaf, intermediate]);
  return { ...evidence, statement: new Map(evidence.statement).set(name, value) };
}

/** Whether it is trusted, or why not, with the root pinned for the make. */
function judge(evidence: AttestationEvidence, pinned: readonly TestCertificate[] = [root]): string {
  const verdict = packedAttestation({
    rootsOf: (aaguid) => aaguid === AAGUID ? pinned.map(({ der }) => der) : [],
    now: () => NOW,
  })(evidence);
  return verdict.trusted ? "trusted" : verdict.reason;
}

const single = leafOf({ issuer: root, aaguid: MAKE });
const selfSigned = leafOf({ aaguid: MAKE });

const TRUSTED: readonly [why: string, evidence: AttestationEvidence, pinned?: TestCertificate][] = [
  ["a certificate that the root has issued", evidenceOf([single])],
  ["a chain of two", evidenceOf([leaf, intermediate])],
  ["a chain that ends with the root itself", evidenceOf([leaf, intermediate, root])],
  ["a pinned intermediate", evidenceOf([leaf, intermediate]), intermediate],
  [
    "a pinned certificate without an issuer, as metadata may have it",
    evidenceOf([selfSigned]),
    selfSigned,
  ],
  ["a certificate that does not name its make", evidenceOf([leafOf({ issuer: root })])],
];

for (const [why, evidence, pinned = root] of TRUSTED) {
  Deno.test(`packedAttestation() trusts ${why}`, () => {
    assertEquals(judge(evidence, [pinned]), "trusted");
  });
}

const NO_CHAIN = "no chain to a pinned root";
const REQUIREMENTS = "certificate requirements of §8.2.1";
const fakeRoot = createCertificate({ subject: root.subject, ca: true });
const impostor = leafOf({ issuer: fakeRoot, aaguid: MAKE });
const late = createCertificate({
  subject: { CN: "Batch" },
  ca: true,
  issuer: root,
  validity: ["200101000000Z", "210101000000Z"],
});

const REFUSED: readonly [why: string, reason: string, evidence: AttestationEvidence][] = [
  ["a root of its own in x5c [GHSA-6hxq-p678-4hr2]", NO_CHAIN, evidenceOf([impostor, fakeRoot])],
  ["a root of its own, with ours after it", NO_CHAIN, evidenceOf([impostor, fakeRoot, root])],
  ["ours after a certificate that it did not issue", NO_CHAIN, evidenceOf([impostor, root])],
  ["a certificate signed by itself", NO_CHAIN, evidenceOf([selfSigned])],
  [
    "a certificate of another issuer, signed by the root's key",
    NO_CHAIN,
    evidenceOf([
      leafOf({ issuer: { ...root, subject: { CN: "Other" } } }),
    ]),
  ],
  ["a chain without its intermediate", NO_CHAIN, evidenceOf([leaf])],
  [
    "a certificate that an authenticator has issued",
    NO_CHAIN,
    evidenceOf([leafOf({ issuer: leaf, aaguid: MAKE }), leaf, intermediate]),
  ],
  [
    "an expired certificate",
    NO_CHAIN,
    evidenceOf([leafOf({ issuer: root, validity: ["200101000000Z", "251231000000Z"] })]),
  ],
  [
    "a certificate that is not valid yet",
    NO_CHAIN,
    evidenceOf([leafOf({ issuer: root, validity: ["260102000000Z", "490101000000Z"] })]),
  ],
  ["an expired intermediate", NO_CHAIN, evidenceOf([leafOf({ issuer: late }), late])],
  ["a make without roots", NO_CHAIN, { ...evidenceOf([single]), aaguid: "f".repeat(36) }],
  ["a changed signature", "signature", withStatement("sig", new Uint8Array(70))],
  ["a signature that is text", "signature", withStatement("sig", "sig")],
  ["other authenticator data", "signature", {
    ...evidenceOf([single]),
    authData: new Uint8Array(180),
  }],
  ["another algorithm than the key's", "signature", withStatement("alg", -257)],
  ["a hash that was not used", "signature", withStatement("alg", -35)],
  ["no algorithm", "signature", withStatement("alg", null)],
  [
    "a certificate that may issue others",
    REQUIREMENTS,
    evidenceOf([leafOf({ issuer: root, ca: true })]),
  ],
  [
    "another unit",
    REQUIREMENTS,
    evidenceOf([leafOf({ issuer: root, subject: { ...ATTESTATION_SUBJECT, OU: "Sales" } })]),
  ],
  [
    "a unit that only begins so",
    REQUIREMENTS,
    evidenceOf([
      leafOf({
        issuer: root,
        subject: { ...ATTESTATION_SUBJECT, OU: "Authenticator Attestation CA" },
      }),
    ]),
  ],
  [
    "a subject without country",
    REQUIREMENTS,
    evidenceOf([leafOf({ issuer: root, subject: { O: "E", OU: "Authenticator Attestation" } })]),
  ],
  [
    "the make of another",
    "aaguid of another make",
    evidenceOf([
      leafOf({ issuer: root, aaguid: OTHER_MAKE }),
    ]),
  ],
  [
    "a critical extension",
    "aaguid of another make",
    evidenceOf([
      leafOf({ issuer: root, aaguid: MAKE, isCritical: true }),
    ]),
  ],
  ["another format", "not packed, or no certificates", {
    ...evidenceOf([single]),
    fmt: "fido-u2f",
  }],
  ["no certificates", "not packed, or no certificates", evidenceOf([])],
];

for (const [why, reason, evidence] of REFUSED) {
  Deno.test(`packedAttestation() refuses ${why}`, () => {
    assertEquals(judge(evidence), reason);
  });
}

Deno.test("packedAttestation() throws for what is no certificate, which refuses the registration", () => {
  const evidence = evidenceOf([single]);
  assertThrows(() => judge({ ...evidence, x5c: [new Uint8Array(5)] }));
});
