/** Cookie fields of a megabyte. */

import { assertLess } from "@std/assert";
import { parseCookies, readCookie } from "../../../../auth/session/cookie.ts";

for (const unit of [";", "=", " ", "\t", "a", "a;", "a=", "a ", " a", "=;", "a=;", "a =", "; a"]) {
  Deno.test(`readCookie() takes linear time for repeated ${JSON.stringify(unit)}`, () => {
    const header = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const start = performance.now();
    for (const name of ["a", "b", "aa"]) readCookie(header, name);
    parseCookies(header);
    // Linear time is 50 ms; quadratic time would be an hour
    assertLess(performance.now() - start, 10_000);
  });
}
