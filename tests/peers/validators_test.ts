/** Validators that are compiled from types, beside Ajv with the same schemas. */

import type { SchemaObject } from "@gatehouse/http";
import { assert, assertEquals } from "@std/assert";
import { BEFORE, PAIRS } from "../openapi/compiler/_type_pairs.ts";
import { readTypeTable } from "../openapi/compiler/_types.ts";
import { createValues, variantsOf } from "../openapi/compiler/_type_values.ts";
import { bodyChecks } from "../openapi/validators/_modules.ts";
import { CASES } from "../openapi/validators/_schema_cases.ts";
import { seeded } from "../router/_helpers.ts";
import { AJV, AJV_FORMATS } from "./versions.ts";

/** The part of Ajv that is used here. */
interface Ajv {
  compile(schema: SchemaObject): (value: unknown) => boolean;
}

const VALUES = 1_000;
const SEED = 20261128;

async function createAjv(): Promise<Ajv> {
  const { default: { default: Ajv } } = await import(AJV);
  const { default: { default: addFormats } } = await import(AJV_FORMATS);
  const ajv: Ajv = new Ajv({ strict: false, strictNumbers: true, multipleOfPrecision: 10 });
  addFormats(ajv);
  return ajv;
}

Deno.test("a validator and Ajv accept the same values of every keyword", async (t) => {
  const ajv = await createAjv();
  const checks = await bodyChecks(CASES.map(([, schema]) => schema));
  for (const [i, [why, schema, accepted, rejected]] of CASES.entries()) {
    await t.step(why, () => {
      const validate = ajv.compile(schema);
      for (const value of [...accepted, ...rejected.map(([one]) => one)]) {
        assertEquals(checks[i]?.(value).length === 0, validate(value), JSON.stringify(value));
      }
    });
  }
});

Deno.test("a validator and Ajv accept the same values of every type", async (t) => {
  const ajv = await createAjv();
  const types = PAIRS.map(([, type]) => type);
  const results = await readTypeTable({ types, before: BEFORE, local: true });
  const checks = await bodyChecks(
    results.map((one) => "local" in one && one.local !== undefined ? one.local : { not: {} }),
  );
  for (const [i, [why, type]] of PAIRS.entries()) {
    await t.step(why, () => {
      const result = results[i];
      assert(result !== undefined && "local" in result && result.local !== undefined);
      const validate = ajv.compile(result.local);
      const { draw } = createValues(result.components);
      const random = seeded(SEED + i);
      for (let n = 0; n < VALUES; n++) {
        const value = draw(result.schema, random);
        const one = n % 3 === 0 ? value : random.pick(variantsOf(value));
        const isValid = checks[i]?.(one).length === 0;
        assertEquals(isValid, validate(one), `${type}: ${JSON.stringify(one)}`);
      }
    });
  }
});
