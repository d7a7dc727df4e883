/**
 * Schemas of types against validators of the same types: what one allows the other takes, and
 * nothing else.
 */

import { assert, assertEquals } from "@std/assert";
import { seeded } from "../../router/_helpers.ts";
import { TYPE_VALUES as VALUES } from "../../_effort.ts";
import { BEFORE, PAIRS } from "./_type_pairs.ts";
import { assertWhole, readTypeTable, type TypeResult } from "./_types.ts";
import { createValues, variantsOf } from "./_type_values.ts";

const SEED = 20260721;

let results: Promise<readonly TypeResult[]> | undefined;
let drawn = 0;
let broken = 0;
PAIRS.forEach(([why, type, twin], i) => {
  Deno.test(`a document accepts the values of a type that an equal validator accepts: ${why}`, async () => {
    results ??= readTypeTable({ types: PAIRS.map(([, one]) => one), before: BEFORE });
    const result = (await results)[i];
    assert(result !== undefined && "schema" in result, JSON.stringify(result));
    assertWhole(result);
    const { draw, allows } = createValues(result.components);
    const random = seeded(SEED + i);
    for (let n = 0; n < VALUES; n++) {
      const value = draw(result.schema, random);
      assert(allows(result.schema, value), `its own value: ${JSON.stringify(value)}`);
      const taken = twin.safeParse(value);
      assert(taken.success, `${JSON.stringify(value)}: ${taken.error?.message}`);
      const variants = variantsOf(value);
      for (const one of random.list(4, 4, () => random.pick(variants))) {
        const allowed = allows(result.schema, one);
        if (!allowed) broken++;
        assertEquals(twin.safeParse(one).success, allowed, `${type}: ${JSON.stringify(one)}`);
      }
    }
    drawn += VALUES;
  });
});

Deno.test("a document accepts and rejects a sufficient number of values", () => {
  // deno-lint-ignore no-console -- how many values ran is part of the result
  console.log(`${PAIRS.length} types: ${drawn} values, ${broken} broken ones`);
  assert(drawn === PAIRS.length * VALUES && broken > PAIRS.length * VALUES);
});
