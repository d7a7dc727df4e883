/**
 * `csrfGuard`: the CSRF check as middleware.
 *
 * @module
 */

import type { Middleware } from "../../router/types.ts";
import { rejectUnknownOptions } from "../_options.ts";
import type { CsrfService } from "../session/csrf.ts";
import type { CsrfRule } from "./types.ts";

/** Options of {@linkcode csrfGuard}. */
export interface CsrfGuardOptions {
  /** Checks requests. */
  readonly csrf: CsrfService;
  /**
   * What is required: an allowed origin and a `token`, or an allowed `origin` alone, with a token only where the browser does
   * not send the origin. See {@linkcode CsrfService}.
   *
   * @default {"token"}
   */
  readonly mode?: "token" | "origin" | undefined;
}

/**
 * Middleware that rejects forged requests with 403 `csrf_failed`: on a route, for a path by `under()`, or for all requests by
 * `before`. GET, HEAD and OPTIONS pass.
 *
 * @throws {TypeError} If `mode` is not `"token"` or `"origin"`, or an option is unknown.
 *
 * @example
 * ```ts
 * import { createRouter, json } from "@gatehouse/http";
 * import {
 *   cookiePolicy,
 *   csrfGuard,
 *   csrfService,
 *   deriveKeys,
 *   generateSecret,
 * } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const keys = deriveKeys(generateSecret());
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
  const { csrf, mode = "token" } = options;
  if (mode !== "token" && mode !== "origin") { // a guard that checks nothing is no guard
    throw new TypeError('Cannot create CSRF guard: mode must be "token" or "origin"');
  }
  const check = csrfCheck("Cannot create CSRF guard: mode", csrf, mode);
  return (req) => check(req.raw);
}

/** The check of a rule. @throws {TypeError} If the rule is unknown. */
export function csrfCheck(
  subject: string,
  { check, checkOrigin }: CsrfService,
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
  throw new TypeError(`${subject} must be "origin", "token" or "insecureSkip"`);
}
