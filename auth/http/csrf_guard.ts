/**
 * `csrfGuard`: the CSRF check as middleware.
 *
 * @module
 */

import type { Middleware } from "../../router/types.ts";
import { rejectUnknownOptions } from "../_options.ts";
import type { CsrfService } from "../session/csrf.ts";
import type { CsrfRule } from "./runtime.ts";

/** Options of {@linkcode csrfGuard}. */
export interface CsrfGuardOptions {
  /** Checks requests. */
  readonly csrf: CsrfService;
  /**
   * What is asked: where the request comes from and a `token`, or its `origin` alone, and a token only where no browser
   * says it. See {@linkcode CsrfService}.
   *
   * @default {"token"}
   */
  readonly mode?: "token" | "origin" | undefined;
}

/**
 * Middleware that refuses forged requests with 403 `csrf_failed`: on a route, for a path by `under()`, or for all by
 * `before`. GET, HEAD and OPTIONS pass.
 *
 * @throws {TypeError} If `mode` is neither of the two.
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
export function csrfGuard(options: CsrfGuardOptions): Middleware<unknown[]> {
  rejectUnknownOptions("Cannot create CSRF guard", options, { csrf: true, mode: true });
  const { csrf, mode: ask = "token" } = options;
  if (ask !== "token" && ask !== "origin") { // a guard that asks nothing is none
    throw new TypeError('Cannot create CSRF guard: mode must be "token" or "origin"');
  }
  const check = csrfCheck("Cannot create CSRF guard: ask", csrf, ask);
  return (req) => check(req.raw);
}

/** What a rule asks of a request. @throws {TypeError} If it is none. */
export function csrfCheck(
  cannot: string,
  { check, checkOrigin: checkOrigin }: CsrfService,
  rule: CsrfRule,
): (request: Request) => Promise<void> | undefined {
  switch (rule) {
    case "origin":
      return checkOrigin;
    case "token":
      return check;
    case "insecureSkip":
      return () => undefined;
  }
  rule satisfies never;
  throw new TypeError(`${cannot} is none of source, token and insecureSkip`);
}
