/**
 * Tokens for API clients: JWT access tokens, RFC 9068, and refresh tokens.
 *
 * @module
 */

import { createClock } from "../_clock.ts";
import { checkOptionalFunction, rejectUnknownOptions, requireSeconds } from "../_options.ts";
import { digestText } from "../_kdf.ts";
import { randomId } from "../_random.ts";
import { setUserLookup } from "../session/principal_user.ts";
import { toUserInfo } from "../users/user_info.ts";
import { checkedUserReader, isDisabled } from "../stores/checked.ts";
import { checkSessionId, type TokenAudience } from "./_refresh_limits.ts";
import type { RefreshGrant, RefreshService } from "./refresh_types.ts";
import { readScope } from "../_scope.ts";
import { type Authentication, type Principal, requireAuthentication } from "../principal.ts";
import { AuthError } from "../error.ts";
import type { JwtClaims } from "../jwt/types.ts";
import { createBearerStrategy } from "./bearer_strategy.ts";
import { isClientSubject } from "./client_subject.ts";
import type {
  IssuedTokens,
  IssueTokensOptions,
  TokenGrantInfo,
  TokenService,
  TokenServiceOptions,
} from "./token_types.ts";

const CANNOT_CREATE = "Cannot create token service";
const CANNOT_ISSUE = "Cannot issue tokens";

/**
 * Creates a service for tokens.
 *
 * @throws {TypeError} If keys, issuer or audience are missing, `scope` is not an array of strings, or `accept` is neither a
 * function nor `"insecureSkip"`.
 * @throws {RangeError} If `lifetime` is not an integer from 1 to the `maxTokenAge` of the keys, or a scope is invalid.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, keyService, refreshService, tokenService } from "@gatehouse/http/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const stores = inMemoryAuthStores();
 * await stores.users.create({ sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: 0 });
 * const tokens = tokenService({
 *   keys: keyService({ store: stores.keys }),
 *   refresh: refreshService(stores),
 *   issuer: "https://example.com",
 *   audience: "https://api.example.com",
 * });
 *
 * const authentication = { sub: "u1", securityStamp: "s1", authTime: 1_700_000_000, amr: ["pwd"] };
 * const first = await tokens.issue(authentication, { scope: ["notes:read"] });
 * const { accessToken } = await tokens.refresh(first.refreshToken ?? "");
 *
 * const headers = { Authorization: `Bearer ${accessToken}` };
 * const request = new Request("https://api.example.com/notes", { headers });
 * const result = await tokens.strategy.authenticate({ request });
 * assertEquals(result.status === "authenticated" && result.principal.scope, ["notes:read"]);
 * ```
 */
export function tokenService(options: TokenServiceOptions): TokenService {
  rejectUnknownOptions<TokenServiceOptions>(CANNOT_CREATE, options, { // a misspelt accept would accept all
    keys: true,
    refresh: true,
    issuer: true,
    audience: true,
    clientId: true,
    scope: true,
    lifetime: true,
    users: true,
    accept: true,
    resourceMetadata: true,
    now: true,
  });
  const { keys, refresh, issuer, audience, clientId = audience, lifetime = 600 } = options;
  if (typeof keys?.sign !== "function") throw new TypeError(`${CANNOT_CREATE}: keys are missing`);
  for (const [name, text] of Object.entries({ issuer, audience, clientId })) {
    if (typeof text === "string" && text !== "") continue;
    throw new TypeError(`${CANNOT_CREATE}: ${name} must be a non-empty string`);
  }
  requireSeconds(CANNOT_CREATE, { lifetime }, { max: keys.maxTokenAge });
  const { scope: scopeOfService } = options;
  if (typeof scopeOfService !== "function") readScope(CANNOT_CREATE, scopeOfService);
  const now = createClock(options.now);
  const { accept } = options;
  if (accept !== "insecureSkip") checkOptionalFunction(CANNOT_CREATE, "accept", accept);
  if (options.users !== undefined && typeof options.users?.findBySub !== "function") {
    throw new TypeError(`${CANNOT_CREATE}: users have no findBySub()`);
  }
  const users = options.users && checkedUserReader(options.users);

  /** Whether the user of an access token may still use it, as it was signed in then. */
  async function isAccepted(principal: Principal, claims: JwtClaims): Promise<boolean> {
    const { sub } = principal;
    // Of a client, which the authorization server alone knows
    if (isClientSubject(sub) && accept === undefined) return false;
    const user = users === undefined || isClientSubject(sub)
      ? undefined
      : await users.findBySub(sub);
    if (user === null) return false;
    if (user !== undefined) {
      if (isDisabled(user) || claims.stamp !== await digestText(user.securityStamp)) return false;
      setUserLookup(principal, () => toUserInfo(user));
    }
    return typeof accept !== "function" || await accept(principal, claims) === true;
  }

  /** Without that check, the user is read when the application asks for it. */
  function accepts(principal: Principal): boolean {
    setUserLookup(principal, async () => {
      const user = await users?.findBySub(principal.sub) ?? null;
      return user === null || isDisabled(user) ? undefined : toUserInfo(user);
    });
    return true;
  }

  /** Client and audience of a family: tokens for one audience must not be exchanged for tokens for another. */
  const party = { clientId, audience };

  const signing = { typ: "at+jwt", expiresIn: lifetime };

  async function scopeOf(authentication: Authentication): Promise<readonly string[] | undefined> {
    if (typeof scopeOfService !== "function") return scopeOfService;
    const scope = await scopeOfService(authentication);
    if (Array.isArray(scope)) return scope; // without one, the token would not be limited
    throw new TypeError(`${CANNOT_ISSUE}: scope() must return an array of strings`);
  }

  /** Of default scopes, those that the service still grants: a user who has lost a role loses its scope. */
  async function currentScope(grant: RefreshGrant): Promise<readonly string[] | undefined> {
    const { isDefaultScope, isUnlimited } = grant.data as TokenAudience;
    const { scope = isUnlimited === true ? undefined : [] } = grant;
    if (isDefaultScope !== true) return scope;
    const granted = readScope(CANNOT_ISSUE, await scopeOf(grant));
    if (scope === undefined) return granted; // the service has begun to limit its tokens
    return scope.filter((token) => granted?.includes(token)); // RFC 6749 §6: none that was not granted
  }

  async function createTokens(grant: RefreshGrant): Promise<IssuedTokens> {
    const { scope } = grant;
    const claims = { iss: issuer, aud: audience, client_id: clientId, ...await claimsOf(grant) };
    return {
      accessToken: await keys.sign(claims, signing),
      tokenType: "Bearer",
      expiresIn: lifetime,
      ...(scope === undefined ? {} : { scope }),
    };
  }

  /** Revokes a family of another client or audience: its token must have been stolen there. */
  async function requireSameClient(
    service: RefreshService,
    refreshToken: string,
    { data }: RefreshGrant,
  ): Promise<void> {
    if (isFor(party, data)) return;
    await service.revoke(refreshToken);
    throw new AuthError("invalid_refresh_token", { reason: "client_mismatch" });
  }

  return Object.freeze({
    issuer,
    audience,
    keys,

    async issue(authentication: Authentication, options: IssueTokensOptions = {}) {
      const { sub, securityStamp, authTime, amr, acr } = requireAuthentication(
        authentication,
        now(),
        CANNOT_ISSUE,
      );
      const { sessionId } = options;
      checkSessionId(CANNOT_ISSUE, sessionId);
      const { scope: given = await scopeOf(authentication) } = options;
      const scope = readScope(CANNOT_ISSUE, given);
      const tokens = await createTokens({
        sub,
        securityStamp,
        authTime,
        amr,
        ...(acr === undefined ? {} : { acr }),
        ...(sessionId === undefined ? {} : { sessionId }),
        ...(scope === undefined ? {} : { scope }),
      });
      if (refresh === undefined) return tokens;
      const data: TokenAudience = {
        ...party,
        isDefaultScope: options.scope === undefined,
        ...(scope === undefined ? { isUnlimited: true } : {}),
      };
      const issued = await refresh.issue(authentication, { sessionId, scope, data });
      return { ...tokens, refreshToken: issued.refreshToken };
    },

    async refresh(refreshToken: string) {
      const service = requireRefresh(refresh, "refresh tokens");
      const prepared: { tokens?: IssuedTokens } = {};
      // Whatever may fail, such as keys or scopes, is done before the old token is used
      const rotated = await service.rotate(refreshToken, {
        async prepare(grant) {
          await requireSameClient(service, refreshToken, grant);
          const scope = await currentScope(grant);
          prepared.tokens = await createTokens({
            ...grant,
            ...(scope === undefined ? {} : { scope }),
          });
        },
      });
      if (prepared.tokens === undefined) {
        throw new TypeError("Cannot refresh tokens: the refresh service did not call prepare");
      }
      return { ...prepared.tokens, refreshToken: rotated.refreshToken };
    },

    async revoke(refreshToken: string) {
      await requireRefresh(refresh, "revoke token").revoke(refreshToken);
    },

    async list(sub: string) {
      const families = await requireRefresh(refresh, "list refresh tokens").list(sub);
      return families.map(({ data, ...family }): TokenGrantInfo => {
        const { clientId } = (data ?? {}) as Partial<TokenAudience>;
        return { ...family, ...(clientId === undefined ? {} : { clientId }) };
      });
    },

    revokeById: async (sub: string, familyId: string) =>
      await requireRefresh(refresh, "revoke refresh token").revokeById(sub, familyId),

    strategy: createBearerStrategy({
      algorithms: keys.algorithms,
      keys: keys.resolve,
      issuer,
      audience,
      resourceMetadata: options.resourceMetadata,
      accept: accept === "insecureSkip" ? accepts : isAccepted,
      now,
    }, { scoped: scopeOfService !== undefined, scopeOfUnscoped: undefined }),
  });
}

/**
 * RFC 9068 §2.2: the claims of an access token. The key service adds `iat` and `exp`. `stamp` is the digest of the user's
 * security stamp: the token is valid as long as a session of that time.
 */
async function claimsOf(
  { sub, securityStamp, authTime, amr, acr, sessionId, scope }: RefreshGrant,
): Promise<JwtClaims> {
  return {
    sub,
    stamp: await digestText(securityStamp),
    jti: randomId(),
    auth_time: authTime,
    ...(amr.length === 0 ? {} : { amr }),
    ...(acr === undefined ? {} : { acr }),
    ...(sessionId === undefined ? {} : { sid: sessionId }),
    ...(scope === undefined ? {} : { scope: scope.join(" ") }), // an empty one, too: without the claim, it is not limited
  };
}

/** Whether the data of a family names a client and an audience. */
function isFor(
  { clientId, audience }: Omit<TokenAudience, "isDefaultScope">,
  data: unknown,
): boolean {
  const party = (data ?? {}) as Partial<TokenAudience>;
  return party.clientId === clientId && party.audience === audience;
}

function requireRefresh(refresh: RefreshService | undefined, what: string): RefreshService {
  if (refresh !== undefined) return refresh;
  throw new TypeError(`Cannot ${what}: the token service has no refresh option`);
}
