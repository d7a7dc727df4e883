/**
 * Defects of index entries, keys and values.
 *
 * @module
 */

import type {
  KeyedRecord,
  StorageAdapter,
  StoredRecord,
  Versioned,
} from "../../auth/stores/adapter.ts";
import { type Defect, renaming, rewriting, type Tools } from "./_defective_adapters.ts";
import { compareUtf8 } from "./_utf8.ts";

/** Defects of unique strings, indexes and lists. */
export const FINDING_DEFECTS: readonly Defect[] = [
  {
    why: "cas() does not check whether a unique string is taken",
    found: "cas() to a unique string that another record has is taken, and creates no record",
    make: ({ sound, hook }) => ({
      ...sound,
      atomic: {
        ...hook,
        async cas(collection, key, expected, next) {
          const result = await hook.cas(collection, key, expected, next);
          if (result.status !== "taken" || next === null) return result;
          return await hook.cas(collection, key, expected, { ...next, unique: undefined });
        },
      },
    }),
  },
  {
    why: "put() takes a unique string from the record that has it",
    found: "put() of a unique string that another record has rejects",
    make: ({ sound }) => ({
      ...sound,
      async put(collection, key, record) {
        const { unique } = record;
        const holder = unique === undefined ? null : await sound.find(collection, unique);
        if (holder !== null && holder.key !== key) await sound.delete(collection, holder.key);
        await sound.put(collection, key, record);
      },
    }),
  },
  {
    why: "put() writes the unique string into its error",
    found: "put() of a unique string that another record has rejects",
    make: ({ sound }) => ({
      ...sound,
      put: (collection, key, record) =>
        sound.put(collection, key, record).catch((error) => {
          throw error instanceof TypeError || error instanceof RangeError
            ? error
            : new Error(`Key (uniq)=(${record.unique}) already exists`);
        }),
    }),
  },
  {
    why: "old index entries remain",
    found: "list() finds a record by its current strings",
    make: neverUnlinking,
  },
  {
    why: "list() is in the order of UTF-16",
    found: "list() returns records in the order of their keys' bytes",
    make: ({ sound }) => ({
      ...sound,
      async list(collection, index, text, { limit, after, reverse = false } = {}) {
        const found = await sound.list(collection, index, text);
        const sorted = found.toSorted((a, b) => (a.key < b.key ? -1 : 1) * (reverse ? -1 : 1));
        return sorted
          .filter(({ key }) => after === undefined || (reverse ? key < after : key > after))
          .slice(0, limit);
      },
    }),
  },
  {
    why: "list() includes the record of `after`",
    found: "list() returns records in the order of their keys' bytes",
    make: ({ sound }) => ({
      ...sound,
      async list(collection, index, text, { limit, ...options } = {}) {
        const { after } = options;
        const found = await sound.list(collection, index, text, options);
        const record = after === undefined ? null : await sound.get(collection, after);
        const own = after === undefined || record === null ? [] : [{ key: after, ...record }];
        return [...own, ...found].slice(0, limit);
      },
    }),
  },
  {
    why: "list() returns no more than a page",
    found: "list() returns a thousand records",
    make: ({ sound }) => ({
      ...sound,
      list: async (...asked) => (await sound.list(...asked)).slice(0, 500),
    }),
  },
  {
    why: "both indexes are the same",
    found: "list() keeps both indexes apart",
    make: ({ sound }) => ({
      ...sound,
      async list(collection, _index, text, options) {
        const found = await sound.list(collection, 0, text, options);
        return found.length > 0 ? found : await sound.list(collection, 1, text, options);
      },
    }),
  },
];

/** Defects of keys and values. */
export const RECORD_DEFECTS: readonly Defect[] = [
  {
    why: "collection and key are joined by a colon",
    found: "put() does not confuse adjacent strings",
    make: joining,
  },
  {
    why: "keys are compared without case",
    found: "put() accepts odd strings as keys",
    make: (tools) => renaming(tools, (key) => key.toLowerCase()),
  },
  {
    why: "keys are normalized to NFC",
    found: "put() accepts odd strings as keys",
    make: (tools) => renaming(tools, (key) => key.normalize("NFC")),
  },
  {
    why: "keys end at a NUL",
    found: "put(), cas() and all others reject strings",
    make: (tools) => renaming(tools, (key) => key.split("\0", 1)[0] ?? ""),
  },
  {
    why: "a lone surrogate is replaced",
    found: "put(), cas() and all others reject strings",
    make: (tools) => renaming(tools, (key) => key.toWellFormed()),
  },
  {
    why: "members are sorted",
    found: "put() keeps every kind of JSON",
    make: (tools) =>
      rewriting(tools, (record) => ({ ...record, value: sortMembers(record.value) })),
  },
  {
    why: "values that are not JSON are converted",
    found: "put() and cas() reject values that are not JSON",
    make: (tools) => rewriting(tools, (record) => ({ ...record, value: record.value ?? "null" })),
  },
  {
    why: "readers share the returned value",
    found: "get(), find() and list() return values that are detached",
    make: ({ sound }) => {
      const read = new Map<string, Versioned>();
      return {
        ...sound,
        async get(collection, key) {
          const found = await sound.get(collection, key);
          if (found === null) return null;
          const shared = read.get(found.version) ?? structuredClone(found);
          read.set(found.version, shared);
          return shared;
        },
      };
    },
  },
];

/** Finds records by all previous index strings. */
function neverUnlinking({ sound, hook }: Tools): StorageAdapter {
  const ever = new Map<string, Map<string, true>>();
  const note = (collection: string, key: string, { index = [] }: StoredRecord) => {
    for (const [which, text] of index.entries()) {
      const name = JSON.stringify([collection, which, text]);
      ever.set(name, (ever.get(name) ?? new Map()).set(key, true));
    }
  };
  return {
    ...sound,
    async put(collection, key, record) {
      await sound.put(collection, key, record);
      note(collection, key, record);
    },
    async list(collection, index, text, { limit, after, reverse = false } = {}) {
      await sound.list(collection, index, text, { after }); // rejects invalid arguments
      const found: KeyedRecord[] = [];
      for (const key of ever.get(JSON.stringify([collection, index, text]))?.keys() ?? []) {
        const record = await sound.get(collection, key);
        if (record !== null) found.push({ key, ...record });
      }
      const direction = reverse ? -1 : 1;
      return found
        .filter(({ key }) => after === undefined || direction * compareUtf8(key, after) > 0)
        .sort((a, b) => direction * compareUtf8(a.key, b.key))
        .slice(0, limit);
    },
    atomic: {
      ...hook,
      async cas(collection, key, expected, next) {
        const result = await hook.cas(collection, key, expected, next);
        if (result.status === "ok" && next !== null) note(collection, key, next);
        return result;
      },
    },
  };
}

/** Stores all collections in one, with keys that start with the collection. */
function joining({ sound, hook }: Tools): StorageAdapter {
  const ownText = (collection: string, text: string) => JSON.stringify([collection, text]);
  const own = (
    collection: string,
    { unique, index = [], ...record }: StoredRecord,
  ): StoredRecord => {
    const [first, second] = index;
    return {
      ...record,
      unique: unique === undefined ? undefined : ownText(collection, unique),
      index: [
        first === undefined ? undefined : ownText(collection, first),
        second === undefined ? undefined : ownText(collection, second),
      ],
    };
  };
  const ownKey = (collection: string, found: KeyedRecord): KeyedRecord => ({
    ...found,
    key: found.key.slice(collection.length + 1),
  });
  return {
    get: (collection, key) => sound.get("", `${collection}:${key}`),
    async find(collection, unique) {
      const found = await sound.find("", ownText(collection, unique));
      return found && ownKey(collection, found);
    },
    async list(collection, index, text, { after, ...options } = {}) {
      const found = await sound.list("", index, ownText(collection, text), {
        ...options,
        after: after === undefined ? undefined : `${collection}:${after}`,
      });
      return found.map((each) => ownKey(collection, each));
    },
    put: (collection, key, record) =>
      sound.put("", `${collection}:${key}`, own(collection, record)),
    delete: (collection, key) => sound.delete("", `${collection}:${key}`),
    atomic: {
      cas: (collection, key, expected, next) =>
        hook.cas("", `${collection}:${key}`, expected, next && own(collection, next)),
    },
  };
}

function sortMembers(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? value : Object.fromEntries(Object.entries(value).sort());
}
