/**
 * What the flows of accounts share, and the options of their service.
 *
 * @module
 */

import type { Emit } from "../_emit.ts";
import type { DerivedKeys } from "../derived_keys.ts";
import type { AuthEventListener } from "../events.ts";
import type { PasswordService } from "../password/password_types.ts";
import type {
  ApiKeyStore,
  CredentialStore,
  EmailStore,
  FactorStore,
  IdentityStore,
  RefreshTokenStore,
  SessionStore,
  StateStore,
  UserStore,
} from "../stores/types.ts";
import type { UserService } from "../users/user_service.ts";
import type { ThrottleService } from "../throttle/throttle_types.ts";
import type { Deliver } from "./_delivery.ts";
import type { Flows } from "./_options.ts";
import type { Secrets } from "./_secrets.ts";
import type { AccountOptions } from "./account_types.ts";

/** Options of {@linkcode accountService}. */
export interface AccountServiceOptions extends AccountOptions {
  /** Persists users. */
  readonly users: UserStore;
  /** Persists e-mail addresses. */
  readonly emails: EmailStore;
  /** Persists what links and codes were sent for. */
  readonly states: StateStore;
  /** Signs codes. */
  readonly keys: Pick<DerivedKeys, "sign" | "verify">;
  /** Replaces passwords. */
  readonly passwords: Pick<PasswordService, "reset">;
  /** Removes accounts that have expired. */
  readonly accounts: Pick<UserService, "remove">;
  /** Counts messages and tries. `"insecureSkip"` does not: codes can then be guessed. */
  readonly throttle: Pick<ThrottleService, "message" | "factor"> | "insecureSkip";
  /** Persists sessions. */
  readonly sessions: Pick<SessionStore, "revokeAll">;
  /** Persists refresh tokens. */
  readonly refreshTokens?: Pick<RefreshTokenStore, "revoke"> | undefined;
  /** Persists API keys. */
  readonly apiKeys?: Pick<ApiKeyStore, "revokeAll"> | undefined;
  /** Persists passkeys. */
  readonly credentials?: Pick<CredentialStore, "list" | "delete"> | undefined;
  /** Persists identities at OAuth providers. */
  readonly identities?: Pick<IdentityStore, "list" | "delete"> | undefined;
  /** Persists second factors. */
  readonly factors?: Pick<FactorStore, "delete"> | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** What the steps share. */
export interface AccountContext {
  readonly options: AccountServiceOptions;
  readonly users: UserStore;
  readonly emails: EmailStore;
  readonly secrets: Secrets;
  readonly flows: Flows;
  readonly deliver: Deliver;
  readonly now: () => number;
  readonly emit: Emit;
}
