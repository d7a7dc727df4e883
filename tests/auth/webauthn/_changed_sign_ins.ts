/**
 * Sign-ins that are changed in one thing, from the catalogue of attacks. The passkey was registered with the counter 5.
 *
 * @module
 */

import { encodeBase64Url } from "../../../auth/_base64url.ts";
import type { AuthenticatorCredential, GetChange, ResponseJson } from "./_authenticator.ts";
import { concat, encodeCbor } from "./_cbor.ts";
import { changedClientData } from "./_changed_client_data.ts";
import { BROWSER, type ChangedCeremony, type People } from "./_changed_ceremony.ts";

const BYTE = Uint8Array.of(0);
const OTHER_ID = encodeBase64Url(new Uint8Array(32).fill(9));

function sent(edit: (response: ResponseJson) => unknown): GetChange {
  return { json: edit };
}

/** A member of the response that the page changes. */
function withMember(name: string, edit: (value: string) => unknown): GetChange {
  return sent(({ response, ...rest }) => ({
    ...rest,
    response: { ...response, [name]: edit(String(response[name])) },
  }));
}

/** What eve's passkey signs, with whatever is claimed about it. */
function byEve(change: GetChange) {
  return ({ eve }: People): GetChange => {
    const [credential] = eve.credentials;
    return credential === undefined ? change : { credential, ...change };
  };
}

/** Attested credential data, §6.5.1, which an assertion normally lacks. */
function withCredential(credential: AuthenticatorCredential | undefined): GetChange {
  if (credential === undefined) return {};
  const { id, key } = credential;
  const attested = [new Uint8Array(16), Uint8Array.of(0, id.length), id, encodeCbor(key.cose)];
  return { flags: { at: true }, authData: (bytes) => concat(bytes, ...attested) };
}

async function disableAda({ stores: { users } }: People): Promise<void> {
  const { version = "" } = await users.findBySub("ada") ?? {};
  await users.update("ada", version, { securityStamp: "new", disabled: true });
}

/** Each row once. */
export const CHANGED_SIGN_INS: readonly ChangedCeremony<GetChange>[] = [
  { why: "nothing", ends: "accept" },
  { why: "nothing, to a user who was named", identifier: "ada", ends: "accept" },
  ...changedClientData("§7.2"),
  {
    why: "type of a registration",
    change: { clientData: { type: "webauthn.create" } },
    ends: "type_wrong",
  },
  {
    why: "a challenge that was used, by an authenticator that does not count",
    registered: { counter: 0 },
    change: { counter: 0 },
    between: ({ service }, response) =>
      service.verifyAuthentication(response, { browser: BROWSER }),
    ends: "challenge_unknown",
    differs: "§13.4.3: left to the caller",
  },
  {
    why: "a user who was disabled meanwhile",
    between: disableAda,
    ends: "user_disabled",
    differs: "§7.2 step 6: left to the caller",
  },

  { why: "RP ID of another domain", change: { rpId: "evil.example" }, ends: "rp_id_mismatch" },
  { why: "UP clear", change: { flags: { up: false } }, ends: "user_absent" },
  { why: "UV clear", change: { flags: { uv: false } }, ends: "user_unverified" },
  {
    why: "UV clear, preferred",
    change: { flags: { uv: false } },
    config: { userVerification: "preferred" },
    ends: "accept",
  },
  { why: "BS without BE", change: { flags: { be: false } }, ends: "backup_flags_invalid" },
  {
    why: "BE clear, and it was set",
    change: { flags: { be: false, bs: false } },
    ends: "backup_eligibility_changed",
    differs: "§7.2 step 19",
  },
  {
    why: "BE set, and it was clear",
    registered: { flags: { be: false, bs: false } },
    change: { flags: { be: true } },
    ends: "backup_eligibility_changed",
    differs: "§7.2 step 19",
  },
  { why: "BS clear, and it was set", change: { flags: { bs: false } }, ends: "accept" },
  {
    why: "BS set, and it was clear",
    registered: { flags: { bs: false } },
    change: { flags: { bs: true } },
    ends: "accept",
  },
  { why: "reserved flags", change: { flags: { rfu1: true, rfu2: true } }, ends: "accept" },
  {
    why: "AT set without data",
    change: { flags: { at: true } },
    ends: "authenticator_data_malformed",
  },
  {
    why: "the passkey itself in the authenticator data",
    change: ({ ada }) => withCredential(ada.credentials[0]),
    ends: "accept",
  },
  {
    why: "eve's passkey in the authenticator data",
    change: ({ eve }) => withCredential(eve.credentials[0]),
    ends: "authenticator_data_malformed",
    differs: "stricter than §7.2, which reads no credential from an assertion",
  },
  {
    why: "ED set without data",
    change: { flags: { ed: true } },
    ends: "authenticator_data_malformed",
  },
  {
    why: "extension outputs",
    change: { extensions: new Map([["uvm", [[2, 4, 2]]]]) },
    ends: "accept",
  },
  {
    why: "a byte after the authenticator data",
    change: { authData: (bytes) => concat(bytes, BYTE) },
    ends: "authenticator_data_malformed",
  },

  { why: "the counter that is stored", change: { counter: 5 }, ends: "counter_regressed" },
  { why: "a lower counter", change: { counter: 4 }, ends: "counter_regressed" },
  { why: "counter 0 after 5", change: { counter: 0 }, ends: "counter_regressed" },
  { why: "counter 0 after 0", registered: { counter: 0 }, change: { counter: 0 }, ends: "accept" },
  { why: "the highest counter", change: { counter: 2 ** 32 - 1 }, ends: "accept" },
  {
    why: "counter 0 after the highest",
    registered: { counter: 2 ** 32 - 1 },
    change: { counter: 0 },
    ends: "counter_regressed",
  },

  { why: "an id that no record has", change: { id: OTHER_ID }, ends: "credential_unknown" },
  {
    why: "eve's passkey with ada's id and user",
    change: (people) => ({
      ...byEve({})(people),
      id: encodeBase64Url(people.ada.credentials[0]?.id ?? BYTE),
      userHandle: people.ada.credentials[0]?.userHandle,
    }),
    ends: "signature_invalid",
  },
  {
    why: "eve's passkey with ada as user",
    change: (people) => byEve({ userHandle: people.ada.credentials[0]?.userHandle })(people),
    ends: "user_handle_mismatch",
    differs: "§7.2 step 6",
  },
  {
    why: "eve's passkey where ada was named",
    change: byEve({}),
    identifier: "ada",
    ends: "credential_not_allowed",
    differs: "§7.2 steps 5 and 6",
  },
  {
    why: "no user handle, and nobody was named",
    change: {
      json: ({ response: { userHandle: _, ...response }, ...rest }) => ({ ...rest, response }),
    },
    ends: "user_handle_missing",
    differs: "§7.2 step 6",
  },
  {
    why: "no user handle, and ada was named",
    change: {
      json: ({ response: { userHandle: _, ...response }, ...rest }) => ({ ...rest, response }),
    },
    identifier: "ada",
    ends: "accept",
  },
  {
    why: "a user handle of null where ada was named",
    change: { userHandle: null },
    identifier: "ada",
    ends: "accept",
  },
  { why: "another rawId than id", change: { rawId: OTHER_ID }, ends: "response_malformed" },
  {
    why: "another type of credential",
    change: sent((response) => ({ ...response, type: "password" })),
    ends: "response_malformed",
  },
  {
    why: "authenticator data with padding",
    change: withMember("authenticatorData", (text) => `${text}==`),
    ends: "response_malformed",
    differs: "§3: Base64url Encoding has no padding",
  },
  {
    why: "authenticator data as bytes",
    change: withMember("authenticatorData", () => [1, 2]),
    ends: "response_malformed",
  },
  {
    why: "a registration",
    change: sent(({ response: { clientDataJSON }, ...rest }) => ({
      ...rest,
      response: { clientDataJSON, attestationObject: "oA" },
    })),
    ends: "response_malformed",
  },
];
