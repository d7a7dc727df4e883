/**
 * Changes of the client data, from the catalogue of attacks, which end alike in registrations and sign-ins.
 *
 * @module
 */

import { encodeBase64Url } from "../../../auth/_base64url.ts";
import type { CeremonyChange } from "./_authenticator.ts";
import { concat } from "./_cbor.ts";
import type { ChangedCeremony } from "./_changed_ceremony.ts";

/** A ceremony, and its section of the standard. */
type Section = "§7.1" | "§7.2";

/** A row for both ceremonies, with the step that SimpleWebAuthn leaves out in each. */
interface Row extends Omit<ChangedCeremony<CeremonyChange>, "differs"> {
  readonly differs?: string | Partial<Record<Section, string>>;
}

const FRAMED = { crossOrigin: true, topOrigin: "https://evil.example" };
const OTHER = encodeBase64Url(new Uint8Array(32).fill(9));

/** Each row once. */
const ROWS: readonly Row[] = [
  ...[
    "https://example.com.evil.example",
    "https://example.com:8443",
    "http://example.com",
    "https://example.com/",
    "HTTPS://EXAMPLE.COM",
    "https://user.example.com",
    "https://evil.example",
    "android:apk-key-hash:evil",
    "file://",
    "null",
    "",
  ].map((origin): Row => ({
    why: `origin "${origin}"`,
    change: { clientData: { origin } },
    ends: "origin_unexpected",
  })),
  {
    why: "two origins, the evil one first",
    change: { clientDataBytes: (text) => text.replace("{", '{"origin":"https://evil.example",') },
    ends: "client_data_malformed",
    differs: "RFC 8259 §4 leaves open which of two is meant",
  },
  {
    why: "a frame, of whose page the browser says nothing",
    change: { clientData: { crossOrigin: true } },
    ends: "cross_origin",
    differs: { "§7.1": "step 10", "§7.2": "step 13" },
  },
  {
    why: "such a frame, which is allowed",
    change: { clientData: { crossOrigin: true } },
    config: { insecureMissingTopOrigin: true },
    ends: "accept",
  },
  {
    why: "a frame in another site's page",
    change: { clientData: FRAMED },
    ends: "cross_origin",
    differs: { "§7.1": "step 11" },
  },
  {
    why: "a frame in a page that is not the trusted one",
    change: { clientData: FRAMED },
    config: { topOrigins: ["https://shop.example"] },
    ends: "top_origin_unexpected",
    differs: { "§7.1": "step 11" },
  },
  {
    why: "a frame in the trusted page",
    change: { clientData: FRAMED },
    config: { topOrigins: [FRAMED.topOrigin] },
    ends: "accept",
  },
  {
    why: "topOrigin without a frame",
    change: { clientData: { topOrigin: FRAMED.topOrigin } },
    config: { topOrigins: [FRAMED.topOrigin] },
    ends: "client_data_malformed",
    differs: { "§7.1": "§5.8.1: topOrigin is set only if crossOrigin is true" },
  },
  {
    why: "crossOrigin as text",
    change: { clientData: { crossOrigin: "false" } },
    ends: "cross_origin",
    differs: "§5.8.1: crossOrigin is a boolean",
  },
  { why: "type of a payment", change: { clientData: { type: "payment.get" } }, ends: "type_wrong" },
  {
    why: "another challenge",
    change: { clientData: { challenge: OTHER } },
    ends: "challenge_unknown",
  },
  {
    why: "unknown members and tokenBinding",
    change: { clientData: { tokenBinding: { status: "supported" }, future: [1] } },
    ends: "accept",
  },
  {
    why: "a byte order mark",
    change: { clientDataBytes: (text) => `\ufeff${text}` },
    ends: "accept",
  },
  {
    why: "client data that is not UTF-8",
    change: {
      clientDataBytes: (text) =>
        concat(
          new TextEncoder().encode(text.replace(/\}$/, ',"x":"')),
          Uint8Array.of(0xff, 0x22, 0x7d),
        ),
    },
    ends: "client_data_malformed",
    differs: "stricter than UTF-8 decode, which replaces what it cannot read",
  },
  ...["type", "challenge", "origin"].map((name): Row => ({
    why: `client data without ${name}`,
    change: { clientData: { [name]: undefined } },
    ends: "client_data_malformed",
  })),
  {
    why: "client data of 9 kB",
    change: { clientData: { future: "x".repeat(9_000) } },
    ends: "client_data_malformed",
    differs: "stricter than §5.8.1: a limit of size",
  },
  {
    why: "client data nested ten times",
    change: { clientData: { future: JSON.parse("[".repeat(9) + "]".repeat(9)) } },
    ends: "client_data_malformed",
    differs: "stricter than §5.8.1: a limit of depth",
  },
  {
    why: "client data that is an array",
    change: { clientDataBytes: () => "[]" },
    ends: "client_data_malformed",
  },
  {
    why: "another browser than the one that asked",
    browser: "a digest of another cookie",
    ends: "challenge_foreign",
    differs: "§13.4.3, login CSRF: left to the caller",
  },
  {
    why: "a challenge that has expired",
    between: ({ clock }) => void (clock.now += 301),
    ends: "challenge_unknown",
    differs: "§13.4.3: left to the caller",
  },
];

/** The rows for one ceremony. */
export function changedClientData(section: Section): readonly ChangedCeremony<CeremonyChange>[] {
  return ROWS.map(({ differs, ...row }) => {
    const step = typeof differs === "string" ? differs : differs?.[section];
    return { ...row, ...(step === undefined ? {} : { differs: step }) };
  });
}
