/**
 * So many leases and no more, each for a limited time.
 *
 * @module
 */

/** What is held until it is given back. */
export interface Lease {
  readonly since: number;
}

/** Hands out leases. */
export interface Leases {
  /** A lease; `undefined` if all are held. */
  take(): Lease | undefined;
  /** Gives one back. */
  give(lease: Lease): void;
}

/**
 * Makes leases. One that is held for longer than `seconds` counts as given back, so that what never ends does not keep
 * everybody out for ever.
 */
export function createSemaphore(most: number, seconds: number, now: () => number): Leases {
  const held = new Set<Lease>();
  return {
    take() {
      const at = now();
      if (held.size >= most) {
        for (const lease of held) if (at - lease.since >= seconds) held.delete(lease);
      }
      if (held.size >= most) return undefined;
      const lease: Lease = { since: at };
      held.add(lease);
      return lease;
    },
    give: (lease) => void held.delete(lease),
  };
}
