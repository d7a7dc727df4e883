/**
 * Accounts: the set-up of authentication.
 *
 * @module
 */

import {
  type ApiKeyService,
  apiKeyService,
  apiKeyStrategy,
  type AuthEventListener,
  AUTHORIZATION_MANAGER,
  type AuthorizationManager,
  type AuthStores,
  type Container,
  type DeliverMessage,
  emailAccounts,
  type PasskeyRuntime,
  type PasswordHasher,
  registerAuth,
  type TokenRuntime,
  totpFactors,
} from "@gatehouse/http";
import { NoteAccess } from "./access.ts";
import { API_KEY_PREFIX, SCOPES } from "./api_key.ts";
import { API_KEYS, TOKEN_SERVICE } from "./tokens.ts";

/** Options of {@linkcode registerAccounts}. */
export interface AccountOptions {
  /** Where the runtime, the services for API keys and tokens, and the authorization manager are registered. */
  readonly container: Container;
  /** Signs cookies and tokens. */
  readonly secret: string;
  /** Origin of the service, of its passkeys and its access tokens: `http://localhost:8000`. */
  readonly origin: string;
  /** Stores of authentication, API keys included. */
  readonly stores: AuthStores;
  /** Delivers messages to users. @default the service has nothing that needs mail */
  readonly deliver?: DeliverMessage | undefined;
  /** Hashes passwords. @default the library's */
  readonly hasher?: PasswordHasher | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** The clock, in seconds since the Unix epoch. */
  readonly now: () => number;
}

/** The services of accounts. */
export interface Accounts {
  /** All but API keys. */
  readonly runtime: TokenRuntime & PasskeyRuntime;
  /** Creates, lists and revokes API keys. */
  readonly apiKeys: ApiKeyService;
}

/** Puts authentication together. */
export function registerAccounts(options: AccountOptions): Accounts {
  const { container, secret, origin, stores, deliver, hasher, events, now } = options;
  const told = { now, ...(events === undefined ? {} : { events }) };
  const apiKeys = apiKeyService({
    apiKeys: stores.apiKeys,
    users: stores.users,
    prefix: API_KEY_PREFIX,
    ...told,
  });
  container.register(API_KEYS, { useValue: apiKeys });
  container.register<AuthorizationManager>(AUTHORIZATION_MANAGER, { useClass: NoteAccess });
  const runtime = registerAuth({
    container,
    secret,
    stores,
    deployment: "direct",
    strategies: [apiKeyStrategy({ apiKeys, now })],
    jwt: { issuer: origin, audience: "notes", scope: SCOPES },
    webauthn: {
      rpId: new URL(origin).hostname,
      rpName: "Notes",
      origins: [origin],
      signUp: true,
    },
    secondFactors: totpFactors({ issuer: "Notes" }),
    ...(deliver === undefined ? {} : { accounts: byMail(deliver, origin) }),
    passwordPolicy: { words: ["Gatehouse", "notes"] },
    ...(hasher === undefined ? {} : { hasher }),
    ...told,
  });
  container.register(TOKEN_SERVICE, { useValue: runtime.tokens });
  return { runtime, apiKeys };
}

/** What users do by mail. The pages are in `pages/`. */
function byMail(deliver: DeliverMessage, origin: string): ReturnType<typeof emailAccounts> {
  return emailAccounts({
    deliver,
    origin,
    verifyEmail: { page: "/verify" },
    changeEmail: { page: "/verify" },
    resetPassword: { page: "/reset" },
    signInLink: { page: "/sign-in/link" },
    signInCode: {},
  });
}
