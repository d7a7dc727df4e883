/** Runs the cases of `HttpRouter()` in the mode of this folder; see `decorators_test.ts`. */

import { httpRouterCases } from "./_decorator_cases.ts";

for (const { name, run } of httpRouterCases) Deno.test(name, run);
