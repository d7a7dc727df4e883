/**
 * What begins a ceremony: the options for the browser, WebAuthn Level 3 §5.4 and §5.5.
 *
 * @module
 */

import { encodeBase64Url } from "../_base64url.ts";
import { joinFields } from "../_bytes.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { Identifier } from "../identifier.ts";
import type { Credential } from "../stores/types.ts";
import type { RegistrationState } from "./_challenges.ts";
import type { RelyingParty } from "./_relying_party.ts";
import type { CreationOptionsJson, CredentialDescriptorJson, RequestOptionsJson } from "./types.ts";

/** Options for `navigator.credentials.create()`. */
export function creationOptions(
  rp: RelyingParty,
  { challenge, state, name, passkeys }: {
    readonly challenge: string;
    readonly state: RegistrationState;
    /** Name of the account, as the authenticator lists it. */
    readonly name: string;
    readonly passkeys: readonly Credential[];
  },
): CreationOptionsJson {
  const { residentKey, hints, attestation } = rp;
  const { userHandle, algorithms, userVerification } = state;
  return {
    rp: { id: rp.rpId, name: rp.rpName },
    user: { id: userHandle, name, displayName: name },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: rp.timeout * 1_000,
    excludeCredentials: passkeys.map(descriptorOf),
    authenticatorSelection: {
      residentKey,
      requireResidentKey: residentKey === "required",
      userVerification,
    },
    hints,
    attestation,
    extensions: { credProps: true },
  };
}

/** Options for `navigator.credentials.get()`. */
export function requestOptions(
  { rpId, timeout, userVerification, hints }: RelyingParty,
  challenge: string,
  allowCredentials: readonly CredentialDescriptorJson[],
): RequestOptionsJson {
  return { challenge, timeout: timeout * 1_000, rpId, allowCredentials, userVerification, hints };
}

/** A credential, as the browser looks for it. */
export function descriptorOf({ id, transports }: Credential): CredentialDescriptorJson {
  return { type: "public-key", id, ...(transports === undefined ? {} : { transports }) };
}

interface CommonForm {
  /** Length of a credential id. */
  readonly bytes: number;
  readonly transports: readonly string[];
}

/** Lengths of ids and transports of common authenticators. */
const COMMON: readonly [CommonForm, ...CommonForm[]] = [
  { bytes: 16, transports: ["hybrid", "internal"] },
  { bytes: 20, transports: ["hybrid", "internal"] },
  { bytes: 32, transports: ["internal"] },
  { bytes: 32, transports: ["hybrid", "internal"] },
];

/** How many credentials the options of an identifier have at least; one value is drawn for each identifier. */
const COUNTS: readonly number[] = [1, 1, 1, 2];

/**
 * The credentials of an identifier, and decoys, which stay the same for the identifier: who asks cannot tell whether it has an
 * account, or a passkey, §14.6.2. Real ones that have none of the common forms may still stand out.
 */
export async function withDecoys(
  keys: Pick<DerivedKeys, "sign">,
  identifier: Identifier,
  credentials: readonly Credential[],
): Promise<readonly CredentialDescriptorJson[]> {
  const draw = async (index: number) =>
    // 32 bytes each
    await keys.sign("webauthn", joinFields(["decoy", identifier, String(index)]));
  const forms = await draw(0);
  const count = COUNTS[(forms[0] ?? 0) % COUNTS.length] ?? 1;
  const found = credentials.map(descriptorOf);
  for (let index = 1; index <= Math.max(...COUNTS); index++) {
    const random = await draw(index); // in every case, for the same time
    const { bytes, transports } = COMMON[(forms[index] ?? 0) % COMMON.length] ?? COMMON[0];
    const id = encodeBase64Url(random.slice(0, bytes));
    if (found.length < count) found.push({ type: "public-key", id, transports });
  }
  return found.sort((a, b) => a.id < b.id ? -1 : 1);
}
