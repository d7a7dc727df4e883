/**
 * An expiring map that forgets what was written longest ago once it is full, except what is pinned.
 *
 * @module
 */

import { createExpiringMap, type ExpiringMap, type ExpiringMapOptions } from "./_expiring_map.ts";

/** Entries that are looked at to make room for a new one, so that a front full of pinned ones costs no more. */
const LOOKS = 8;

/** Options of {@linkcode createLruMap}. */
export interface LruMapOptions<Value> extends Pick<ExpiringMapOptions<Value>, "expiresAt"> {
  /** Entries from which on the oldest make room. Pinned ones can make it more. */
  readonly limit: number;
  /** Whether a value must stay at a time, in seconds since the epoch. */
  readonly isPinned: (value: Value, now: number) => boolean;
}

/** An entry between the one that was written before it and the one after. */
interface Node<Value> {
  readonly key: string;
  readonly value: Value;
  older: Node<Value> | undefined;
  newer: Node<Value> | undefined;
}

/** Makes an empty map. */
export function createLruMap<Value>(options: LruMapOptions<Value>): ExpiringMap<Value> {
  const { limit, isPinned, expiresAt } = options;
  let oldest: Node<Value> | undefined;
  let newest: Node<Value> | undefined;
  const nodes = createExpiringMap<Node<Value>>({
    expiresAt: ({ value }) => expiresAt(value),
    removed: unlink,
  });

  function unlink({ older, newer }: Node<Value>): void {
    if (older === undefined) oldest = newer;
    else older.newer = newer;
    if (newer === undefined) newest = older;
    else newer.older = older;
  }

  function append(node: Node<Value>): void {
    node.older = newest;
    node.newer = undefined;
    if (newest === undefined) oldest = node;
    else newest.newer = node;
    newest = node;
  }

  function makeRoom(now: number): void {
    for (let looks = 0; looks < LOOKS && nodes.size >= limit; looks++) {
      if (oldest === undefined) return;
      const node = oldest;
      if (isPinned(node.value, now)) {
        // To the back, so that the next write finds others in front
        unlink(node);
        append(node);
      } else {
        nodes.delete(node.key);
      }
    }
  }

  return {
    get size() {
      return nodes.size;
    },
    get: (key, now) => nodes.get(key, now)?.value,
    set(key, value, now) {
      nodes.delete(key);
      makeRoom(now);
      const node: Node<Value> = { key, value, older: undefined, newer: undefined };
      append(node);
      nodes.set(key, node, now);
    },
    delete: (key) => nodes.delete(key),
  };
}
