/** Words for what is asked against forged requests: the same wherever they are given. */

import { createRouter, csrfGuard, requireAuth, withAuthRoutes } from "@gatehouse/http";
import { assertThrows } from "@std/assert";
import { untyped } from "../router/_helpers.ts";
import { createTestApp } from "./_app.ts";

const { runtime } = createTestApp();

const GIVEN: readonly (readonly [where: string, give: (rule: unknown) => unknown])[] = [
  ["requireAuth()", (csrf) => requireAuth(untyped({ runtime, csrf }))],
  ["withAuthRoutes()", (csrf) => withAuthRoutes(createRouter(), untyped({ runtime, csrf }))],
  ["csrfGuard()", (ask) => csrfGuard(untyped({ csrf: runtime.csrf, ask }))],
];

for (const [where, give] of GIVEN) {
  for (const rule of ["Source", "skip", "", true, false, 0, ["token"]]) {
    Deno.test(`${where} refuses ${JSON.stringify(rule)} as a rule`, () => {
      assertThrows(() => give(rule), TypeError, "is none of source, token and insecureSkip");
    });
  }
}

Deno.test("csrfGuard() refuses options that it does not know", () => {
  const options = untyped<{ csrf: typeof runtime.csrf }>({ csrf: runtime.csrf, aks: "source" });
  assertThrows(() => csrfGuard(options), TypeError, "there is no option aks");
});
