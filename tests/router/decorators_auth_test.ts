/** Runs the cases of `Auth()` in the mode of this folder; see `decorators_test.ts`. */

import { authCases } from "./_decorator_auth_cases.ts";

for (const { name, run } of authCases) Deno.test(name, run);
