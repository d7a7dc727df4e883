/**
 * Recorded ceremonies of passkeys: the shared vectors of three sources in one shape, and how they are verified.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { Credential } from "../../auth/stores/types.ts";
import { verifyAuthenticationResponse } from "../../auth/webauthn/authentication.ts";
import { CeremonyError } from "../../auth/webauthn/_failure.ts";
import { readRelyingParty } from "../../auth/webauthn/_relying_party.ts";
import { verifyRegistrationResponse } from "../../auth/webauthn/registration.ts";
import type { CoseAlgorithm, WebAuthnConfig } from "../../auth/webauthn/types.ts";
import type { WebAuthnFailure } from "../../auth/events.ts";

/** A response of a browser, as JSON. */
export interface CeremonyResponse {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly clientExtensionResults: unknown;
  readonly response: Readonly<Record<string, unknown>>;
}

/** A recorded ceremony. */
export interface Ceremony {
  readonly id: string;
  readonly ceremony: "registration" | "authentication";
  readonly response: CeremonyResponse;
  readonly challenge: string;
  readonly origins: readonly string[];
  readonly topOrigins: readonly string[];
  readonly rpId: string;
  readonly userVerification: "required" | "preferred";
  /** Algorithms that the options of a registration offered. */
  readonly algorithms: readonly CoseAlgorithm[];
  /** COSE algorithm of the key, which may be one that is not supported. */
  readonly algorithm: number;
  /** Record of a sign-in: what it needs. */
  readonly stored?: { readonly publicKey: string; readonly signCount: number };
  /** `hook`: everything but the attestation statement must pass. */
  readonly label: "accept" | "reject" | "hook";
  /** What SimpleWebAuthn answers; absent if the file does not say. */
  readonly peerAccepts?: boolean;
  /** When the certificates of the statement were valid, in milliseconds. */
  readonly clockMs?: number;
}

/** The user that recorded ceremonies are about. */
const SUB = "u_1";

/** What a ceremony ends with: `accept` or the reason of the refusal. */
export type Outcome = "accept" | WebAuthnFailure;

/**
 * Verifies a ceremony by the functions that the service uses. What the files do not say is assumed to have been as the
 * response says: the user handle, the stored backup eligibility, and whether the options named the user.
 */
export async function verifyCeremony(
  ceremony: Ceremony,
  change: Partial<WebAuthnConfig> = {},
): Promise<Outcome> {
  const { rpId, origins, topOrigins, challenge, userVerification, algorithms } = ceremony;
  const { response: { id, response }, stored } = ceremony;
  const relyingParty = readRelyingParty({
    ...{ rpId, rpName: "Vectors", origins, topOrigins, algorithms, userVerification },
    ...change,
  });
  const take = <State>(state: State) => (given: string): Promise<State> =>
    given === challenge
      ? Promise.resolve(state)
      : Promise.reject(new CeremonyError("challenge_unknown"));
  const { userHandle } = response;
  try {
    if (stored === undefined) {
      const takeState = take({
        ceremony: "registration" as const,
        ...{ browser: "", sub: SUB, userHandle: "", algorithms, userVerification },
        conditional: false,
      });
      await verifyRegistrationResponse(ceremony.response, { relyingParty, takeState });
    } else {
      const named = typeof userHandle === "string" ? {} : { named: SUB };
      await verifyAuthenticationResponse(ceremony.response, {
        relyingParty,
        takeState: take({
          ceremony: "authentication" as const,
          ...{ browser: "", userVerification, ...named },
        }),
        findCredential: (given) => Promise.resolve(given === id ? recordOf(ceremony) : null),
      });
    }
    return "accept";
  } catch (error) {
    if (error instanceof CeremonyError) return error.reason;
    throw error;
  }
}

/** The credential record of a sign-in. */
function recordOf({ stored, response: { id, response }, rpId, algorithm }: Ceremony): Credential {
  const { authenticatorData, userHandle } = response;
  const flags = decodeBase64Url(String(authenticatorData))[32] ?? 0;
  return {
    ...{ id, sub: SUB, rpId, publicKey: stored?.publicKey ?? "" },
    algorithm: algorithm as CoseAlgorithm,
    signCount: stored?.signCount ?? 0,
    userHandle: typeof userHandle === "string" ? userHandle : "",
    backupEligible: (flags & 0x08) !== 0,
    ...{ backedUp: false, userVerified: false, aaguid: "", fmt: "none", createdAt: 0 },
  };
}

/** A case of `derived.json` and `library-fixtures.json`. */
export interface RecordedCase {
  readonly id: string;
  readonly ceremony: "registration" | "authentication";
  readonly response: CeremonyResponse;
  readonly alg: number;
  readonly expectedChallenge: string;
  readonly expectedOrigin: string | readonly string[];
  readonly expectedRPID?: string;
  readonly requireUserVerification: boolean;
  readonly supportedAlgorithmIDs?: readonly CoseAlgorithm[];
  readonly credential?: { readonly publicKey: string; readonly counter: number };
  readonly clockMs?: number;
  /** derived.json */
  readonly expect?: "accept" | "reject";
  readonly dispute?: string;
  /** library-fixtures.json */
  readonly project?: "accept" | "reject" | "hook";
  readonly result?: "valid" | "invalid";
}

/** What `derived.json` says was asked for where a case does not. */
const DEFAULT_ALGORITHMS: readonly CoseAlgorithm[] = [-7, -8, -35, -36, -257];
const ALL_ALGORITHMS: readonly CoseAlgorithm[] = [
  ...DEFAULT_ALGORITHMS,
  ...[-37, -38, -39, -258, -259] as const,
];

/** A ceremony of `derived.json` or `library-fixtures.json`. */
export function fromRecorded(test: RecordedCase): Ceremony {
  const { id, ceremony, response, alg: algorithm, expect, credential, clockMs } = test;
  const origins = [test.expectedOrigin].flat();
  const label = expect ?? test.project ?? "reject";
  const fallback = expect === undefined ? ALL_ALGORITHMS : DEFAULT_ALGORITHMS;
  return {
    ...{ id, ceremony, response, algorithm, origins, topOrigins: [], label },
    challenge: test.expectedChallenge,
    rpId: test.expectedRPID ?? new URL(origins[0] ?? "").hostname,
    userVerification: test.requireUserVerification ? "required" : "preferred",
    algorithms: test.supportedAlgorithmIDs ?? fallback,
    ...(credential === undefined ? {} : {
      stored: { publicKey: fromHex(credential.publicKey), signCount: credential.counter },
    }),
    ...(clockMs === undefined ? {} : { clockMs }),
    // The note of a dispute says what the peer answers; without one it agrees
    peerAccepts: test.result === undefined
      ? (expect === "accept") !== (test.dispute !== undefined)
      : test.result === "valid",
  };
}

/** A case of `w3c-level3.json`. */
export interface Level3Case {
  readonly id: string;
  readonly ceremony: "registration" | "authentication";
  readonly alg: number;
  readonly rpId: string;
  readonly origin: string;
  readonly challenge: string;
  readonly clientDataJSON: string;
  readonly attestationObject?: string;
  readonly credentialId?: string;
  readonly credentialPublicKey?: string;
  readonly authenticatorData?: string;
  readonly signature?: string;
  readonly project: string;
  readonly peers: Readonly<Record<string, boolean | string>>;
  readonly expected: {
    readonly credentialId?: string;
    readonly flags: { readonly uv: boolean };
    readonly topOrigin: string | null;
  };
}

/** A ceremony of `w3c-level3.json`. */
export function fromLevel3(test: Level3Case): Ceremony {
  const { expected, credentialPublicKey, peers } = test;
  const credentialId = fromHex(expected.credentialId ?? test.credentialId ?? "");
  const { clientDataJSON, attestationObject, authenticatorData, signature } = test;
  const members = { clientDataJSON, attestationObject, authenticatorData, signature };
  const response = Object.fromEntries(
    Object.entries(members).flatMap(([name, hex]) =>
      hex === undefined ? [] : [[name, fromHex(hex)]]
    ),
  );
  const accepts = Object.entries(peers).find(([name]) => name.startsWith("@simplewebauthn"))?.[1];
  return {
    ...{ id: test.id, ceremony: test.ceremony, rpId: test.rpId, origins: [test.origin] },
    response: {
      ...{ id: credentialId, rawId: credentialId, type: "public-key" },
      ...{ clientExtensionResults: {}, response },
    },
    challenge: fromHex(test.challenge),
    topOrigins: expected.topOrigin === null ? [] : [expected.topOrigin],
    userVerification: expected.flags.uv ? "required" : "preferred",
    ...{ algorithms: ALL_ALGORITHMS, algorithm: test.alg },
    ...(credentialPublicKey === undefined ? {} : {
      stored: { publicKey: fromHex(credentialPublicKey), signCount: 0 },
    }),
    label: test.project.startsWith("hook") ? "hook" : "accept",
    ...(accepts === undefined ? {} : { peerAccepts: accepts === true }),
  };
}

function fromHex(hex: string): string {
  return encodeBase64Url(Uint8Array.fromHex(hex));
}
