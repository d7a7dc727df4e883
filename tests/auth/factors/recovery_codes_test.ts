/** Recovery codes: their form, and what counts as the same code. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { digestRecoveryCode, generateRecoveryCodes } from "../../../auth/factors/recovery_codes.ts";

Deno.test("generateRecoveryCodes() returns ten different codes in two groups, of all 32 characters", () => {
  const seen = new Set<string>();
  for (let i = 0; i < 100; i++) {
    const codes = generateRecoveryCodes();
    assertEquals(new Set(codes).size, 10);
    for (const code of codes) {
      assertMatch(code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
      for (const character of code) seen.add(character);
    }
  }
  assertEquals(seen.size, 33, "32 characters and the hyphen");
});

const CODE = "7K0QM-1V9T4";
/** Spellings of {@linkcode CODE}. */
const SAME: readonly (readonly [why: string, code: string])[] = [
  ["lower case", "7k0qm-1v9t4"],
  ["no hyphen", "7K0QM1V9T4"],
  ["spaces", "  7K0 QM - 1V9 T4\t\n"],
  ["a hyphen of a text processor", "7K0QM‐1V9T4"],
  ["a dash", "7K0QM–1V9T4"],
  ["a no-break space", "7K0QM\u00a01V9T4"],
  ["O for 0", "7KOQM-1V9T4"],
  ["o for 0", "7koqm-1v9t4"],
  ["I for 1", "7K0QM-IV9T4"],
  ["L for 1", "7K0QM-LV9T4"],
  ["l for 1", "7k0qm-lv9t4"],
];

for (const [why, code] of SAME) {
  Deno.test(`digestRecoveryCode() does not distinguish ${why}`, async () => {
    assertEquals(await digestRecoveryCode("u1", code), await digestRecoveryCode("u1", CODE));
  });
}

Deno.test("digestRecoveryCode() distinguishes codes and users, and does not contain the code", async () => {
  const digest = await digestRecoveryCode("u1", CODE);
  assertMatch(digest ?? "", /^[\w-]{43}$/);
  assertNotEquals(await digestRecoveryCode("u1", "7K0QM-1V9T5"), digest);
  assertNotEquals(await digestRecoveryCode("u2", CODE), digest);
  assert(!digest?.includes("7K0QM"));
});

/** What no code can be. */
const MALFORMED: readonly (readonly [why: string, code: unknown])[] = [
  ["nothing", ""],
  ["nine characters", "7K0QM-1V9T"],
  ["eleven characters", "7K0QM-1V9T44"],
  ["two codes", `${CODE} ${CODE}`],
  ["another separator", "7K0QM_1V9T4"],
  ["a letter outside ASCII whose upper case is in the alphabet", "7K0QM-ıV9T4"],
  ["fullwidth characters", "７K0QM-1V9T4"],
  ["NUL", "7K0QM-1V9T4\0"],
  ["a long string", " ".repeat(65) + CODE],
  ["a very long string", " ".repeat(10_000_000)],
  ["a number", 7_000_000_000],
  ["an array", [CODE]],
  ["null", null],
  ["undefined", undefined],
];

for (const [why, code] of MALFORMED) {
  Deno.test(`digestRecoveryCode() returns undefined for ${why}`, async () => {
    assertEquals(await digestRecoveryCode("u1", code), undefined);
  });
}
