/**
 * Recorded ceremonies of passkeys: the shared vectors of three sources in one shape, and how they are verified.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import type { Credential } from "../../auth/stores/types.ts";
import { parseAttestationObject } from "../../auth/webauthn/_attestation_object.ts";
import { parseAuthenticatorData } from "../../auth/webauthn/_authenticator_data.ts";
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

/** What a sign-in needs of its record. */
export type StoredCredential = Pick<
  Credential,
  "id" | "publicKey" | "signCount" | "backupEligible" | "userHandle"
>;

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
  /** Of a sign-in: its record. */
  readonly stored?: StoredCredential;
  /** Whether the options of a sign-in named the user. */
  readonly named?: boolean;
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

/** Verifies a ceremony, or another response to it, by the functions that the service uses. */
export async function verifyCeremony(
  ceremony: Ceremony,
  { response = ceremony.response, ...config }: Partial<WebAuthnConfig> & { response?: unknown } =
    {},
): Promise<Outcome> {
  const { rpId, origins, topOrigins, challenge, userVerification, algorithms, stored } = ceremony;
  const relyingParty = readRelyingParty({
    ...{ rpId, rpName: "Vectors", origins, topOrigins, algorithms, userVerification },
    ...config,
  });
  const take = <State>(state: State) => (given: string): Promise<State> =>
    given === challenge
      ? Promise.resolve(state)
      : Promise.reject(new CeremonyError("challenge_unknown"));
  try {
    if (stored === undefined) {
      const takeState = take({
        ceremony: "registration" as const,
        ...{ browser: "", sub: SUB, userHandle: "", algorithms, userVerification },
        conditional: false,
      });
      await verifyRegistrationResponse(response, { relyingParty, takeState });
    } else {
      const identified = ceremony.named ? { identifiedSub: SUB } : {};
      const takeState = take({
        ceremony: "authentication" as const,
        ...{ browser: "", userVerification, ...identified },
      });
      const findCredential = (id: string) =>
        Promise.resolve(id === stored.id ? recordOf(ceremony, stored) : null);
      await verifyAuthenticationResponse(response, { relyingParty, takeState, findCredential });
    }
    return "accept";
  } catch (error) {
    if (error instanceof CeremonyError) return error.reason;
    throw error;
  }
}

/** A recorded registration may have a placeholder as id, which its label ignores: the same with the authenticator's own id. */
export function withOwnId(ceremony: Ceremony): Ceremony {
  const { label, response } = ceremony;
  const { attestationObject } = response.response;
  if (label === "reject" || typeof attestationObject !== "string") return ceremony;
  const { authData } = parseAttestationObject(decodeBase64Url(attestationObject));
  const { attested } = parseAuthenticatorData(authData);
  const id = encodeBase64Url(attested?.credentialId ?? new Uint8Array());
  return id === response.id ? ceremony : { ...ceremony, response: { ...response, id, rawId: id } };
}

/** The credential record of a sign-in. */
function recordOf({ rpId, algorithm }: Ceremony, stored: StoredCredential): Credential {
  return {
    ...{ sub: SUB, rpId, ...stored, algorithm: algorithm as CoseAlgorithm },
    ...{ backedUp: false, userVerified: false, aaguid: "", fmt: "none", createdAt: 0 },
  };
}

/**
 * What the files do not say of a sign-in is assumed to have been as the response says: backup eligibility, the user handle, and
 * that the options named the user if there is none.
 */
function signInOf(
  { id, response: { authenticatorData, userHandle } }: CeremonyResponse,
  { publicKey, signCount }: Pick<Credential, "publicKey" | "signCount">,
): Pick<Ceremony, "stored" | "named"> {
  const flags = decodeBase64Url(String(authenticatorData))[32] ?? 0;
  const named = typeof userHandle !== "string";
  const stored = {
    ...{ id, publicKey, signCount, backupEligible: (flags & 0x08) !== 0 },
    userHandle: named ? "AA" : userHandle,
  };
  return { stored, named };
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
    ...(credential === undefined ? {} : signInOf(response, {
      publicKey: fromHex(credential.publicKey),
      signCount: credential.counter,
    })),
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
  const binary = Object.fromEntries(
    Object.entries(members).flatMap(([name, hex]) =>
      hex === undefined ? [] : [[name, fromHex(hex)]]
    ),
  );
  const accepts = Object.entries(peers).find(([name]) => name.startsWith("@simplewebauthn"))?.[1];
  const response: CeremonyResponse = {
    ...{ id: credentialId, rawId: credentialId, type: "public-key" },
    ...{ clientExtensionResults: {}, response: binary },
  };
  return {
    ...{ id: test.id, ceremony: test.ceremony, rpId: test.rpId, origins: [test.origin], response },
    challenge: fromHex(test.challenge),
    topOrigins: expected.topOrigin === null ? [] : [expected.topOrigin],
    userVerification: expected.flags.uv ? "required" : "preferred",
    ...{ algorithms: ALL_ALGORITHMS, algorithm: test.alg },
    ...(credentialPublicKey === undefined
      ? {}
      : signInOf(response, { publicKey: fromHex(credentialPublicKey), signCount: 0 })),
    label: test.project.startsWith("hook") ? "hook" : "accept",
    ...(accepts === undefined ? {} : { peerAccepts: accepts === true }),
  };
}

function fromHex(hex: string): string {
  return encodeBase64Url(Uint8Array.fromHex(hex));
}
