/** Runs the cases of the registry in the mode of this folder; see `decorators_test.ts`. */

import { registryCases } from "./_decorator_cases.ts";

for (const { name, run } of registryCases) Deno.test(name, run);
