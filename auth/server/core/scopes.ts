/**
 * Scopes: those that clients may request, the standard claims that they stand for, and the APIs that they are for.
 *
 * @module
 */

import { readScope } from "../../_scope.ts";
import type { JwtClaims } from "../../jwt/types.ts";
import type { RegisteredClient } from "../../stores/server_types.ts";
import type { ServerContext } from "./context.ts";
import type { AuthorizationServerOptions, ScopeInfo } from "./types.ts";

/** Scopes of OpenID Connect Core §5.4 and §11: their claims, and the texts of the consent page. */
const STANDARD_SCOPES: Readonly<
  Record<string, ScopeInfo & { readonly claims?: readonly string[] }>
> = {
  openid: { description: "Know who you are" },
  profile: {
    description: "See your profile, such as your name and picture",
    claims: [
      "name",
      "family_name",
      "given_name",
      "middle_name",
      "nickname",
      "preferred_username",
      "profile",
      "picture",
      "website",
      "gender",
      "birthdate",
      "zoneinfo",
      "locale",
      "updated_at",
    ],
  },
  email: { description: "See your e-mail address", claims: ["email", "email_verified"] },
  address: { description: "See your postal address", claims: ["address"] },
  phone: {
    description: "See your phone number",
    claims: ["phone_number", "phone_number_verified"],
  },
  offline_access: { description: "Keep access while you are signed out" },
};

/** The scope without which a request is plain OAuth. */
export const OPENID = "openid";

/** The scope of a grant that outlives the session, OpenID Connect Core §11. */
export const OFFLINE_ACCESS = "offline_access";

/**
 * The scopes of a server, in the order of the consent page: those of OpenID Connect that have a meaning, then its own.
 *
 * @throws {TypeError | RangeError} If a scope is malformed, or its resource is unknown.
 */
export function readScopes(
  cannot: string,
  { scopes = {}, claims }: Pick<AuthorizationServerOptions, "scopes" | "claims">,
  resources: readonly string[],
): ReadonlyMap<string, ScopeInfo> {
  if (typeof scopes !== "object" || scopes === null) {
    throw new TypeError(`${cannot}: scopes must be an object`);
  }
  readScope(cannot, Object.keys(scopes));
  for (const info of Object.values(scopes)) {
    const { description, resource } = info ?? {};
    if (typeof description !== "string" || description === "") {
      throw new TypeError(`${cannot}: a scope needs a description, for the consent page`);
    }
    if (resource !== undefined && !resources.includes(resource)) {
      throw new TypeError(`${cannot}: the resource of a scope must be one of resources`);
    }
  }
  const standard = Object.entries(STANDARD_SCOPES)
    .filter(([, info]) => info.claims === undefined || claims !== undefined)
    .map(([name, { description }]) => [name, { description }] as const);
  return new Map([...standard, ...Object.entries(scopes)]);
}

/** Longest `scope`, and most scopes of one request. */
const MAX_LENGTH = 2_048;
const MAX_SCOPES = 64;

/**
 * The scopes of a request, in the server's order. Unknown ones are ignored, OpenID Connect Core §3.1.2.1, and what is granted is
 * said in the token response. Without the parameter they are the client's own, or else those that the application has defined.
 *
 * @returns `undefined` if the parameter is malformed, or nothing of it is known. Whether the client may have them is not checked.
 */
export function requestedScope(
  { scopes }: Pick<ServerContext, "scopes">,
  { scope: allowed }: RegisteredClient,
  text: string | undefined,
): readonly string[] | undefined {
  if (text === undefined) {
    return [...scopes.keys()].filter((name) =>
      allowed === undefined ? !Object.hasOwn(STANDARD_SCOPES, name) : allowed.includes(name)
    );
  }
  const words = parseScope(text);
  if (words === undefined) return undefined;
  const known = [...scopes.keys()].filter((name) => words.includes(name));
  return known.length > 0 ? known : undefined;
}

/** RFC 6749 §3.3: tokens, separated by one space. Unknown ones may be longer than those of `readScope()`. */
const SCOPE_REGEXP = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;

/** The scopes of a parameter; `undefined` if it is malformed. */
export function parseScope(text: string): readonly string[] | undefined {
  if (text.length > MAX_LENGTH || !SCOPE_REGEXP.test(text)) return undefined;
  const words = [...new Set(text.split(" "))];
  return words.length <= MAX_SCOPES ? words : undefined;
}

/** Whether a client may have a scope. */
export function mayHaveScope({ scope }: RegisteredClient, name: string): boolean {
  return scope?.includes(name) ?? true;
}

/** Of granted scopes, those that the server still has, and that the client may still have: both may have changed since. */
export function currentScope(
  { scopes }: Pick<ServerContext, "scopes">,
  client: RegisteredClient,
  granted: readonly string[],
): readonly string[] {
  return granted.filter((name) => scopes.has(name) && mayHaveScope(client, name));
}

/**
 * The scopes that a client may have for itself, RFC 6749 §4.4: those that it lists, because nobody is asked, and none about a user.
 */
export function ownScope(
  context: Pick<ServerContext, "scopes">,
  client: RegisteredClient,
): readonly string[] {
  return currentScope(context, client, client.scope ?? [])
    .filter((name) => !Object.hasOwn(STANDARD_SCOPES, name));
}

/** The API that a scope is for; `undefined` for those of OpenID Connect, which are about the user. */
export function resourceOf(
  { scopes, resources }: Pick<ServerContext, "scopes" | "resources">,
  name: string,
): string | undefined {
  return scopes.get(name)?.resource ??
    (Object.hasOwn(STANDARD_SCOPES, name) ? undefined : resources[0]);
}

/**
 * The audience of an access token whose client names no API: the APIs of its scopes, which is the first one for those that name none. With `openid` it is
 * the issuer too, whose UserInfo it opens.
 */
export function audienceOf(
  { scopes, resources, issuer }: Pick<ServerContext, "scopes" | "resources" | "issuer">,
  granted: readonly string[],
): readonly [string, ...string[]] {
  const named = granted.flatMap((name) => resourceOf({ scopes, resources }, name) ?? []);
  const [first = resources[0], ...others] = named;
  const all = new Set([first, ...others, ...(granted.includes(OPENID) ? [issuer] : [])]);
  all.delete(first);
  return [first, ...all];
}

/** Names of the standard claims, and the scope of each. */
const SCOPE_OF_CLAIM: ReadonlyMap<string, string> = new Map(
  Object.entries(STANDARD_SCOPES).flatMap(([scope, { claims = [] }]) =>
    claims.map((claim) => [claim, scope] as const)
  ),
);

/** Claims about the user that the scopes grant: standard ones of another scope are left out, §5.4. */
export function grantedClaims(claims: JwtClaims, granted: readonly string[]): JwtClaims {
  const members = Object.entries(claims).filter(([name, value]) => {
    const scope = SCOPE_OF_CLAIM.get(name);
    return value !== undefined && value !== null &&
      (scope === undefined || granted.includes(scope));
  });
  return Object.fromEntries(members);
}

/** Names of the standard claims of a server's scopes, for the metadata. */
export function claimNames(scopes: ReadonlyMap<string, ScopeInfo>): readonly string[] {
  return [...SCOPE_OF_CLAIM].filter(([, scope]) => scopes.has(scope)).map(([claim]) => claim);
}
