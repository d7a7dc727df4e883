/**
 * What may be used once, and the ring of signing keys, in memory.
 *
 * @module
 */

import { createExpiringMap } from "./_expiring_map.ts";
import { frozenCopy, inOneTurn, toJson } from "./_memory_record.ts";
import type { KeyRing, KeyStore, StateStore } from "./types.ts";

/** A value as text, so that neither who put it nor who takes it can change what is kept. */
interface KeptState {
  readonly text: string;
  readonly expiresAt: number;
}

/**
 * Keeps in memory what may be used once. A value that is not JSON rejects with a `TypeError`.
 *
 * @param now The time, in seconds since the epoch.
 */
export function memoryStateStore(now: () => number): StateStore {
  const states = createExpiringMap<KeptState>({ expiresAt: (state) => state.expiresAt });
  return {
    put: (key, value, expiresAt) =>
      inOneTurn(() => states.set(key, { text: toJson(value), expiresAt }, now())),
    consume: (key) =>
      inOneTurn(() => {
        const state = states.get(key, now());
        if (state === undefined) return null;
        states.delete(key);
        return JSON.parse(state.text);
      }),
  };
}

/** Keeps the ring of signing keys in memory. */
export function memoryKeyStore(): KeyStore {
  let ring: KeyRing | null = null;
  let writes = 0;
  return {
    load: () => inOneTurn(() => ring),
    save: (keys, expected) =>
      inOneTurn(() => {
        if ((ring?.version ?? null) !== expected) return "lost";
        ring = frozenCopy<KeyRing>({ version: String(++writes), keys });
        return "saved";
      }),
  };
}
