/**
 * Authentication on nothing but the Web Cryptography API: passwords, sessions, cookies, CSRF, the login throttle, JWT and the
 * keys behind them, refresh tokens, API keys, guards and routes, and the stores behind them.
 *
 * @module
 */

// Authentication put together
export { Auth, registerAuth } from "./http_register.ts";
export type { AuthOptions } from "./http_register.ts";
export type { GivenStores, ServiceOptions, SessionOptions } from "./services.ts";
export type { JwtOptions } from "./_create_tokens.ts";
export { resourceServer } from "./http_resource_server.ts";
export type { ResourceServer, ResourceServerOptions } from "./http_resource_server.ts";
export { AUTH_RUNTIME, getAuthRuntime } from "./http_runtime.ts";
export type {
  AnyRequest,
  AuthRuntime,
  CsrfRule,
  GuardRuntime,
  IntegrationOptions,
  TokenRuntime,
} from "./http_runtime.ts";
export type { SignedIn, SignInOptions } from "./sign_in.ts";

// Guards
export { withAuthRoutes } from "./http_integration.ts";
export type { WithAuthRoutesOptions } from "./http_integration.ts";
export { requireAuth, requireAuthz } from "./http_require.ts";
export type { RequireAuthOptions, RequireAuthzOptions } from "./http_require.ts";
export { requireScope } from "./http_scope.ts";
export { getPrincipal, getSession } from "./http_guard.ts";
export type { GuardOptions } from "./http_guard.ts";
export { withAuthErrors } from "./http_errors.ts";
export type { RefusalHandler } from "./http_errors.ts";
export { applyAuthHeaders } from "./http_headers.ts";
export { localPath } from "./local_path.ts";
export {
  AUTHORIZATION_MANAGER,
  authorizationAllowed,
  authorizationDenied,
} from "./authorization.ts";
export type {
  AuthorizationAllowed,
  AuthorizationContext,
  AuthorizationDenied,
  AuthorizationManager,
  AuthorizationResult,
  HttpTransport,
} from "./authorization.ts";

// Routes
export { createAuthRoutes, mountAuthRoutes } from "./http_routes.ts";
export type { AuthRoute, AuthRoutesOptions } from "./http_routes.ts";

// Who it is, and how a request says so
export { createPrincipal } from "./principal.ts";
export type {
  Authentication,
  AuthMethod,
  PasswordAuthentication,
  Principal,
  PrincipalInit,
  PrincipalOptions,
} from "./principal.ts";
export { authenticated, authFailed, chain, noCredential } from "./strategy.ts";
export type {
  Authenticated,
  AuthFailed,
  AuthStrategy,
  NoCredential,
  StrategyChain,
  StrategyContext,
  StrategyResult,
} from "./strategy.ts";
export { apiKeyStrategy } from "./strategy_api_key.ts";
export type { ApiKeyStrategyOptions } from "./strategy_api_key.ts";
export { bearerTokenStrategy } from "./strategy_bearer.ts";
export type { BearerTokenStrategyOptions } from "./strategy_bearer.ts";
export { sessionCookieStrategy } from "./strategy_session.ts";
export type { SessionCookieStrategyOptions } from "./strategy_session.ts";

// What is refused, and what happened
export { AuthError } from "./error.ts";
export type { AuthErrorCode, AuthErrorOptions, AuthViolation } from "./error.ts";
export type {
  ApiKeyCreated,
  ApiKeyRevoked,
  AuthEvent,
  AuthEventListener,
  AuthorizationRefused,
  CredentialRefused,
  CsrfFailed,
  CsrfFailure,
  EventBase,
  KeyRotated,
  LoginFailed,
  LoginFailure,
  LoginSucceeded,
  LoginThrottled,
  PasswordChanged,
  PasswordRehashed,
  RefreshReuseDetected,
  RefreshRotated,
  SessionCreated,
  SessionExpired,
  SessionExpiry,
  SessionRevoked,
  UserCreated,
  UserDisabled,
  UserEnabled,
  UserIdentifierChanged,
  UserRemoved,
} from "./events.ts";

// Passwords
export { passwordService } from "./passwords.ts";
export type {
  CreateUserOptions,
  PasswordChange,
  PasswordCredentials,
  PasswordService,
  PasswordServiceOptions,
} from "./passwords.ts";
export { passwordPolicy } from "./password_policy.ts";
export type {
  PasswordContext,
  PasswordPolicy,
  PasswordPolicyOptions,
  PasswordProblem,
  PasswordProblemCode,
} from "./password_policy.ts";
export type { HasherLimitOptions, PasswordHasher } from "./password_hasher.ts";
export { pbkdf2Hasher } from "./password_pbkdf2.ts";
export type { Pbkdf2HasherOptions } from "./password_pbkdf2.ts";
export { scryptHasher } from "./password_scrypt.ts";
export type { ScryptFunction, ScryptHasherOptions, ScryptParameters } from "./password_scrypt.ts";
export { canonicalIdentifier } from "./identifier.ts";

// Tokens and keys
export { signJws, verifyJws } from "./jws.ts";
export type {
  FoundKeys,
  JwsHeader,
  JwsHeaderInit,
  KeyResolver,
  SignJwsOptions,
  TokenFailure,
  VerificationKeys,
  VerifiedJws,
  VerifyJwsOptions,
} from "./jws_types.ts";
export { signJwt, verifyJwt } from "./jwt.ts";
export type { JwtClaims, SignJwtOptions, VerifiedJwt, VerifyJwtOptions } from "./jwt.ts";
export type { AsymmetricAlgorithm, JwaAlgorithm } from "./jwa.ts";
export { exportJwk, generateJwk, importJwk, jwkThumbprint, publicJwk } from "./jwk.ts";
export type { ImportJwkOptions, Jwk, JwkSet } from "./jwk.ts";
export { importPem } from "./pem.ts";
export type { ImportPemOptions } from "./pem.ts";
export { keyService } from "./key_service.ts";
export type {
  KeyService,
  KeyServiceOptions,
  RotateKeysOptions,
  SignTokenOptions,
} from "./key_service.ts";
export { jwksHandler } from "./http_jwks.ts";
export { remoteJwks } from "./remote_jwks.ts";
export type { RemoteJwksOptions } from "./remote_jwks.ts";
export { refreshService } from "./refresh_service.ts";
export type {
  IssuedRefreshToken,
  IssueRefreshTokenOptions,
  RefreshFailure,
  RefreshLimits,
  RefreshService,
  RefreshServiceOptions,
  RotatedRefreshToken,
  RotateRefreshTokenOptions,
} from "./refresh_types.ts";
export type { RefreshFamilyInfo, RefreshGrant } from "./_refresh_rules.ts";
export { tokenService } from "./token_service.ts";
export type {
  IssuedTokens,
  IssueTokensOptions,
  ProgramSignIn,
  TokenScope,
  TokenService,
  TokenServiceOptions,
} from "./token_types.ts";

// API keys
export { apiKeyService } from "./api_keys.ts";
export type {
  ApiKeyInfo,
  ApiKeyService,
  ApiKeyServiceOptions,
  NewApiKey,
  NewApiKeyOptions,
  VerifiedApiKey,
} from "./api_keys.ts";
export { generateApiKey, parseApiKey } from "./api_key.ts";
export type { GeneratedApiKey, ParsedApiKey } from "./api_key.ts";

// Accounts
export { userService } from "./users.ts";
export type { UserService, UserServiceOptions } from "./users.ts";

// The login throttle
export { throttleService } from "./throttle.ts";
export type {
  KnownUser,
  LoginClient,
  LoginReservation,
  ThrottleRules,
  ThrottleService,
  ThrottleServiceOptions,
} from "./throttle.ts";
export { throttleStep, throttleSuccess } from "./throttle_rule.ts";
export type {
  BackoffRule,
  ThrottleClaim,
  ThrottleDecision,
  ThrottleRecord,
  ThrottleRule,
  ThrottleStep,
  WindowRule,
} from "./throttle_rule.ts";
export { addressBucket, clientAddressReader } from "./client_address.ts";
export type { ClientAddressOptions, ClientAddressReader } from "./client_address.ts";

// Sessions, cookies, CSRF
export { LASTING_SESSIONS, sessionService } from "./session.ts";
export type {
  ActiveSession,
  NewSession,
  NewSessionOptions,
  SessionInfo,
  SessionLimits,
  SessionService,
  SessionServiceOptions,
  UserInfo,
} from "./session_types.ts";
export { parseCookies, readCookie, serializeCookie } from "./cookie.ts";
export type { CookieAttributes, CookiePair, CookieReading } from "./cookie.ts";
export { cookiePolicy } from "./cookie_policy.ts";
export type {
  CookieKind,
  CookiePolicy,
  CookiePolicyOptions,
  SetCookieOptions,
} from "./cookie_policy.ts";
export { csrfService } from "./csrf.ts";
export type { CsrfService, CsrfServiceOptions, IssuedCsrfToken } from "./csrf.ts";
export { csrfGuard } from "./http_csrf.ts";
export type { CsrfGuardOptions } from "./http_csrf.ts";
export { deriveKeys } from "./derived_keys.ts";
export type * from "./derived_keys.ts";

// Stores
export { inMemoryAuthStores } from "./store_memory.ts";
export type { InMemoryAuthStoresOptions } from "./store_memory.ts";
export {
  authStores,
  repoApiKeyStore,
  repoCredentialStore,
  repoKeyStore,
  repoLoginThrottle,
  repoRefreshTokenStore,
  repoSessionStore,
  repoStateStore,
  repoUserStore,
} from "./store_repo.ts";
export type { RepoStoreOptions } from "./store_repo.ts";
export type * from "./storage_adapter.ts";
export type {
  ApiKey,
  ApiKeyStore,
  AuthStores,
  Credential,
  CredentialStore,
  KeyRing,
  KeyStore,
  LoginThrottle,
  NewUser,
  RefreshFamily,
  RefreshRotation,
  RefreshSelector,
  RefreshTokenStore,
  Session,
  SessionStore,
  StateStore,
  StoredKey,
  User,
  UserPatch,
  UserStore,
} from "./store_types.ts";
