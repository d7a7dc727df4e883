/** What is displayed of a user: providers pass on what users enter. */

import { assertEquals } from "@std/assert";
import { profileOf } from "../../../../auth/oauth/presets/_preset.ts";

/** [why, name of the user, what is displayed] */
const NAMES: readonly (readonly [why: string, name: unknown, shown: string | undefined])[] = [
  ["keeps letters of all scripts", "Zoë 李 مريم", "Zoë 李 مريم"],
  [
    "keeps the joiners of Persian and of emoji",
    "می\u200cخواهم 👩\u200d🚀",
    "می\u200cخواهم 👩\u200d🚀",
  ],
  ["strips line breaks and other controls", "Ada\r\n\0\x1b[31m\x9f", "Ada[31m"],
  ["strips marks and overrides of direction", "\u202eada\u202c\u200f\u2066x\u2069\u061c", "adax"],
  ["strips invisible spaces", "\ufeffA\u200bda\u2028\u2060", "Ada"],
  ["trims", "  Ada ", "Ada"],
  ["leaves out an empty name", " \u200b ", undefined],
  ["leaves out what is no string", { firstName: "Ada" }, undefined],
  ["cuts at 100 characters", "a".repeat(60_000), "a".repeat(100)],
  ["does not cut a character in two", "👩".repeat(101), "👩".repeat(100)],
  ["replaces half a character", "Ada\ud83d", "Ada\ufffd"],
];
for (const [why, name, shown] of NAMES) {
  Deno.test(`profileOf() ${why} in names`, () => {
    assertEquals(profileOf({ name }, "1").name, shown);
  });
}

/** [why, picture, URL that is displayed] */
const PICTURES: readonly (readonly [why: string, picture: unknown, shown: string | undefined])[] = [
  ["keeps https", "https://a.example/b.png?c=d", "https://a.example/b.png?c=d"],
  ["encodes quotes", 'https://a.example/"><b>', "https://a.example/%22%3E%3Cb%3E"],
  ["removes line breaks", " https://a.example/\nb", "https://a.example/b"],
  ["leaves out http", "http://a.example/b.png", undefined],
  ["leaves out data", "data:image/png;base64,AA==", undefined],
  ["leaves out scripts", "javascript:alert(1)//https://a.example", undefined],
  ["leaves out relative URLs", "//a.example/b.png", undefined],
  ["leaves out user names", "https://ada@a.example/", undefined],
  ["leaves out passwords", "https://:secret@a.example/", undefined],
  ["leaves out more than 2 KiB", `https://a.example/${"a".repeat(2_048)}`, undefined],
  ["leaves out more than 2 KiB when encoded", `https://a.example/${"ü".repeat(1_000)}`, undefined],
  ["leaves out what is no string", { data: { url: "https://a.example/" } }, undefined],
];
for (const [why, picture, shown] of PICTURES) {
  Deno.test(`profileOf() ${why} in pictures`, () => {
    assertEquals(profileOf({ picture }, "1").picture, shown);
  });
}

/** [why, address, whether it is one] */
const ADDRESSES: readonly (readonly [why: string, email: unknown, isAddress: boolean])[] = [
  ["an address", "ada@example.com", true],
  ["a name without @", "ada", false],
  ["two @", "ada@evil.example@example.com", false],
  ["a space", "ada @example.com", false],
  ["a line break", "ada@example.com\nBcc: x@example.com", false],
  ["an override of direction", "ada@\u202eexample.com", false],
  ["a NUL", "ada@example.com\0", false],
  ["255 characters", `${"a".repeat(243)}@example.com`, false],
  ["254 characters", `${"a".repeat(242)}@example.com`, true],
  ["a list", ["ada@example.com"], false],
  ["null", null, false],
];
for (const [why, email, isAddress] of ADDRESSES) {
  Deno.test(`profileOf() ${isAddress ? "has" : "leaves out"} an e-mail address with ${why}`, () => {
    const profile = profileOf({ email, email_verified: true }, "1");
    assertEquals(
      [profile.email, profile.emailVerified],
      isAddress ? [email, true] : [undefined, false],
    );
  });
}

Deno.test("profileOf() takes true alone for verified", () => {
  for (const email_verified of ["true", 1, "yes", {}, [true], null, undefined, false]) {
    const { emailVerified } = profileOf({ email: "ada@example.com", email_verified }, "1");
    assertEquals(emailVerified, false, String(email_verified));
  }
});

Deno.test("profileOf() has an empty subject, which the client refuses, for what is no string", () => {
  for (const sub of [undefined, null, 1, ["1"], {}]) assertEquals(profileOf({}, sub).subject, "");
});
