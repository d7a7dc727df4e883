/**
 * The tokens of an application: access tokens signed by keys of its own, and refresh tokens.
 *
 * @module
 */

import { checkNames } from "./_options.ts";
import type { AuthEventListener } from "./events.ts";
import type { AsymmetricAlgorithm } from "./jwa.ts";
import { keyService } from "./key_service.ts";
import { refreshService } from "./refresh_service.ts";
import type { GivenStores } from "./services.ts";
import type { BearerTokenStrategyOptions } from "./strategy_bearer.ts";
import { tokenService } from "./token_service.ts";
import type { TokenScope, TokenService } from "./token_types.ts";

/** What tokens for programs are made of: apps on phones, command lines, other services. */
export interface JwtOptions {
  /** Who issues them: this service's own address, `https://notes.example`, and no other's. */
  readonly issuer: string;
  /** Whom they are for: this service's API, by a name or an address of its own. */
  readonly audience: string;
  /** What the program is called that a user signs in by. @default the audience */
  readonly clientId?: string | undefined;
  /** Scopes of a sign-in's tokens: for all, or by who signs in. {@linkcode requireScope} refuses tokens without. @default none */
  readonly scope?: TokenScope | undefined;
  /** Seconds that an access token is good for. @default {600} */
  readonly lifetime?: number | undefined;
  /**
   * Asked about each access token that is right, whether its owner may still come in: without it, a token goes on for its
   * `lifetime` after the account was closed.
   */
  readonly accept?: BearerTokenStrategyOptions["accept"];
  /** Algorithms to make keys for; the first signs. @default {["ES256"]} */
  readonly algorithms?: readonly AsymmetricAlgorithm[] | undefined;
  /** Seconds after which a new key signs. @default {7_776_000} 90 days */
  readonly rotateAfter?: number | undefined;
  /** How long refresh tokens last. @default 14 days, and 30 from the sign-in on */
  readonly refresh?: RefreshLimits | undefined;
}

/** How long refresh tokens last. */
export interface RefreshLimits {
  /** Seconds from a token's making to its end. @default {1_209_600} 14 days */
  readonly lifetime?: number | undefined;
  /** Seconds from the sign-in, whatever happens. @default {2_592_000} 30 days */
  readonly familyLifetime?: number | undefined;
}

/** What all services are told. */
export interface Told {
  readonly now: () => number;
  readonly events: AuthEventListener | undefined;
  readonly warn: (message: string, error?: unknown) => void;
}

const CANNOT = "Cannot set up authentication";

/** Makes the service of tokens. @throws {TypeError | RangeError} If a store is missing, or an option wrong. */
export function createTokens(jwt: JwtOptions, stores: GivenStores, told: Told): TokenService {
  checkNames<JwtOptions>(`${CANNOT}: jwt`, jwt, {
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
  checkNames<RefreshLimits>(`${CANNOT}: jwt.refresh`, jwt.refresh ?? {}, limits);
  const { keys, refreshTokens, users } = stores;
  if (keys === undefined || refreshTokens === undefined) {
    throw new TypeError(`${CANNOT}: jwt needs stores.keys and stores.refreshTokens`);
  }
  const { lifetime = 600, algorithms, rotateAfter, refresh, ...rest } = jwt;
  const maxTokenAge = lifetime > 3_600 ? lifetime : undefined; // its own default otherwise
  return tokenService({
    keys: keyService({ store: keys, algorithms, rotateAfter, maxTokenAge, ...told }),
    refresh: refreshService({ refreshTokens, users, ...refresh, ...told }),
    ...rest,
    lifetime,
    now: told.now,
  });
}
