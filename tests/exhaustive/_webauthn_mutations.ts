/**
 * Verifies mutated ceremonies of passkeys. What is accepted must differ in what the standard does not verify alone.
 *
 * @module
 */

import { decodeBase64Url, encodeBase64Url } from "../../auth/_base64url.ts";
import { encodeHex } from "../../auth/_bytes.ts";
import { parseAttestationObject } from "../../auth/webauthn/_attestation_object.ts";
import { parseAuthenticatorData } from "../../auth/webauthn/_authenticator_data.ts";
import { type Encodable, encodeCbor } from "../auth/webauthn/_cbor.ts";
import { randomNumbers } from "../static/_random.ts";
import { type Ceremony, type CeremonyResponse, verifyCeremony } from "../vectors/_webauthn.ts";
import { mutantOf } from "./_webauthn_mutants.ts";

/** What a response is verified by: no signature, the credential's, the hook, or that of a sign-in. */
type Kind = "none" | "self" | "hook" | "sign-in";

const UNSIGNED: readonly Kind[] = ["none", "hook"];
const REGISTRATION: readonly Kind[] = [...UNSIGNED, "self"];
const ALL: readonly Kind[] = [...REGISTRATION, "sign-in"];

/** What may differ in a response that is accepted, of which kind, and why. Nothing else may. */
const UNVERIFIED: readonly (readonly [member: string, kinds: readonly Kind[], why: string])[] = [
  ["transports", ALL, "§5.2.1.1: a hint of the page, never signed"],
  ["clientExtensionResults", ALL, "§9.4: of the page, never signed; only credProps.rk is read"],
  ["other members", ALL, "§5.1: copies of what is signed, and future members, are not read"],
  ["attestation object", REGISTRATION, "§6.5.4: TPMs and Firefox do not sort its keys"],
  ["client data", UNSIGNED, "§5.8.1: white space, escapes, a byte order mark, unknown members"],
  ["credential id", UNSIGNED, "§6.5.1: chosen by the authenticator; the JSON has the same"],
  ["public key", UNSIGNED, "§8.7: another valid key; its owner is not proven before a sign-in"],
  ["aaguid", UNSIGNED, "§6.5.1: a claim of the authenticator"],
  ["signCount", UNSIGNED, "§6.1.1: where it begins is the authenticator's"],
  ["BE, BS", UNSIGNED, "§6.1.3: a claim of the authenticator, as long as BS is not without BE"],
  ["UV, preferred", UNSIGNED, "§7.1 step 16: not required"],
  ["RFU", UNSIGNED, "§6.1: reserved bits are ignored"],
  ["extensions", UNSIGNED, "§9.5: outputs that nobody asked for are ignored"],
  ["fmt", UNSIGNED, "§8.7: an attestation can be taken off; others are the hook's"],
  ["attStmt", UNSIGNED, "§8.7: an attestation can be taken off; others are the hook's"],
  ["absence of userHandle", ["sign-in"], "§7.2 step 6: where the options named the user"],
];

/** What a run found. */
export interface MutationRun {
  readonly ran: number;
  /** Mutants that are what they were made of. */
  readonly same: number;
  /** How often each reason refused. */
  readonly refused: Readonly<Record<string, number>>;
  /** How often each unverified member differed in what was accepted. */
  readonly accepted: Readonly<Record<string, number>>;
  /** Longest verification, in milliseconds. */
  readonly longestMs: number;
}

/**
 * Verifies mutants of all ceremonies in turn.
 *
 * @throws {Error} If one is accepted that differs in a verified member, or is refused by another error than a `CeremonyError`.
 */
export async function runMutations(
  ceremonies: readonly Ceremony[],
  { count, seed }: { readonly count: number; readonly seed: number },
): Promise<MutationRun> {
  const random = randomNumbers(seed);
  const responses = ceremonies.map(({ response }) => response);
  const refused: Record<string, number> = {};
  const accepted: Record<string, number> = {};
  let [same, longestMs] = [0, 0];
  for (let ran = 0; ran < count; ran++) {
    const ceremony = ceremonies[ran % ceremonies.length] as Ceremony;
    const mutant = mutantOf(ceremony.response, responses, random);
    const text = JSON.stringify(mutant);
    if (text === JSON.stringify(ceremony.response)) same++;
    const start = performance.now();
    const outcome = await verify(ceremony, mutant, text);
    longestMs = Math.max(longestMs, performance.now() - start);
    if (outcome === "accept") {
      for (const member of differences(mutant as CeremonyResponse, ceremony, ceremonies)) {
        accepted[member] = (accepted[member] ?? 0) + 1;
      }
    } else refused[outcome] = (refused[outcome] ?? 0) + 1;
  }
  return { ran: count, same, refused, accepted, longestMs };
}

async function verify(ceremony: Ceremony, response: unknown, text: string): Promise<string> {
  const hook = ceremony.label === "hook"
    ? { verifyAttestation: () => ({ trusted: true } as const) }
    : {};
  try {
    return await verifyCeremony(ceremony, { response, ...hook });
  } catch (cause) {
    throw new Error(`${ceremony.id} ended with another error: ${text}`, { cause });
  }
}

/**
 * The unverified members that differ from a ceremony; with a part of another, it may be that one, if the challenge is the same.
 *
 * @throws {Error} If a verified member differs.
 */
function differences(
  mutant: CeremonyResponse,
  ceremony: Ceremony,
  ceremonies: readonly Ceremony[],
): readonly string[] {
  const { kind, members: after } = readMembers(ceremony, mutant);
  const candidates = [ceremony, ...ceremonies]
    .filter(({ challenge, stored }) =>
      challenge === ceremony.challenge && stored?.id === ceremony.stored?.id
    )
    .map((one) => {
      const { members: before } = readMembers(ceremony, one.response);
      const names = Object.keys({ ...before, ...after });
      return names.filter((name) => before[name] !== after[name]);
    });
  const isUnverified = (name: string) =>
    UNVERIFIED.some(([member, kinds]) => member === name && kinds.includes(kind));
  const found = candidates.find((names) => names.every(isUnverified));
  if (found !== undefined) return found;
  throw new Error(
    `${ceremony.id} (${kind}) was accepted with another ${candidates[0]}: ${
      JSON.stringify(mutant)
    }`,
  );
}

/** Every member as text. A response that was accepted can be parsed. */
function readMembers(
  ceremony: Ceremony,
  { id, rawId, type, clientExtensionResults, response, ...others }: CeremonyResponse,
): { readonly kind: Kind; readonly members: Readonly<Record<string, string>> } {
  const { clientDataJSON, transports, attestationObject, ...rest } = response;
  const texts = { type, clientExtensionResults, transports, "client data": clientDataJSON };
  const shared = { ...texts, "rawId": rawId === id };
  if (ceremony.stored !== undefined) {
    const { authenticatorData, signature, userHandle = null, ...unknown } = rest;
    const verified = { id, authenticatorData, signature };
    const isLeftOut = ceremony.named === true && userHandle === null;
    const handle = {
      userHandle: isLeftOut ? ceremony.stored.userHandle : userHandle,
      "absence of userHandle": isLeftOut,
    };
    const ignored = { "other members": { ...others, ...unknown, attestationObject } };
    return { kind: "sign-in", members: toText({ ...shared, ...verified, ...handle, ...ignored }) };
  }
  const { fmt, statement, authData } = parseAttestationObject(bytesOf(attestationObject));
  const data = parseAuthenticatorData(authData);
  const { credentialId = new Uint8Array(), aaguid, publicKey = new Uint8Array() } = data.attested ??
    {};
  const isSelf = fmt === "packed" && !statement.has("x5c");
  const { crossOrigin = false, topOrigin, ...clientData } = parseClientData(clientDataJSON);
  const extensions = data.extensions ?? new Map();
  return {
    kind: fmt === "none" ? "none" : isSelf ? "self" : "hook",
    members: toText({
      ...shared,
      "id and the credential id": id === encodeBase64Url(credentialId),
      "attestation object": attestationObject,
      "client data's type": clientData["type"],
      ...{ challenge: clientData["challenge"], origin: clientData["origin"] },
      ...{ crossOrigin, topOrigin, fmt, aaguid },
      attStmt: encodeHex(encodeCbor(statement as Encodable)),
      rpIdHash: encodeHex(data.rpIdHash),
      UP: data.userPresent,
      [ceremony.userVerification === "preferred" ? "UV, preferred" : "UV"]: data.userVerified,
      "BE, BS": [data.backupEligible, data.backedUp],
      "BS without BE": data.backedUp && !data.backupEligible,
      RFU: (authData[32] ?? 0) & 0b10_0010,
      signCount: data.signCount,
      "credential id": encodeHex(credentialId),
      "public key": encodeHex(publicKey),
      extensions: encodeHex(encodeCbor(extensions as Encodable)),
      "other members": { ...others, ...rest },
    }),
  };
}

function toText(members: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, JSON.stringify(value) ?? ""]),
  );
}

function bytesOf(text: unknown) {
  return decodeBase64Url(String(text));
}

function parseClientData(text: unknown): Readonly<Record<string, unknown>> {
  return JSON.parse(new TextDecoder().decode(bytesOf(text)));
}
