/**
 * Defects of expiries and versions.
 *
 * @module
 */

import { isExpired } from "../../auth/stores/_records.ts";
import { type Defect, reversioning, rewriting } from "./_defective_adapters.ts";

/** Defects of expiries. */
export const END_DEFECTS: readonly Defect[] = [
  {
    why: "get() returns an expired record",
    found: "get(), find() and list() return no record from its expiry on",
    make: ({ sound, at }) => ({ ...sound, get: (...place) => at(0, () => sound.get(...place)) }),
  },
  {
    why: "find() returns an expired record",
    found: "get(), find() and list() return no record from its expiry on",
    make: ({ sound, at }) => ({ ...sound, find: (...place) => at(0, () => sound.find(...place)) }),
  },
  {
    why: "list() returns an expired record",
    found: "get(), find() and list() return no record from its expiry on",
    make: ({ sound, at }) => ({ ...sound, list: (...asked) => at(0, () => sound.list(...asked)) }),
  },
  {
    why: "list() counts an expired record",
    found: "list() counts no expired record",
    make: ({ sound, at, now }) => ({
      ...sound,
      async list(...asked) {
        const found = await at(0, () => sound.list(...asked));
        return found.filter(({ expiresAt }) => !isExpired(expiresAt, now()));
      },
    }),
  },
  {
    why: "take() returns an expired record",
    found: "take() returns a value until its expiry",
    make: ({ sound, hook, at }) => ({
      ...sound,
      atomic: { ...hook, take: (...place) => at(0, () => hook.take(...place)) },
    }),
  },
  {
    why: "cas() replaces an expired record by its version",
    found: "cas() with the version of a record from its expiry on is lost",
    make: ({ sound, hook, at, now }) => ({
      ...sound,
      atomic: {
        ...hook,
        cas: (collection, key, expected, next) =>
          at(expected === null ? now() : 0, () => hook.cas(collection, key, expected, next)),
      },
    }),
  },
  {
    why: "cas() does not create a record over an expired one",
    found: "cas() with no version wins over a record from its expiry on",
    make: ({ sound, hook, at, now }) => ({
      ...sound,
      atomic: {
        ...hook,
        cas: (collection, key, expected, next) =>
          at(expected === null ? 0 : now(), () => hook.cas(collection, key, expected, next)),
      },
    }),
  },
  {
    why: "an expired record keeps its unique string",
    found: "cas() gets the unique string of a record from its expiry on",
    make: ({ sound, hook, at }) => ({
      ...sound,
      atomic: {
        ...hook,
        async cas(collection, key, expected, next) {
          const { unique } = next ?? {};
          const holder = unique === undefined
            ? null
            : await at(0, () => sound.find(collection, unique));
          if (holder !== null && holder.key !== key) return { status: "taken" };
          return await hook.cas(collection, key, expected, next);
        },
      },
    }),
  },
  {
    why: "a reader removes an expired record by its own clock",
    found: "get(), find(), list() and lost cas() do not delete a record that",
    make: ({ sound }) => ({
      ...sound,
      async get(...place) {
        const found = await sound.get(...place);
        if (found === null) await sound.delete(...place);
        return found;
      },
    }),
  },
  {
    why: "an expiry is in whole seconds",
    found: "get() finds a record to a fraction of a second",
    make: (tools) =>
      rewriting(tools, (record) => ({
        ...record,
        ...(record.expiresAt === undefined ? {} : { expiresAt: Math.floor(record.expiresAt) }),
      })),
  },
  {
    why: "an expiry of zero is ignored",
    found: "put() and cas() of an expired record store no record",
    make: (tools) =>
      rewriting(tools, (record) => ({ ...record, expiresAt: record.expiresAt || undefined })),
  },
  {
    why: "put() keeps an earlier expiry",
    found: "put() replaces the expiry of an earlier record",
    make: ({ sound }) => ({
      ...sound,
      async put(collection, key, record) {
        const expiresAt = record.expiresAt ?? (await sound.get(collection, key))?.expiresAt;
        await sound.put(collection, key, { ...record, expiresAt });
      },
    }),
  },
];

/** Defects of versions. */
export const VERSION_DEFECTS: readonly Defect[] = [
  {
    why: "put() does not change the version",
    found: "put() changes the version",
    make: (tools) =>
      reversioning(
        tools,
        (before, how) => how === "put" ? before ?? crypto.randomUUID() : crypto.randomUUID(),
      ),
  },
  {
    why: "cas() does not change the version",
    found: "cas() replaces the record that was read",
    make: (tools) =>
      reversioning(
        tools,
        (before, how) => how === "cas" ? before ?? crypto.randomUUID() : crypto.randomUUID(),
      ),
  },
  {
    why: "versions of a record restart at one",
    found: "cas(), put(), delete() and take() do not reuse a version for a record created again",
    make: (tools) => reversioning(tools, (before) => `${Number(before ?? 0) + 1}`),
  },
  {
    why: "versions are compared as numbers",
    found: "cas() with an invalid version is lost",
    make: ({ sound, hook }) => ({
      ...sound,
      atomic: {
        ...hook,
        cas: (collection, key, expected, next) =>
          hook.cas(collection, key, expected === null ? null : `${parseFloat(expected)}`, next),
      },
    }),
  },
];
