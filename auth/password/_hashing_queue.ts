/**
 * How clients share the hashing of passwords, which makes a login expensive, for the server too.
 *
 * @module
 */

import { isWorkerd } from "../_workerd.ts";
import { AuthError } from "../error.ts";
import type { LoginAttempt } from "../throttle/throttle_types.ts";
import { createFairQueue, type QueueGroup } from "./_fair_queue.ts";
import type { HasherLimitOptions } from "./hasher.ts";

/** Whose password is hashed, and for which client. */
export type HashingClient = Pick<LoginAttempt, "account" | "device" | "buckets">;

/** Computes hashes in a slot. */
export type RunHash = <T>(hash: () => Promise<T>) => Promise<T>;

/** Shares slots between clients. */
export interface HashingQueue {
  /**
   * Does work that hashes. Its place is taken synchronously, so that nothing is read or counted for a request that is rejected;
   * a slot is taken only while it hashes.
   *
   * @param client Absent for calls of the application: they have no limit, and take slots in turn like one client.
   * @throws {AuthError} `service_unavailable` with `Retry-After`, if the client has no place left.
   */
  hold<T>(client: HashingClient | undefined, work: (run: RunHash) => Promise<T>): Promise<T>;
}

/** `Retry-After` in seconds: enough for the default queue. */
const RETRY_AFTER = "5";

/** How many times the share of an address an IPv6 /48 has. */
const WIDE_FACTOR = 5;

/**
 * Creates a queue. The numbers in comments are those of the defaults, 4 slots and 68 places.
 *
 * @throws {RangeError} If `running` is not an integer from 1, or `waiting` not one from 0.
 */
export function createHashingQueue(options: HasherLimitOptions = {}): HashingQueue {
  const { running: slots = 4, waiting = 64 } = options;
  if (!Number.isInteger(slots) || slots < 1 || !Number.isInteger(waiting) || waiting < 0) {
    throw new RangeError("Cannot limit hashing: running and waiting must be integers from 1 and 0");
  }
  const queue = createFairQueue(slots);
  const places = slots + waiting;
  const quarter = { running: share(slots, 4), places: share(places, 4) }; // 1 and 17
  const client = { running: share(slots, 2), places: share(slots, 2) + share(waiting, 16) }; // 2 and 6
  const { running, places: each } = client;
  const site = { running: running * WIDE_FACTOR, places: each * WIDE_FACTOR };
  const device = { running: quarter.running, places: quarter.running + share(waiting, 32) }; // 1 and 3
  const all = { name: "all", running: slots, places };
  // The other quarter is for known devices
  const unknown = { name: "unknown", running: slots, places: places - Math.floor(places / 4) };

  /** An unknown device shares with those of its address, and of the account. */
  function unknownGroups({ account, buckets: [bucket, ...wide] }: HashingClient): QueueGroup[] {
    const name = bucket === undefined ? `account ${account}` : `address ${bucket}`;
    return [
      { name, ...client },
      all,
      unknown,
      { name: `unknown at ${account}`, ...quarter }, // strangers with one or two addresses cannot fill it
      ...wide.map((bucket) => ({ name: `address ${bucket}`, ...site })),
    ];
  }

  /** A known device has a share of its own, but those of one address do not have the whole of it: anybody can get some. */
  function knownGroups({ account, device: id, buckets }: HashingClient): QueueGroup[] {
    const together = { running: quarter.running, places: share(quarter.places, 4) }; // 1 and 4
    return [
      { name: `device ${id}`, ...client },
      all,
      { name: `known at ${account}`, ...device },
      ...buckets.slice(-1).map((bucket) => ({ name: `devices of ${bucket}`, ...together })),
    ];
  }

  return {
    async hold(client, work) {
      // There no request may wait for another one, and cancelled ones would never free their places
      if (isWorkerd()) return await work((hash) => hash());
      const place = client === undefined
        ? queue.enter("server", [])
        : client.device !== undefined && enter(knownGroups(client)) || enter(unknownGroups(client));
      if (!place) throw busy();
      try {
        return await work(place.run);
      } finally {
        place.leave();
      }
    },
  };

  /** The first group is the client, which takes turns. */
  function enter(groups: readonly QueueGroup[]) {
    return queue.enter(groups[0]?.name ?? "", groups);
  }
}

function share(count: number, parts: number): number {
  return Math.max(1, Math.floor(count / parts));
}

function busy(): AuthError {
  return new AuthError("service_unavailable", {
    reason: "too many passwords are being hashed",
    headers: { "Retry-After": RETRY_AFTER },
  });
}
