/**
 * Changed ceremonies that another library cannot be asked about: they are about our records, our limits and our hook.
 *
 * @module
 */

import type { UserPatch } from "../../auth/stores/types.ts";
import { attester, type CreateChange, type GetChange } from "../auth/webauthn/_authenticator.ts";
import { concat, type Encodable, encodeCbor } from "../auth/webauthn/_cbor.ts";
import { BROWSER, type ChangedCeremony, type People } from "./_changed_ceremony.ts";

const BYTE = Uint8Array.of(0);

/** A statement with certificates, which a hook judges. */
const CERTIFIED: CreateChange = {
  attester: attester(
    "packed",
    new Map<Encodable, Encodable>([["alg", -7], ["sig", BYTE], ["x5c", [BYTE]]]),
  ),
};

/** Client data with a value that is nested to a depth, the object included. */
function nested(depth: number): CreateChange & GetChange {
  const value = "[".repeat(depth - 1) + "]".repeat(depth - 1);
  return { clientDataBytes: (text) => text.replace(/\}$/, `,"x":${value}}`) };
}

/** Client data of a length. */
function long(length: number): CreateChange & GetChange {
  return { clientDataBytes: (text) => text.padEnd(length) };
}

function update(patch: UserPatch) {
  return async ({ stores: { users } }: People): Promise<void> => {
    const { version = "" } = await users.findBySub("ada") ?? {};
    await users.update("ada", version, patch);
  };
}

/** Attested credential data with a key, which a sign-in normally lacks. */
function attested(id: Uint8Array): Uint8Array<ArrayBuffer> {
  const key = new Map<Encodable, Encodable>([[1, 2]]);
  return concat(
    new Uint8Array(16),
    Uint8Array.of(0, id.length),
    Uint8Array.from(id),
    encodeCbor(key),
  );
}

/** Each row once. */
export const OWN_REGISTRATIONS: readonly ChangedCeremony<CreateChange>[] = [
  { why: "client data of 8 KiB", change: long(8_192), ends: "accept" },
  { why: "client data that is a byte longer", change: long(8_193), ends: "client_data_malformed" },
  { why: "client data of eight levels", change: nested(8), ends: "accept" },
  { why: "client data of nine levels", change: nested(9), ends: "client_data_malformed" },
  ...["type", "challenge", "origin"].flatMap((name): readonly ChangedCeremony<CreateChange>[] => [
    {
      why: `client data without ${name}`,
      change: { clientData: { [name]: undefined } },
      ends: "client_data_malformed",
    },
    {
      why: `client data with ${name} as an array`,
      change: { clientData: { [name]: ["x"] } },
      ends: "client_data_malformed",
    },
    {
      why: `two members ${name}`,
      change: { clientDataBytes: (text) => text.replace("{", `{"${name}":"x",`) },
      ends: "client_data_malformed",
    },
  ]),
  {
    why: "crossOrigin of null",
    change: { clientData: { crossOrigin: null } },
    ends: "cross_origin",
  },
  {
    why: "topOrigin as an array with the trusted one",
    change: { clientData: { crossOrigin: true, topOrigin: ["https://shop.example"] } },
    config: { topOrigins: ["https://shop.example"] },
    ends: "top_origin_unexpected",
  },
  {
    why: "a frame in another page, where frames of unknown pages are accepted",
    change: { clientData: { crossOrigin: true, topOrigin: "https://evil.example" } },
    config: { insecureMissingTopOrigin: true },
    ends: "cross_origin",
  },
  {
    why: "the origin of an Android app that is trusted",
    change: { clientData: { origin: "android:apk-key-hash:Zm9v-_" } },
    config: { origins: ["https://example.com", "android:apk-key-hash:Zm9v-_"] },
    ends: "accept",
  },
  {
    why: "a signature beside the attestation object",
    change: {
      json: ({ response, ...rest }) => ({ ...rest, response: { ...response, signature: "AA" } }),
    },
    ends: "response_malformed",
  },
  ...[null, [], "x", 5, undefined].map((body): ChangedCeremony<CreateChange> => ({
    why: `a response that is ${JSON.stringify(body)}`,
    change: { json: () => body },
    ends: "response_malformed",
  })),
  {
    why: "an empty id",
    change: { id: "" },
    ends: "response_malformed",
  },
  {
    why: "a response member that is an array",
    change: { json: (given) => ({ ...given, response: [given.response] }) },
    ends: "response_malformed",
  },
  {
    why: "a credential id without bytes",
    change: { credentialId: new Uint8Array(), id: "AA" },
    ends: "authenticator_data_malformed",
  },
  {
    why: "a credential id that is longer than the rest",
    change: { authData: (bytes) => bytes.with(53, 0xff) },
    ends: "authenticator_data_malformed",
  },
  {
    why: "a format of 33 characters",
    change: { attester: attester("x".repeat(33), new Map()) },
    ends: "attestation_malformed",
  },
  {
    why: "certificates that the hook trusts",
    change: CERTIFIED,
    config: { attestation: "direct", verifyAttestation: () => ({ trusted: true }) },
    ends: "accept",
  },
  {
    why: "certificates that the hook does not trust",
    change: CERTIFIED,
    config: { verifyAttestation: () => ({ trusted: false, reason: "unknown root" }) },
    ends: "attestation_untrusted",
  },
  ...[undefined, null, true, {}, { trusted: "yes" }, { trusted: 1 }].map(
    (verdict): ChangedCeremony<CreateChange> => ({
      why: `certificates for which the hook returns ${JSON.stringify(verdict)}`,
      change: CERTIFIED,
      config: { verifyAttestation: () => verdict as never },
      ends: "attestation_untrusted",
    }),
  ),
  {
    why: "none with a statement, which a hook would trust",
    change: { attester: attester("none", new Map([["a", 1]])) },
    config: { verifyAttestation: () => ({ trusted: true }) },
    ends: "attestation_invalid",
  },
  {
    why: "a user whose stamp changed meanwhile",
    between: update({ securityStamp: "new" }),
    ends: "user_changed",
  },
  {
    why: "a user who was disabled meanwhile",
    between: update({ securityStamp: "ada", disabled: true }),
    ends: "user_changed",
  },
  {
    why: "a user who was deleted meanwhile",
    between: ({ stores }) => stores.users.delete("ada"),
    ends: "user_changed",
  },
  {
    why: "the credential id of the user's own passkey",
    change: { credentialId: new Uint8Array(32).fill(4) },
    async between({ service, eve }) {
      const options = await service.registrationOptions("ada", { browser: BROWSER });
      const response = await eve.create(options, { credentialId: new Uint8Array(32).fill(4) });
      await service.verifyRegistration(response, { browser: BROWSER, sub: "ada" });
    },
    ends: "credential_taken",
  },
];

/** Each row once. */
export const OWN_SIGN_INS: readonly ChangedCeremony<GetChange>[] = [
  { why: "client data that is too long", change: long(8_193), ends: "client_data_malformed" },
  {
    why: "two origins",
    change: {
      clientDataBytes: (text) => text.replace("{", '{"origin":"https://evil.example",'),
    },
    ends: "client_data_malformed",
  },
  {
    why: "the user handle in another encoding",
    change: { userHandle: "AA==" },
    ends: "response_malformed",
  },
  { why: "an empty user handle", change: { userHandle: "" }, ends: "user_handle_mismatch" },
  {
    why: "another user handle where ada was named",
    change: { userHandle: "AA" },
    identifier: "ada",
    ends: "user_handle_mismatch",
  },
  {
    why: "ada's passkey where an unknown identifier was named",
    change: ({ ada: { credentials: [credential] } }) =>
      credential === undefined ? {} : { credential },
    identifier: "nobody",
    ends: "credential_not_allowed",
  },
  {
    why: "an id that no record has, where ada was named: a decoy's",
    change: { id: "AAAA" },
    identifier: "ada",
    ends: "credential_unknown",
  },
  {
    why: "the credential that signs in the authenticator data",
    change: ({ ada: { credentials: [credential] } }) => ({
      flags: { at: true },
      authData: (bytes) => concat(bytes, attested(credential?.id ?? BYTE)),
    }),
    ends: "accept",
  },
  {
    why: "another credential in the authenticator data",
    change: { flags: { at: true }, authData: (bytes) => concat(bytes, attested(BYTE)) },
    ends: "authenticator_data_malformed",
  },
  {
    why: "a passkey that was removed meanwhile",
    async between({ ada, stores: { credentials } }) {
      const [passkey] = await credentials.list("ada");
      if (ada.credentials.length === 1) await credentials.delete(passkey?.id ?? "");
    },
    ends: "credential_unknown",
  },
  {
    why: "a passkey whose removal was interrupted",
    async between(people) {
      const [passkey] = await people.stores.credentials.list("ada");
      await update({ pendingRemoval: passkey?.id ?? "" })(people);
    },
    ends: "credential_unknown",
  },
  {
    why: "a passkey whose user was deleted",
    between: ({ stores }) => stores.users.delete("ada"),
    ends: "user_disabled",
  },
  {
    why: "a clone that signed in first",
    change: { counter: 6 },
    async between({ ada, service }) {
      const options = await service.authenticationOptions({ browser: BROWSER });
      const response = await ada.get(options, { counter: 7 });
      await service.verifyAuthentication(response, { browser: BROWSER });
    },
    ends: "counter_regressed",
  },
];
