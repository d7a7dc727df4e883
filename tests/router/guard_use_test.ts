/** The list of middleware that an integration brings along. */

import { createRouter, json, type Middleware } from "@gatehouse/http";
import { assertEquals } from "@std/assert";

Deno.test("withAuth() keeps the middleware that an integration had then, whatever becomes of its list", async () => {
  const use: Middleware<unknown[]>[] = [() => json("denied", { status: 403 })];
  const router = createRouter().withAuth({ guard: () => ({ sub: "ada" }), use })
    .get("/", () => json("open"));
  use.length = 0;
  assertEquals((await router.request("/")).status, 403);
});
