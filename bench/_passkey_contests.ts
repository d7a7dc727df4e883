/**
 * Verifying one sign-in with a passkey (ES256): Web Crypto alone, ours and SimpleWebAuthn, without anything that only one
 * runtime has: `passkeys.ts` bundles this for Deno, Node and Bun.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../auth/_base64url.ts";
import { type Bytes, concatBytes, utf8 } from "../auth/_bytes.ts";
import { verifyAuthenticationResponse } from "../auth/webauthn/authentication.ts";
import { sha256 } from "../auth/_kdf.ts";
import { readRelyingParty } from "../auth/webauthn/_relying_party.ts";
import type { Credential } from "../auth/stores/credential_types.ts";
import { encodeCbor } from "../tests/auth/webauthn/_cbor.ts";
import { measure } from "./_measure.ts";

/** The part of SimpleWebAuthn that is used here. */
export interface SimpleWebAuthn {
  verifyAuthenticationResponse(options: {
    response: unknown;
    expectedChallenge: string;
    expectedOrigin: string;
    expectedRPID: string;
    credential: { id: string; publicKey: Bytes; counter: number };
    requireUserVerification: boolean;
  }): Promise<{ verified: boolean }>;
}

/** What one runtime measured. */
export interface PasskeyTimes {
  /** Nanoseconds of ours. */
  readonly ns: number;
  /** ÷ `subtle.verify` with an imported key. */
  readonly overVerify: number;
  /** ÷ import of the key, both digests and `subtle.verify`. */
  readonly overPrimitives: number;
  /** ÷ SimpleWebAuthn. */
  readonly overPeer: number;
}

const RP_ID = "example.com";
const ORIGIN = "https://example.com";
const ES256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Measures the contestants in turns. */
export async function comparePasskeys(
  peer: SimpleWebAuthn,
  { rounds }: { readonly rounds: number },
): Promise<PasskeyTimes> {
  const made = await createAssertion();
  const { response, credential, challenge, jwk, rawSignature, signed, clientData } = made;
  const relyingParty = readRelyingParty({ rpId: RP_ID, rpName: "Bench", origins: [ORIGIN] });
  const importKey = () => crypto.subtle.importKey("jwk", jwk, ES256, false, ["verify"]);
  const key = await importKey();
  const publicKey = decodeBase64Url(credential.publicKey);
  const verify = async (key: CryptoKey) =>
    await crypto.subtle.verify(ES256, key, rawSignature, signed);
  const contestants = [
    { name: "verify", run: () => verify(key) },
    {
      name: "primitives",
      async run() {
        await Promise.all([sha256(utf8(RP_ID)), sha256(clientData)]);
        return await verify(await importKey());
      },
    },
    {
      name: "gatehouse",
      async run() {
        const { data } = await verifyAuthenticationResponse(response, {
          relyingParty,
          takeState: () =>
            Promise.resolve({
              ceremony: "authentication",
              browser: "",
              userVerification: "required",
            }),
          findCredential: () => Promise.resolve(credential),
        });
        return data.userVerified;
      },
    },
    {
      name: "peer",
      async run() {
        const { verified } = await peer.verifyAuthenticationResponse({
          response,
          expectedChallenge: challenge,
          expectedOrigin: ORIGIN,
          expectedRPID: RP_ID,
          credential: { id: credential.id, publicKey, counter: 0 },
          requireUserVerification: true,
        });
        return verified;
      },
    },
  ];
  for (const { name, run } of contestants) {
    if (!await run()) throw new Error(`${name} does not accept the assertion`);
  }
  const results = await measure(contestants, () => undefined, { rounds, runs: 100 });
  const ours = results.find(({ name }) => name === "gatehouse");
  if (ours === undefined) throw new Error("Cannot find our own result");
  return {
    ns: ours.ns,
    overVerify: ours.over("verify"),
    overPrimitives: ours.over("primitives"),
    overPeer: ours.over("peer"),
  };
}

/** A credential and one assertion, as a platform authenticator makes it. */
async function createAssertion(): Promise<{
  response: unknown;
  credential: Credential;
  challenge: string;
  jwk: JsonWebKey;
  rawSignature: Bytes;
  signed: Bytes;
  clientData: Bytes;
}> {
  const pair = await crypto.subtle.generateKey(ES256, true, ["sign", "verify"]);
  const { kty = "", crv = "", x = "", y = "" } = await crypto.subtle.exportKey(
    "jwk",
    pair.publicKey,
  );
  const jwk = { kty, crv, x, y };
  const coseKey = encodeCbor(
    new Map<number, number | Bytes>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, decodeBase64Url(x)],
      [-3, decodeBase64Url(y)],
    ]),
  );
  const challenge = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const id = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const userHandle = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const clientData = utf8(
    JSON.stringify({ type: "webauthn.get", challenge, origin: ORIGIN, crossOrigin: false }),
  );
  const flags = new Uint8Array([0b1_1101, 0, 0, 0, 0]); // UP, UV, BE, BS, and no counter
  const authenticatorData = concatBytes(await sha256(utf8(RP_ID)), flags);
  const signed = concatBytes(authenticatorData, await sha256(clientData));
  const rawSignature = new Uint8Array(await crypto.subtle.sign(ES256, pair.privateKey, signed));
  const response = {
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: encodeBase64Url(clientData),
      authenticatorData: encodeBase64Url(authenticatorData),
      signature: encodeBase64Url(toDer(rawSignature)),
      userHandle,
    },
  };
  const credential: Credential = {
    id,
    sub: "u1",
    rpId: RP_ID,
    userHandle,
    publicKey: encodeBase64Url(coseKey),
    signCount: 0,
    backupEligible: true,
    backedUp: true,
    userVerified: true,
    aaguid: "00000000-0000-0000-0000-000000000000",
    fmt: "none",
    createdAt: 0,
  };
  return { response, credential, challenge, jwk, rawSignature, signed, clientData };
}

/** Two integers of 32 bytes as an ASN.1 sequence. */
function toDer(raw: Bytes): Bytes {
  const integers = [raw.slice(0, 32), raw.slice(32)].map((bytes) => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const digits = bytes.slice(start);
    const padding = (digits[0] ?? 0) > 0x7f ? [0] : [];
    return [0x02, padding.length + digits.length, ...padding, ...digits];
  });
  const content = integers.flat();
  return Uint8Array.from([0x30, content.length, ...content]);
}
