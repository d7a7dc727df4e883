/** Attestations of other makes: SimpleWebAuthn's verifiers as `verifyAttestation`, over the vectors that need a hook. */

import { X509Certificate } from "node:crypto";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { Bytes } from "../../auth/_bytes.ts";
import type { AttestationEvidence, AttestationVerdict } from "../../auth/webauthn/types.ts";
import { readVectors } from "../vectors/_vectors.ts";
import {
  type Ceremony,
  fromLevel3,
  fromRecorded,
  type Level3Case,
  type RecordedCase,
  verifyCeremony,
  withOwnId,
} from "../vectors/_webauthn.ts";
import { formatVerifier } from "./_simplewebauthn.ts";

/** Ceremonies that need a hook, of keys that Web Crypto supports. */
const CEREMONIES: readonly Ceremony[] = [
  ...(readVectors<Level3Case>("webauthn/w3c-level3.json") ?? []).map(fromLevel3),
  ...(readVectors<RecordedCase>("webauthn/library-fixtures.json") ?? []).map(fromRecorded),
].filter(({ label, algorithm }) => label === "hook" && algorithm !== -53).map(withOwnId);

/** The root of the certificates of WebAuthn Level 3 §16. */
const ROOT = readVectors<string>(
  "webauthn/w3c-level3.json",
  ({ attestationRootCert }: { attestationRootCert: string }) => [attestationRootCert],
)?.map(toPem) ?? [];

/** A hook that asks SimpleWebAuthn. It trusts the roots that are given, and with none any chain. */
function hookOf(rootCertificates: readonly string[], reasons: string[] = []) {
  return async (evidence: AttestationEvidence): Promise<AttestationVerdict> => {
    const { fmt, statement, authData, clientDataHash, credentialId, publicKey } = evidence;
    const verify = await formatVerifier(fmt);
    try {
      const options = {
        aaguid: Uint8Array.fromHex(evidence.aaguid.replaceAll("-", "")),
        attStmt: statement,
        ...{ authData, clientDataHash, rootCertificates },
        credentialID: credentialId,
        credentialPublicKey: publicKey,
        rpIdHash: authData.slice(0, 32),
      };
      const trusted = await atIssue(evidence.x5c ?? [], () => verify(options));
      return trusted ? { trusted } : { trusted, reason: "signature" };
    } catch (error) {
      const { message } = error as Error;
      reasons.push(message);
      return { trusted: false, reason: message };
    }
  };
}

/** Runs as if the newest certificate had just been issued: those of recorded attestations have expired. */
async function atIssue<Result>(
  certificates: readonly Bytes[],
  run: () => Promise<Result>,
): Promise<Result> {
  const Now = globalThis.Date;
  const issued = certificates.map((one) => Now.parse(new X509Certificate(one).validFrom));
  const ms = Math.max(...issued) + 1_000;
  globalThis.Date = class extends Now {
    constructor(...args: [] | [number | string]) {
      super(args[0] ?? ms);
    }
    static override now(): number {
      return ms;
    }
  } as DateConstructor;
  try {
    return await run();
  } finally {
    globalThis.Date = Now;
  }
}

Deno.test({
  name: "verifyAttestation gets what SimpleWebAuthn's verifiers need, and their verdict decides",
  ignore: CEREMONIES.length === 0,
  async fn() {
    const counts: Record<string, number> = {};
    for (const ceremony of CEREMONIES) {
      const { id, peerAccepts } = ceremony;
      const reasons: string[] = [];
      const verifyAttestation = hookOf([], reasons);
      const outcome = await verifyCeremony(ceremony, { verifyAttestation });
      const expected = peerAccepts ? "accept" : "attestation_untrusted";
      assertEquals(outcome, expected, `${id}: ${reasons}`);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    // deno-lint-ignore no-console -- how many ran is part of the result
    console.log(`attestations judged by SimpleWebAuthn: ${JSON.stringify(counts)}`);
  },
});

Deno.test({
  name:
    "verifyAttestation with one trusted root refuses chains that bring roots of their own (GHSA-6hxq-p678-4hr2)",
  ignore: CEREMONIES.length === 0,
  async fn() {
    const trusted: string[] = [];
    for (const ceremony of CEREMONIES) {
      const { id } = ceremony;
      const verifyAttestation = hookOf(ROOT);
      const outcome = await verifyCeremony(ceremony, { verifyAttestation });
      if (outcome === "accept") trusted.push(id);
      else assertEquals(outcome, "attestation_untrusted", id);
    }
    assertNotEquals(trusted, []);
    assert(trusted.every((id) => id.startsWith("w3c/")), trusted.join());
  },
});

function toPem(hex: string): string {
  const lines = Uint8Array.fromHex(hex).toBase64().replace(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----`;
}
