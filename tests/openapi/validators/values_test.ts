/**
 * Types, their validators, equal validators of Zod, and their JSON Schemas: what one of them accepts the others accept, and
 * nothing else.
 */

import { assert, assertEquals } from "@std/assert";
import { VALIDATED_VALUES as VALUES } from "../../_effort.ts";
import { seeded } from "../../router/_helpers.ts";
import { BEFORE, PAIRS } from "../compiler/_type_pairs.ts";
import { readTypeTable } from "../compiler/_types.ts";
import { createValues, variantsOf } from "../compiler/_type_values.ts";
import { bodyChecks } from "./_modules.ts";

const SEED = 20261128;

async function prepare() {
  const types = PAIRS.map(([, type]) => type);
  const results = await readTypeTable({ types, before: BEFORE, local: true });
  const known = results.map((one) => {
    assert("local" in one && one.local !== undefined, JSON.stringify(one));
    return { ...one, local: one.local };
  });
  return { known, checks: await bodyChecks(known.map(({ local }) => local)) };
}

let prepared: ReturnType<typeof prepare> | undefined;
let compared = 0;
let rejected = 0;
PAIRS.forEach(([why, type, twin], i) => {
  Deno.test(`a validator accepts the values of a type that an equal validator and the schema accept: ${why}`, async () => {
    const { known, checks } = await (prepared ??= prepare());
    const [result, check] = [known[i], checks[i]];
    assert(result !== undefined && check !== undefined);
    const { draw, allows } = createValues(result.components);
    const random = seeded(SEED + i);
    for (let n = 0; n < VALUES;) {
      const value = draw(result.schema, random);
      const variants = variantsOf(value);
      for (const one of [value, ...random.list(4, 4, () => random.pick(variants))]) {
        const faults = check(one);
        const isValid = faults.length === 0;
        const text = `${type}: ${JSON.stringify(one)}: ${faults}`;
        assertEquals(isValid, allows(result.schema, one), text);
        assertEquals(isValid, twin.safeParse(one).success, text);
        if (!isValid) rejected++;
        n++;
        compared++;
      }
    }
  });
});

Deno.test("a validator accepts and rejects a sufficient number of values", () => {
  // deno-lint-ignore no-console -- how many values ran is part of the result
  console.log(`${PAIRS.length} types: ${compared} values, ${rejected} rejected`);
  assert(compared >= PAIRS.length * VALUES && rejected > compared / 3 && rejected < compared);
});
