/**
 * Changed sign-ins that are not compared with another library.
 *
 * @module
 */

import type { GetChange } from "./_authenticator.ts";
import { concat, type Encodable, encodeCbor } from "./_cbor.ts";
import { BROWSER, type ChangedCeremony } from "./_changed_ceremony.ts";
import { both, long, update } from "./_own_ceremonies.ts";

const BYTE = Uint8Array.of(0);

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
export const OWN_SIGN_INS: readonly ChangedCeremony<GetChange>[] = [
  ...both(["clientDataJSON", "authenticatorData", "signature"]),
  {
    why: "authenticator data of 36 bytes",
    change: { authData: (bytes) => bytes.slice(0, 36) },
    ends: "authenticator_data_malformed",
  },
  {
    why: "extension outputs with numbers as names",
    change: { extensions: new Map([[1, 2]]) },
    ends: "authenticator_data_malformed",
  },
  {
    why: "crossOrigin as text",
    change: { clientData: { crossOrigin: "false" } },
    ends: "cross_origin",
  },
  {
    why: "a byte order mark",
    change: { clientDataBytes: (text) => `\ufeff${text}` },
    ends: "accept",
  },
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
