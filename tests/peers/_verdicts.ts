/**
 * The verdicts on a ceremony that is changed in one thing: the passkey service's, and SimpleWebAuthn's on the same response.
 *
 * @module
 */

import { decodeBase64Url } from "../../auth/_base64url.ts";
import {
  type ChangedCeremony,
  type OpenCeremony,
  openRegistration,
  openSignIn,
  ORIGIN,
  RP_ID,
} from "../auth/webauthn/_changed_ceremony.ts";
import type { CreateChange, GetChange } from "../auth/webauthn/_authenticator.ts";
import type { Outcome } from "../vectors/_webauthn.ts";
import { accepts, server } from "./_simplewebauthn.ts";

/** Both verdicts on one response. */
export interface Verdicts {
  readonly ours: Outcome;
  readonly accepted: boolean;
  readonly peerAccepts: boolean;
}

/** Runs a registration. */
export async function runRegistration(row: ChangedCeremony<CreateChange>): Promise<Verdicts> {
  const ceremony = await openRegistration(row);
  return await verdictsOn(ceremony, () =>
    server.verifyRegistrationResponse({
      ...expected(ceremony),
      requireUserPresence: row.conditional !== true,
      supportedAlgorithmIDs: ceremony.config.algorithms,
    }));
}

/** Runs a sign-in. SimpleWebAuthn gets the record of the id in the response, as its documentation says. */
export async function runSignIn(row: ChangedCeremony<GetChange>): Promise<Verdicts> {
  const ceremony = await openSignIn(row);
  const { people: { stores }, config: { topOrigins }, response } = ceremony;
  const record = await stores.credentials.find(String(response.id));
  return await verdictsOn(
    ceremony,
    async () =>
      record === null ? { verified: false } : await server.verifyAuthenticationResponse({
        ...expected(ceremony),
        ...(topOrigins.length === 0 ? {} : { expectedTopOrigin: topOrigins }),
        credential: {
          id: record.id,
          publicKey: decodeBase64Url(record.publicKey),
          counter: record.signCount,
        },
      }),
  );
}

async function verdictsOn(
  ceremony: OpenCeremony,
  verify: Parameters<typeof accepts>[0],
): Promise<Verdicts> {
  const peerAccepts = await accepts(verify);
  const { outcome: ours } = await ceremony.verify();
  return { ours, accepted: ours === "accept", peerAccepts };
}

function expected({ response, challenge, config: { userVerification } }: OpenCeremony) {
  const site = { expectedOrigin: ORIGIN, expectedRPID: RP_ID };
  const requireUserVerification = userVerification === "required";
  return { response, expectedChallenge: challenge, ...site, requireUserVerification };
}
