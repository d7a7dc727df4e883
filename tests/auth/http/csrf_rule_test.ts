/** Words for what is asked against forged requests: the same wherever they are given. */

import { createRouter, csrfGuard, requireAuth, withAuthRoutes } from "@gatehouse/http";
import { assertThrows } from "@std/assert";
import { untyped } from "../../router/_helpers.ts";
import { createTestApp } from "./_app.ts";

const { runtime } = createTestApp();

const GIVEN: readonly (readonly [where: string, give: (rule: unknown) => unknown])[] = [
  ["requireAuth()", (csrf) => requireAuth(untyped({ runtime, csrf }))],
  ["withAuthRoutes()", (csrf) => withAuthRoutes(createRouter(), untyped({ runtime, csrf }))],
];

for (const [where, give] of GIVEN) {
  for (const rule of ["Source", "skip", "", true, false, 0, ["token"]]) {
    Deno.test(`${where} refuses ${JSON.stringify(rule)} as a rule`, () => {
      assertThrows(() => give(rule), TypeError, 'must be "origin", "token" or "insecureSkip"');
    });
  }
}

Deno.test("csrfGuard() refuses to ask for nothing", () => {
  const options = untyped<{ csrf: typeof runtime.csrf }>({
    csrf: runtime.csrf,
    mode: "insecureSkip",
  });
  assertThrows(() => csrfGuard(options), TypeError, "mode must be");
});

Deno.test("csrfGuard() refuses options that it does not know", () => {
  const options = untyped<{ csrf: typeof runtime.csrf }>({ csrf: runtime.csrf, aks: "origin" });
  assertThrows(() => csrfGuard(options), TypeError, "unknown option aks");
});
