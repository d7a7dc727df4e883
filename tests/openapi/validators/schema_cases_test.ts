/**
 * Keywords of JSON Schema 2020-12 that types become: values that are accepted, and those that are not, with the place and the
 * message.
 */

import type { SchemaObject } from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { bodyChecks, faultsOf, loadModule, moduleText } from "./_modules.ts";
import { CASES } from "./_schema_cases.ts";

let checks: ReturnType<typeof bodyChecks> | undefined;
CASES.forEach(([why, , accepted, rejected], i) => {
  Deno.test(`a validator checks ${why}`, async () => {
    checks ??= bodyChecks(CASES.map(([, schema]) => schema));
    const check = (await checks)[i];
    for (const value of accepted) assertEquals(check?.(value), [], JSON.stringify(value));
    for (const [value, ...faults] of rejected) {
      assertEquals(check?.(value), faults, JSON.stringify(value));
    }
  });
});

Deno.test("writeValidators() names functions after paths with any characters", async () => {
  const key = "POST /m²/日-本/ª/:id{[0-9]+}/*";
  const validators = await loadModule(moduleText({ [key]: { body: { type: "string" } } }));
  assertEquals(faultsOf(validators, key, "body", 1).faults, [" must be a string"]);
});

const UNSUPPORTED: readonly (readonly [why: string, schema: SchemaObject, told: RegExp])[] = [
  [
    "a keyword without a check",
    { type: "string", contentEncoding: "base64" },
    /POST \/0: its schema has contentEncoding/,
  ],
  ["one inside", { type: "array", items: { allOf: [] } }, /POST \/0: its schema has allOf/],
  [
    "a reference to nothing",
    { $ref: "#/$defs/None" },
    /POST \/0: its schema refers to "#\/\$defs\/None"/,
  ],
];
for (const [why, body, told] of UNSUPPORTED) {
  Deno.test(`writeValidators() rejects ${why}, so that no constraint is ignored`, () => {
    const error = assertThrows(() => moduleText({ "POST /0": { body } }), TypeError);
    assertEquals(told.test(error.message), true, error.message);
  });
}
