/**
 * Verification of a registration, WebAuthn Level 3 §7.1: the steps are those of the standard, in its order, by its numbers.
 * Steps 1, 2 and 4 are the browser's; 26 to 29 belong to the service, which stores the credential.
 *
 * @module
 */

import { encodeBase64Url } from "../_base64url.ts";
import { equalBytes } from "../_bytes.ts";
import { parseAttestationObject } from "./_attestation_object.ts";
import { verifyAttestation } from "./attestation.ts";
import { parseAuthenticatorData } from "./_authenticator_data.ts";
import type { RegistrationState } from "./_challenges.ts";
import { checkOrigin, parseClientData } from "./_client_data.ts";
import { importCoseKey, parseCoseKey } from "./_cose.ts";
import { check } from "./_failure.ts";
import type { RelyingParty } from "./_relying_party.ts";
import { sha256 } from "../_kdf.ts";
import { readRegistrationResponse } from "./_response.ts";
import type { Credential } from "../stores/types.ts";

/** What a registration is verified against. */
export interface RegistrationContext {
  /** The configuration. */
  readonly relyingParty: RelyingParty;
  /** Takes the state of the challenge. @throws {CeremonyError} If there is none. */
  takeState(challenge: string): Promise<RegistrationState>;
}

/** A verified registration. */
export interface VerifiedRegistration {
  /** What it was begun for. */
  readonly state: RegistrationState;
  /** The members of the credential record that are the authenticator's. */
  readonly credential: Omit<Credential, "sub" | "userHandle" | "createdAt">;
}

/** The longest credential id, in bytes: step 25. */
const MAX_ID_BYTES = 1_023;

/**
 * Verifies a registration.
 *
 * @param response `RegistrationResponseJSON`.
 * @throws {CeremonyError} With the reason of the step that failed.
 */
export async function verifyRegistrationResponse(
  response: unknown,
  { relyingParty: rp, takeState }: RegistrationContext,
): Promise<VerifiedRegistration> {
  const given = readRegistrationResponse(response); // 3
  const clientData = parseClientData(given.clientData); // 5, 6
  const state = await takeState(clientData.challenge); // 8, before 7: a challenge is used up, whatever fails below
  check(clientData.type === "webauthn.create", "type_wrong"); // 7
  checkOrigin(clientData, rp); // 9 to 11
  const clientDataHash = await sha256(given.clientData); // 12
  const { fmt, statement, authData } = parseAttestationObject(given.attestationObject); // 13
  const data = parseAuthenticatorData(authData); // 13, §6.1
  const { attested } = data;
  check(attested !== undefined, "authenticator_data_malformed");
  check(equalBytes(data.rpIdHash, await rp.rpIdHash()), "rp_id_mismatch"); // 14
  check(data.userPresent || state.conditional, "user_absent"); // 15
  check(data.userVerified || state.userVerification !== "required", "user_unverified"); // 16
  check(data.backupEligible || !data.backedUp, "backup_flags_invalid"); // 17, 18 and 19 are stored
  const { credentialId, publicKey, aaguid } = attested;
  const coseKey = parseCoseKey(publicKey); // 20
  const { algorithm } = coseKey;
  check(state.algorithms.includes(algorithm), "algorithm_not_offered"); // 20
  const key = await importCoseKey(coseKey);
  const id = encodeBase64Url(credentialId);
  check(id === given.id && credentialId.length <= MAX_ID_BYTES, "credential_id_invalid"); // 25, before the hook is asked
  const attestation = { fmt, statement, authData, clientDataHash, ...attested, algorithm, key };
  await verifyAttestation(attestation, rp); // 21 to 24
  const { transports, discoverable } = given;
  return {
    state,
    credential: {
      id,
      rpId: rp.rpId,
      publicKey: encodeBase64Url(publicKey),
      signCount: data.signCount,
      ...(transports === undefined ? {} : { transports }),
      backupEligible: data.backupEligible,
      backedUp: data.backedUp,
      userVerified: data.userVerified,
      ...(discoverable === undefined ? {} : { discoverable }),
      aaguid,
      fmt,
    },
  };
}
