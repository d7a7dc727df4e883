/**
 * `AuthorizationServer`: an authorization server, OAuth 2.1 (draft-ietf-oauth-v2-1) and OpenID Connect Core 1.0.
 *
 * @module
 */

import type { AuthEvent } from "../events.ts";
import type { JwtClaims } from "../jwt/types.ts";
import type { Principal } from "../principal.ts";
import { isClientSubject } from "../tokens/client_subject.ts";
import type { Endpoint, ServerContext } from "./core/context.ts";
import { endpointPaths, endpointsOf } from "./_endpoints.ts";
import { clientOfGrant, listGrants } from "./core/grants.ts";
import { endedBy, tellClients, tellClientsLater } from "./logout/backchannel.ts";
import { serverMetadata } from "./_metadata.ts";
import { readServerOptions } from "./_options.ts";
import { ownAccessToken } from "./core/verify_tokens.ts";
import type { AuthorizationServerOptions, GrantInfo } from "./core/types.ts";

/** What a server consists of. */
export interface ServerParts {
  readonly context: ServerContext;
  /** By their paths. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

const PARTS: WeakMap<AuthorizationServer, ServerParts> = /* @__PURE__ */ new WeakMap();

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
    PARTS.set(this, { context, endpoints: endpointPaths(context) });
  }

  /** Metadata of the server, RFC 8414 and OpenID Connect Discovery. */
  metadata(): Readonly<Record<string, unknown>> {
    const { context } = partsOf(this);
    return serverMetadata(context, endpointsOf(context));
  }

  /** Applications that a user has given access to, and that have not lost it: the newest first. */
  async listGrants(sub: string): Promise<readonly GrantInfo[]> {
    return await listGrants(partsOf(this).context, sub);
  }

  /**
   * Ends a grant of a user: its refresh tokens at once, its access tokens where {@linkcode accept} is asked, and elsewhere when
   * they expire.
   *
   * @returns Whether the user had it.
   */
  async revokeGrant(sub: string, grantId: string): Promise<boolean> {
    const { context } = partsOf(this);
    const grants = await listGrants(context, sub);
    if (!grants.some((grant) => grant.grantId === grantId)) return false;
    return await context.refresh.revokeById(sub, grantId);
  }

  /**
   * Ends what a session of a user gives clients: the grants that are bound to it, at once, and with the option `logout` each client
   * that wants it gets a logout token, once. The session itself is the application's to end.
   *
   * @returns When each client has got its token, or did not answer: three attempts, within 21 seconds.
   */
  async endSession(sub: string, sessionId: string): Promise<void> {
    const { context } = partsOf(this);
    await context.tokens.revoke({ sub, onlySessionId: sessionId });
    await tellClients(context, sub, (id) => id === sessionId);
  }

  /**
   * Tells clients about sessions that end in the application: for `events` of `registerAuth()`, with the option `logout`. It does
   * not wait for them.
   */
  readonly onEvent: (event: AuthEvent) => void = (event) => {
    const { sub, isEnded } = endedBy(event) ?? {};
    if (sub !== undefined && isEnded !== undefined) {
      tellClientsLater(partsOf(this).context, sub, isEnded);
    }
  };

  /**
   * Whether the grant of a verified access token is valid now: for `accept` of `bearerTokenStrategy()`, or of the option `jwt` of
   * `registerAuth()`, in the same application, so that a grant that is revoked ends at once; a token that a client has for itself
   * passes while the client may still get it. Other tokens without a grant pass: those of the application's own sign-in routes.
   */
  readonly accept: (principal: Principal, claims: JwtClaims) => Promise<boolean> = async (
    _principal,
    claims,
  ) => {
    if (claims["gid"] === undefined && !isClientSubject(claims.sub)) return true;
    const token = ownAccessToken(claims);
    return token !== undefined && await clientOfGrant(partsOf(this).context, token) !== undefined;
  };
}

/** The parts of a server. @throws {TypeError} If it is not an {@linkcode AuthorizationServer}. */
export function partsOf(server: AuthorizationServer): ServerParts {
  const parts = PARTS.get(server);
  if (parts !== undefined) return parts;
  throw new TypeError("Cannot answer request: the server must be an AuthorizationServer");
}
