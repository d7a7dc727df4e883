/**
 * Accounts: what authentication is put together from.
 *
 * @module
 */

import {
  type AuthEventListener,
  AUTHORIZATION_MANAGER,
  type AuthorizationManager,
  type AuthRuntime,
  type Container,
  inMemoryAuthStores,
  type PasswordHasher,
  registerAuth,
  type UserStore,
} from "@gatehouse/http";
import { NoteAccess } from "./access.ts";

/** Options of {@linkcode registerAccounts}. */
export interface AccountOptions {
  /** Where the runtime and the authorization manager are registered. */
  readonly container: Container;
  /** Signs cookies and tokens. */
  readonly secret: string;
  /** Where the users are. */
  readonly users: UserStore;
  /** Hashes passwords. @default the library's */
  readonly hasher?: PasswordHasher | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** The clock, in seconds since the Unix epoch. */
  readonly now: () => number;
}

/** Puts authentication together. Sessions and counts of attempts are in memory, and end with the process. */
export function registerAccounts(options: AccountOptions): AuthRuntime {
  const { container, secret, users, hasher, events, now } = options;
  container.register<AuthorizationManager>(AUTHORIZATION_MANAGER, { useClass: NoteAccess });
  return registerAuth({
    container,
    secret,
    stores: { ...inMemoryAuthStores({ now }), users },
    passwordPolicy: { words: ["Gatehouse", "notes"] },
    now,
    ...(hasher === undefined ? {} : { hasher }),
    ...(events === undefined ? {} : { events }),
  });
}
