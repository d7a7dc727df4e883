/**
 * Options of passkeys, and their JSON forms of WebAuthn Level 3 §5.1: what a page sends, and what it passes to the browser.
 *
 * @module
 */

/** A COSE algorithm of public keys, RFC 9053 §2, RFC 8230 §2 and RFC 8812 §2: ES256 is -7, EdDSA -8, RS256 -257. */
export type CoseAlgorithm = -7 | -8 | -35 | -36 | -37 | -38 | -39 | -257 | -258 | -259;

/** The configuration of passkeys. */
export interface WebAuthnConfig {
  /**
   * The domain that passkeys belong to, without scheme and port: `example.com`. They work on this domain and the ones below it.
   * It cannot be changed later: passkeys of another domain are not found.
   */
  readonly rpId: string;
  /** Name of the application, as the browser's dialog shows it. */
  readonly rpName: string;
  /**
   * Origins of the pages that use passkeys, compared character by character: `https://app.example.com`, and `http` for
   * `localhost` only. Those of other domains than `rpId` are related origins, see {@linkcode relatedOriginsHandler}. Native
   * apps have origins such as `android:apk-key-hash:…`.
   */
  readonly origins: readonly string[];
  /** Origins of the outermost pages that may show ours in a frame. @default {[]} */
  readonly topOrigins?: readonly string[] | undefined;
  /**
   * Whether a ceremony in a frame is accepted without `topOrigin`, which Safari does not send: any page may then frame ours.
   *
   * @default {false}
   */
  readonly insecureMissingTopOrigin?: boolean | undefined;
  /**
   * Whether the authenticator must verify the user by a fingerprint, face or PIN, §5.8.6. With `preferred` it need not: `amr` of
   * such a sign-in lacks `mfa`.
   *
   * @default {"required"}
   */
  readonly userVerification?: "required" | "preferred" | undefined;
  /**
   * Whether passkeys must be discoverable, so that they sign in without an identifier, §5.4.6; other values than `required` need
   * `identified`.
   *
   * @default {"required"}
   */
  readonly residentKey?: "required" | "preferred" | "discouraged" | undefined;
  /**
   * Whether `login/options` accepts an identifier, and returns the passkeys of that user: for security keys that are not
   * discoverable. Unknown identifiers get decoys, and no sign-in is refused with `credential_unknown`, which would tell decoys
   * from passkeys.
   *
   * @default {false}
   */
  readonly identified?: boolean | undefined;
  /** Algorithms of new passkeys, in order of preference. @default {[-8, -7, -257]} */
  readonly algorithms?: readonly CoseAlgorithm[] | undefined;
  /** Lifetime of a challenge, in seconds: an integer from 30 to 3,600. @default {300} */
  readonly timeout?: number | undefined;
  /** Seconds since the sign-in during which passkeys can be added and removed. @default {900} */
  readonly maxAge?: number | undefined;
  /** Maximum number of passkeys of a user: an integer from 1 to 100. @default {20} */
  readonly maxCredentials?: number | undefined;
  /** Whether an account can be created with a passkey instead of a password. @default {false} */
  readonly signUp?: boolean | undefined;
  /** Kinds of authenticators that the browser's dialog offers first. @default none */
  readonly hints?: readonly ("security-key" | "client-device" | "hybrid")[] | undefined;
  /** Attestation conveyance preference, §5.4.7; other values than `none` need `verifyAttestation`. @default {"none"} */
  readonly attestation?: "none" | "direct" | "enterprise" | undefined;
  /**
   * Judges attestations with certificates, which are refused without it: the place for the FIDO metadata service. With
   * `attestation: "direct"` or `"enterprise"` it also judges `none` and self attestation, which prove nothing about the make. If
   * it throws, the registration is refused.
   */
  readonly verifyAttestation?:
    | ((evidence: AttestationEvidence) => Promise<AttestationVerdict> | AttestationVerdict)
    | undefined;
}

/** A decoded CBOR value. Integers beyond ±2⁵³ are not supported; maps keep their order. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | Uint8Array<ArrayBuffer>
  | readonly CborValue[]
  | CborMap;

/** A decoded CBOR map. */
export type CborMap = ReadonlyMap<number | string, CborValue>;

/** An attestation to judge, WebAuthn Level 3 §6.5. Everything except the statement has been verified. */
export interface AttestationEvidence {
  /** Attestation statement format: `packed`, `tpm`, `apple`. */
  readonly fmt: string;
  /** The attestation statement, decoded. */
  readonly statement: CborMap;
  /** Authenticator data, as received. */
  readonly authData: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the client data. */
  readonly clientDataHash: Uint8Array<ArrayBuffer>;
  /** Identifies the make of the authenticator: a UUID in lower case. */
  readonly aaguid: string;
  /** Credential id. */
  readonly credentialId: Uint8Array<ArrayBuffer>;
  /** COSE key. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** Its algorithm. */
  readonly algorithm: CoseAlgorithm;
  /** Certificates of the statement, DER, the authenticator's first; their chain is not verified. */
  readonly x5c?: readonly Uint8Array<ArrayBuffer>[];
}

/** The verdict on an attestation. `reason` is for the event. */
export type AttestationVerdict =
  | { readonly trusted: true }
  | { readonly trusted: false; readonly reason: string };

/** A credential that the browser should look for, or must not create again, §5.8.3. */
export interface CredentialDescriptorJson {
  /** Kind of credential. */
  readonly type: "public-key";
  /** Credential id, base64url. */
  readonly id: string;
  /** How to communicate with the authenticator, §5.8.4: `usb`, `nfc`, `ble`, `hybrid`, `internal`, or another short name. */
  readonly transports?: readonly string[];
}

/** `PublicKeyCredentialCreationOptionsJSON`, §5.1.8: for `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export interface CreationOptionsJson {
  /** The relying party. */
  readonly rp: { readonly id: string; readonly name: string };
  /** The account, as the authenticator lists it; `id` is a random-looking digest. */
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  /** Single-use challenge, 32 random bytes in base64url. */
  readonly challenge: string;
  /** Accepted algorithms, in order of preference. */
  readonly pubKeyCredParams: readonly {
    readonly type: "public-key";
    readonly alg: CoseAlgorithm;
  }[];
  /** Milliseconds until the challenge expires. */
  readonly timeout: number;
  /** The user's passkeys, so that one authenticator does not get two. */
  readonly excludeCredentials: readonly CredentialDescriptorJson[];
  /** Requirements on the authenticator. */
  readonly authenticatorSelection: {
    readonly residentKey: "required" | "preferred" | "discouraged";
    readonly requireResidentKey: boolean;
    readonly userVerification: "required" | "preferred";
  };
  /** Hints for the browser's dialog. */
  readonly hints: readonly string[];
  /** Whether an attestation is asked for. */
  readonly attestation: "none" | "direct" | "enterprise";
  /** Extensions: `credProps` says whether the passkey is discoverable. */
  readonly extensions: { readonly credProps: true };
}

/** `PublicKeyCredentialRequestOptionsJSON`, §5.1.9: for `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export interface RequestOptionsJson {
  /** Single-use challenge, 32 random bytes in base64url. */
  readonly challenge: string;
  /** Milliseconds until the challenge expires. */
  readonly timeout: number;
  /** The relying party's domain. */
  readonly rpId: string;
  /** The passkeys of the given user; empty to let the user choose. */
  readonly allowCredentials: readonly CredentialDescriptorJson[];
  /** Whether the user must be verified. */
  readonly userVerification: "required" | "preferred";
  /** Hints for the browser's dialog. */
  readonly hints: readonly string[];
}
