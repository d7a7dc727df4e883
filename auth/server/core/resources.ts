/**
 * Resource indicators, RFC 8707: for which APIs a client wants its access tokens. What it was granted at the authorization request is
 * the most that it may ask for later.
 *
 * @module
 */

import type { RegisteredClient } from "../../stores/server_types.ts";
import type { ServerContext } from "./context.ts";
import type { GrantData } from "./grants.ts";
import { refuseToken } from "./refusal.ts";
import { audienceOf, requestedScope, resourceOf } from "./scopes.ts";

/** What an access token is for: its `aud` and its scopes. */
export interface TokenTarget {
  readonly audience: readonly [string, ...string[]];
  readonly scope: readonly string[];
}

type ResourceContext = Pick<ServerContext, "scopes" | "resources" | "issuer">;

/**
 * The APIs that values of `resource` name, each once; none for no value.
 *
 * @returns `undefined` if a value names no allowed one.
 */
function resourcesIn(
  values: readonly string[],
  allowed: readonly string[],
): readonly string[] | undefined {
  const named = values.filter((value) => value !== "").map((value) => nameOf(value, allowed));
  const known = named.filter((name) => name !== undefined);
  return known.length < named.length ? undefined : [...new Set(known)];
}

/** What a client requests for its user. */
export interface RequestedAccess {
  readonly scope: readonly string[];
  readonly resources: readonly string[];
}

/**
 * The APIs of a request, RFC 8707 §2.1, and its scopes: those for other APIs are ignored. Whether the client may have them is not
 * checked.
 */
export function requestedAccess(
  context: ResourceContext,
  client: RegisteredClient,
  { scope: text, resources: values }: {
    readonly scope: string | undefined;
    readonly resources: readonly string[];
  },
): RequestedAccess | "invalid_target" | "invalid_scope" {
  const resources = resourcesIn(values, [...context.resources, context.issuer]);
  if (resources === undefined) return "invalid_target";
  const requested = requestedScope(context, client, text);
  if (requested === undefined) return "invalid_scope";
  const scope = scopeFor(context, requested, resources);
  return scope.length === 0 && requested.length > 0 ? "invalid_scope" : { scope, resources };
}

/** Of requested scopes, those for the requested APIs; all of them if none is requested. */
export function scopeFor(
  context: ResourceContext,
  scope: readonly string[],
  resources: readonly string[],
): readonly string[] {
  if (resources.length === 0) return scope;
  return scope.filter((name) => {
    const resource = resourceOf(context, name);
    return resource === undefined || resources.includes(resource);
  });
}

/**
 * The APIs that tokens of a grant may be for: those that were requested at the authorization request, or else those of the scopes.
 */
export function grantedResources(
  context: ResourceContext,
  { scope, resources }: {
    readonly scope: readonly string[];
    readonly resources?: readonly string[] | undefined;
  },
): readonly [string, ...string[]] {
  const [first, ...others] = resources ?? [];
  return first === undefined ? audienceOf(context, scope) : [first, ...others];
}

/**
 * What the next access token is for: all that was granted, or what `resource` of the token request names of it, RFC 8707 §2.2.
 *
 * @throws {ServerRefusal} If that was not granted, or the server does not have it any more.
 */
export function tokenTarget(
  context: ResourceContext,
  client: RegisteredClient,
  { scope, data: { resources }, asked = "" }: {
    readonly scope: readonly string[];
    readonly data: Pick<GrantData, "resources">;
    /** The parameter `resource`, values separated by spaces. */
    readonly asked: string | undefined;
  },
): TokenTarget {
  const { clientId } = client;
  const current = [...context.resources, context.issuer];
  const granted = grantedResources(context, { scope, resources })
    .filter((resource) => current.includes(resource));
  const [first, ...others] = resourcesIn(asked.split(" "), granted) ?? [];
  if (first !== undefined) {
    const named = [first, ...others];
    return { audience: [first, ...others], scope: scopeFor(context, scope, named) };
  }
  const [all, ...more] = granted;
  if (asked !== "" || all === undefined) throw refuseToken("resource_refused", { clientId });
  return { audience: [all, ...more], scope };
}

/** Compared exactly; but clients that serialize a URL write its empty path as `/`, RFC 3986 §6.2.3. */
function nameOf(value: string, allowed: readonly string[]): string | undefined {
  if (allowed.includes(value)) return value;
  const bare = EMPTY_PATH_REGEXP.exec(value)?.[1];
  return bare !== undefined && allowed.includes(bare) ? bare : undefined;
}

/** An origin, and the slash that URL parsers add to it. */
const EMPTY_PATH_REGEXP = /^(https?:\/\/[^/?#]+)\/$/;
