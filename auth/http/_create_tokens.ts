/**
 * The tokens of an application: access tokens signed by keys of its own, and refresh tokens.
 *
 * @module
 */

import { rejectUnknownOptions } from "../_options.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import { keyService, type KeyServiceOptions } from "../keys/key_service.ts";
import { refreshService } from "../tokens/refresh_service.ts";
import type { RefreshLimits } from "../tokens/refresh_types.ts";
import type { AuthStoresInput } from "./_services.ts";
import { tokenService } from "../tokens/token_service.ts";
import type { TokenService, TokenServiceOptions } from "../tokens/token_types.ts";

/** What tokens for programs are made of: apps on phones, command lines, other services. */
export interface JwtOptions
  extends
    Pick<TokenServiceOptions, "issuer" | "audience" | "clientId" | "scope" | "accept">,
    Pick<KeyServiceOptions, "algorithms" | "rotateAfter"> {
  /** Seconds that an access token is good for: an integer from 1 to 2,592,000 (30 days). @default {600} */
  readonly lifetime?: number | undefined;
  /** How long refresh tokens last. @default 14 days, and 30 from the sign-in on */
  readonly refresh?: RefreshLimits | undefined;
}

/** What all services are told. */
export interface ServiceContext {
  readonly now: () => number;
  readonly events: AuthEventListener | undefined;
  readonly warn: (message: string, error?: unknown) => void;
}

/** What tokens are made with. */
export interface TokenParts {
  readonly stores: AuthStoresInput;
  /** Encrypt the signing keys, in memory too: there is one way. */
  readonly keys: DerivedKeys;
  readonly told: ServiceContext;
}

const ACTION = "Cannot set up authentication";

/** Makes the service of tokens. @throws {TypeError | RangeError} If a store is missing, or an option wrong. */
export function createTokens(jwt: JwtOptions, { stores, keys, told }: TokenParts): TokenService {
  rejectUnknownOptions<JwtOptions>(`${ACTION}: jwt`, jwt, {
    issuer: true,
    audience: true,
    clientId: true,
    scope: true,
    lifetime: true,
    accept: true,
    algorithms: true,
    rotateAfter: true,
    refresh: true,
  });
  const limits = { lifetime: true, familyLifetime: true } as const;
  rejectUnknownOptions<RefreshLimits>(`${ACTION}: jwt.refresh`, jwt.refresh ?? {}, limits);
  const { keys: store, refreshTokens, users } = stores;
  if (store === undefined || refreshTokens === undefined) {
    throw new TypeError(`${ACTION}: jwt needs stores.keys and stores.refreshTokens`);
  }
  const { lifetime = 600, algorithms, rotateAfter, refresh, ...rest } = jwt;
  const maxTokenAge = lifetime > 3_600 ? lifetime : undefined; // its own default otherwise
  return tokenService({
    keys: keyService({ store, keys, algorithms, rotateAfter, maxTokenAge, ...told }),
    refresh: refreshService({ refreshTokens, users, ...refresh, ...told }),
    ...rest,
    lifetime,
    now: told.now,
  });
}
