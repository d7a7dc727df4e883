/** Declarations as values. */

import { Authenticated, Authorize, PublicField } from "@gatehouse/http/auth/graphql";
import { assert, assertEquals, assertThrows } from "@std/assert";

Deno.test("Authenticated(), Authorize() and PublicField() are frozen functions with their data", () => {
  const metadata = { action: "read" };
  for (
    const [declaration, data] of [
      [Authenticated(), { kind: "authenticated" }],
      [Authenticated({ amr: ["mfa"], maxAge: 60, scope: ["a", "b"] }), {
        kind: "authenticated",
        amr: ["mfa"],
        maxAge: 60,
        scope: ["a", "b"],
      }],
      [Authenticated({ scope: "any" }), { kind: "authenticated", scope: "any" }],
      [Authorize(metadata), { kind: "authorize", metadata, allowAnonymous: false }],
      [Authorize(null, { allowAnonymous: true }), {
        kind: "authorize",
        metadata: null,
        allowAnonymous: true,
      }],
      [PublicField(), { kind: "public" }],
    ] as const
  ) {
    assertEquals<unknown>(declaration["~auth"], data);
    assert(Object.isFrozen(declaration) && Object.isFrozen(declaration["~auth"]));
    assertEquals(typeof declaration, "function");
  }
  assert(Authorize(metadata)["~auth"].kind === "authorize");
});

const REJECTED: readonly (readonly [why: string, options: unknown, error: new () => Error])[] = [
  ["an unknown option", { role: "admin" }, TypeError],
  ["options that are none", "mfa", TypeError],
  ["an empty amr", { amr: [] }, TypeError],
  ["an empty acr", { acr: [] }, TypeError],
  ["an amr of other values", { amr: [1] }, TypeError],
  ["an amr that is a string", { amr: "mfa" }, TypeError],
  ["a maxAge of 0", { maxAge: 0 }, RangeError],
  ["a maxAge in fractions", { maxAge: 1.5 }, RangeError],
  ["a maxAge that is a string", { maxAge: "60" }, RangeError],
  ["an empty scope", { scope: [] }, TypeError],
  ["a scope that is a string", { scope: "notes:read" }, TypeError],
  ["a scope with a space", { scope: ["a b"] }, RangeError],
  ["a scope twice", { scope: ["a", "a"] }, RangeError],
];

for (const [why, options, error] of REJECTED) {
  Deno.test(`Authenticated() rejects ${why}`, () => {
    const given = options as Parameters<typeof Authenticated>[0];
    assertThrows(() => Authenticated(given), error, "Cannot declare Authenticated");
  });
}

Deno.test("Authorize() rejects missing metadata, and options that are not its own", () => {
  assertThrows(() => Authorize(undefined), TypeError, "metadata is missing");
  for (const options of [{ anonymous: true }, { allowAnonymous: "yes" }, null]) {
    const given = options as Parameters<typeof Authorize>[1];
    assertThrows(() => Authorize(1, given), TypeError, "Cannot declare Authorize");
  }
});
