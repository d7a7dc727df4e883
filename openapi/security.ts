/**
 * Security requirements and security schemes (OpenAPI 3.1 §4.8.27, §4.8.30).
 *
 * @module
 */

import type { SecurityRequirement, SecurityScheme } from "../router/openapi_types.ts";
import type { CredentialScheme, SchemeStrategy } from "../router/types.ts";
import { isSame } from "./_json_schema.ts";

/**
 * Security of an operation or a document: one scheme, with the scopes that a token needs.
 *
 * @example
 * ```ts
 * import { secured } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(secured("bearer", ["notes:write"]), [{ bearer: ["notes:write"] }]);
 * assertEquals([...secured("bearer"), ...secured("session")], [{ bearer: [] }, { session: [] }]); // either
 * ```
 */
export function secured(
  scheme: string,
  scopes: readonly string[] = [],
): readonly SecurityRequirement[] {
  return [{ [scheme]: [...scopes] }];
}

/** Security of a public operation: no requirement. */
export const publicEndpoint: readonly SecurityRequirement[] = /* @__PURE__ */ Object.freeze([]);

/** Schemes that need not be declared, by name. */
export const COMMON_SCHEMES: Readonly<Record<string, SecurityScheme>> = {
  session: { type: "apiKey", in: "cookie", name: "__Host-sid" },
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
  apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
};

/**
 * The security schemes of strategies: `session` for a cookie, `bearer` for a bearer token, `apiKey` for a header field.
 * A second scheme of the same kind is named after its strategy. Strategies without a `scheme` are left out.
 *
 * @example
 * ```ts
 * import { securitySchemesFor } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const strategies = [{ name: "session", scheme: { type: "cookie", name: "__Host-sid" } }] as const;
 * assertEquals(securitySchemesFor(strategies), {
 *   session: { type: "apiKey", in: "cookie", name: "__Host-sid" },
 * });
 * ```
 */
export function securitySchemesFor(
  strategies: readonly SchemeStrategy[],
): Readonly<Record<string, SecurityScheme>> {
  const schemes = new Map<string, SecurityScheme>();
  nameSchemes(strategies, schemes);
  return Object.fromEntries(schemes);
}

/**
 * Adds the schemes of strategies to a map.
 *
 * @returns Their names. A scheme that is already in the map keeps its name.
 */
export function nameSchemes(
  strategies: readonly SchemeStrategy[],
  schemes: Map<string, SecurityScheme>,
): readonly string[] {
  const names = new Set<string>();
  for (const { name: own, scheme } of strategies) {
    if (scheme === undefined) continue;
    const [common, value] = describe(scheme);
    const isFree = (name: string) => !schemes.has(name) || isSame(schemes.get(name), value);
    const stem = own.replace(/[^\w.-]/g, "_");
    let name = isFree(common) ? common : stem;
    for (let n = 2; !isFree(name); n++) name = `${stem}_${n}`;
    schemes.set(name, value);
    names.add(name);
  }
  return [...names];
}

/**
 * Whether a declaration describes the scheme of a guard. A bearer token may also be declared as OAuth 2.0 or OpenID
 * Connect, which issue bearer tokens.
 */
export function describesScheme(declared: SecurityScheme, scheme: SecurityScheme): boolean {
  if (scheme.type === "http" && ["oauth2", "openIdConnect"].includes(declared.type)) return true;
  return declared.type === scheme.type && declared.in === scheme.in &&
    declared.name === scheme.name &&
    declared.scheme?.toLowerCase() === scheme.scheme?.toLowerCase(); // RFC 9110 §11.1
}

function describe(scheme: CredentialScheme): readonly [name: string, scheme: SecurityScheme] {
  switch (scheme.type) {
    case "cookie":
      return ["session", { type: "apiKey", in: "cookie", name: scheme.name }];
    case "header":
      return ["apiKey", { type: "apiKey", in: "header", name: scheme.name }];
    case "bearer":
      return scheme.scheme === undefined
        ? ["bearer", { type: "http", scheme: "bearer", bearerFormat: "JWT" }]
        : ["dpop", { type: "http", scheme: scheme.scheme }];
  }
}
