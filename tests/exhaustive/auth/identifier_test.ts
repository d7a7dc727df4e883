/** Canonical identifiers of every code point, and of very long strings. */

import { assert, assertEquals, assertLess } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import { canonicalIdentifier } from "../../../auth/identifier.ts";
import { randomNumbers } from "../../static/_random.ts";

/** The canonical form, or undefined if it is rejected with `invalid_identifier`. */
function canonical(text: unknown): string | undefined {
  try {
    return canonicalIdentifier(text);
  } catch (error) {
    if (error instanceof AuthError && error.code === "invalid_identifier") return undefined;
    throw error;
  }
}

/** Runs something that throws a million times: stack traces take most of the time. */
function withoutStacks(run: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Whether canonicalization is idempotent for a string. */
function isStable(text: string): boolean {
  const identifier = canonical(text);
  return identifier === undefined || canonical(identifier) === identifier;
}

Deno.test("canonicalIdentifier() rejects 100 kB and 10 MB in bounded time", () => {
  const ones = ["a", " ", "\u0301", "\ufdfa", "a\u0316\u0301", "@", "\ud800", "Σ"];
  const started = performance.now();
  for (const one of ones) assertEquals(canonical(one.repeat(100_000)), undefined);
  assertEquals(canonical("a".repeat(10_000_000)), undefined);
  assertLess(performance.now() - started, 2_000);
});

for (
  const [where, around] of [
    ["alone", (character: string) => character],
    ["after a letter", (character: string) => `a${character}`],
  ] as const
) {
  Deno.test(`canonicalIdentifier() is idempotent for every assigned code point ${where}`, () => {
    const unstable: string[] = [];
    let taken = 0;
    withoutStacks(() => {
      for (let code = 0; code <= 0x10ffff; code++) {
        const character = String.fromCodePoint(code);
        // Most are rejected: private-use or unassigned
        if (code % 16 !== 0 && /[\p{Cn}\p{Co}]/u.test(character)) continue;
        const identifier = canonical(around(character));
        if (identifier === undefined) continue;
        taken++;
        if (canonical(identifier) !== identifier) unstable.push(code.toString(16));
      }
    });
    assertEquals(unstable, []);
    assert(taken > 100_000, `only ${taken} were accepted`);
  });
}

Deno.test("canonicalIdentifier() is idempotent for combinations of characters that it changes", () => {
  const pieces: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    const identifier = /[\p{Cn}\p{Co}\p{Cs}]/u.test(character) ? undefined : canonical(character);
    if (identifier === undefined) continue;
    if (identifier !== character || /\p{M}/u.test(character)) pieces.push(character);
  }
  assert(pieces.length > 5_000);
  const random = randomNumbers(5);
  for (let i = 0; i < 100_000; i++) {
    const text = Array.from({ length: 2 + random(3) }, () => pieces[random(pieces.length)]).join(
      "",
    );
    assert(isStable(text), JSON.stringify(text));
  }
});

Deno.test("canonicalIdentifier() returns no invisible characters and no line breaks", () => {
  const taken: string[] = [];
  withoutStacks(() => {
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      if (!/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character)) continue;
      if (canonical(`a${character}b`) !== undefined) taken.push(code.toString(16));
    }
  });
  assertEquals(taken, []);
});
