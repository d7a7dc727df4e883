/**
 * `AuthorizationServer`: an authorization server, OAuth 2.1 (draft-ietf-oauth-v2-1) and OpenID Connect Core 1.0.
 *
 * @module
 */

import type { JwtClaims } from "../jwt/types.ts";
import type { Principal } from "../principal.ts";
import type { ServerContext } from "./_context.ts";
import { ENDPOINTS } from "./_endpoints.ts";
import { listGrants } from "./_grants.ts";
import { serverMetadata } from "./_metadata.ts";
import { readServerOptions } from "./_options.ts";
import { clientOfGrant } from "./_userinfo.ts";
import { ownAccessToken } from "./_verify_tokens.ts";
import type { AuthorizationServerOptions, GrantInfo } from "./types.ts";

const CONTEXTS: WeakMap<AuthorizationServer, ServerContext> = /* @__PURE__ */ new WeakMap();

/**
 * An authorization server: clients send users to it, users sign in and consent, clients get tokens. PKCE (S256) is mandatory,
 * redirect URIs are compared exactly, and each step of an authorization is one compare-and-swap.
 *
 * {@linkcode handleOAuthServerRequest} answers its requests, {@linkcode mountOAuthServer} adds them to a router.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, keyService } from "@gatehouse/http/auth";
 * import { AuthorizationServer, handleOAuthServerRequest, staticClients } from "@gatehouse/http/auth/server";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * const server = new AuthorizationServer({
 *   issuer: "https://id.example",
 *   clients: staticClients([
 *     { clientId: "spa", name: "Notes", redirectUris: ["https://notes.example/callback"] },
 *   ]),
 *   codes: stores.authorizations,
 *   tokens: stores.refreshTokens,
 *   keyService: keyService({ store: stores.keys, algorithms: ["ES256", "RS256"] }),
 * });
 *
 * const url = "https://id.example/.well-known/openid-configuration";
 * const metadata = await (await handleOAuthServerRequest(server, new Request(url))).json();
 * assertEquals(metadata.code_challenge_methods_supported, ["S256"]);
 * ```
 */
export class AuthorizationServer {
  /** Issuer identifier. */
  readonly issuer: string;

  /** Creates a server. @throws {TypeError | RangeError} If an option is missing, unknown, or of a wrong shape. */
  constructor(options: AuthorizationServerOptions) {
    const context = readServerOptions(options);
    this.issuer = context.issuer;
    CONTEXTS.set(this, context);
  }

  /** Metadata of the server, RFC 8414 and OpenID Connect Discovery. */
  metadata(): Readonly<Record<string, unknown>> {
    return serverMetadata(contextOf(this), ENDPOINTS);
  }

  /** Applications that a user has given access to, and that have not lost it: the newest first. */
  async listGrants(sub: string): Promise<readonly GrantInfo[]> {
    return await listGrants(contextOf(this), sub);
  }

  /**
   * Ends a grant of a user: its refresh tokens at once, its access tokens where {@linkcode accept} is asked, and elsewhere when
   * they expire.
   *
   * @returns Whether the user had it.
   */
  async revokeGrant(sub: string, grantId: string): Promise<boolean> {
    const context = contextOf(this);
    const grants = await listGrants(context, sub);
    if (!grants.some((grant) => grant.grantId === grantId)) return false;
    return await context.refresh.revokeById(sub, grantId);
  }

  /**
   * Whether the grant of a verified access token is valid now: for `accept` of `bearerTokenStrategy()`, or of the option `jwt` of
   * `registerAuth()`, in the same application, so that a grant that is revoked ends at once. Tokens without a grant pass: those of
   * the application's own sign-in routes.
   */
  readonly accept: (principal: Principal, claims: JwtClaims) => Promise<boolean> = async (
    _principal,
    claims,
  ) => {
    if (claims["gid"] === undefined) return true;
    const token = ownAccessToken(claims);
    return token !== undefined && await clientOfGrant(contextOf(this), token) !== undefined;
  };
}

/** The options of a server. @throws {TypeError} If it is not an {@linkcode AuthorizationServer}. */
export function contextOf(server: AuthorizationServer): ServerContext {
  const context = CONTEXTS.get(server);
  if (context !== undefined) return context;
  throw new TypeError("Cannot answer request: the server must be an AuthorizationServer");
}
