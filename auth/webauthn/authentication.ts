/**
 * Verification of a sign-in, WebAuthn Level 3 §7.2: the steps are those of the standard, in its order, by its numbers. Steps
 * 1, 2 and 4 are the browser's.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../_base64url.ts";
import { concatBytes, equalBytes, equalText } from "../_bytes.ts";
import type { Credential, CredentialStore } from "../stores/types.ts";
import { type AuthenticatorData, parseAuthenticatorData } from "./_authenticator_data.ts";
import type { AuthenticationState } from "./_challenges.ts";
import { checkOrigin, parseClientData } from "./_client_data.ts";
import { importCoseKey, parseCoseKey, verifyCoseSignature } from "./_cose.ts";
import { CeremonyError, check } from "./_failure.ts";
import type { RelyingParty } from "./_relying_party.ts";
import { sha256 } from "../_kdf.ts";
import { readAuthenticationResponse } from "./_response.ts";

/** What a sign-in is verified against. */
export interface AuthenticationContext {
  /** The configuration. */
  readonly relyingParty: RelyingParty;
  /** Takes the state of the challenge. @throws {CeremonyError} If there is none. */
  takeState(challenge: string): Promise<AuthenticationState>;
  /** Finds the credential record of an id. */
  findCredential(id: string): Promise<Credential | null>;
}

/** A verified sign-in. */
export interface VerifiedAuthentication {
  /** The credential record, as it was found. */
  readonly credential: Credential;
  /** What the authenticator signed. */
  readonly data: AuthenticatorData;
}

/**
 * Verifies a sign-in.
 *
 * @param response `AuthenticationResponseJSON`.
 * @throws {CeremonyError} With the reason of the step that failed.
 */
export async function verifyAuthenticationResponse(
  response: unknown,
  { relyingParty: rp, takeState, findCredential }: AuthenticationContext,
): Promise<VerifiedAuthentication> {
  const { id, userHandle, ...given } = readAuthenticationResponse(response); // 3
  const clientData = parseClientData(given.clientData); // 8, 9
  const { identifiedSub, userVerification } = await takeState(clientData.challenge); // 11, before 6: a challenge is used up, whatever fails below
  const credential = await findCredential(id); // 6
  check(credential !== null, "credential_unknown");
  const isAllowed = identifiedSub === undefined || identifiedSub === credential.sub;
  check(isAllowed, "credential_not_allowed"); // 5, 6
  check(userHandle !== undefined || identifiedSub !== undefined, "user_handle_missing"); // 6
  const isOwner = userHandle === undefined || equalText(userHandle, credential.userHandle);
  check(isOwner, "user_handle_mismatch"); // 6
  const data = parseAuthenticatorData(given.authenticatorData); // 7, §6.1
  const isOfCredential = data.attested === undefined ||
    encodeBase64Url(data.attested.credentialId) === id;
  check(isOfCredential, "authenticator_data_malformed"); // 7: normally it names no credential
  check(clientData.type === "webauthn.get", "type_wrong"); // 10
  checkOrigin(clientData, rp); // 12 to 14
  check(equalBytes(data.rpIdHash, await rp.rpIdHash()), "rp_id_mismatch"); // 15
  check(data.userPresent, "user_absent"); // 16
  check(data.userVerified || userVerification !== "required", "user_unverified"); // 17
  check(data.backupEligible || !data.backedUp, "backup_flags_invalid"); // 18
  check(data.backupEligible === credential.backupEligible, "backup_eligibility_changed"); // 19
  const coseKey = parseCoseKey(decodeBase64Url(credential.publicKey));
  const [clientDataHash, key] = await Promise.all([
    sha256(given.clientData), // 20
    importCoseKey(coseKey),
  ]);
  const { algorithm } = coseKey;
  const { signature } = given;
  const signed = concatBytes(given.authenticatorData, clientDataHash);
  const isSigned = await verifyCoseSignature(key, algorithm, { signature, data: signed });
  check(isSigned, "signature_invalid"); // 21
  check(isNewCount(data.signCount, credential.signCount), "counter_regressed"); // 22
  return { credential, data };
}

/** How often the use of a credential is recorded on conflict, before it counts as refused. */
const ATTEMPTS = 5;

/**
 * Step 24, by compare-and-swap: of two sign-ins with the same counter, one by a clone, one is recorded.
 *
 * @throws {CeremonyError} `counter_regressed`, or `credential_unknown` if the credential was removed meanwhile.
 */
export async function recordUse(
  credentials: CredentialStore,
  { credential, data }: VerifiedAuthentication,
  lastUsedAt: number,
): Promise<void> {
  const { signCount, backedUp, userVerified } = data;
  let stored = credential.signCount;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const use = { backedUp, userVerified, lastUsedAt };
    const outcome = await credentials.updateSignCount(credential.id, stored, signCount, use);
    if (outcome === "updated") return;
    const current = await credentials.find(credential.id);
    check(current !== null, "credential_unknown");
    check(isNewCount(signCount, current.signCount), "counter_regressed");
    stored = current.signCount;
  }
  throw new CeremonyError("counter_regressed");
}

/** Step 22: an authenticator without a counter always sends 0. */
function isNewCount(received: number, stored: number): boolean {
  return received > stored || (received === 0 && stored === 0);
}
