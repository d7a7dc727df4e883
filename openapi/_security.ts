/**
 * The security of an operation, which follows from its guards. What is written by hand may narrow it and never
 * contradict it.
 *
 * @module
 */

import type { OpenApiInfo, SecurityRequirement, SecurityScheme } from "../router/openapi_types.ts";
import type { RouteGuardInfo } from "../router/types.ts";
import { mayBeAnonymous } from "../router/access.ts";
import type { Endpoint } from "./_endpoints.ts";
import { isEmpty } from "./_json_schema.ts";
import { COMMON_SCHEMES, describesScheme, nameSchemes } from "./security.ts";

/** What a document says of an operation's security. */
export interface OperationSecurity {
  /** Alternatives of what the operation asks for; `undefined` for the document's own. */
  readonly security: readonly SecurityRequirement[] | undefined;
  /** Whether a request may be refused for its credential, or the lack of one. */
  readonly mayRefuse: boolean;
  /** Whether a principal may be refused. */
  readonly mayForbid: boolean;
}

/** Works out the security of operations, and collects the schemes they name. */
export interface SecurityRules {
  /** @throws {TypeError} If nothing says how a guarded operation is secured, or the metadata contradicts its guard. */
  of(endpoint: Endpoint): OperationSecurity;
  /** Schemes that were named, by name, sorted. */
  schemes(): Readonly<Record<string, SecurityScheme>>;
}

/**
 * Creates the rules of one document.
 *
 * @throws {TypeError} If its own security names an unknown scheme.
 */
export function createSecurityRules(
  info: OpenApiInfo,
  endpoints: readonly Endpoint[],
): SecurityRules {
  /** One that asks for a guard has a router with one, which guards whatever does not say otherwise. */
  const mayBeGuarded = endpoints.some((one) =>
    one.guards === undefined && (statedGuards(one) ?? []).length > 0
  );
  const declaredSchemes = new Map(Object.entries(info.securitySchemes ?? {}));
  const known = new Map<string, SecurityScheme>([
    ...Object.entries(COMMON_SCHEMES),
    ...declaredSchemes,
  ]);
  const learned = new Map<string, SecurityScheme>();
  const used = new Set<string>();

  function use(requirements: readonly SecurityRequirement[]): void {
    for (const name of requirements.flatMap((requirement) => Object.keys(requirement))) {
      if (!known.has(name)) throw new TypeError(`security scheme "${name}" is not declared`);
      used.add(name);
    }
  }

  /** Takes over the schemes of a guard. What `info` says of one may describe it better. */
  function learn({ strategies }: RouteGuardInfo): readonly string[] {
    const names = nameSchemes(strategies, learned);
    for (const name of names) {
      const scheme = learned.get(name) ?? { type: "http" };
      const declared = declaredSchemes.get(name);
      if (declared !== undefined && !describesScheme(declared, scheme)) {
        throw new TypeError(
          `security scheme "${name}" is declared otherwise than its guard has it: ${
            JSON.stringify(scheme)
          }`,
        );
      }
      known.set(name, declared ?? scheme);
    }
    return names;
  }

  /** Alternatives of one guard. */
  function alternatives(
    guard: RouteGuardInfo,
    written: readonly SecurityRequirement[] | undefined,
  ): readonly SecurityRequirement[] {
    const names = learn(guard);
    const stated = names.length > 0
      ? names.map((name) => ({ [name]: [] }))
      : written?.filter((one) => !isEmpty(one)) ?? fallback();
    return mayBeAnonymous(guard.access) ? [...stated, {}] : stated;
  }

  /** What `info` says where the guard does not. */
  function fallback(): readonly SecurityRequirement[] {
    const stated = info.security?.filter((one) => !isEmpty(one)) ?? [];
    if (stated.length > 0) return stated;
    const declared = Object.keys(info.securitySchemes ?? {});
    if (declared.length > 0) return declared.map((name) => ({ [name]: [] }));
    throw new TypeError(
      "it is guarded, and nothing says by what: give the integration its strategies, or info its security",
    );
  }

  const undeclared = (info.security ?? []).flatMap((one) => Object.keys(one))
    .find((name) => !known.has(name));
  if (undeclared !== undefined) {
    throw new TypeError(
      `Cannot write the document: info asks for security scheme "${undeclared}", which is not declared`,
    );
  }
  use(info.security ?? []);
  return {
    of(endpoint) {
      const { metadata, options: { auth, authorization } } = endpoint;
      const guards = endpoint.guards ?? statedGuards(endpoint);
      const mayForbid = authorization !== undefined;
      if (guards === undefined) { // a controller of no router that could say more
        const unsaid = mayBeGuarded ? fallback() : [];
        const security = metadata.security ?? (info.security === undefined ? unsaid : undefined);
        use(security ?? []);
        return { security, mayForbid, mayRefuse: (security ?? info.security ?? []).length > 0 };
      }
      const derived = guards.length === 0
        ? []
        : guards.map((guard) => alternatives(guard, metadata.security)).reduce(product);
      const security = metadata.security ?? derived;
      if (metadata.security !== undefined) {
        checkAgainst(metadata.security, guards.length > 0 ? derived : undefined, auth === false);
      }
      use(security);
      const asked = guards.length > 0 ? derived : security; // a guard refuses a wrong credential, needed or not
      return { security, mayForbid, mayRefuse: asked.length > 0 };
    },
    schemes: () =>
      Object.fromEntries(
        [...used].sort().map((name) => [name, known.get(name) ?? { type: "http" }]),
      ),
  };
}

/** What a controller's own options say of its guard; `undefined` if they leave it to the router. */
function statedGuards({ options }: Endpoint): readonly RouteGuardInfo[] | undefined {
  const { auth, authorization } = options;
  if (auth === false) return [];
  if (auth === undefined && authorization === undefined) return undefined;
  const mode = typeof auth === "object" ? "optional" : "required";
  const asked = authorization === undefined ? {} : { authorization };
  return [{ access: { mode, ...asked }, strategies: [] }];
}

/** Both guards have to be passed: every alternative of one with every alternative of the other. */
function product(
  left: readonly SecurityRequirement[],
  right: readonly SecurityRequirement[],
): readonly SecurityRequirement[] {
  const both = left.flatMap((one) => right.map((other) => ({ ...one, ...other })));
  return both.filter((one, i) => both.findIndex((other) => isEqual(one, other)) === i);
}

/** @throws {TypeError} If what is written by hand says more, or less, than the guard does. */
function checkAgainst(
  written: readonly SecurityRequirement[],
  derived: readonly SecurityRequirement[] | undefined,
  isPublic: boolean,
): void {
  if (derived === undefined) {
    if (isPublic && written.length > 0) {
      throw new TypeError("its metadata asks for a credential, and auth is false");
    }
    return;
  }
  const anonymous = derived.some(isEmpty);
  if (
    (written.length === 0 || written.some(isEmpty)) !== anonymous
  ) {
    throw new TypeError(
      anonymous
        ? "its metadata asks for a credential, and its guard lets anonymous requests pass"
        : "its metadata says that it is public, and it is guarded",
    );
  }
  const alternatives = derived.filter((one) => !isEmpty(one));
  const weak = written.find((one) =>
    !isEmpty(one) &&
    !alternatives.some((other) => Object.keys(other).every((name) => Object.hasOwn(one, name)))
  );
  if (weak !== undefined) {
    throw new TypeError(
      `its metadata asks for ${Object.keys(weak).join(" and ")}, which its guards do not let pass`,
    );
  }
}

/** Whether two requirements name the same schemes; a guard's have no scopes. */
function isEqual(one: SecurityRequirement, other: SecurityRequirement): boolean {
  return Object.keys(one).sort().join() === Object.keys(other).sort().join();
}
