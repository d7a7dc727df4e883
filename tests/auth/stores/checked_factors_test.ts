/** Second factors with the types of other engines: what decides is not guessed. */

import { assertEquals, assertRejects } from "@std/assert";
import { checkedFactors } from "../../../auth/stores/checked_factors.ts";
import type { FactorStore, UserFactors } from "../../../auth/stores/types.ts";
import { factorsOf } from "../../contracts/_races.ts";

const RECORD: UserFactors = {
  ...factorsOf("u1"),
  pending: { secret: "encrypted", createdAt: 7 },
  version: "v1",
};

const NOT_STRINGS: readonly unknown[] = [null, undefined, "", 7, 7n, true, new Uint8Array([7])];
const NOT_TIMES: readonly unknown[] = [null, undefined, "7", 7n, new Date(7), NaN, Infinity];
const NOT_STEPS: readonly unknown[] = [null, undefined, "7", 7n, 7.5, NaN, Infinity, 2 ** 53];
const NOT_ARRAYS: readonly unknown[] = [null, undefined, "a", '["a"]', {}, [7], [null]];
const NOT_OBJECTS: readonly unknown[] = ["{}", 7, true, false, ""];

const STRING = "a non-empty string";
const TIME = "a number of seconds";

/** Members that decide, and what they must not be. */
const DECIDING: readonly (readonly [path: string, type: string, others: readonly unknown[]])[] = [
  ["sub", STRING, NOT_STRINGS],
  ["version", STRING, NOT_STRINGS],
  ["recoveryCodes", "an array of strings", NOT_ARRAYS],
  ["totp", "an object", NOT_OBJECTS],
  ["totp.secret", STRING, NOT_STRINGS],
  ["totp.createdAt", TIME, NOT_TIMES],
  ["totp.confirmedAt", TIME, NOT_TIMES],
  ["totp.lastStep", "an integer", NOT_STEPS],
  ["pending", "an object", NOT_OBJECTS],
  ["pending.secret", STRING, NOT_STRINGS],
  ["pending.createdAt", TIME, NOT_TIMES],
];

for (const [path, type, others] of DECIDING) {
  Deno.test(`checkedFactors() rejects a record whose ${path} is not ${type}`, async () => {
    for (const other of others) {
      const { find } = storeOf(changed(path, other));
      const { message } = await assertRejects(() => find("u1"), TypeError);
      assertEquals(message.endsWith(`must be ${type}`), true, `${message}: ${String(other)}`);
    }
  });
}

Deno.test("checkedFactors() returns a record as it is, with or without factors", async () => {
  for (const record of [RECORD, bare(undefined), bare(null), null]) {
    assertEquals(await storeOf(record).find("u1"), record);
  }
});

Deno.test("checkedFactors() finds nothing if the store returns the record of another user", async () => {
  assertEquals(await storeOf(RECORD).find("U1"), null);
});

/** A record without factors; in a column, what is absent is `null`. */
function bare(absent: null | undefined): UserFactors {
  const record = { sub: "u1", totp: absent, pending: absent, recoveryCodes: [], version: "v1" };
  return record as unknown as UserFactors;
}

function changed(path: string, value: unknown): UserFactors {
  const [first = "", second] = path.split(".");
  const record: Record<string, unknown> = { ...RECORD };
  record[first] = second === undefined ? value : { ...record[first] as object, [second]: value };
  return record as unknown as UserFactors;
}

function storeOf(record: UserFactors | null): FactorStore {
  return checkedFactors({
    find: () => Promise.resolve(record),
    save: () => Promise.resolve("lost"),
    delete: () => Promise.resolve(),
  });
}
