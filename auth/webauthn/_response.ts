/**
 * What a page sends at the end of a ceremony, WebAuthn Level 3 §5.1: `RegistrationResponseJSON` and
 * `AuthenticationResponseJSON`. Members that are not listed here are not read: the browser also sends copies of what is signed.
 *
 * @module
 */

import { decodeBase64Url } from "../_base64url.ts";
import type { Bytes } from "../_bytes.ts";
import { CeremonyError, check } from "./_failure.ts";

/** A response to `navigator.credentials.create()`. */
export interface RegistrationResponse {
  /** Credential id, base64url. */
  readonly id: string;
  readonly clientData: Bytes;
  readonly attestationObject: Bytes;
  readonly transports: readonly string[] | undefined;
  /** Whether the browser says that the credential is discoverable. */
  readonly discoverable: boolean | undefined;
}

/** A response to `navigator.credentials.get()`. */
export interface AuthenticationResponse {
  /** Credential id, base64url. */
  readonly id: string;
  readonly clientData: Bytes;
  readonly authenticatorData: Bytes;
  readonly signature: Bytes;
  /** The user, as the authenticator names it, base64url. */
  readonly userHandle: string | undefined;
}

/** Reads the response of a registration. @throws {CeremonyError} `response_malformed` */
export function readRegistrationResponse(value: unknown): RegistrationResponse {
  const { id, response, extensions } = readCredential(value);
  const { transports, signature } = response;
  check(signature === undefined, "response_malformed"); // it is a sign-in
  const { rk } = asObject(extensions["credProps"]) ?? {};
  return {
    id,
    clientData: readBytes(response["clientDataJSON"]),
    attestationObject: readBytes(response["attestationObject"]),
    transports: readTransports(transports),
    discoverable: typeof rk === "boolean" ? rk : undefined,
  };
}

/** Reads the response of a sign-in. @throws {CeremonyError} `response_malformed` */
export function readAuthenticationResponse(value: unknown): AuthenticationResponse {
  const { id, response } = readCredential(value);
  const { userHandle = null } = response;
  if (userHandle !== null) readBytes(userHandle);
  return {
    id,
    clientData: readBytes(response["clientDataJSON"]),
    authenticatorData: readBytes(response["authenticatorData"]),
    signature: readBytes(response["signature"]),
    userHandle: userHandle === null ? undefined : userHandle as string,
  };
}

type Members = Readonly<Record<string, unknown>>;

function readCredential(value: unknown): { id: string; response: Members; extensions: Members } {
  const { type, id, rawId, response, clientExtensionResults } = asObject(value) ?? {};
  const members = asObject(response);
  check(type === "public-key" && members !== undefined, "response_malformed");
  check(typeof id === "string" && id !== "" && id === rawId, "response_malformed");
  readBytes(id);
  return { id, response: members, extensions: asObject(clientExtensionResults) ?? {} };
}

/** Strict base64url: each sequence of bytes has one encoding. */
function readBytes(text: unknown): Bytes {
  check(typeof text === "string", "response_malformed");
  try {
    return decodeBase64Url(text);
  } catch (cause) {
    throw new CeremonyError("response_malformed", { cause });
  }
}

const MAX_TRANSPORTS = 8;
const TRANSPORT_REGEXP = /^[a-z-]{1,16}$/;

/** They are hints from the page and end up in later options: what is no list of short names is dropped, §5.8.4. */
function readTransports(transports: unknown): readonly string[] | undefined {
  if (!Array.isArray(transports) || transports.length > MAX_TRANSPORTS) return undefined;
  const isName = (one: unknown) => typeof one === "string" && TRANSPORT_REGEXP.test(one);
  return transports.every(isName) ? [...new Set<string>(transports)].sort() : undefined;
}

function asObject(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as Members
    : undefined;
}
