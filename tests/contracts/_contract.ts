/**
 * The contract of every implementation of a store, and how to run it.
 *
 * ```ts ignore
 * registerContracts({
 *   name: "inMemoryAuthStores()",
 *   open: (now) => ({ stores: [inMemoryAuthStores({ now })] }),
 * });
 * ```
 *
 * @module
 */

import type { AuthStores } from "../../auth/stores/types.ts";
import { API_KEY_STORE_CASES } from "./api_key_store.ts";
import { AUTHORIZATION_STORE_CASES } from "./authorization_store.ts";
import { CLIENT_STORE_CASES } from "./client_store.ts";
import { CREDENTIAL_STORE_CASES } from "./credential_store.ts";
import { EMAIL_STORE_CASES } from "./email_store.ts";
import { FACTOR_STORE_CASES } from "./factor_store.ts";
import { IDENTITY_STORE_CASES } from "./identity_store.ts";
import { KEY_STORE_CASES } from "./key_store.ts";
import { LOGIN_THROTTLE_CASES } from "./login_throttle.ts";
import { REFRESH_TOKEN_STORE_CASES } from "./refresh_token_store.ts";
import { SESSION_STORE_CASES } from "./session_store.ts";
import { STATE_STORE_CASES } from "./state_store.ts";
import { USER_STORE_CASES } from "./user_store.ts";

/** Name of a store in {@linkcode AuthStores}. */
export type Family = keyof AuthStores;

/** The clock of the stores, in seconds since the epoch. */
export interface ContractClock {
  /** The time. */
  readonly now: () => number;
  /** Sets the time. */
  set(seconds: number): void;
}

/** The subject of a case: an empty store. */
export interface ContractSubject<Store> {
  /** One instance of the store. */
  readonly store: Store;
  /** All instances of the store, `store` first; racers are distributed over them. */
  readonly stores: readonly Store[];
  /** The clock of the store. */
  readonly clock: ContractClock;
}

/** One requirement of an interface. */
export interface ContractCase<Store> {
  /** A sentence that starts with the method. */
  readonly name: string;
  /** Whether it is about concurrent callers: `_naive.ts` must fail it. */
  readonly race?: true;
  /** Rejects if the implementation is wrong. */
  run(subject: ContractSubject<Store>): Promise<void>;
}

/** Stores of an implementation, for one case. */
export interface OpenStores {
  /** Instances over the same empty database. With more than one, decisions in memory fail the races. */
  readonly stores: readonly [Partial<AuthStores>, ...Partial<AuthStores>[]];
  /** Closes and removes the database. */
  readonly dispose?: () => Promise<void> | void;
}

/** An implementation of some stores. */
export interface StoreImplementation {
  /** First part of the tests' names. */
  readonly name: string;
  /** Stores of the implementation. @default all */
  readonly families?: readonly Family[];
  /** Opens an empty database for one case. */
  open(now: () => number): Promise<OpenStores> | OpenStores;
}

/** The cases of every store. */
export const CONTRACTS: { readonly [F in Family]: readonly ContractCase<AuthStores[F]>[] } = {
  users: USER_STORE_CASES,
  emails: EMAIL_STORE_CASES,
  sessions: SESSION_STORE_CASES,
  credentials: CREDENTIAL_STORE_CASES,
  states: STATE_STORE_CASES,
  refreshTokens: REFRESH_TOKEN_STORE_CASES,
  keys: KEY_STORE_CASES,
  throttle: LOGIN_THROTTLE_CASES,
  apiKeys: API_KEY_STORE_CASES,
  identities: IDENTITY_STORE_CASES,
  factors: FACTOR_STORE_CASES,
  authorizations: AUTHORIZATION_STORE_CASES,
  clients: CLIENT_STORE_CASES,
};

/** All stores. */
export const FAMILIES = Object.keys(CONTRACTS) as readonly Family[];

/** Registers a test for each case of each store of an implementation. */
export function registerContracts(implementation: StoreImplementation): void {
  for (const family of implementation.families ?? FAMILIES) {
    registerFamily(implementation, family);
  }
}

function registerFamily<F extends Family>(implementation: StoreImplementation, family: F): void {
  for (const contractCase of CONTRACTS[family]) {
    Deno.test(`${implementation.name} ${family}.${contractCase.name}`, async () => {
      await runCase(implementation, { family, contractCase });
    });
  }
}

/** Runs one case on an empty store. Rejects if the implementation is wrong. */
export async function runCase<F extends Family>(
  implementation: StoreImplementation,
  { family, contractCase }: { family: F; contractCase: ContractCase<AuthStores[F]> },
): Promise<void> {
  const clock = fakeClock();
  const { stores, dispose } = await implementation.open(clock.now);
  try {
    const found = stores.map((each) => {
      const store = each[family];
      if (store === undefined) throw new TypeError(`Cannot run contract: ${family} is missing`);
      return store;
    });
    const [store] = found;
    if (store === undefined) throw new TypeError("Cannot run contract: there are no stores");
    await contractCase.run({ store, stores: found, clock });
  } finally {
    await dispose?.();
  }
}

/** A clock that only changes when it is set. */
export function fakeClock(): ContractClock {
  let time = 1_700_000_000;
  return {
    now: () => time,
    set(seconds) {
      time = seconds;
    },
  };
}
