/**
 * What checking a body costs, by validators that are compiled from types, beside Zod, TypeBox and Ajv: `deno task
 * bench:validators`. All take turns in one process.
 *
 * `--rounds=101` is the default. Fails if ours are not faster than Zod.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { measure } from "./_measure.ts";
import { numberOption, table } from "./_table.ts";
import { createOrder, loadContestants } from "./_validator_contestants.ts";

const ROUNDS = numberOption("rounds", 101);

/** Lines of an order, and how often it is checked in a round. */
const SIZES = [[1, 2_000], [20, 500], [500, 20]] as const;

const contestants = await loadContestants();
const [own, zod] = contestants;
let slower = 0;
for (const invalid of [false, true]) {
  const rows = new Map(contestants.map(({ name }) => [name, [name]]));
  const sizes = SIZES.map(([lines]) =>
    `${JSON.stringify(createOrder(lines, invalid)).length} bytes`
  );
  for (const [lines, runs] of SIZES) {
    const value = createOrder(lines, invalid);
    for (const { name, validate } of contestants) {
      if (validate(value) > 0 !== invalid) throw new Error(`${name} does not see what is wrong`);
    }
    const racers = contestants.map(({ name, validate }) => ({ name, run: () => validate(value) }));
    const times = await measure(racers, () => undefined, { rounds: ROUNDS, runs });
    for (const time of times) {
      rows.get(time.name)?.push((time.ns / 1000).toFixed(2), time.over(own?.name ?? "").toFixed(2));
      if (time.name === zod?.name && time.over(own?.name ?? "") <= 1) slower++;
    }
  }
  const head = [
    invalid ? "one wrong price" : "valid",
    ...sizes.flatMap((size) => [`${size}, µs`, "÷ ours"]),
  ];
  console.log(table(head, [...rows.values()]) + "\n");
}
console.log(`Target: faster than Zod${slower > 0 ? `; missed ${slower} times` : ""}`);
if (slower > 0) Deno.exit(1);
