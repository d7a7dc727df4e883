/**
 * A `verifyAttestation` that trusts `packed` attestations of chosen makes. The chain of certificates must lead to a root that
 * you pinned: one that arrives with the statement proves nothing, anyone can make it [GHSA-6hxq-p678-4hr2].
 *
 * `node:crypto` reads certificates on Deno, Node and Bun.
 *
 * @module
 */

import type { AttestationEvidence, AttestationVerdict } from "@gatehouse/http/auth";
import { Buffer } from "node:buffer";
import { verify, X509Certificate } from "node:crypto";

/** Options of {@linkcode packedAttestation}. */
export interface PackedAttestationOptions {
  /**
   * The pinned roots of a make, PEM or DER; none if it is not accepted. Certificates that do not name their make are accepted
   * too: pin a root of such ones for the one make that it serves.
   */
  rootsOf(aaguid: string): readonly (string | Uint8Array)[];
  /** The time, in seconds since the epoch. @default the system's */
  now?(): number;
}

/** Creates the hook: the steps of WebAuthn Level 3 §8.2 for statements with certificates. */
export function packedAttestation(
  { rootsOf, now = () => Date.now() / 1_000 }: PackedAttestationOptions,
): (evidence: AttestationEvidence) => AttestationVerdict {
  return ({ fmt, statement, x5c = [], authData, clientDataHash, aaguid }) => {
    const refuse = (reason: string) => ({ trusted: false, reason } as const);
    const chain = x5c.map((der) => new X509Certificate(der));
    const [leaf] = chain;
    if (fmt !== "packed" || leaf === undefined) return refuse("not packed, or no certificates");
    const roots = rootsOf(aaguid).map((root) => new X509Certificate(root));
    if (!leadsToRoot(chain, { roots, now: now() })) return refuse("no chain to a pinned root");

    const [keyType, hash = null] = ALGORITHMS.get(statement.get("alg")) ?? [];
    const signature = statement.get("sig");
    const isSigned = leaf.publicKey.asymmetricKeyType === keyType &&
      signature instanceof Uint8Array &&
      verify(hash, Buffer.concat([authData, clientDataHash]), leaf.publicKey, signature);
    if (!isSigned) return refuse("signature");

    const hasSubject = SUBJECT.every((line) => line.test(leaf.subject));
    if (!hasSubject || leaf.ca) return refuse("certificate requirements of §8.2.1");
    // The issuer wrote the certificate, and an extension has one encoding: it is found without a parser
    const ofMake = AAGUID_EXTENSION + "04120410" + aaguid.replaceAll("-", "");
    const isOther = leaf.raw.includes(AAGUID_EXTENSION, "hex") && !leaf.raw.includes(ofMake, "hex");
    return isOther ? refuse("aaguid of another make") : { trusted: true };
  };
}

/** COSE algorithms of attestation keys. */
const ALGORITHMS: ReadonlyMap<unknown, readonly [keyType: string, hash?: string]> = new Map([
  [-7, ["ec", "sha256"]],
  [-8, ["ed25519"]],
  [-35, ["ec", "sha384"]],
  [-36, ["ec", "sha512"]],
  [-257, ["rsa", "sha256"]],
]);

/** What §8.2.1 requires of the subject: country, organization, unit and name. */
const SUBJECT = [/^C=[A-Z]{2}$/m, /^O=./m, /^OU=Authenticator Attestation$/m, /^CN=./m];

/** Object identifier of id-fido-gen-ce-aaguid, 1.3.6.1.4.1.45724.1.1.4, in DER. */
const AAGUID_EXTENSION = "060b2b0601040182e51c010104";

/** Whether each certificate is valid and issued by the next one, up to one that is or was issued by a pinned root. */
function leadsToRoot(
  chain: readonly X509Certificate[],
  { roots, now }: { readonly roots: readonly X509Certificate[]; readonly now: number },
): boolean {
  for (const [index, certificate] of chain.entries()) {
    const { validFrom, validTo } = certificate;
    const isValid = Date.parse(validFrom) <= now * 1_000 && now * 1_000 <= Date.parse(validTo);
    if (!isValid) return false;
    if (roots.some((root) => root.raw.equals(certificate.raw))) return true;
    if (roots.some((root) => isIssuer(root, certificate))) return true;
    const next = chain[index + 1];
    if (next === undefined || !isIssuer(next, certificate)) return false;
  }
  return false;
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
