/**
 * A factor service with its stores, and a clock that the test sets.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  type AuthEvent,
  type AuthStores,
  deriveKeys,
  type FactorService,
  factorService,
  type FactorStore,
  inMemoryAuthStores,
  throttleService,
  totpCode,
} from "../../../auth/mod.ts";
import { refusal } from "../_refusal.ts";

export const SECRET = "0123456789abcdefghijklmnopqrstuvwxyz0123";
export const OTHER_SECRET = "ZYXWVUTSRQPONMLKJIHGFEDCBA9876543210zyxw";
/** The first second of a time step. */
export const START: number = 30 * 56_666_666;
export const CLIENT = { address: "192.0.2.1" } as const;

/** A service and what it works with. */
export interface Factors {
  readonly service: FactorService;
  readonly stores: AuthStores;
  readonly events: AuthEvent[];
  readonly warnings: string[];
  readonly clock: { now: number };
}

/** Options of {@linkcode factors}. */
export interface FactorsOptions {
  /** Existing stores. */
  readonly over?: AuthStores;
  readonly secret?: string | readonly string[];
  readonly wrap?: (factors: FactorStore) => FactorStore;
  /** Whether attempts are limited. @default {false} */
  readonly throttled?: boolean;
  /** Whether users are read. @default {false} */
  readonly withUsers?: boolean;
}

/** Creates a service. */
export function factors(options: FactorsOptions = {}): Factors {
  const { over, secret = SECRET, wrap = (store) => store, throttled, withUsers } = options;
  const clock = { now: START };
  const now = () => clock.now;
  const stores = over ?? inMemoryAuthStores({ now });
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const keys = deriveKeys(secret);
  const told = (event: AuthEvent) => void events.push(event);
  const service = factorService({
    factors: wrap(stores.factors),
    users: withUsers ? stores.users : undefined,
    keys,
    throttle: throttled
      ? throttleService({ store: stores.throttle, keys, now, events: told })
      : "insecureSkip",
    issuer: "Acme",
    now,
    events: told,
    warn: (message) => void warnings.push(message),
  });
  return { service, stores, events, warnings, clock };
}

/** A user with a confirmed authenticator, at the begin of the step after the confirmation. */
export interface WithTotp extends Factors {
  /** In base32. */
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  /** The code of the current time, or of another one. */
  code(at?: number): Promise<string>;
}

/** Creates a service, and a user `u1` with a confirmed authenticator. */
export async function withTotp(options: FactorsOptions = {}): Promise<WithTotp> {
  const own = factors(options);
  if (options.withUsers) await createUser(own.stores);
  const { secret } = await own.service.enrolTotp("u1", "ada@example.org");
  const { recoveryCodes } = await own.service.confirmTotp("u1", await totpCode(secret, START));
  own.clock.now += 30;
  own.events.length = 0;
  return {
    ...own,
    secret,
    recoveryCodes,
    code: (at = own.clock.now) => totpCode(secret, at),
  };
}

/** Creates the user `u1`. */
export async function createUser({ users }: AuthStores): Promise<void> {
  const user = { sub: "u1", identifier: "ada", securityStamp: "s1", createdAt: START };
  assertEquals(await users.create(user), "created");
}

/** The reason why something was refused as a wrong second factor; fails for any other outcome. */
export async function reasonOf(attempt: () => Promise<unknown>): Promise<string | undefined> {
  const { code, status, reason, message, problem } = await refusal(attempt);
  assertEquals([code, status, message], ["invalid_second_factor", 401, "The code is not valid"]);
  const headers = { "WWW-Authenticate": "Session" };
  assertEquals(JSON.parse(JSON.stringify(problem)), { headers, detail: "The code is not valid" });
  return reason;
}

/** A code of the right length that is neither of the steps around a time. */
export async function wrongCode(secret: string, at: number): Promise<string> {
  const right = await Promise.all([-60, -30, 0, 30, 60].map((skew) => totpCode(secret, at + skew)));
  const wrong = ["111111", "222222", "333333", "444444", "555555", "666666"];
  const found = wrong.find((code) => !right.includes(code));
  assert(found !== undefined);
  return found;
}
