/**
 * Refresh tokens of a user, with a clock set by a test and a list of calls of the store.
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
/** The authentication for which families are created. */
export const STAMPED: Authentication = {
  sub: "u1",
  securityStamp: "s1",
  authTime: START - 5,
  amr: ["pwd", "otp"],
};

/** The grant of families in some tests. */
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
  /** Methods of the store that were called, in order. */
  readonly asked: (keyof RefreshTokenStore)[];
}

/** The service, and Ada, `u1`, with the stamp `s1`; no user is created if stores are given. */
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

/** Wraps the refresh token store. */
export function withStore(
  change: (store: RefreshTokenStore) => Partial<RefreshTokenStore>,
): { readonly wrap: (stores: AuthStores) => Partial<AuthStores> } {
  return { wrap: ({ refreshTokens: kept }) => ({ refreshTokens: { ...kept, ...change(kept) } }) };
}

/** The reason of a rejection. Asserts that the visible error is the same for all reasons. */
export async function failure(attempt: () => Promise<unknown>): Promise<RefreshFailure> {
  const error = await refusal(attempt);
  assertEquals(shown(error), shown(new AuthError("invalid_refresh_token")));
  assertEquals(error.cause, undefined);
  assert(error.reason !== undefined);
  return error.reason as RefreshFailure;
}

/** A new family. */
export interface Begun extends WithRefresh {
  readonly issued: IssuedRefreshToken;
}

/** The service, Ada, and her first token. */
export async function begun(
  options: RefreshOptions = {},
  granted: IssueRefreshTokenOptions = {},
): Promise<Begun> {
  const services = await withRefresh(options);
  return { ...services, issued: await services.refresh.issue(STAMPED, granted) };
}

/** A new family, with changes that the store applies when it is read. */
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

/** A token with the handle of another one and an unknown secret. */
export function foreignSecret({ refreshToken }: Pick<IssuedRefreshToken, "refreshToken">): string {
  return `${refreshToken.split(".")[0]}.${"A".repeat(43)}`;
}

/** Ada, and Eve, `u2`, with the stamp `s2`. */
export async function withEve(): Promise<WithRefresh> {
  const services = await withRefresh();
  const eve = { sub: "u2", identifier: "eve", securityStamp: "s2", createdAt: START };
  assertEquals(await services.stores.users.create(eve), "created");
  return services;
}

/** Families in the list that Ada sees. */
export async function listIds({ refresh }: Pick<WithRefresh, "refresh">): Promise<string[]> {
  return (await refresh.list("u1")).map(({ familyId }) => familyId);
}
