/**
 * An authenticator in software, and the browser before it: it answers ceremonies as a platform passkey does, and each part of
 * an answer can be changed for one ceremony. What is signed is signed after the change, as by an authenticator that lies; what
 * a page changes afterwards is the `json` of a change.
 *
 * @module
 */

import { encodeBase64Url } from "../../../auth/_base64url.ts";
import type { Bytes } from "../../../auth/_bytes.ts";
import type {
  CoseAlgorithm,
  CreationOptionsJson,
  RequestOptionsJson,
} from "../../../auth/webauthn/types.ts";
import { type AuthenticatorKey, generateAuthenticatorKey } from "./_authenticator_keys.ts";
import { concat, type Encodable, encodeCbor } from "./_cbor.ts";

/** Options of {@linkcode createAuthenticator}. */
export interface AuthenticatorOptions {
  /** Origin of the page. @default `https://` and the RP ID */
  readonly origin?: string;
  /** Algorithm of its keys. @default ES256 if it is offered, else the first that is offered */
  readonly algorithm?: CoseAlgorithm;
  /** Whether it has a signature counter, which each use increases by one. @default {false} */
  readonly counts?: boolean;
  /** Whether its credentials are discoverable; a security key returns no user handle for others. @default {true} */
  readonly discoverable?: boolean;
  /** Its make. @default zeros */
  readonly aaguid?: Bytes;
}

/** A credential of the authenticator. */
export interface AuthenticatorCredential {
  readonly id: Bytes;
  readonly rpId: string;
  readonly userHandle: string;
  readonly key: AuthenticatorKey;
  readonly discoverable: boolean;
  /** Flags that do not change by themselves. */
  readonly flags: Flags;
  counter: number;
}

/** Flags of authenticator data, §6.1: `rfu1` and `rfu2` are the reserved bits 1 and 5. */
export type Flag = "up" | "rfu1" | "uv" | "be" | "bs" | "rfu2" | "at" | "ed";

/** Which flags are set. */
export type Flags = Readonly<Partial<Record<Flag, boolean>>>;

/** Writes an attestation statement. */
export interface Attester {
  readonly fmt: string;
  /** @param signed Authenticator data and the hash of the client data. */
  statement(signed: Bytes, key: AuthenticatorKey): Encodable | Promise<Encodable>;
}

/** What is different in one ceremony. */
export interface CeremonyChange {
  /** Members of the client data: `{ origin: "https://evil.example" }`; `undefined` leaves one out, new ones are added. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** The client data as a whole. */
  readonly clientDataBytes?: (text: string) => Bytes | string;
  /** Whose hash the authenticator data has. */
  readonly rpId?: string;
  readonly flags?: Flags;
  readonly counter?: number;
  /** Extension outputs of the authenticator; they set `ed`. */
  readonly extensions?: Encodable;
  /** The authenticator data as a whole. */
  readonly authData?: (authData: Bytes) => Bytes;
  /** The JSON that the page sends. */
  readonly json?: (response: ResponseJson) => unknown;
  /** `id` and `rawId` of that JSON. */
  readonly id?: unknown;
  /** `rawId` alone. */
  readonly rawId?: unknown;
  readonly clientExtensionResults?: unknown;
}

/** What is different in one registration. */
export interface CreateChange extends CeremonyChange {
  readonly credentialId?: Bytes;
  readonly aaguid?: Bytes;
  readonly algorithm?: CoseAlgorithm;
  /** The COSE key, also as `raw()` bytes. */
  readonly coseKey?: (key: Map<Encodable, Encodable>) => Encodable;
  readonly attester?: Attester;
  /** The attestation object as a whole. */
  readonly attestationObject?: (object: Bytes, members: Map<string, Encodable>) => Bytes;
  readonly transports?: unknown;
}

/** What is different in one sign-in. */
export interface GetChange extends CeremonyChange {
  /** The credential that answers. @default the newest that the options allow */
  readonly credential?: AuthenticatorCredential;
  readonly userHandle?: unknown;
  readonly signature?: (signature: Bytes) => Bytes | Promise<Bytes>;
}

/** Mutable JSON, for changes. */
export type ResponseJson = {
  id: unknown;
  rawId: unknown;
  type: unknown;
  authenticatorAttachment: unknown;
  clientExtensionResults: unknown;
  response: Record<string, unknown>;
  [member: string]: unknown;
};

/** A browser with an authenticator. */
export interface Authenticator {
  /** `RegistrationResponseJSON`: what `navigator.credentials.create()` and `toJSON()` give. */
  create(options: CreationOptionsJson, change?: CreateChange): Promise<ResponseJson>;
  /** `AuthenticationResponseJSON`: what `navigator.credentials.get()` and `toJSON()` give. */
  get(options: RequestOptionsJson, change?: GetChange): Promise<ResponseJson>;
  /** Its credentials, the oldest first. */
  readonly credentials: AuthenticatorCredential[];
}

/** `none`, §8.7. */
export const NONE: Attester = { fmt: "none", statement: () => new Map() };

/** Self attestation, §8.2: by default with the key's own algorithm. */
export function selfAttester(algorithm?: number): Attester {
  return {
    fmt: "packed",
    statement: async (signed, key) =>
      new Map<Encodable, Encodable>([
        ["alg", algorithm ?? key.algorithm],
        ["sig", await key.sign(signed)],
      ]),
  };
}

/** Any format with any statement. */
export function attester(fmt: string, statement: Encodable): Attester {
  return { fmt, statement: () => statement };
}

/** Creates a browser with an authenticator that has no credentials yet. */
export function createAuthenticator(options: AuthenticatorOptions = {}): Authenticator {
  const { counts = false, discoverable = true, aaguid: make = new Uint8Array(16) } = options;
  const credentials: AuthenticatorCredential[] = [];

  async function begin(type: string, challenge: string, rpId: string, change: CeremonyChange) {
    const { origin = `https://${rpId}` } = options;
    const members = { type, challenge, origin, crossOrigin: false, ...change.clientData };
    const text = JSON.stringify(members);
    const clientData = change.clientDataBytes?.(text) ?? text;
    const bytes = typeof clientData === "string" ? utf8(clientData) : Uint8Array.from(clientData);
    return { clientDataJSON: encodeBase64Url(bytes), clientDataHash: await sha256(bytes) };
  }

  return {
    credentials,
    async create(
      { rp, user, challenge, pubKeyCredParams, excludeCredentials, extensions },
      change = {},
    ) {
      const excluded = excludeCredentials.map(({ id }) => id);
      if (credentials.some(({ id }) => excluded.includes(encodeBase64Url(id)))) {
        throw new DOMException("A credential is registered already", "InvalidStateError"); // §5.1.3
      }
      const offered = pubKeyCredParams.map(({ alg }) => alg);
      const preferred = offered.includes(-7) ? -7 : offered[0] ?? -7;
      const key = await generateAuthenticatorKey(
        change.algorithm ?? options.algorithm ?? preferred,
      );
      const flags = { up: true, uv: true, be: true, bs: true, ...change.flags };
      const id = change.credentialId ?? crypto.getRandomValues(new Uint8Array(32));
      const counter = change.counter ?? 0;
      const credential = {
        ...{ id, rpId: rp.id, userHandle: user.id, key, discoverable, counter },
        flags: { be: flags.be, bs: flags.bs },
      };
      credentials.push(credential);
      const { clientDataJSON, clientDataHash } = await begin(
        ...["webauthn.create", challenge, rp.id] as const,
        change,
      );
      const attested = concat(
        change.aaguid ?? make,
        Uint8Array.of(id.length >> 8, id.length),
        id,
        encodeCbor(change.coseKey?.(key.cose) ?? key.cose),
      );
      const authData = await authenticatorData(credential, {
        ...change,
        flags: { at: true, ...flags },
      }, attested);
      const { fmt, statement } = change.attester ?? NONE;
      const members = new Map<string, Encodable>([
        ["fmt", fmt],
        ["attStmt", await statement(concat(authData, clientDataHash), key)],
        ["authData", authData],
      ]);
      const object = encodeCbor(members);
      const { transports = ["internal", "hybrid"] } = change;
      return finish(
        credential,
        change,
        extensions.credProps ? { credProps: { rk: discoverable } } : {},
        {
          clientDataJSON,
          attestationObject: encodeBase64Url(change.attestationObject?.(object, members) ?? object),
          transports,
          authenticatorData: encodeBase64Url(authData),
          publicKey: encodeBase64Url(key.spki),
          publicKeyAlgorithm: key.algorithm,
        },
      );
    },
    async get({ rpId, challenge, allowCredentials }, change = {}) {
      const allowed = allowCredentials.map(({ id }) => id);
      const credential = change.credential ?? credentials.findLast((one) =>
        one.rpId === rpId &&
        (allowed.length === 0 ? one.discoverable : allowed.includes(encodeBase64Url(one.id)))
      );
      if (credential === undefined) {
        throw new DOMException("The authenticator has no such credential", "NotAllowedError"); // §5.1.4
      }
      if (counts) credential.counter++;
      const { clientDataJSON, clientDataHash } = await begin(
        "webauthn.get",
        challenge,
        rpId,
        change,
      );
      const flags = { up: true, uv: true, ...credential.flags, ...change.flags };
      const authData = await authenticatorData(credential, { ...change, flags });
      const signature = await credential.key.sign(concat(authData, clientDataHash));
      const own = credential.discoverable ? credential.userHandle : undefined;
      const { userHandle = own } = change;
      return finish(credential, change, {}, {
        clientDataJSON,
        authenticatorData: encodeBase64Url(authData),
        signature: encodeBase64Url(await change.signature?.(signature) ?? signature),
        ...(userHandle === undefined ? {} : { userHandle }),
      });
    },
  };
}

const BITS: Readonly<Record<Flag, number>> = {
  ...{ up: 0, rfu1: 1, uv: 2, be: 3, bs: 4, rfu2: 5, at: 6, ed: 7 },
};

/** §6.1 */
async function authenticatorData(
  credential: AuthenticatorCredential,
  { rpId = credential.rpId, flags = {}, counter = credential.counter, extensions, authData }:
    CeremonyChange,
  attested: Bytes = new Uint8Array(),
): Promise<Bytes> {
  const set = { ed: extensions !== undefined, ...flags };
  const head = new Uint8Array(5);
  for (const [flag, bit] of Object.entries(BITS)) {
    if (set[flag as Flag] === true) head[0] = (head[0] ?? 0) | 1 << bit;
  }
  new DataView(head.buffer).setUint32(1, counter);
  const outputs = extensions === undefined ? new Uint8Array() : encodeCbor(extensions);
  const bytes = concat(await sha256(utf8(rpId)), head, attested, outputs);
  return authData?.(bytes) ?? bytes;
}

/** `toJSON()`, §5.1, and what the page does to it. */
function finish(
  { id }: AuthenticatorCredential,
  change: CeremonyChange,
  extensionResults: Readonly<Record<string, unknown>>,
  response: Record<string, unknown>,
): ResponseJson {
  const { id: name = encodeBase64Url(id), rawId = name } = change;
  const { clientExtensionResults = extensionResults, json = (given: ResponseJson) => given } =
    change;
  return json({
    ...{ id: name, rawId, type: "public-key", authenticatorAttachment: "platform" },
    ...{ clientExtensionResults, response },
  }) as ResponseJson;
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text);
}
