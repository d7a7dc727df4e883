/**
 * An expiring map that, once it is full, forgets of what was written longest ago what weighs least, and nothing that is
 * pinned.
 *
 * @module
 */

import { createExpiringMap, type ExpiringMap, type ExpiringMapOptions } from "./_expiring_map.ts";

/** Of so many entries the lightest makes room, so that a front full of pinned ones costs no more. */
const LOOKS = 4;

/** Options of {@linkcode createLruMap}. */
export interface LruMapOptions<Value> extends Pick<ExpiringMapOptions<Value>, "expiresAt"> {
  /** Entries from which on the oldest make room. Pinned ones can make it more. */
  readonly limit: number;
  /** Whether a value must stay at a time, in seconds since the epoch. */
  readonly isPinned: (value: Value, now: number) => boolean;
  /** How much it takes to make the value: whoever floods the map with light ones must not push a heavy one out. */
  readonly weigh: (value: Value) => number;
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
  const { limit, isPinned, weigh, expiresAt } = options;
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

  /** Twice, so that a map which pinned entries have made too large becomes smaller again. */
  function makeRoom(now: number): void {
    if (nodes.size >= limit) forgetOne(now);
    if (nodes.size >= limit) forgetOne(now);
  }

  function forgetOne(now: number): void {
    let lightest: Node<Value> | undefined;
    for (let looks = 0; looks < LOOKS && oldest !== undefined; looks++) {
      const node: Node<Value> = oldest;
      // To the back, so that the next write finds others in front
      unlink(node);
      append(node);
      if (isPinned(node.value, now)) continue;
      if (lightest === undefined || weigh(node.value) < weigh(lightest.value)) lightest = node;
    }
    if (lightest !== undefined) nodes.delete(lightest.key);
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
