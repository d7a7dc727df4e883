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
  /**
   * What is asked: where the request comes from and a `token`, or its `source` alone, and a token only where no browser
   * says it. See {@linkcode CsrfService}.
   *
   * @default {"token"}
   */
  readonly ask?: "token" | "source";
}

/**
 * Middleware that refuses forged requests with 403 `csrf_failed`: on a route, for a path by `under()`, or for all by
 * `before`. GET, HEAD and OPTIONS pass.
 *
 * @throws {TypeError} If `ask` is neither of the two.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import { cookiePolicy, csrfGuard, csrfService, deriveKeys } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const keys = deriveKeys("a secret of at least 32 bytes, kept");
 * const csrf = csrfService({ keys, cookies: cookiePolicy() });
 * const router = createRouter({ before: [csrfGuard({ csrf })] })
 *   .post("/transfer", () => json({ done: true }));
 *
 * const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "cross-site" };
 * const response = await router.request("/transfer", { method: "POST", headers, body: "{}" });
 * assertEquals(response.status, 403);
 * ```
 */
export function csrfGuard({ csrf, ask = "token" }: CsrfGuardOptions): Middleware<unknown[]> {
  switch (ask) {
    case "token":
      return (req) => csrf.check(req.raw);
    case "source":
      return (req) => csrf.checkSource(req.raw);
  }
  ask satisfies never;
  throw new TypeError("Cannot create CSRF guard: ask is neither token nor source");
}
