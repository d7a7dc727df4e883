/**
 * Registrations that are changed in one thing, from the catalogue of attacks. Those of the attestation object are beside.
 *
 * @module
 */

import { encodeBase64Url } from "../../../auth/_base64url.ts";
import { type CreateChange, type ResponseJson, selfAttester } from "./_authenticator.ts";
import { concat } from "./_cbor.ts";
import { changedClientData } from "./_changed_client_data.ts";
import { BROWSER, type ChangedCeremony } from "./_changed_ceremony.ts";

const BYTE = Uint8Array.of(0);
const SHARED_ID = new Uint8Array(32).fill(3);
const ID_1024 = new Uint8Array(1_024).fill(7);
const OTHER_ID = encodeBase64Url(new Uint8Array(32).fill(9));

/** A JSON member that the page changes after the ceremony. */
function sent(edit: (response: ResponseJson) => unknown): CreateChange {
  return { json: edit };
}

/** Each row once. */
export const CHANGED_REGISTRATIONS: readonly ChangedCeremony<CreateChange>[] = [
  { why: "nothing", ends: "accept" },
  { why: "self attestation", change: { attester: selfAttester() }, ends: "accept" },
  ...changedClientData("§7.1"),
  {
    why: "type of a sign-in",
    change: { clientData: { type: "webauthn.get" } },
    ends: "type_wrong",
  },
  {
    why: "a challenge that was used",
    between: ({ service }, response) =>
      service.verifyRegistration(response, { browser: BROWSER, sub: "ada" }),
    ends: "challenge_unknown",
    differs: "§13.4.3: left to the caller",
  },
  {
    why: "the credential id of another user's passkey",
    change: { credentialId: SHARED_ID },
    async between({ service, eve }) {
      const options = await service.registrationOptions("eve", { browser: BROWSER });
      const response = await eve.create(options, { credentialId: SHARED_ID });
      await service.verifyRegistration(response, { browser: BROWSER, sub: "eve" });
    },
    ends: "credential_taken",
    differs: "§7.1 step 26: left to the caller",
  },

  { why: "RP ID of another domain", change: { rpId: "evil.example" }, ends: "rp_id_mismatch" },
  { why: "RP ID of a subdomain", change: { rpId: "a.example.com" }, ends: "rp_id_mismatch" },
  { why: "UP clear", change: { flags: { up: false } }, ends: "user_absent" },
  {
    why: "UP and UV clear, by conditional create",
    change: { flags: { up: false, uv: false } },
    conditional: true,
    ends: "accept",
  },
  { why: "UV clear", change: { flags: { uv: false } }, ends: "user_unverified" },
  {
    why: "UV clear, preferred",
    change: { flags: { uv: false } },
    config: { userVerification: "preferred" },
    ends: "accept",
  },
  { why: "BS without BE", change: { flags: { be: false } }, ends: "backup_flags_invalid" },
  { why: "neither BE nor BS", change: { flags: { be: false, bs: false } }, ends: "accept" },
  { why: "reserved flags", change: { flags: { rfu1: true, rfu2: true } }, ends: "accept" },
  { why: "AT clear", change: { flags: { at: false } }, ends: "authenticator_data_malformed" },
  {
    why: "ED set without data",
    change: { flags: { ed: true } },
    ends: "authenticator_data_malformed",
  },
  {
    why: "extension outputs",
    change: { extensions: new Map([["credProtect", 2]]) },
    ends: "accept",
  },
  {
    why: "extension outputs as an array",
    change: { extensions: ["credProtect"] },
    ends: "authenticator_data_malformed",
    differs: "§6.1: a CBOR map",
  },
  {
    why: "extension outputs with numbers as names",
    change: { extensions: new Map([[1, 2]]) },
    ends: "authenticator_data_malformed",
    differs: "§9.1: extension identifiers are strings",
  },
  {
    why: "a byte after the authenticator data",
    change: { authData: (bytes) => concat(bytes, BYTE) },
    ends: "authenticator_data_malformed",
  },
  {
    why: "no credential in the authenticator data",
    change: { flags: { at: false }, authData: (bytes) => bytes.slice(0, 37) },
    ends: "authenticator_data_malformed",
  },
  {
    why: "authenticator data of 36 bytes",
    change: { authData: (bytes) => bytes.slice(0, 36) },
    ends: "authenticator_data_malformed",
  },

  {
    why: "a credential id of 1,024 bytes",
    change: { credentialId: ID_1024 },
    ends: "credential_id_invalid",
    differs: "§7.1 step 25",
  },
  {
    why: "a credential id of 1,023 bytes",
    change: { credentialId: ID_1024.slice(1) },
    ends: "accept",
  },
  {
    why: "another id in the JSON than in the authenticator data",
    change: { id: OTHER_ID },
    ends: "credential_id_invalid",
    differs: "§5.1: id and rawId are [[identifier]], §5.1.3 its value is credentialId",
  },
  { why: "another rawId than id", change: { rawId: OTHER_ID }, ends: "response_malformed" },
  {
    why: "id with padding",
    change: sent((response) => ({ ...response, id: `${response.id}=`, rawId: `${response.id}=` })),
    ends: "response_malformed",
    differs: "§5.1, §3: Base64url Encoding has no padding",
  },
  {
    why: "another type of credential",
    change: sent((response) => ({ ...response, type: "password" })),
    ends: "response_malformed",
  },
  {
    why: "a registration with a signature",
    change: sent(({ response, ...rest }) => ({
      ...rest,
      response: { ...response, signature: "AA" },
    })),
    ends: "response_malformed",
    differs: "§7.1 step 3: AuthenticatorAttestationResponse has none",
  },
  {
    why: "an assertion",
    change: sent(({ response: { clientDataJSON, authenticatorData }, ...rest }) => ({
      ...rest,
      response: { clientDataJSON, authenticatorData, signature: "AAAA" },
    })),
    ends: "response_malformed",
  },
  {
    why: "transports that are markup, and extension results with secrets",
    change: {
      transports: ["<script>alert(1)</script>", 5, "x".repeat(5_000)],
      clientExtensionResults: { prf: { results: { first: "c2VjcmV0" } } },
    },
    ends: "accept",
  },
];
