/**
 * All services with in-memory stores, a clock that the test sets, and a list of events.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { type DerivedKeys, deriveKeys } from "../../auth/derived_keys.ts";
import { AuthError } from "../../auth/error.ts";
import type { AuthEvent } from "../../auth/events.ts";
import type { HasherLimitOptions, PasswordHasher } from "../../auth/password/hasher.ts";
import { pbkdf2Hasher } from "../../auth/password/pbkdf2.ts";
import type { PasswordPolicy } from "../../auth/password/policy.ts";
import { passwordService } from "../../auth/password/password_service.ts";
import type { PasswordCredentials, PasswordService } from "../../auth/password/password_types.ts";
import { sessionService } from "../../auth/session/session_service.ts";
import type { SessionLimits, SessionService } from "../../auth/session/types.ts";
import { inMemoryAuthStores } from "../../auth/stores/memory.ts";
import { type UserService, userService } from "../../auth/users/user_service.ts";
import type { Authentication } from "../../auth/principal.ts";
import type {
  AuthStores,
  LoginThrottle,
  RefreshFamily,
  User,
  UserPatch,
} from "../../auth/stores/types.ts";
import { throttleService } from "../../auth/throttle/throttle_service.ts";
import type {
  LoginClient,
  ThrottleRules,
  ThrottleService,
} from "../../auth/throttle/throttle_types.ts";
import { refusal } from "./_refusal.ts";

export { canonicalIdentifier as canonical } from "../../auth/identifier.ts";
export { refusal } from "./_refusal.ts";

export const SECRET = "a secret that only the tests know, for tests";
export const START = 1_700_000_000;
export const PASSWORD = "lovelace wrote notes";
export const OTHER_PASSWORD = "babbage built engines";
export const EVE_PASSWORD = "eve has a long password";
export const ADA: PasswordCredentials = { identifier: "ada@example.org", password: PASSWORD };
/** A client with an unknown address. */
export const NOBODY: LoginClient = { address: undefined };
export const CLIENT: { readonly address: string } = { address: "192.0.2.1" };

/** A hasher that records its calls. */
export interface CountingHasher extends PasswordHasher {
  readonly calls: ("hash" | "verify")[];
}

export function countingHasher(hasher: PasswordHasher = cheapHasher()): CountingHasher {
  const calls: ("hash" | "verify")[] = [];
  return {
    id: hasher.id,
    calls,
    hash(password) {
      calls.push("hash");
      return hasher.hash(password);
    },
    verify(password, encoded) {
      calls.push("verify");
      return hasher.verify(password, encoded);
    },
    needsRehash: (encoded) => hasher.needsRehash(encoded),
  };
}

/** The smallest allowed number of iterations. */
export function cheapHasher(iterations = 1_000): PasswordHasher {
  return pbkdf2Hasher({ iterations });
}

export interface ServicesOptions {
  /** Wraps the in-memory stores. */
  readonly wrap?: (stores: AuthStores) => Partial<AuthStores>;
  /** Existing stores. */
  readonly stores?: AuthStores;
  readonly hasher?: PasswordHasher;
  readonly hashing?: HasherLimitOptions;
  readonly policy?: PasswordPolicy;
  readonly limits?: SessionLimits & { readonly persistent?: SessionLimits };
  readonly rules?: Partial<ThrottleRules>;
  readonly secret?: string | readonly string[];
  readonly uncounted?: boolean;
}

export interface Services {
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: string[];
  readonly hasher: CountingHasher;
  readonly keys: DerivedKeys;
  readonly stores: AuthStores;
  readonly throttle: ThrottleService;
  readonly passwords: PasswordService;
  readonly sessions: SessionService;
  readonly accounts: UserService;
}

/** The stores do not expire records: the services must check limits. */
export function createServices(options: ServicesOptions = {}): Services {
  const clock = { now: START };
  const now = () => clock.now;
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const told = (event: AuthEvent) => void events.push(event);
  const kept = options.stores ?? inMemoryAuthStores({ now: () => 0 });
  const stores: AuthStores = { ...kept, ...options.wrap?.(kept) };
  const keys = deriveKeys(options.secret ?? SECRET);
  const hasher = countingHasher(options.hasher);
  const { rules = {}, hashing, policy, limits, uncounted = false } = options;
  const throttle = throttleService({ store: stores.throttle, keys, rules, now, events: told });
  const passwords = passwordService({
    users: stores.users,
    sessions: stores.sessions,
    refreshTokens: stores.refreshTokens,
    apiKeys: stores.apiKeys,
    credentials: stores.credentials,
    throttle: uncounted ? "insecureSkip" : throttle,
    hasher,
    ...(hashing === undefined ? {} : { hashing }),
    ...(policy === undefined ? {} : { policy }),
    now,
    events: told,
    warn: (message) => void warnings.push(message),
  });
  const sessions = sessionService({ ...stores, ...limits, now, events: told });
  const accounts = userService({ ...stores, now, events: told });
  return { clock, events, warnings, hasher, keys, stores, throttle, passwords, sessions, accounts };
}

/** The `Retry-After` of a throttled attempt. */
export async function waitOf(attempt: () => Promise<unknown>): Promise<number> {
  const { code, headers } = await refusal(attempt);
  assertEquals(code, "throttled");
  assertMatch(headers["Retry-After"] ?? "", /^[1-9]\d*$/);
  return Number(headers["Retry-After"]);
}

/** Everything of an error that can reach a client, however an application serializes errors. */
export function shown(error: AuthError): Record<string, unknown> {
  const { name, message, code, status, headers, problem } = error;
  const members = Object.keys(error);
  const json = JSON.stringify(error);
  return { name, message, code, status, headers, problem, members, json, text: `${error}` };
}

/** Counts the outcomes of attempts, by error code. */
export async function outcomes(attempts: readonly Promise<unknown>[]): Promise<object> {
  const counts: Record<string, number> = {};
  for (const result of await Promise.allSettled(attempts)) {
    const outcome = result.status === "fulfilled" ? "made" : codeOf(result.reason);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

function codeOf(reason: unknown): string {
  return reason instanceof AuthError ? reason.code : `${reason}`;
}

/** Runs something once. */
export function once(work: () => Promise<unknown>): () => Promise<void> {
  let done = false;
  return async () => {
    if (done) return;
    done = true;
    await work();
  };
}

/** The types of events, in order. */
export function types(events: readonly AuthEvent[]): string[] {
  return events.map(({ type }) => type);
}

export function repeat<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export interface WithAda extends Services {
  readonly before: User;
  readonly tokens: readonly string[];
}

/** Ada with two sessions and two refresh families, and another user's family. */
export async function withAda(options: ServicesOptions = {}): Promise<WithAda> {
  const services = createServices(options);
  const { passwords, sessions, stores } = services;
  const authentication = await passwords.createUser({ ...ADA }, { sub: "u1" });
  const begun = await Promise.all(repeat(2, () => sessions.create(authentication)));
  for (const id of ["f1", "f2"]) await stores.refreshTokens.create(family(id, authentication));
  await stores.refreshTokens.create(family("other", { ...authentication, sub: "u9" }));
  const before = await stores.users.findBySub("u1");
  assert(before !== null);
  services.events.length = 0;
  services.hasher.calls.length = 0;
  return { ...services, before, tokens: begun.map(({ token }) => token) };
}

function family(id: string, { sub, securityStamp }: Authentication): RefreshFamily {
  const fresh = { currentHash: "hash", generation: 0, revoked: false, createdAt: START };
  const times = { expiresAt: START + 1_000, familyExpiresAt: START + 10_000, authTime: START };
  return { id, sub, securityStamp, ...fresh, ...times, amr: ["pwd"] };
}

/** A throttle store that must not be called. */
export function unasked(): LoginThrottle {
  const asked = () => Promise.reject(new Error("The throttle was asked"));
  return { reserve: asked, wait: asked, reset: asked };
}

/** Issues a device cookie for a user. */
export async function deviceOf(
  { stores, throttle }: Pick<Services, "stores" | "throttle">,
  identifier: string = ADA.identifier,
): Promise<string> {
  const user = await stores.users.findByIdentifier(identifier);
  assert(user !== null);
  return await throttle.issueDevice(user);
}

/** Changes Ada, `u1`, as another request would. */
export async function patchUser({ users }: AuthStores, patch: UserPatch): Promise<void> {
  const { version } = await users.findBySub("u1") ?? { version: "" };
  assertEquals(await users.update("u1", version, patch), "updated");
}

/** Sets `disabled` of a user in the store, and keeps the stamp, so that `disabled` alone decides. */
export async function setDisabled(
  { users }: Pick<AuthStores, "users">,
  sub: string = "u1",
  disabled: boolean = true,
): Promise<void> {
  const user = await users.findBySub(sub);
  assert(user !== null);
  const { securityStamp, version } = user;
  assertEquals(await users.update(sub, version, { disabled, securityStamp }), "updated");
}

/**
 * Ada; a user who has no password; one who is disabled; one who is both; and Eve.
 */
export async function withUsers(options: ServicesOptions = {}): Promise<Services> {
  const services = createServices(options);
  const { passwords, stores: { users } } = services;
  await passwords.createUser({ ...ADA }, { sub: "u1" });
  await passwords.createUser({ identifier: "eve@example.org", password: EVE_PASSWORD });
  await passwords.createUser({ ...ADA, identifier: "disabled" }, { sub: "u2" });
  await setDisabled({ users }, "u2");
  const bare = { securityStamp: "s", createdAt: START };
  await users.create({ ...bare, sub: "u3", identifier: "unset" });
  await users.create({ ...bare, sub: "u4", identifier: "disabled-unset", disabled: true });
  services.hasher.calls.length = 0;
  services.events.length = 0;
  return services;
}

/** Makes attempts, all of which are rejected. */
export async function fail(count: number, attempt: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await refusal(() => attempt(i));
}
