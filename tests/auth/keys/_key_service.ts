/**
 * Key services on one store, each with its own cache, under a clock set by a test.
 *
 * @module
 */

import { assert } from "@std/assert";
import type { AuthEvent } from "../../../auth/events.ts";
import type { AsymmetricAlgorithm } from "../../../auth/jwt/jwa.ts";
import type { JwkSet, VerificationKeys } from "../../../auth/jwt/types.ts";
import { type VerifiedJwt, verifyJwt } from "../../../auth/jwt/jwt.ts";
import {
  type KeyService,
  keyService,
  type KeyServiceOptions,
} from "../../../auth/keys/key_service.ts";
import { inMemoryAuthStores } from "../../../auth/stores/memory.ts";
import type { KeyRing, KeyStore, StoredKey } from "../../../auth/stores/types.ts";
import { decode } from "../_decode.ts";

export const START = 1_700_000_000;

/** Small numbers, which make tests fast; all differ. */
export const NUMBERS = { rotateAfter: 5_000, cacheAge: 300, maxTokenAge: 700 } as const;

/** Derived from {@linkcode NUMBERS}: how long a key is published before it signs, and after it has retired. */
export const LEAD: number = 2 * (300 + 60);
export const KEEP: number = 60 + 700 + 30 + 60;

export interface KeyBench {
  readonly clock: { now: number };
  readonly events: AuthEvent[];
  readonly warnings: string[];
  /** Number of calls of the store. */
  readonly calls: { load: number; save: number };
  readonly store: KeyStore;
  /** Another process. */
  service(options?: Partial<KeyServiceOptions>): KeyService;
  /** The stored ring. */
  ring(): Promise<readonly StoredKey[]>;
  /** Verifies at the current time of the bench. */
  verify(token: string, keys: VerificationKeys): Promise<VerifiedJwt>;
}

export interface KeyBenchOptions {
  /** Wraps the in-memory store. */
  readonly wrap?: (store: KeyStore) => Partial<KeyStore>;
}

const ALGORITHMS: readonly AsymmetricAlgorithm[] = ["Ed25519", "EdDSA", "ES256", "RS256", "ES384"];

export function keyBench({ wrap }: KeyBenchOptions = {}): KeyBench {
  const clock = { now: START };
  const events: AuthEvent[] = [];
  const warnings: string[] = [];
  const calls = { load: 0, save: 0 };
  const kept = inMemoryAuthStores().keys;
  const counted: KeyStore = {
    load() {
      calls.load++;
      return kept.load();
    },
    save(keys, expected) {
      calls.save++;
      return kept.save(keys, expected);
    },
  };
  const store = { ...counted, ...wrap?.(counted) };
  const now = () => clock.now;
  return {
    clock,
    events,
    warnings,
    calls,
    store,
    service: (options = {}) =>
      keyService({
        store,
        algorithms: ["Ed25519"],
        ...NUMBERS,
        now,
        events: (event) => void events.push(event),
        warn: (message) => void warnings.push(message),
        ...options,
      }),
    ring: async () => (await kept.load())?.keys ?? [],
    verify: (token, keys) => verifyJwt(token, { algorithms: ALGORITHMS, keys, now }),
  };
}

/** The `kid` of a token. */
export function kidOf(token: string): string {
  const { header: { kid } } = decode(token);
  assert(typeof kid === "string");
  return kid;
}

/** The key that signs now. */
export async function signerOf(service: KeyService, alg?: AsymmetricAlgorithm): Promise<string> {
  return kidOf(await service.sign({}, { expiresIn: 60, ...(alg === undefined ? {} : { alg }) }));
}

export function kidsOf({ keys }: JwkSet | Pick<KeyRing, "keys">): string[] {
  return keys.map(({ kid }) => kid ?? "");
}

/** A store whose calls take some turns of the event loop in each direction. */
export function farAway(store: KeyStore, turns: number): KeyStore {
  const wait = async () => {
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
  };
  return {
    async load() {
      await wait();
      const ring = structuredClone(await store.load());
      await wait();
      return ring;
    },
    async save(keys, expected) {
      const sent = structuredClone(keys);
      await wait();
      const outcome = await store.save(sent, expected);
      await wait();
      return outcome;
    },
  };
}
