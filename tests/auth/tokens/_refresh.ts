/**
 * Refresh tokens of a user, with a clock that a test sets and a list of what the store was asked.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { AuthError } from "../../../auth/error.ts";
import type { Authentication } from "../../../auth/principal.ts";
import { refreshService } from "../../../auth/tokens/refresh_service.ts";
import type {
  IssuedRefreshToken,
  IssueRefreshTokenOptions,
  RefreshFailure,
  RefreshLimits,
  RefreshService,
} from "../../../auth/tokens/refresh_types.ts";
import type { AuthStores, RefreshFamily, RefreshTokenStore } from "../../../auth/stores/types.ts";
import {
  createServices,
  refusal,
  type Services,
  type ServicesOptions,
  shown,
  START,
} from "../_services.ts";

export const DAY = 86_400;
/** The sign-in that families begin with. */
export const STAMPED: Authentication = {
  sub: "u1",
  securityStamp: "s1",
  authTime: START - 5,
  amr: ["pwd", "otp"],
};

/** What the families of some tests are granted. */
export const GRANTED: {
  readonly sessionId: string;
  readonly scope: readonly string[];
  readonly data: object;
} = {
  sessionId: "session 1",
  scope: ["notes:read", "notes:write"],
  data: { clientId: "app", deep: { list: [1, null] } },
};

export interface RefreshOptions extends ServicesOptions {
  readonly refresh?: RefreshLimits;
}

export interface WithRefresh extends Services {
  readonly refresh: RefreshService;
  /** Which methods of the store were called, in order. */
  readonly asked: (keyof RefreshTokenStore)[];
}

/** The service, and Ada, `u1`, with the stamp `s1`; nobody where the stores are there already. */
export async function withRefresh(options: RefreshOptions = {}): Promise<WithRefresh> {
  const services = createServices(options);
  const { stores, clock, events } = services;
  const asked: (keyof RefreshTokenStore)[] = [];
  const refresh = refreshService({
    refreshTokens: listening(stores.refreshTokens, asked),
    users: stores.users,
    ...options.refresh,
    now: () => clock.now,
    events: (event) => void events.push(event),
  });
  if (options.stores === undefined) {
    const user = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };
    await stores.users.create({ ...user, passwordHash: "$pbkdf2-sha256$the hash" });
  }
  return { ...services, refresh, asked };
}

function listening(
  store: RefreshTokenStore,
  asked: (keyof RefreshTokenStore)[],
): RefreshTokenStore {
  return {
    ...store,
    create: (family) => (asked.push("create"), store.create(family)),
    find: (familyId) => (asked.push("find"), store.find(familyId)),
    rotate: (rotation) => (asked.push("rotate"), store.rotate(rotation)),
    revoke: (by) => (asked.push("revoke"), store.revoke(by)),
  };
}

/** Stores of which the refresh tokens answer otherwise. */
export function withStore(
  change: (store: RefreshTokenStore) => Partial<RefreshTokenStore>,
): { readonly wrap: (stores: AuthStores) => Partial<AuthStores> } {
  return { wrap: ({ refreshTokens: kept }) => ({ refreshTokens: { ...kept, ...change(kept) } }) };
}

/** Says why a token is refused. Whatever may be seen of that is what a refusal without any reason shows. */
export async function failure(attempt: () => Promise<unknown>): Promise<RefreshFailure> {
  const error = await refusal(attempt);
  assertEquals(shown(error), shown(new AuthError("invalid_refresh_token")));
  assertEquals(error.cause, undefined);
  assert(error.reason !== undefined);
  return error.reason as RefreshFailure;
}

/** A family that has begun. */
export interface Begun extends WithRefresh {
  readonly issued: IssuedRefreshToken;
}

/** The service, Ada, and a first token of hers. */
export async function begun(
  options: RefreshOptions = {},
  granted: IssueRefreshTokenOptions = {},
): Promise<Begun> {
  const services = await withRefresh(options);
  return { ...services, issued: await services.refresh.issue(STAMPED, granted) };
}

/** A family that has begun, and what the store changes of it on its way out. */
export async function withOdd(
  patch: object,
  granted: IssueRefreshTokenOptions = {},
): Promise<Begun & { readonly odd: { patch: object } }> {
  const odd = { patch };
  const options = withStore((store) => ({
    async find(familyId) {
      const family = await store.find(familyId);
      return family === null ? null : { ...family, ...odd.patch };
    },
    list: async (sub) => (await store.list(sub)).map((family) => ({ ...family, ...odd.patch })),
  }));
  return { ...await begun(options, granted), odd };
}

/** The family of a token, as it is stored. */
export async function familyOf(
  { stores }: Pick<Services, "stores">,
  { familyId }: Pick<IssuedRefreshToken, "familyId">,
): Promise<RefreshFamily> {
  const family = await stores.refreshTokens.find(familyId);
  assert(family !== null);
  return family;
}

/** A token of the right shape, of the family of another one, with a secret that never was. */
export function foreignSecret({ familyId }: Pick<IssuedRefreshToken, "familyId">): string {
  return `${familyId}.${"A".repeat(43)}`;
}

/** Ada, and Eve, `u2`, with the stamp `s2`. */
export async function withEve(): Promise<WithRefresh> {
  const services = await withRefresh();
  const eve = { sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: START };
  assertEquals(await services.stores.users.create(eve), "created");
  return services;
}

/** The families that Ada sees. */
export async function listIds({ refresh }: Pick<WithRefresh, "refresh">): Promise<string[]> {
  return (await refresh.list("u1")).map(({ familyId }) => familyId);
}
