/**
 * The part of Gatehouse for edge hosts: router, packaged assets, and guards that verify sessions and tokens which were issued
 * elsewhere. It needs no more of the Web Cryptography API than such hosts have, WASI components included. To sign people in,
 * import `@gatehouse/http` or `@gatehouse/http/auth`.
 *
 * @module
 */

// Router and assets; decorators and websocket() come from `@gatehouse/http/router`, and run there as well,
// as staticFeatures() does from `@gatehouse/http/static`
export {
  createContainer,
  createRouter,
  defaultContainer,
  editHeaders,
  empty,
  HttpError,
  inject,
  json,
  logDenials,
  pass,
  problem,
  provide,
  redirect,
  routerBuilder,
  sse,
  token,
  wrap,
} from "./router/mod.ts";
export type * from "./router/mod.ts";
export {
  checkPreconditions,
  contentTypeOf,
  mountStatic,
  registerStaticAssets,
  verifyStaticAssets,
} from "./static/mod.ts";
export type * from "./static/mod.ts";
export { serveEdge } from "./serve/edge.ts";
export type { EdgeApplication } from "./serve/edge.ts";

// Guards
export { resourceServer } from "./auth/http/resource_server.ts";
export type { ResourceServer, ResourceServerOptions } from "./auth/http/resource_server.ts";
export { withAuthRoutes } from "./auth/http/integration.ts";
export type { WithAuthRoutesOptions } from "./auth/http/integration.ts";
export { requireAuth, requireAuthz } from "./auth/http/require.ts";
export type { RequireAuthOptions, RequireAuthzOptions } from "./auth/http/require.ts";
export { requireScope } from "./auth/http/require_scope.ts";
export { getPrincipal, getSession, getUser } from "./auth/http/get_principal.ts";
export type { GuardOptions } from "./auth/http/guard.ts";
export { withAuthErrors } from "./auth/http/errors.ts";
export { applyAuthHeaders } from "./auth/http/response_headers.ts";
export {
  AUTHORIZATION_MANAGER,
  authorizationAllowed,
  authorizationDenied,
} from "./auth/authorization.ts";
export type * from "./auth/authorization.ts";
export { AuthError } from "./auth/error.ts";
export type * from "./auth/error.ts";
export type * from "./auth/events.ts";

// Strategies
export { createPrincipal } from "./auth/principal.ts";
export type * from "./auth/principal.ts";
export { authenticated, authFailed, chain, noCredential } from "./auth/strategy.ts";
export type * from "./auth/strategy.ts";
export { bearerTokenStrategy } from "./auth/tokens/bearer_strategy.ts";
export type { BearerTokenStrategyOptions } from "./auth/tokens/bearer_strategy.ts";
export { sessionCookieStrategy } from "./auth/session/cookie_strategy.ts";
export type { SessionCookieStrategyOptions } from "./auth/session/cookie_strategy.ts";

// Sessions
export { sessionService } from "./auth/session/session_service.ts";
export type * from "./auth/session/types.ts";
export { cookiePolicy } from "./auth/session/cookie_policy.ts";
export { repoSessionStore, repoUserStore } from "./auth/stores/repo.ts";

// Tokens
export { verifyJws } from "./auth/jwt/jws.ts";
export { verifyJwt } from "./auth/jwt/jwt.ts";
export { remoteJwks } from "./auth/jwt/remote_jwks.ts";
export { importJwk } from "./auth/jwt/jwk.ts";
