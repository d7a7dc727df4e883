/** Client data and origins: WebAuthn Level 3 §5.8.1, §7.1 steps 5 to 11, §7.2 steps 8 to 14. */

import { assertEquals, assertThrows } from "@std/assert";
import { type Bytes, utf8 } from "../../../auth/_bytes.ts";
import type { WebAuthnFailure } from "../../../auth/events.ts";
import {
  checkOrigin,
  type ClientData,
  parseClientData,
  type TrustedOrigins,
} from "../../../auth/webauthn/_client_data.ts";
import { CeremonyError } from "../../../auth/webauthn/_failure.ts";
import { concat } from "./_cbor.ts";

const ORIGIN = "https://app.example";
const MEMBERS = { type: "webauthn.get", challenge: "AAECAw", origin: ORIGIN };
const PARSED: ClientData = { ...MEMBERS, crossOrigin: undefined, topOrigin: undefined };
const JSON_TEXT = JSON.stringify(MEMBERS);
const MARK = Uint8Array.of(0xef, 0xbb, 0xbf);

/** Client data of a length in bytes. */
function jsonOf(length: number): Bytes {
  const other = "x".repeat(length - JSON.stringify({ ...MEMBERS, other: "" }).length);
  return utf8(JSON.stringify({ ...MEMBERS, other }));
}

/** Client data with arrays in arrays, the object itself counted as a level. */
function nested(levels: number): string {
  return JSON_TEXT.replace("{", `{"other":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)},`);
}

/** [why, bytes, what differs] */
const ACCEPTED: readonly (readonly [string, Bytes, Partial<ClientData>?])[] = [
  ["the three members", utf8(JSON_TEXT)],
  [
    "members in another order",
    utf8(JSON.stringify(Object.fromEntries(Object.entries(MEMBERS).reverse()))),
  ],
  ["white space", utf8(JSON.stringify(MEMBERS, undefined, 2))],
  ["a byte order mark, which UTF-8 decode removes", concat(MARK, utf8(JSON_TEXT))],
  ["crossOrigin", utf8(JSON.stringify({ ...MEMBERS, crossOrigin: false })), { crossOrigin: false }],
  [
    "topOrigin",
    utf8(JSON.stringify({ ...MEMBERS, crossOrigin: true, topOrigin: "https://a.example" })),
    { crossOrigin: true, topOrigin: "https://a.example" },
  ],
  [
    "crossOrigin of another type, which is checked later",
    utf8(JSON.stringify({ ...MEMBERS, crossOrigin: null })),
    { crossOrigin: null },
  ],
  ["unknown members", utf8(JSON.stringify({ ...MEMBERS, other: [{ type: "x" }], extra: 1 }))],
  [
    "the member that Chromium adds",
    utf8(JSON.stringify({ ...MEMBERS, other_keys_can_be_added_here: "do not compare" })),
  ],
  [
    "tokenBinding of Level 2",
    utf8(JSON.stringify({ ...MEMBERS, tokenBinding: { status: "present", id: "x" } })),
  ],
  [
    "escaped characters",
    utf8(
      String
        .raw`{"type":"webauthn\u002eget","challenge":"AAECAw","origin":"https:\/\/app.example"}`,
    ),
  ],
  ["8 KiB", jsonOf(8_192)],
  ["8 levels", utf8(nested(8))],
  ["the same name in another object", utf8(JSON_TEXT.replace("{", '{"other":{"origin":"x"},'))],
];

for (const [why, bytes, differs] of ACCEPTED) {
  Deno.test(`parseClientData() accepts ${why}`, () => {
    assertEquals(parseClientData(bytes), { ...PARSED, ...differs });
  });
}

const without = (name: keyof typeof MEMBERS) => JSON.stringify({ ...MEMBERS, [name]: undefined });
const evil = '{"origin":"https://evil.example",';

/** [why, bytes or JSON] */
const REFUSED: readonly (readonly [string, Bytes | string])[] = [
  ["no bytes", ""],
  ["a byte order mark alone", MARK],
  ["two byte order marks", concat(MARK, MARK, utf8(JSON_TEXT))],
  ["a byte order mark at the end", concat(utf8(JSON_TEXT), MARK)],
  ["half a byte order mark", concat(MARK.subarray(0, 2), utf8(JSON_TEXT))],
  ["UTF-16", Uint8Array.from([...JSON_TEXT].flatMap((character) => [0, character.charCodeAt(0)]))],
  [
    "invalid UTF-8 in a string",
    concat(utf8(JSON_TEXT.slice(0, -2)), Uint8Array.of(0xff), utf8('"}')),
  ],
  [
    "an overlong character",
    concat(utf8(JSON_TEXT.slice(0, -2)), Uint8Array.of(0xc0, 0xaf), utf8('"}')),
  ],
  [
    "a surrogate in UTF-8",
    concat(utf8(JSON_TEXT.slice(0, -2)), Uint8Array.of(0xed, 0xa0, 0x80), utf8('"}')),
  ],
  ["invalid UTF-8 after the object", concat(utf8(JSON_TEXT), Uint8Array.of(0x80))],
  ["no JSON", "webauthn.get"],
  ["JSON cut by a byte", JSON_TEXT.slice(0, -1)],
  ["a second object", JSON_TEXT + JSON_TEXT],
  ["a null character after it", `${JSON_TEXT}\0`],
  ["a comment", `${JSON_TEXT}//`],
  ["an array", `[${JSON_TEXT}]`],
  ["a string with JSON in it", JSON.stringify(JSON_TEXT)],
  ["null", "null"],
  ["a number", "1"],
  ["two origins, the evil one first", JSON_TEXT.replace("{", evil)],
  ["two origins, the evil one last", JSON_TEXT.replace("}", ',"origin":"https://evil.example"}')],
  [
    "two origins, one escaped",
    JSON_TEXT.replace("{", String.raw`{"o\u0072igin":"https://evil.example",`),
  ],
  ["two types", JSON_TEXT.replace("{", '{"type":"webauthn.create",')],
  ["two challenges", JSON_TEXT.replace("{", '{"challenge":"AAECAw",')],
  ["a duplicate in an unknown member", JSON_TEXT.replace("{", '{"other":{"a":1,"a":2},')],
  ["__proto__", JSON_TEXT.replace("{", '{"__proto__":{"origin":"x"},')],
  ["no type", without("type")],
  ["no challenge", without("challenge")],
  ["no origin", without("origin")],
  ["a type that is not a string", JSON.stringify({ ...MEMBERS, type: ["webauthn.get"] })],
  ["a challenge that is not a string", JSON.stringify({ ...MEMBERS, challenge: 0 })],
  ["an origin that is null", JSON.stringify({ ...MEMBERS, origin: null })],
  ["an origin that is an array", JSON.stringify({ ...MEMBERS, origin: [ORIGIN] })],
  ["members in another object", JSON.stringify({ data: MEMBERS })],
  ["more than 8 KiB", jsonOf(8_193)],
  ["more than 8 KiB of white space", JSON_TEXT + " ".repeat(8_192)],
  ["9 levels", nested(9)],
  [
    "9 levels of objects",
    JSON_TEXT.replace("{", `{"other":${'{"a":'.repeat(8)}1${"}".repeat(8)},`),
  ],
  ["4,000 levels", nested(4_000)],
];

for (const [why, input] of REFUSED) {
  Deno.test(`parseClientData() refuses ${why}`, () => {
    const bytes = typeof input === "string" ? utf8(input) : input;
    const error = assertThrows(() => parseClientData(bytes), CeremonyError);
    assertEquals(error.reason, "client_data_malformed");
  });
}

const TOP = "https://shop.example";
const APK = "android:apk-key-hash:0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";
const OWN: TrustedOrigins = {
  origins: [ORIGIN, "http://localhost:8000", APK],
  topOrigins: [],
  insecureMissingTopOrigin: false,
};
const FRAMED: TrustedOrigins = { ...OWN, topOrigins: [TOP, "https://portal.example:8443"] };
const SAFARI: TrustedOrigins = { ...OWN, insecureMissingTopOrigin: true };
const BOTH: TrustedOrigins = { ...FRAMED, insecureMissingTopOrigin: true };

type Origins = Partial<Record<"origin" | "crossOrigin" | "topOrigin", unknown>>;

/** [why, client data, trusted origins, reason] */
const ORIGINS: readonly (readonly [string, Origins, TrustedOrigins, WebAuthnFailure?])[] = [
  ["an own origin", {}, OWN],
  ["another own origin", { origin: "http://localhost:8000" }, OWN],
  ["a native app that is listed", { origin: APK }, OWN],
  ["crossOrigin false", { crossOrigin: false }, OWN],

  ["another origin", { origin: "https://evil.example" }, OWN, "origin_unexpected"],
  ["http for https (CVE-2026-30964)", { origin: "http://app.example" }, OWN, "origin_unexpected"],
  ["another port (CVE-2026-30964)", { origin: `${ORIGIN}:8443` }, OWN, "origin_unexpected"],
  ["the default port", { origin: `${ORIGIN}:443` }, OWN, "origin_unexpected"],
  ["no port", { origin: "http://localhost" }, OWN, "origin_unexpected"],
  ["https for http", { origin: "https://localhost:8000" }, OWN, "origin_unexpected"],
  ["a slash", { origin: `${ORIGIN}/` }, OWN, "origin_unexpected"],
  ["a path", { origin: `${ORIGIN}/login` }, OWN, "origin_unexpected"],
  ["upper case", { origin: "HTTPS://APP.EXAMPLE" }, OWN, "origin_unexpected"],
  ["a suffix", { origin: `${ORIGIN}.evil.test` }, OWN, "origin_unexpected"],
  ["a prefix", { origin: "https://evilapp.example" }, OWN, "origin_unexpected"],
  ["a user in front", { origin: "https://app.example@evil.test" }, OWN, "origin_unexpected"],
  ["a host below", { origin: "https://a.app.example" }, OWN, "origin_unexpected"],
  ["a host beside", { origin: "https://blog.example" }, OWN, "origin_unexpected"],
  ["the domain above", { origin: "https://example" }, OWN, "origin_unexpected"],
  ["a dot at the end", { origin: `${ORIGIN}.` }, OWN, "origin_unexpected"],
  ["white space", { origin: ` ${ORIGIN}` }, OWN, "origin_unexpected"],
  ["an empty origin", { origin: "" }, OWN, "origin_unexpected"],
  ["null", { origin: "null" }, OWN, "origin_unexpected"],
  ["file", { origin: "file://" }, OWN, "origin_unexpected"],
  ["a native app that is not listed", { origin: `${APK}x` }, OWN, "origin_unexpected"],
  ["an app of iOS", { origin: "ios:bundle-id:com.example" }, OWN, "origin_unexpected"],
  ["the origin of a trusted top", { origin: TOP }, FRAMED, "origin_unexpected"],
  [
    "another origin in a trusted frame",
    { origin: "https://evil.example", crossOrigin: true, topOrigin: TOP },
    FRAMED,
    "origin_unexpected",
  ],

  ["crossOrigin as a string", { crossOrigin: "false" }, OWN, "cross_origin"],
  ["crossOrigin null", { crossOrigin: null }, OWN, "cross_origin"],
  ["crossOrigin 0", { crossOrigin: 0 }, BOTH, "cross_origin"],
  ["crossOrigin 1 in a trusted frame", { crossOrigin: 1, topOrigin: TOP }, BOTH, "cross_origin"],

  ["a frame", { crossOrigin: true }, OWN, "cross_origin"],
  ["a frame of a page", { crossOrigin: true, topOrigin: TOP }, OWN, "cross_origin"],
  ["a frame of our own page", { crossOrigin: true, topOrigin: ORIGIN }, OWN, "cross_origin"],
  ["a frame of a trusted page", { crossOrigin: true, topOrigin: TOP }, FRAMED],
  [
    "a frame of a page with a port",
    { crossOrigin: true, topOrigin: "https://portal.example:8443" },
    FRAMED,
  ],
  ["a frame whose page is not said", { crossOrigin: true }, FRAMED, "cross_origin"],
  ["a frame whose page is not said, with the option", { crossOrigin: true }, BOTH],
  ["a frame whose page is not said, with the option alone", { crossOrigin: true }, SAFARI],
  [
    "a frame of a page with the option alone",
    { crossOrigin: true, topOrigin: TOP },
    SAFARI,
    "cross_origin",
  ],
  [
    "a frame of another page",
    { crossOrigin: true, topOrigin: "https://evil.example" },
    FRAMED,
    "top_origin_unexpected",
  ],
  [
    "a frame of another page, with the option",
    { crossOrigin: true, topOrigin: "https://evil.example" },
    BOTH,
    "top_origin_unexpected",
  ],
  [
    "a frame of our own page that is not listed",
    { crossOrigin: true, topOrigin: ORIGIN },
    FRAMED,
    "top_origin_unexpected",
  ],
  [
    "a page with a slash",
    { crossOrigin: true, topOrigin: `${TOP}/` },
    FRAMED,
    "top_origin_unexpected",
  ],
  [
    "a page without its port",
    { crossOrigin: true, topOrigin: "https://portal.example" },
    FRAMED,
    "top_origin_unexpected",
  ],
  ["a page as an array", { crossOrigin: true, topOrigin: [TOP] }, BOTH, "top_origin_unexpected"],
  ["a page that is null", { crossOrigin: true, topOrigin: null }, BOTH, "top_origin_unexpected"],

  ["topOrigin without crossOrigin", { topOrigin: TOP }, FRAMED, "client_data_malformed"],
  [
    "topOrigin with crossOrigin false",
    { crossOrigin: false, topOrigin: TOP },
    BOTH,
    "client_data_malformed",
  ],
  ["topOrigin null without crossOrigin", { topOrigin: null }, OWN, "client_data_malformed"],
  ["an empty topOrigin without crossOrigin", { topOrigin: "" }, OWN, "client_data_malformed"],
];

for (const [why, members, rp, reason] of ORIGINS) {
  const list = rp === OWN
    ? ""
    : ` (${rp === FRAMED ? "topOrigins" : rp === BOTH ? "both" : "insecure"})`;
  Deno.test(`checkOrigin() ${reason === undefined ? "accepts" : "refuses"} ${why}${list}`, () => {
    const data = parseClientData(utf8(JSON.stringify({ ...MEMBERS, ...members })));
    if (reason === undefined) checkOrigin(data, rp);
    else assertEquals(assertThrows(() => checkOrigin(data, rp), CeremonyError).reason, reason);
  });
}
