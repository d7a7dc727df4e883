/**
 * Changed registrations that are not compared with another library.
 *
 * @module
 */

import { attester, type CreateChange } from "./_authenticator.ts";
import type { Encodable } from "./_cbor.ts";
import { BROWSER, type ChangedCeremony } from "./_changed_ceremony.ts";
import { both, long, nested, update } from "./_own_ceremonies.ts";

const BYTE = Uint8Array.of(0);

/** A statement with certificates, which a hook judges. */
const CERTIFIED: CreateChange = {
  attester: attester(
    "packed",
    new Map<Encodable, Encodable>([["alg", -7], ["sig", BYTE], ["x5c", [BYTE]]]),
  ),
};

/** Each row once. */
export const OWN_REGISTRATIONS: readonly ChangedCeremony<CreateChange>[] = [
  ...both(["clientDataJSON", "attestationObject"]),
  { why: "client data of 8 KiB", change: long(8_192), ends: "accept" },
  { why: "client data that is a byte longer", change: long(8_193), ends: "client_data_malformed" },
  { why: "client data of eight levels", change: nested(8), ends: "accept" },
  { why: "client data of nine levels", change: nested(9), ends: "client_data_malformed" },
  ...["type", "challenge", "origin"].flatMap((name): readonly ChangedCeremony<CreateChange>[] => [
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
  ...["constructor", "toString", "__proto__"].map((fmt): ChangedCeremony<CreateChange> => ({
    why: `the format ${fmt}, which every object has`,
    change: { attester: attester(fmt, new Map()) },
    ends: "attestation_unsupported",
  })),
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
