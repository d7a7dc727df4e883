/**
 * What the stores in memory share: steps that nothing interrupts, copies that nobody changes, and lists of ids.
 *
 * @module
 */

/**
 * Runs a step before it returns, so that nothing comes between what the step reads and what it writes. What the step
 * throws rejects the promise.
 */
export function inOneTurn<Result>(step: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(step()));
}

/**
 * Copies a record as JSON, as other stores would keep it, and freezes it through and through.
 *
 * @throws {TypeError} If it is not JSON: a function, a bigint, an object that holds itself.
 */
export function frozenCopy<Json>(value: Json): Json {
  return freeze(JSON.parse(toJson(value)));
}

/** A value's text in JSON. @throws {TypeError} If there is none. */
export function toJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError("Cannot keep value: it is not JSON");
  return text;
}

function freeze<Json>(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}

/** Ids by something that several records have in common. */
export interface IdIndex {
  /** Adds an id. */
  add(key: string, id: string): void;
  /** Removes an id, and the key with the last one. */
  remove(key: string, id: string): void;
  /** The ids of a key as they are now. */
  list(key: string): readonly string[];
}

/** Makes an empty index. */
export function createIdIndex(): IdIndex {
  const idsByKey = new Map<string, Set<string>>();
  return {
    add(key, id) {
      const ids = idsByKey.get(key);
      if (ids === undefined) idsByKey.set(key, new Set([id]));
      else ids.add(id);
    },
    remove(key, id) {
      const ids = idsByKey.get(key);
      ids?.delete(id);
      if (ids?.size === 0) idsByKey.delete(key);
    },
    list: (key) => [...idsByKey.get(key) ?? []],
  };
}
