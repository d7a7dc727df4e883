/**
 * Authentication built on the Web Cryptography API alone: passwords, sessions, cookies, CSRF, the login throttle, JWT and
 * signing keys, refresh tokens, API keys, guards, routes and stores.
 *
 * @module
 */

// Setup
export { Auth, registerAuth } from "./http/register.ts";
export type { AuthOptions } from "./http/register.ts";
export type * from "./http/service_options.ts";
export { mountProtectedResource, protectedResource } from "./http/protected_resource.ts";
export type { ProtectedResource, ProtectedResourceOptions } from "./http/protected_resource.ts";
export { resourceServer } from "./http/resource_server.ts";
export type { ResourceServer, ResourceServerOptions } from "./http/resource_server.ts";
export { AUTH_RUNTIME, getAuthRuntime } from "./http/runtime.ts";
export type * from "./http/types.ts";

// Guards
export { withAuthRoutes } from "./http/integration.ts";
export type { WithAuthRoutesOptions } from "./http/integration.ts";
export { requireAuth, requireAuthz } from "./http/require.ts";
export type { RequireAuthOptions, RequireAuthzOptions } from "./http/require.ts";
export { requireScope } from "./http/require_scope.ts";
export { requireVerifiedEmail } from "./http/require_verified_email.ts";
export type { RequireVerifiedEmailOptions } from "./http/require_verified_email.ts";
export { getPrincipal, getSession, getUser } from "./http/get_principal.ts";
export type { GuardOptions } from "./http/guard.ts";
export { withAuthErrors } from "./http/errors.ts";
export { applyAuthHeaders } from "./http/response_headers.ts";
export { safeRedirectPath } from "./redirect_target.ts";
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
  GraphqlTransport,
  HttpTransport,
} from "./authorization.ts";

// Routes
export { createAuthRoutes } from "./http/routes.ts";
export { createTokenRoutes } from "./http/token_routes.ts";
export { mountAuthRoutes } from "./http/mount_routes.ts";
export { relatedOriginsHandler } from "./http/related_origins.ts";

// Principals and strategies
export { createPrincipal } from "./principal.ts";
export type {
  Authentication,
  AuthMethod,
  PasswordAuthentication,
  Principal,
  PrincipalInit,
  PrincipalOptions,
  ProviderSession,
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
export { apiKeyStrategy } from "./tokens/api_key_strategy.ts";
export type { ApiKeyStrategyOptions } from "./tokens/api_key_strategy.ts";
export { bearerTokenStrategy } from "./tokens/bearer_strategy.ts";
export type { BearerTokenStrategyOptions } from "./tokens/bearer_strategy.ts";
export { sessionCookieStrategy } from "./session/cookie_strategy.ts";
export type { SessionCookieStrategyOptions } from "./session/cookie_strategy.ts";

// Errors and events
export { AuthError } from "./error.ts";
export type { AuthErrorCode, AuthErrorOptions, AuthViolation } from "./error.ts";
export type * from "./events.ts";

// Passwords
export { passwordService } from "./password/password_service.ts";
export type {
  CreateUserOptions,
  PasswordChange,
  PasswordCredentials,
  PasswordService,
  PasswordServiceOptions,
  ResetPasswordOptions,
} from "./password/password_types.ts";
export { passwordPolicy } from "./password/policy.ts";
export type {
  PasswordContext,
  PasswordPolicy,
  PasswordPolicyOptions,
  PasswordProblem,
  PasswordProblemCode,
} from "./password/policy.ts";
export { pwnedPasswords } from "./password/pwned_passwords.ts";
export type { PwnedPasswordsOptions } from "./password/pwned_passwords.ts";
export type { HasherLimitOptions, PasswordHasher } from "./password/hasher.ts";
export { pbkdf2Hasher } from "./password/pbkdf2.ts";
export type { Pbkdf2HasherOptions } from "./password/pbkdf2.ts";
export { scryptHasher } from "./password/scrypt.ts";
export type { ScryptFunction, ScryptHasherOptions, ScryptParameters } from "./password/scrypt.ts";
export { canonicalIdentifier } from "./identifier.ts";
export type { Identifier } from "./identifier.ts";

// Tokens and keys
export { signJws, verifyJws } from "./jwt/jws.ts";
export type {
  FoundKeys,
  Jwk,
  JwkSet,
  JwsHeader,
  JwsHeaderInit,
  JwtClaims,
  KeyResolver,
  SignJwsOptions,
  TokenFailure,
  VerificationKeys,
  VerifiedJws,
  VerifyJwsOptions,
} from "./jwt/types.ts";
export { signJwt, verifyJwt } from "./jwt/jwt.ts";
export type { SignJwtOptions, VerifiedJwt, VerifyJwtOptions } from "./jwt/jwt.ts";
export type { AsymmetricAlgorithm, JwaAlgorithm } from "./jwt/jwa.ts";
export { exportJwk, generateJwk, importJwk, jwkThumbprint, publicJwk } from "./jwt/jwk.ts";
export type { ImportJwkOptions } from "./jwt/jwk.ts";
export { importPem } from "./jwt/pem.ts";
export type { ImportPemOptions } from "./jwt/pem.ts";
export { keyService } from "./keys/key_service.ts";
export type {
  KeyService,
  KeyServiceOptions,
  RotateKeysOptions,
  SignTokenOptions,
} from "./keys/key_service.ts";
export { jwksHandler } from "./http/jwks_handler.ts";
export { remoteJwks } from "./jwt/remote_jwks.ts";
export type { RemoteJwksOptions } from "./jwt/remote_jwks.ts";
export { refreshService } from "./tokens/refresh_service.ts";
export type * from "./tokens/refresh_types.ts";
export { tokenService } from "./tokens/token_service.ts";
export type {
  IssuedTokens,
  IssueTokensOptions,
  TokenGrantInfo,
  TokenScope,
  TokenService,
  TokenServiceOptions,
} from "./tokens/token_types.ts";

// API keys
export { apiKeyService } from "./tokens/api_key_service.ts";
export type {
  ApiKeyInfo,
  ApiKeyService,
  ApiKeyServiceOptions,
  NewApiKey,
  NewApiKeyOptions,
  VerifiedApiKey,
} from "./tokens/api_key_types.ts";
export { generateApiKey, parseApiKey } from "./tokens/api_key_format.ts";
export type { GeneratedApiKey, ParsedApiKey } from "./tokens/api_key_format.ts";

// Passkeys
export { oauthClient } from "./oauth/client.ts";
export type * from "./oauth/client_types.ts";
export { identityService } from "./oauth/identities.ts";
export type * from "./oauth/identity_types.ts";
export type * from "./oauth/provider_types.ts";
export { webAuthnService } from "./webauthn/service.ts";
export type * from "./webauthn/service_types.ts";
export type * from "./webauthn/types.ts";

// Accounts
export { emailAccounts, totpFactors } from "./http/features.ts";
export type * from "./http/feature_types.ts";
export { accountService } from "./accounts/account_service.ts";
export type { AccountServiceOptions } from "./accounts/account_service.ts";
export type * from "./accounts/account_types.ts";
export { userService } from "./users/user_service.ts";
export type { AccountInfo, UserService, UserServiceOptions } from "./users/user_service.ts";
export type { UserInfo } from "./users/user_info.ts";

// Second factors
export { factorService } from "./factors/factor_service.ts";
export type * from "./factors/factor_types.ts";
export type * from "./factors/sign_in_types.ts";
export { otpauthUri, totpCode, verifyTotp } from "./factors/totp.ts";
export type { OtpauthUriOptions, TotpOptions, VerifyTotpOptions } from "./factors/totp.ts";

// Login throttle
export { throttleService } from "./throttle/throttle_service.ts";
export type * from "./throttle/throttle_types.ts";
export { throttleStep } from "./throttle/rule.ts";
export type {
  BackoffRule,
  ThrottleDecision,
  ThrottleKey,
  ThrottleRecord,
  ThrottleRule,
  ThrottleStep,
  WindowRule,
} from "./throttle/rule.ts";
export { addressBuckets, clientAddressReader } from "./throttle/client_address.ts";
export type {
  ClientAddressOptions,
  ClientAddressReader,
  Deployment,
} from "./throttle/client_address.ts";

// Sessions, cookies, CSRF
export { PERSISTENT_SESSION, sessionService } from "./session/session_service.ts";
export type {
  ActiveSession,
  NewSession,
  NewSessionOptions,
  ProviderSelector,
  SessionInfo,
  SessionLimits,
  SessionService,
  SessionServiceOptions,
} from "./session/types.ts";
export { parseCookies, readCookie, serializeCookie } from "./session/cookie.ts";
export type { CookieAttributes, CookiePair, CookieReading } from "./session/cookie.ts";
export { cookiePolicy } from "./session/cookie_policy.ts";
export type {
  CookieKind,
  CookiePolicy,
  CookiePolicyOptions,
  SetCookieOptions,
} from "./session/cookie_policy.ts";
export { csrfService } from "./session/csrf.ts";
export type { CsrfService, CsrfServiceOptions, IssuedCsrfToken } from "./session/csrf.ts";
export { csrfGuard } from "./http/csrf_guard.ts";
export type { CsrfGuardOptions } from "./http/csrf_guard.ts";
export { deriveKeys, generateSecret } from "./derived_keys.ts";
export type * from "./derived_keys.ts";

// Stores
export { inMemoryAuthStores, memoryAdapter } from "./stores/memory.ts";
export type { MemoryAdapterOptions } from "./stores/memory.ts";
export {
  authStores,
  repoApiKeyStore,
  repoAuthorizationStore,
  repoClientStore,
  repoCredentialStore,
  repoEmailStore,
  repoFactorStore,
  repoIdentityStore,
  repoKeyStore,
  repoLoginThrottle,
  repoRefreshTokenStore,
  repoSessionStore,
  repoStateStore,
  repoUserStore,
} from "./stores/repo.ts";
export type { RepoStoreOptions } from "./stores/repo.ts";
export type * from "./stores/adapter.ts";
export type * from "./stores/types.ts";
export { dpopTokenStrategy } from "./tokens/dpop_strategy.ts";
export type { DpopTokenStrategyOptions } from "./tokens/dpop_strategy.ts";
