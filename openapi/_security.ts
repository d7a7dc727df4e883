/**
 * The security of an operation, derived from its guards. Security in the metadata may narrow it, but must not
 * contradict it.
 *
 * @module
 */

import type { OpenApiInfo, SecurityRequirement, SecurityScheme } from "../router/openapi_types.ts";
import type { RouteGuardInfo } from "../router/types.ts";
import { mayBeAnonymous, scopeOf } from "../router/access.ts";
import type { Endpoint } from "./_endpoints.ts";
import { isEmpty } from "./_json_schema.ts";
import { COMMON_SCHEMES, describesScheme, nameSchemes } from "./security.ts";

/** Security of an operation. */
export interface OperationSecurity {
  /** Alternative requirements; `undefined` for the document's default. */
  readonly security: readonly SecurityRequirement[] | undefined;
  /** Whether a request may be rejected for a missing or invalid credential. */
  readonly mayRefuse: boolean;
  /** Whether an authenticated principal may be rejected. */
  readonly mayForbid: boolean;
}

/** Derives the security of operations and collects the schemes they use. */
export interface SecurityRules {
  /** @throws {TypeError} If the schemes of a guarded operation are unknown, or the metadata contradicts its guard. */
  of(endpoint: Endpoint): OperationSecurity;
  /** The schemes in use, by name, sorted. */
  schemes(): Readonly<Record<string, SecurityScheme>>;
}

/**
 * Creates the rules of one document.
 *
 * @throws {TypeError} If `info.security` names an undeclared scheme.
 */
export function createSecurityRules(
  info: OpenApiInfo,
  endpoints: readonly Endpoint[],
): SecurityRules {
  /**
   * If one controller's route asks for a guard, its router has one, which then guards all routes that do not opt out.
   */
  const mayBeGuarded = endpoints.some((one) =>
    one.guards === undefined && (statedGuards(one) ?? []).length > 0
  );
  const declaredSchemes = new Map(Object.entries(info.securitySchemes ?? {}));
  const known = new Map<string, SecurityScheme>([
    ...Object.entries(COMMON_SCHEMES),
    ...declaredSchemes,
  ]);
  const guardSchemes = new Map<string, SecurityScheme>();
  const used = new Set<string>();

  function use(requirements: readonly SecurityRequirement[]): void {
    for (const name of requirements.flatMap((requirement) => Object.keys(requirement))) {
      if (!known.has(name)) throw new TypeError(`security scheme "${name}" is not declared`);
      used.add(name);
    }
  }

  /** Registers the schemes of a guard. A declaration in `info` may describe the same scheme in more detail. */
  function registerSchemes({ strategies, access }: RouteGuardInfo): readonly string[] {
    const all = nameSchemes(strategies, guardSchemes);
    const unscoped = nameSchemes(strategies.filter(({ scoped }) => scoped !== true), guardSchemes);
    const names = access.scope === undefined && unscoped.length > 0 ? unscoped : all;
    for (const name of names) {
      const scheme = guardSchemes.get(name) ?? { type: "http" };
      const declared = declaredSchemes.get(name);
      if (declared !== undefined && !describesScheme(declared, scheme)) {
        throw new TypeError(
          `security scheme "${name}" does not match the scheme of its guard: ${
            JSON.stringify(scheme)
          }`,
        );
      }
      known.set(name, declared ?? scheme);
    }
    return names;
  }

  /** A requirement with the scopes that guards need; principals of a cookie have none. */
  function withScope(
    requirement: SecurityRequirement,
    scope: readonly string[],
  ): SecurityRequirement {
    const scopeOfScheme = (name: string) => known.get(name)?.in === "cookie" ? [] : scope;
    return Object.fromEntries(
      Object.entries(requirement).map(([name, own]) => [
        name,
        [...new Set([...own, ...scopeOfScheme(name)])],
      ]),
    );
  }

  /** Alternative requirements of one guard. */
  function alternatives(
    guard: RouteGuardInfo,
    written: readonly SecurityRequirement[] | undefined,
  ): readonly SecurityRequirement[] {
    const names = registerSchemes(guard);
    const stated = names.length > 0
      ? names.map((name) => ({ [name]: [] }))
      : written?.filter((one) => !isEmpty(one)) ?? fallback();
    return mayBeAnonymous(guard.access) ? [...stated, {}] : stated;
  }

  /** Requirements from `info`, for a guard without schemes. */
  function fallback(): readonly SecurityRequirement[] {
    const stated = info.security?.filter((one) => !isEmpty(one)) ?? [];
    if (stated.length > 0) return stated;
    const declared = Object.keys(info.securitySchemes ?? {});
    if (declared.length > 0) return declared.map((name) => ({ [name]: [] }));
    throw new TypeError(
      "it is guarded, but its security schemes are unknown: pass strategies to the integration, or security to info",
    );
  }

  const undeclared = (info.security ?? []).flatMap((one) => Object.keys(one))
    .find((name) => !known.has(name));
  if (undeclared !== undefined) {
    throw new TypeError(
      `Cannot write the document: info.security names the scheme "${undeclared}", which is not declared`,
    );
  }
  use(info.security ?? []);
  return {
    of(endpoint) {
      const { metadata, options: { auth } } = endpoint;
      const guards = endpoint.guards ?? statedGuards(endpoint);
      if (guards === undefined) { // a controller without a router
        const assumed = mayBeGuarded ? fallback() : [];
        const security = metadata.security ?? (info.security === undefined ? assumed : undefined);
        use(security ?? []);
        return {
          security,
          mayForbid: false,
          mayRefuse: (security ?? info.security ?? []).length > 0,
        };
      }
      const scopes = [...guards.map(({ access }) => access.scope), scopeOf(endpoint.options)];
      const scope = scopes.flatMap((one) => typeof one === "object" ? one : []);
      const mayForbid = scope.length > 0 ||
        guards.some(({ access: { authorization = "none" } }) => authorization !== "none");
      const derived = guards.length === 0
        ? []
        : guards.map((guard) => alternatives(guard, metadata.security)).reduce(product)
          .map((one) => withScope(one, scope));
      const security = metadata.security ?? derived;
      if (metadata.security !== undefined) {
        checkAgainst(metadata.security, guards.length > 0 ? derived : undefined, auth === false);
      }
      use(security);
      const asked = guards.length > 0 ? derived : security; // a guard rejects an invalid credential even where none is required
      return { security, mayForbid, mayRefuse: asked.length > 0 };
    },
    schemes: () =>
      Object.fromEntries(
        [...used].sort().map((name) => [name, known.get(name) ?? { type: "http" }]),
      ),
  };
}

/** The guard that a controller's own options imply; `undefined` if they leave it to the router. */
function statedGuards({ options }: Endpoint): readonly RouteGuardInfo[] | undefined {
  const { auth, authorization } = options;
  const scope = scopeOf(options);
  if (auth === false) return [];
  if (auth === undefined && authorization === undefined && scope === undefined) return undefined;
  const mode = typeof auth === "object" && auth.mode === "optional" ? "optional" : "required";
  const access = {
    mode,
    ...(authorization === undefined ? {} : { authorization }),
    ...(scope === undefined ? {} : { scope }),
  } as const;
  return [{ access, strategies: [] }];
}

/** Both guards must be passed: every alternative of one is combined with every alternative of the other. */
function product(
  left: readonly SecurityRequirement[],
  right: readonly SecurityRequirement[],
): readonly SecurityRequirement[] {
  const both = left.flatMap((one) => right.map((other) => ({ ...one, ...other })));
  return both.filter((one, i) => both.findIndex((other) => isEqual(one, other)) === i);
}

/** @throws {TypeError} If security in the metadata is weaker or stricter than the guard. */
function checkAgainst(
  written: readonly SecurityRequirement[],
  derived: readonly SecurityRequirement[] | undefined,
  isPublic: boolean,
): void {
  if (derived === undefined) {
    if (isPublic && written.length > 0) {
      throw new TypeError("its metadata requires a credential, but auth is false");
    }
    return;
  }
  const anonymous = derived.some(isEmpty);
  if (
    (written.length === 0 || written.some(isEmpty)) !== anonymous
  ) {
    throw new TypeError(
      anonymous
        ? "its metadata requires a credential, but its guard accepts anonymous requests"
        : "its metadata says that it is public, but it is guarded",
    );
  }
  const alternatives = derived.filter((one) => !isEmpty(one));
  const unsupported = written.find((one) =>
    !isEmpty(one) &&
    !alternatives.some((other) => Object.keys(other).every((name) => Object.hasOwn(one, name)))
  );
  if (unsupported !== undefined) {
    throw new TypeError(
      `its metadata requires ${
        Object.keys(unsupported).join(" and ")
      }, which its guards do not accept`,
    );
  }
}

/** Whether two requirements name the same schemes; scopes are added later. */
function isEqual(one: SecurityRequirement, other: SecurityRequirement): boolean {
  return Object.keys(one).sort().join() === Object.keys(other).sort().join();
}
