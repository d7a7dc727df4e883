/**
 * An identity service with its stores, and results as a client returns them.
 *
 * @module
 */

import {
  type AuthEvent,
  type AuthStores,
  deriveKeys,
  type IdentityOptions,
  type IdentityService,
  identityService,
  inMemoryAuthStores,
  type OAuthResult,
  type SessionService,
  sessionService,
} from "../../../auth/mod.ts";
import { brandResult } from "../../../auth/oauth/_result.ts";
import { NOW } from "./_sign_in.ts";

export const SECRET = "0123456789abcdefghijklmnopqrstuvwxyz0123";

/** A service and what it works with. */
export interface Accounts {
  readonly service: IdentityService;
  readonly stores: AuthStores;
  readonly sessions: SessionService;
  readonly events: AuthEvent[];
  readonly clock: { now: number };
}

/** Creates a service. */
export function accounts(
  options: IdentityOptions & {
    readonly wrap?: (stores: AuthStores) => AuthStores;
    readonly secret?: string | readonly string[];
    readonly over?: AuthStores;
  } = {},
): Accounts {
  const { wrap = (stores) => stores, secret = SECRET, over, ...own } = options;
  const clock = { now: NOW };
  const now = () => clock.now;
  const stores = over ?? inMemoryAuthStores({ now });
  const events: AuthEvent[] = [];
  const sessions = sessionService({ ...stores, now });
  const { identities, users, credentials, emails } = wrap(stores);
  const service = identityService({
    ...own,
    identities,
    users,
    emails,
    credentials,
    sessions,
    keys: deriveKeys(secret),
    now,
    events: (event) => void events.push(event),
    warn: () => {},
  });
  return { service, stores, sessions, events, clock };
}

/** A result of a client. */
export function resultOf(members: Partial<OAuthResult> = {}): OAuthResult {
  return brandResult({
    provider: "google",
    issuer: "https://accounts.google.com",
    profile: { subject: "g-1", email: "Ada@Example.org", emailVerified: true, name: "Ada" },
    claims: {},
    tokens: { accessToken: "a-1", expiresAt: NOW + 3600, refreshToken: "r-1", scope: ["openid"] },
    redirectTo: "/",
    remember: false,
    authTime: NOW - 5,
    amr: ["pwd"],
    cookies: [],
    ...members,
  });
}

/** All users of a store. */
export async function usersOf({ stores }: Pick<Accounts, "stores">): Promise<readonly string[]> {
  return (await stores.users.list({ limit: 1_000 })).map(({ identifier }) => identifier);
}
