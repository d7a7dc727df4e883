import { SHARED_CASES } from "../../flows/_notes_processes.ts";

for (const { name, run } of SHARED_CASES) {
  Deno.test(`${name}, on one file of Deno KV`, () => run({ kept: /^Deno KV, in the folder / }));
}
