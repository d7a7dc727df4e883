/**
 * Ceremonies of passkeys that verify: recorded ones, and those of the software authenticator.
 *
 * @module
 */

import { encodeBase64Url } from "../../auth/_base64url.ts";
import type {
  CoseAlgorithm,
  CreationOptionsJson,
  RequestOptionsJson,
} from "../../auth/webauthn/types.ts";
import { createAuthenticator, NONE, selfAttester } from "../auth/webauthn/_authenticator.ts";
import { encodeCbor } from "../auth/webauthn/_cbor.ts";
import { readVectors } from "../vectors/_vectors.ts";
import {
  type Ceremony,
  type CeremonyResponse as Response,
  fromLevel3,
  fromRecorded,
  type Level3Case,
  type RecordedCase,
  verifyCeremony,
  withOwnId,
} from "../vectors/_webauthn.ts";

/** Every ceremony that is accepted without further options; those that need a hook, if it trusts. */
export async function realCeremonies(): Promise<readonly Ceremony[]> {
  const recorded = [
    ...(readVectors<RecordedCase>("webauthn/derived.json") ?? []).map(fromRecorded),
    ...(readVectors<RecordedCase>("webauthn/library-fixtures.json") ?? []).map(fromRecorded),
    ...(readVectors<Level3Case>("webauthn/w3c-level3.json") ?? []).map(fromLevel3),
  ].map(withOwnId);
  const verifyAttestation = () => ({ trusted: true } as const);
  const accepted: Ceremony[] = [];
  for (const ceremony of recorded) {
    const hook = ceremony.label === "hook" ? { verifyAttestation } : {};
    if (await verifyCeremony(ceremony, hook) === "accept") accepted.push(ceremony);
  }
  return [...accepted, ...await ownCeremonies()];
}

const RP_ID = "example.com";
const CHALLENGE = encodeBase64Url(new Uint8Array(32).fill(1));
const USER = { id: CHALLENGE, name: "ada", displayName: "Ada" };
const SIGNING: readonly CoseAlgorithm[] = [-7, -8, -36, -257];

/** A registration with each attestation, and a sign-in without and with a name, by four algorithms. */
async function ownCeremonies(): Promise<readonly Ceremony[]> {
  const ceremonies: Ceremony[] = [];
  for (const algorithm of SIGNING) {
    const authenticator = createAuthenticator({ algorithm });
    const common = {
      ...{ id: `own ${algorithm}`, challenge: CHALLENGE, rpId: RP_ID, topOrigins: [] },
      ...{ origins: [`https://${RP_ID}`], userVerification: "required" as const },
      ...{ algorithms: SIGNING, algorithm, label: "accept" as const },
    };
    for (const attester of [NONE, selfAttester()]) {
      const response = await authenticator.create(creationOptions(), { attester });
      ceremonies.push({ ...common, ceremony: "registration", response: response as Response });
    }
    const [credential] = authenticator.credentials;
    if (credential === undefined) throw new Error("The authenticator has no credential");
    const response = await authenticator.get(requestOptions(), { credential, counter: 6 });
    const stored = {
      id: encodeBase64Url(credential.id),
      publicKey: encodeBase64Url(encodeCbor(credential.key.cose)),
      ...{ signCount: 5, backupEligible: true, userHandle: credential.userHandle },
    };
    const signIn = {
      ...common,
      ceremony: "authentication" as const,
      response: response as Response,
    };
    ceremonies.push({ ...signIn, stored }, { ...signIn, stored, named: true });
  }
  return ceremonies;
}

function creationOptions(): CreationOptionsJson {
  return {
    ...{ rp: { id: RP_ID, name: "Example" }, user: USER, challenge: CHALLENGE, timeout: 300_000 },
    pubKeyCredParams: SIGNING.map((alg) => ({ type: "public-key", alg })),
    excludeCredentials: [],
    authenticatorSelection: {
      ...{ residentKey: "required", requireResidentKey: true, userVerification: "required" },
    },
    ...{ hints: [], attestation: "none", extensions: { credProps: true } },
  };
}

function requestOptions(): RequestOptionsJson {
  return {
    ...{ challenge: CHALLENGE, timeout: 300_000, rpId: RP_ID, allowCredentials: [] },
    ...{ userVerification: "required", hints: [] },
  };
}
