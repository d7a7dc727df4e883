/**
 * Types of parts of authentication that only some applications need.
 *
 * @module
 */

import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { PasswordService } from "../password/password_types.ts";
import type { AuthStores } from "../stores/types.ts";
import type { ThrottleService } from "../throttle/throttle_types.ts";
import type { UserService } from "../users/user_service.ts";
import type { BrowserRouteParts } from "./_browser_route_parts.ts";
import type { AuthRoute } from "./types.ts";

/** What {@linkcode registerAuth} creates a feature from. */
export interface FeatureParts {
  /** All stores that the application has. */
  readonly stores: Pick<AuthStores, "users" | "sessions"> & Partial<AuthStores>;
  /** The keys that are derived from the secret. */
  readonly keys: DerivedKeys;
  /** Limits attempts; absent where they are not limited. */
  readonly throttle: ThrottleService | undefined;
  /** Creates users, and verifies and changes passwords. */
  readonly passwords: PasswordService;
  /** Manages accounts. */
  readonly users: UserService;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /** Called for every event. */
  readonly events: AuthEventListener | undefined;
  /** Called with warnings. */
  readonly warn: (message: string, error?: unknown) => void;
}

/** A part of authentication, for an option of {@linkcode registerAuth}: the result of `emailAccounts()` or `totpFactors()`. */
export interface AuthFeature<Service> {
  /** Creates its service. */
  readonly create: (parts: FeatureParts) => Service;
  /**
   * Creates its routes.
   *
   * @internal
   */
  readonly routes: (service: Service, parts: BrowserRouteParts) => readonly AuthRoute[];
}
