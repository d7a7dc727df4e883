/**
 * A service for several tenants, with roles in each; its data is in memory. `docs/authorization.md` explains it.
 *
 * ```sh
 * deno serve --host 127.0.0.1 examples/tenants/main.ts   # http://127.0.0.1:8000, without further permissions
 * ```
 *
 * @module
 */

import { generateSecret, inMemoryAuthStores } from "@gatehouse/http";
import { createTenants } from "./app.ts";

const router = createTenants({
  secret: generateSecret(), // in production: one fixed value from the environment
  stores: inMemoryAuthStores(), // in production: a database, see docs/stores.md
  deployment: "direct",
});

export default router as Deno.ServeDefaultExport; // for `deno serve`
