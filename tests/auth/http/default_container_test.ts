/** The calls of the specification, with the runtime of the default container. */

import {
  applyAuthHeaders,
  Auth,
  createAuthRoutes,
  createRouter,
  getAuthRuntime,
  inMemoryAuthStores,
  json,
  mountAuthRoutes,
  withAuthErrors,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createBrowser } from "../_browser.ts";
import { ADA, cheapHasher, SECRET } from "../_services.ts";
import { ORIGIN } from "./_app.ts";

@Auth({ secret: SECRET, stores: inMemoryAuthStores(), hasher: cheapHasher(), warn: () => {} })
class _Application {}

Deno.test("createAuthRoutes() without options registers and signs in, as the specification calls it", async () => {
  const router = createRouter({ catch: withAuthErrors(), finally: [applyAuthHeaders] });
  mountAuthRoutes(router, createAuthRoutes(), "/auth");
  withAuthRoutes(router).get("/me", (req) => json(req.principal.sub));
  const fetch = async (request: Request) => await router.fetch(request);
  const { send } = createBrowser({ origin: ORIGIN, now: () => Date.now() / 1000, fetch });
  assertEquals((await send("/me")).status, 401);
  const { csrfToken } = await (await send("/auth/csrf")).json();
  const registered = await send("/auth/register", {
    method: "POST",
    headers: { "Content-Type": "application/json", [getAuthRuntime().csrf.header]: csrfToken },
    body: JSON.stringify(ADA),
  });
  assertEquals(registered.status, 201);
  const { user } = await registered.json();
  assertEquals(await (await send("/me")).json(), user.sub);
});
