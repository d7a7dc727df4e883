/**
 * The part of SimpleWebAuthn that is used here. Nothing imports it by a literal specifier, so that its types are not there.
 *
 * @module
 */

import type { Bytes } from "../../auth/_bytes.ts";
import type { CborMap } from "../../auth/webauthn/types.ts";
import { SIMPLEWEBAUTHN_BROWSER, SIMPLEWEBAUTHN_SERVER } from "./versions.ts";

/** What both verifications expect. */
interface Expected {
  readonly response: unknown;
  readonly expectedChallenge: string;
  readonly expectedOrigin: string | readonly string[];
  readonly expectedRPID: string;
  readonly requireUserVerification: boolean;
}

/** The record of a credential, as SimpleWebAuthn takes it. */
interface PeerCredential {
  readonly id: string;
  readonly publicKey: Bytes;
  readonly counter: number;
}

/** `@simplewebauthn/server` */
interface Server {
  verifyRegistrationResponse(
    options: Expected & {
      readonly requireUserPresence?: boolean;
      readonly supportedAlgorithmIDs: readonly number[];
    },
  ): Promise<{ readonly verified: boolean }>;
  verifyAuthenticationResponse(
    options: Expected & {
      readonly expectedTopOrigin?: readonly string[];
      readonly credential: PeerCredential;
    },
  ): Promise<{ readonly verified: boolean }>;
}

/** `@simplewebauthn/browser`: what of it needs no browser. */
interface Browser {
  bufferToBase64URLString(buffer: ArrayBuffer): string;
  base64URLStringToBuffer(text: string): ArrayBuffer;
  startRegistration(options: { readonly optionsJSON: unknown }): Promise<unknown>;
  startAuthentication(options: { readonly optionsJSON: unknown }): Promise<unknown>;
}

/** What a verifier of an attestation statement takes: `AttestationFormatVerifierOpts`. */
export interface FormatVerifierOptions {
  readonly aaguid: Bytes;
  readonly attStmt: CborMap;
  readonly authData: Bytes;
  readonly clientDataHash: Bytes;
  readonly credentialID: Bytes;
  readonly credentialPublicKey: Bytes;
  /** Trusted roots, PEM; with none, the chain is not verified. */
  readonly rootCertificates: readonly string[];
  readonly rpIdHash: Bytes;
}

/** Verifies an attestation statement. */
export type FormatVerifier = (options: FormatVerifierOptions) => Promise<boolean>;

/** The server. */
export const server: Server = await import(SIMPLEWEBAUTHN_SERVER);

/** The browser. */
export const browser: Browser = await import(SIMPLEWEBAUTHN_BROWSER);

/** Modules of the verifiers, by format. */
const MODULES: Readonly<Record<string, string>> = {
  "android-key": "verifyAttestationAndroidKey",
  apple: "verifyAttestationApple",
  "fido-u2f": "verifyAttestationFIDOU2F",
  packed: "verifyAttestationPacked",
  tpm: "tpm/verifyAttestationTPM",
};

/** Loads the verifier of a format. The package does not export them: they are beside the function that uses them. */
export async function formatVerifier(fmt: string): Promise<FormatVerifier> {
  const path = MODULES[fmt] ?? "";
  const { [path.replace(/^.*\//, "")]: verify } = await import(
    new URL(`verifications/${path}.js`, await moduleUrl()).href
  );
  return verify;
}

/** Where `verifyRegistrationResponse()` is, which the error of an empty call says. */
async function moduleUrl(): Promise<string> {
  try {
    await server.verifyRegistrationResponse({ response: {} } as never);
  } catch (error) {
    const { stack = "" } = error as Error;
    const [url] = /file:\S+\/verifyRegistrationResponse\.js/.exec(stack) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("Cannot find the modules of @simplewebauthn/server");
}

/** Whether SimpleWebAuthn accepts: it throws for most refusals. */
export async function accepts(
  verification: () => Promise<{ readonly verified: boolean }>,
): Promise<boolean> {
  try {
    return (await verification()).verified;
  } catch {
    return false;
  }
}
