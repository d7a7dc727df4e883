/**
 * `csrfGuard`: the CSRF check as middleware.
 *
 * @module
 */

import type { Middleware } from "../router/types.ts";
import type { CsrfService } from "./csrf.ts";

/** Options of {@linkcode csrfGuard}. */
export interface CsrfGuardOptions {
  /** Checks requests. */
  readonly csrf: CsrfService;
}

/**
 * Middleware that refuses forged requests with 403 `csrf_failed`: on a route, for a path by `under()`, or for all by
 * `before`. GET, HEAD and OPTIONS pass.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { csrfGuard, csrfService, deriveKeys } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const csrf = csrfService({ keys: deriveKeys("a secret of at least 32 bytes, kept") });
 * const router = createRouter({ before: [csrfGuard({ csrf })] })
 *   .post("/transfer", () => json({ done: true }));
 *
 * const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site" };
 * const response = await router.request("/transfer", { method: "POST", headers, body: "{}" });
 * assertEquals(response.status, 403);
 * ```
 */
export function csrfGuard({ csrf }: CsrfGuardOptions): Middleware<unknown[]> {
  return (req) => csrf.check(req.raw);
}
