/**
 * Changes ceremonies of passkeys at random: bits and bytes, items of CBOR; what is JSON is beside.
 *
 * @module
 */

import { encodeBase64Url } from "../../auth/_base64url.ts";
import type { Bytes } from "../../auth/_bytes.ts";
import { parseAttestationObject } from "../../auth/webauthn/_attestation_object.ts";
import {
  concat,
  type Encodable,
  encodeCbor,
  head,
  indefinite,
  raw,
  tagged,
  unsorted,
} from "../auth/webauthn/_cbor.ts";
import type { CeremonyResponse } from "../vectors/_webauthn.ts";
import {
  isBase64Url,
  mutateClientData,
  mutateJson,
  type Mutator,
  pick,
  type RandomNumbers,
  takeFromOther,
  withBytes,
} from "./_webauthn_json_mutants.ts";

/** One kind of change each. */
const MUTATORS: readonly Mutator[] = [
  mutateBytes,
  mutateBytes,
  mutateAuthenticatorData,
  mutateAuthenticatorData,
  mutateCbor,
  mutateClientData,
  mutateJson,
  takeFromOther,
];

/** A response that was changed once or twice. */
export function mutantOf(
  response: CeremonyResponse,
  others: readonly CeremonyResponse[],
  random: RandomNumbers,
): unknown {
  const changed = pick(MUTATORS, random)(response, random, others);
  const isOnce = random(4) > 0 || !isResponse(changed) || binaryMembers(changed).length === 0;
  return isOnce ? changed : mutateBytes(changed, random);
}

function isResponse(value: unknown): value is CeremonyResponse {
  const { response } = value as Partial<CeremonyResponse> ?? {};
  return typeof response === "object" && response !== null;
}

/** Bits and bytes of one member. */
function mutateBytes(response: CeremonyResponse, random: RandomNumbers): unknown {
  return withBytes(
    response,
    pick(binaryMembers(response), random),
    (bytes) => edited(bytes, random),
  );
}

/** The members that are base64url. */
function binaryMembers({ response }: CeremonyResponse): readonly string[] {
  const names = [
    "clientDataJSON",
    "attestationObject",
    "authenticatorData",
    "signature",
    "userHandle",
  ];
  // The browser's copy in a registration is not read
  const read = "attestationObject" in response
    ? names.filter((name) => name !== "authenticatorData")
    : names;
  return read.filter((name) => isBase64Url(response[name]));
}

/** Flips a bit, replaces, inserts, removes or repeats bytes, or cuts. */
function edited(bytes: Bytes, random: RandomNumbers): Bytes {
  const at = random(bytes.length + 1);
  const length = 1 + random(4);
  const noise = Uint8Array.from({ length }, () => random(256));
  const [before, after] = [bytes.slice(0, at), bytes.slice(at)];
  switch (random(6)) {
    case 0:
      return concat(before, noise, after);
    case 1:
      return concat(before, after.slice(length));
    case 2:
      return before;
    case 3:
      return concat(before, after.slice(0, length), after);
    case 4:
      return concat(before, noise, after.slice(length));
  }
  const flipped = bytes.slice();
  if (at < bytes.length) flipped[at] = (flipped[at] ?? 0) ^ 1 << random(8);
  return flipped;
}

/** Parts of authenticator data: flags, counter, aaguid, the id and its length, the key, and what follows. */
const PARTS: readonly (readonly [from: number, to: number])[] = [
  [0, 32],
  [32, 33],
  [32, 33],
  [32, 33],
  [33, 37],
  [37, 53],
  [53, 55],
  [55, 87],
  [87, 400],
];

/** The 37 bytes that are always there, with AT clear. */
function withoutCredential(bytes: Bytes): Bytes {
  const header = bytes.slice(0, 37);
  header[32] = (header[32] ?? 0) & ~0x40;
  return header;
}

/** One part of the authenticator data, wherever it is; with its id, sometimes, that of the JSON. */
function mutateAuthenticatorData(response: CeremonyResponse, random: RandomNumbers): unknown {
  const [from, to] = pick(PARTS, random);
  const mutate = (bytes: Bytes): Bytes => {
    if (random(8) === 0) return edited(bytes, random);
    if (random(16) === 0) return withoutCredential(bytes);
    const part = bytes.slice(from, Math.min(to, bytes.length));
    if (part.length === 0) return concat(bytes, Uint8Array.of(random(256)));
    const at = random(part.length);
    part[at] = random(2) === 0 ? random(256) : (part[at] ?? 0) ^ 1 << random(8);
    return concat(bytes.slice(0, from), part, bytes.slice(from + part.length));
  };
  if (response.response["attestationObject"] === undefined) {
    return withBytes(response, "authenticatorData", mutate);
  }
  let id = response.id;
  const changed = withBytes(response, "attestationObject", (object) => {
    const { fmt, statement, authData } = parseAttestationObject(object);
    const next = mutate(authData);
    const length = (next[53] ?? 0) << 8 | (next[54] ?? 0);
    if (random(2) === 0) id = encodeBase64Url(next.slice(55, 55 + length));
    return encodeCbor(membersOf(fmt, statement as Encodable, next));
  });
  return { ...changed, id, rawId: id };
}

function membersOf(
  fmt: string,
  attStmt: Encodable,
  authData: Encodable,
): Map<Encodable, Encodable> {
  return new Map<Encodable, Encodable>([["fmt", fmt], ["attStmt", attStmt], [
    "authData",
    authData,
  ]]);
}

/** Values that a member may be replaced with. */
const ITEMS: readonly Encodable[] = [
  ...[0, -1, 2 ** 40, "", "none", "packed", "tpm", true, false, null, []],
  ...[
    new Uint8Array(),
    new Uint8Array(37),
    new Map(),
    new Map<Encodable, Encodable>([["alg", -7]]),
  ],
  ...[raw("f97e00"), raw("f7"), raw("fb7ff8000000000000"), raw("1800"), raw("5f4100ff"), raw("ff")],
  ...[raw("9b7fffffffffffffff"), raw("bb7fffffffffffffff"), raw("7b001fffffffffffff"), raw("1c")],
  ...[raw("81".repeat(6) + "80"), tagged(24, new Uint8Array(3)), raw("3bffffffffffffffff")],
];

type Entry = readonly [Encodable, Encodable];

/** Entries of the attestation object, of its statement, or of the key. */
function mutateCbor(response: CeremonyResponse, random: RandomNumbers): unknown {
  if (response.response["attestationObject"] === undefined) return mutateBytes(response, random);
  return withBytes(response, "attestationObject", (object) => {
    const { fmt, statement, authData } = parseAttestationObject(object);
    const entries = [...membersOf(fmt, statement as Encodable, authData)];
    if (random(2) === 0) return encodeCbor(mutateEntries(entries, random));
    const changed = mutateEntries([...statement] as readonly Entry[], random);
    return encodeCbor(membersOf(fmt, changed, authData));
  });
}

function mutateEntries(given: readonly Entry[], random: RandomNumbers): Encodable {
  const entries = [...given];
  const at = random(entries.length + 1);
  const [key, value] = entries[at] ?? ["x", 1];
  switch (random(8)) {
    case 0:
      entries.splice(at, 1);
      break;
    case 1:
      entries.push([key, value]);
      break;
    case 2:
      entries[at] = [pick(ITEMS, random), value];
      break;
    case 3:
      entries.reverse();
      break;
    case 4:
      return tagged(random(60_000), unsorted(entries));
    case 5:
      return indefinite(5, entries.flat());
    case 6:
      return raw(concat(head(5, entries.length, 1), ...entries.flat().map(encodeCbor)));
    default:
      entries[at] = [key, pick(ITEMS, random)];
  }
  return unsorted(entries);
}
