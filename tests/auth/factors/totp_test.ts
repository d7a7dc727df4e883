/** One-time passwords: the standards' examples, time steps, and what is no code. */

import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import {
  otpauthUri,
  type OtpauthUriOptions,
  totpCode,
  type TotpOptions,
  verifyTotp,
  type VerifyTotpOptions,
} from "../../../auth/factors/totp.ts";

const ascii = (text: string) => new TextEncoder().encode(text);
const SECRET = ascii("12345678901234567890");
const SECRETS = {
  "SHA-1": SECRET,
  "SHA-256": ascii("12345678901234567890123456789012"),
  "SHA-512": ascii("1234567890123456789012345678901234567890123456789012345678901234"),
} as const;

/** RFC 4226 Appendix D: the counters 0 to 9. */
const HOTP = [
  "755224",
  "287082",
  "359152",
  "969429",
  "338314",
  "254676",
  "287922",
  "162583",
  "399871",
  "520489",
];

for (const [counter, code] of HOTP.entries()) {
  Deno.test(`totpCode() matches RFC 4226 Appendix D: counter ${counter}`, async () => {
    assertEquals(await totpCode(SECRET, counter, { period: 1 }), code);
  });
}

/** RFC 6238 Appendix B: eight digits. */
const TOTP: readonly (readonly [at: number, sha1: string, sha256: string, sha512: string])[] = [
  [59, "94287082", "46119246", "90693936"],
  [1_111_111_109, "07081804", "68084774", "25091201"],
  [1_111_111_111, "14050471", "67062674", "99943326"],
  [1_234_567_890, "89005924", "91819424", "93441116"],
  [2_000_000_000, "69279037", "90698825", "38618901"],
  [20_000_000_000, "65353130", "77737706", "47863826"],
];

for (const [at, ...codes] of TOTP) {
  Deno.test(`totpCode() and verifyTotp() match RFC 6238 Appendix B: ${at}`, async () => {
    for (const [i, algorithm] of (["SHA-1", "SHA-256", "SHA-512"] as const).entries()) {
      const [secret, code = ""] = [SECRETS[algorithm], codes[i]];
      const options = { algorithm, digits: 8 };
      assertEquals(await totpCode(secret, at, options), code);
      assertEquals(await verifyTotp(secret, code, { ...options, at }), Math.floor(at / 30));
    }
  });
}

Deno.test("totpCode() takes the secret in base32 of either case, too", async () => {
  for (const secret of ["GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", "gezdgnbvgy3tqojqgezdgnbvgy3tqojq"]) {
    assertEquals(await totpCode(secret, 59, { digits: 8 }), "94287082");
  }
});

/** Step 56,666,666 is from 1,699,999,980 to 1,700,000,009. */
const STEP = 56_666_666;
const START = 30 * STEP;

/** When the code of {@linkcode STEP} is accepted. */
const TIMES: readonly (readonly [why: string, at: number, window: number, accepted: boolean])[] = [
  ["a second before the step before", START - 31, 1, false],
  ["in the first second of the step before", START - 30, 1, true],
  ["in the last second of the step before", START - 1, 1, true],
  ["in its first second", START, 1, true],
  ["in its last second", START + 29, 1, true],
  ["in the first second of the next step", START + 30, 1, true],
  ["in the last second of the next step", START + 59, 1, true],
  ["a second after the next step", START + 60, 1, false],
  ["a second before it, without a window", START - 1, 0, false],
  ["in its first second, without a window", START, 0, true],
  ["in its last second, without a window", START + 29, 0, true],
  ["a second after it, without a window", START + 30, 0, false],
  ["in the first second of the widest window", START - 300, 10, true],
  ["a second before the widest window", START - 301, 10, false],
  ["between two seconds", START + 59.999, 1, true],
];

for (const [why, at, window, accepted] of TIMES) {
  Deno.test(`verifyTotp() ${accepted ? "accepts" : "rejects"} a code ${why}`, async () => {
    const code = await totpCode(SECRET, START);
    assertEquals(await verifyTotp(SECRET, code, { at, window }), accepted ? STEP : undefined);
  });
}

Deno.test("verifyTotp() accepts steps after the last one only", async () => {
  const code = await totpCode(SECRET, START);
  for (const [afterStep, found] of [[STEP - 1, STEP], [STEP, undefined], [STEP + 1, undefined]]) {
    assertEquals(await verifyTotp(SECRET, code, { at: START, afterStep }), found);
  }
});

Deno.test("verifyTotp() accepts the codes of the first steps of all", async () => {
  assertEquals(await verifyTotp(SECRET, "755224", { at: 0, window: 2 }), 0);
  assertEquals(await verifyTotp(SECRET, "755224", { at: 0, afterStep: 0 }), undefined);
});

Deno.test("verifyTotp() counts a code of two steps for the later one, so that it is used once", async () => {
  const [code, at] = ["468457", 30 * 153_568]; // the code of the steps 153,567 and 153,569
  assertEquals(await totpCode(SECRET, at - 30), code);
  assertEquals(await totpCode(SECRET, at + 30), code);
  assertEquals(await verifyTotp(SECRET, code, { at }), 153_569);
  assertEquals(await verifyTotp(SECRET, code, { at, afterStep: 153_569 }), undefined);
});

const CODE = "162583"; // of step 7
/** What is no code, although it looks like {@linkcode CODE} to some. */
const WRONG: readonly (readonly [why: string, code: unknown])[] = [
  ["another code", "162584"],
  ["nothing", ""],
  ["five digits", "16258"],
  ["seven digits", "1625830"],
  ["a leading zero", "0162583"],
  ["a space", "162 583"],
  ["a line feed", "162583\n"],
  ["Arabic-Indic digits", "١٦٢٥٨٣"],
  ["fullwidth digits", "１６２５８３"],
  ["mathematical digits", "𝟏𝟔𝟐𝟓𝟖𝟑"],
  ["a sign", "+162583"],
  ["letters", "l62583"],
  ["a number", 162_583],
  ["an array", ["162583"]],
  ["an object", { length: 6 }],
  ["null", null],
  ["undefined", undefined],
];

for (const [why, code] of WRONG) {
  Deno.test(`verifyTotp() rejects ${why}`, async () => {
    assertEquals(await verifyTotp(SECRET, CODE, { at: 7 * 30 }), 7);
    assertEquals(await verifyTotp(SECRET, code as string, { at: 7 * 30 }), undefined);
  });
}

Deno.test("verifyTotp() pads codes with zeros", async () => {
  const options = { at: 1_111_111_109, digits: 8 };
  assertEquals(await verifyTotp(SECRET, "07081804", options), 37_037_036);
  assertEquals(await verifyTotp(SECRET, "7081804", options), undefined);
});

const INVALID: readonly (readonly [why: string, options: Partial<VerifyTotpOptions>])[] = [
  ["five digits", { digits: 5 }],
  ["nine digits", { digits: 9 }],
  ["half a digit", { digits: 6.5 }],
  ["no period", { period: 0 }],
  ["more than an hour", { period: 3_601 }],
  ["half a second", { period: 0.5 }],
  ["another hash function", { algorithm: "MD5" as "SHA-1" }],
  ["another spelling of a hash function", { algorithm: "SHA1" as "SHA-1" }],
];

for (const [why, options] of INVALID) {
  Deno.test(`totpCode(), verifyTotp() and otpauthUri() reject ${why}`, async () => {
    const names = { issuer: "Acme", account: "ada", secret: SECRET };
    await assertRejects(() => totpCode(SECRET, 59, options as TotpOptions), RangeError);
    await assertRejects(() => verifyTotp(SECRET, CODE, { at: 59, ...options }), RangeError);
    assertThrows(() => otpauthUri({ ...names, ...options }), RangeError);
  });
}

for (const at of [-1, NaN, Infinity, Number.MAX_VALUE, "x", undefined]) {
  Deno.test(`totpCode() and verifyTotp() reject the time ${at}`, async () => {
    await assertRejects(() => totpCode(SECRET, at as number), RangeError, "at must be");
    const options = { at: at as number };
    await assertRejects(() => verifyTotp(SECRET, CODE, options), RangeError, "at must be");
  });
}

for (
  const options of [
    { window: -1 },
    { window: 11 },
    { window: 0.5 },
    { afterStep: -2 },
    { afterStep: NaN },
  ]
) {
  Deno.test(`verifyTotp() rejects ${JSON.stringify(options)}`, async () => {
    await assertRejects(() => verifyTotp(SECRET, CODE, { at: 59, ...options }), RangeError);
  });
}

Deno.test("totpCode(), verifyTotp() and otpauthUri() reject secrets below 128 bits", async () => {
  for (const secret of [SECRET.slice(0, 15), new Uint8Array(), "GEZDGNBVGY3TQOJQ", ""]) {
    await assertRejects(() => totpCode(secret, 59), RangeError, "at least 16 bytes");
    await assertRejects(() => verifyTotp(secret, CODE, { at: 59 }), RangeError);
    assertThrows(() => otpauthUri({ issuer: "Acme", account: "ada", secret }), RangeError);
  }
  assertMatch(await totpCode(SECRET.slice(0, 16), 59), /^\d{6}$/);
  await assertRejects(() => totpCode("not base32!", 59), SyntaxError);
});

const BASE32 = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const TAIL = "algorithm=SHA1&digits=6&period=30";
/** Names, and the URI that apps read. */
const URIS:
  readonly (readonly [why: string, options: Omit<OtpauthUriOptions, "secret">, uri: string])[] = [
    [
      "plain names",
      { issuer: "Acme", account: "ada" },
      `otpauth://totp/Acme:ada?secret=${BASE32}&issuer=Acme&${TAIL}`,
    ],
    [
      "spaces, and an e-mail address",
      { issuer: "ACME Co", account: "john.doe+x@email.com" },
      `otpauth://totp/ACME%20Co:john.doe%2Bx%40email.com?secret=${BASE32}&issuer=ACME%20Co&${TAIL}`,
    ],
    [
      "what would begin another parameter",
      { issuer: "A&B=C?#/%", account: "a&secret=x" },
      `otpauth://totp/A%26B%3DC%3F%23%2F%25:a%26secret%3Dx?secret=${BASE32}&issuer=A%26B%3DC%3F%23%2F%25&${TAIL}`,
    ],
    [
      "letters outside ASCII",
      { issuer: "Zürich", account: "Юля" },
      `otpauth://totp/Z%C3%BCrich:%D0%AE%D0%BB%D1%8F?secret=${BASE32}&issuer=Z%C3%BCrich&${TAIL}`,
    ],
    [
      "an account with a colon",
      { issuer: "Acme", account: "team:ada" },
      `otpauth://totp/Acme:team%3Aada?secret=${BASE32}&issuer=Acme&${TAIL}`,
    ],
    [
      "other parameters",
      { issuer: "Acme", account: "ada", algorithm: "SHA-256", digits: 8, period: 60 },
      `otpauth://totp/Acme:ada?secret=${BASE32}&issuer=Acme&algorithm=SHA256&digits=8&period=60`,
    ],
  ];

for (const [why, options, uri] of URIS) {
  Deno.test(`otpauthUri() escapes ${why}`, () => {
    assertEquals(otpauthUri({ ...options, secret: SECRET }), uri);
    assertEquals(otpauthUri({ ...options, secret: BASE32 }), uri);
    const { searchParams, host, pathname } = new URL(uri);
    assertEquals(host, "totp");
    assertEquals(searchParams.get("issuer"), options.issuer);
    assertEquals(searchParams.get("secret"), BASE32);
    const [issuer, ...account] = pathname.slice(1).split(":");
    assertEquals(decodeURIComponent(issuer ?? ""), options.issuer);
    assertEquals(decodeURIComponent(account.join(":")), options.account);
  });
}

Deno.test("otpauthUri() rejects names that no app can show", () => {
  const names = { issuer: "Acme", account: "ada", secret: SECRET };
  for (const name of ["", undefined, null, 7, "\ud800"]) {
    for (const member of ["issuer", "account"]) {
      const options = { ...names, [member]: name } as unknown as OtpauthUriOptions;
      assertThrows(() => otpauthUri(options), TypeError, member);
    }
  }
  assertThrows(() => otpauthUri({ ...names, issuer: "A:B" }), RangeError, "colon");
});
