/**
 * Certificates of authenticators, made for tests: X.509 version 3, RFC 5280 §4.1, signed by ECDSA with SHA-256.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A certificate and its private key. */
export interface TestCertificate {
  readonly der: Uint8Array<ArrayBuffer>;
  readonly privateKey: KeyObject;
  readonly subject: TestSubject;
}

/** Attributes of a name, by their abbreviation. */
export type TestSubject = Readonly<Partial<Record<"C" | "O" | "OU" | "CN", string>>>;

/** What differs from a certificate of §8.2.1. */
export interface CertificateOptions {
  /** Who signs it. @default itself */
  readonly issuer?: TestCertificate;
  readonly subject?: TestSubject;
  /** Whether it may issue others. @default {false} */
  readonly ca?: boolean;
  /** First and last day, as UTCTime. @default 2024 to 2049 */
  readonly validity?: readonly [from: string, to: string];
  /** The make that it names, hexadecimal. @default none */
  readonly aaguid?: string;
  /** Whether the extension with the make is critical, which §8.2.1 forbids. @default {false} */
  readonly isCritical?: boolean;
}

/** A subject that meets §8.2.1. */
export const ATTESTATION_SUBJECT: TestSubject = {
  C: "SE",
  O: "Example",
  OU: "Authenticator Attestation",
  CN: "Example EE Serial 1",
};

/** Creates a certificate with a new P-256 key. */
export function createCertificate({
  issuer,
  subject = ATTESTATION_SUBJECT,
  ca = false,
  validity = ["240101000000Z", "490101000000Z"],
  aaguid,
  isCritical = false,
}: CertificateOptions = {}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const extensions = [extension("551d13", true, sequence(ca ? der(0x01, [0xff]) : []))];
  if (aaguid !== undefined) {
    const value = der(0x04, Buffer.from(aaguid, "hex"));
    extensions.push(extension("2b0601040182e51c010104", isCritical, value));
  }
  const tbs = sequence(
    der(0xa0, der(0x02, [2])),
    der(0x02, [1]),
    ECDSA_SHA256,
    nameOf(issuer?.subject ?? subject),
    sequence(...validity.map((time) => der(0x17, Buffer.from(time)))),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign("sha256", tbs, issuer?.privateKey ?? privateKey);
  const certificate = sequence(tbs, ECDSA_SHA256, der(0x03, [0], signature));
  return { der: new Uint8Array(certificate), privateKey, subject };
}

type Part = ArrayLike<number>;

/** A value of ASN.1 in DER: tag, length, contents. */
function der(tag: number, ...parts: readonly Part[]): Buffer {
  const contents = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = contents;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  const head = length < 128 ? [length] : long;
  return Buffer.concat([Buffer.from([tag, ...head]), contents]);
}

function sequence(...parts: readonly Part[]): Buffer {
  return der(0x30, ...parts);
}

const ECDSA_SHA256 = sequence(der(0x06, Buffer.from("2a8648ce3d040302", "hex")));

const ATTRIBUTES = { C: 6, O: 10, OU: 11, CN: 3 } as const;

function nameOf(subject: TestSubject): Buffer {
  const attributes = Object.entries(ATTRIBUTES).flatMap(([name, type]) => {
    const value = subject[name as keyof TestSubject];
    if (value === undefined) return [];
    const text = der(0x0c, Buffer.from(value));
    return [der(0x31, sequence(der(0x06, [0x55, 0x04, type]), text))];
  });
  return sequence(...attributes);
}

function extension(oid: string, isCritical: boolean, value: Part): Buffer {
  const critical = isCritical ? der(0x01, [0xff]) : [];
  return sequence(der(0x06, Buffer.from(oid, "hex")), critical, der(0x04, value));
}
