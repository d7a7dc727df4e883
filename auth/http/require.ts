/**
 * `requireAuth` and `requireAuthz`: the guard as middleware.
 *
 * @module
 */

import { namedScopeOf, readStepUp } from "../../router/access.ts";
import type {
  AccessRules,
  Middleware,
  RegisteredRules,
  RouteAccess,
  ScopeOption,
  StepUpOptions,
} from "../../router/types.ts";
import { markGuard } from "../../router/guard.ts";
import { wrap } from "../../router/wrap.ts";
import { readScope } from "../_scope.ts";
import { createGuard, type GuardOptions } from "./guard.ts";
import { finalizeResponseOf } from "./response_headers.ts";

/** Options of {@linkcode requireAuth}. */
export interface RequireAuthOptions extends Omit<GuardOptions<never>, "manager"> {
  /**
   * Scopes that principals with a `scope` need, all of them, or `any`.
   *
   * @default those of {@linkcode requireScope} in the route's `use`; without one, such principals are rejected
   */
  readonly scope?: ScopeOption<RegisteredRules["scope"]> | undefined;
  /** Authentication methods (RFC 8176) that the principal must have, all of them: `["mfa"]`. @default any */
  readonly amr?: StepUpOptions["amr"] | undefined;
  /** Authentication contexts, of which the principal must have one, the preferred one first. @default any */
  readonly acr?: StepUpOptions["acr"] | undefined;
  /** Seconds since the user authenticated, at most: an integer from 1. @default {Infinity} */
  readonly maxAge?: number | undefined;
}

/** Options of {@linkcode requireAuthz}. */
export interface RequireAuthzOptions<Metadata = RegisteredRules["metadata"], Known = Metadata>
  extends GuardOptions<Metadata, Known>, Pick<RequireAuthOptions, "scope" | keyof StepUpOptions> {
  /** What the manager decides about: the application's own data. */
  readonly metadata: NoInfer<Metadata>;
  /** Call the manager for anonymous requests too; not with `amr`, `acr` or `maxAge`. @default {false}, which responds 401 to them */
  readonly allowAnonymous?: boolean | undefined;
}

/**
 * Middleware that rejects requests without a valid principal with 401; {@linkcode getPrincipal} returns it. For a
 * route, or for a path by `under()`. To protect a whole router, {@linkcode withAuthRoutes} cannot be forgotten.
 *
 * Pass `finally: [applyAuthHeaders]` to the router too, which clears the cookie of an invalid session with the 401.
 *
 * With `amr`, `acr` or `maxAge`, a principal whose sign-in does not suffice gets 401 `insufficient_authentication`, and passes after
 * it has signed in again. A principal without `authTime`, as by an API key, never passes `maxAge`.
 *
 * @throws {TypeError} If there is no runtime, or an option is unknown or of a wrong shape.
 * @throws {RangeError} If `maxAge` is not a positive integer.
 *
 * @example
 * ```ts
 * import {
 *   applyAuthHeaders,
 *   createContainer,
 *   createRouter,
 *   generateSecret,
 *   getPrincipal,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   requireAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   container: createContainer(), // without it, the default one: requireAuth() then finds the runtime there
 * });
 * const router = createRouter({ finally: [applyAuthHeaders] })
 *   .get("/me", (req) => json(getPrincipal(req)?.sub), { use: [requireAuth({ runtime })] });
 *
 * assertEquals((await router.request("/me")).status, 401);
 * ```
 */
export function requireAuth(options: RequireAuthOptions = {}): Middleware<unknown[]> {
  return middlewareOf(options, { mode: "required" });
}

/**
 * Middleware that calls the authorization manager, and rejects with 403 `access_denied` what it denies. It authenticates
 * the request as {@linkcode requireAuth} does, unless an earlier guard with the same strategies has; if that guard has its
 * own `strategy` or `csrf`, pass them here too. The manager decides about the route that matched first, so it belongs
 * to a route's `use`. It does not appear in OpenAPI documents; the route option `authorization` does.
 *
 * @throws {TypeError} If there is no runtime, `metadata` is missing, or an option is unknown or of a wrong shape.
 * @throws {RangeError} If `maxAge` is not a positive integer.
 */
export function requireAuthz<Known = RegisteredRules["metadata"], Metadata = Known>(
  options: RequireAuthzOptions<Metadata, Known>,
): Middleware<unknown[]> {
  const { metadata, allowAnonymous = false, ...others } = options;
  if (!Object.hasOwn(options, "metadata")) {
    throw new TypeError("Cannot require authorization: metadata is missing");
  }
  return middlewareOf<Metadata, Known>(others, {
    mode: allowAnonymous ? "optional" : "required",
    authorization: { metadata, allowAnonymous },
  });
}

const ACTION = "Cannot create guard";

function middlewareOf<Metadata, Known>(
  { scope, amr, acr, maxAge, ...options }:
    & GuardOptions<Metadata, Known>
    & Pick<RequireAuthOptions, "scope" | keyof StepUpOptions>,
  who: RouteAccess<AccessRules<Metadata>>,
): Middleware<unknown[]> {
  const access = { ...who, ...readStepUp(ACTION, { amr, acr, maxAge }) };
  if (who.mode === "optional" && (amr ?? acr ?? maxAge) !== undefined) {
    throw new TypeError(`${ACTION}: step-up needs a principal, and allowAnonymous is true`);
  }
  const own = scope === "any" ? scope : readScope(ACTION, scope);
  const { guard, authorize } = createGuard(options);
  return markGuard(wrap<unknown[]>(async (req, next, ...args) => {
    const named = own ?? namedScopeOf(req);
    const asked = named === undefined ? access : { ...access, scope: named };
    const principal = await guard(req, asked, ...args);
    await authorize(req, principal, asked, ...args);
    return finalizeResponseOf(req, await next());
  }));
}
