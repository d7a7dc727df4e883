/** readRange(): RFC 9110 §14, and fields that try to overflow. */

import { assertEquals } from "@std/assert";
import { readRange } from "../../static/range.ts";

const NINES = "9".repeat(400);

/** [field, size, start and end, or the outcome, why] */
const FIELDS: readonly (readonly [
  field: string,
  size: number,
  range: readonly [start: number, end: number] | "unsatisfiable" | undefined,
  why: string,
])[] = [
  ["bytes=0-499", 10_000, [0, 500], "§14.1.2: the first 500 bytes"],
  ["bytes=500-999", 10_000, [500, 1000], "§14.1.2: the second 500 bytes"],
  ["bytes=-500", 10_000, [9500, 10_000], "§14.1.2: the final 500 bytes"],
  ["bytes=9500-", 10_000, [9500, 10_000], "§14.1.2: the same"],
  ["bytes=0-0", 10, [0, 1], "the first byte"],
  ["bytes=9-9", 10, [9, 10], "the last byte"],
  ["bytes=0-", 10, [0, 10], "all of them"],
  ["bytes=5-100", 10, [5, 10], "§14.1.2: a last position past the end is the end"],
  ["bytes=-100", 10, [0, 10], "§14.1.2: a suffix longer than the file is the file"],
  ["Bytes=0-1", 10, [0, 2], "§14.1: units ignore case"],
  ["bytes=00000000000000000000001-2", 10, [1, 3], "leading zeros"],
  [`bytes=0-99999999999999999999`, 10, [0, 10], "a last position past all integers"],
  [`bytes=0-${NINES}`, 10, [0, 10], "one past all numbers"],
  [`bytes=-${NINES}`, 10, [0, 10], "a suffix past all numbers"],
  ["bytes=10-", 10, "unsatisfiable", "the first position is the size"],
  ["bytes=10-20", 10, "unsatisfiable", "the same"],
  ["bytes=99999999999999999999-", 10, "unsatisfiable", "a first position past all integers"],
  [`bytes=${NINES}-`, 10, "unsatisfiable", "one past all numbers"],
  ["bytes=-0", 10, "unsatisfiable", "§14.1.2: a suffix of nothing"],
  ["bytes=-0", 0, "unsatisfiable", "the same, of nothing"],
  ["bytes=0-", 0, "unsatisfiable", "an empty file has no first byte"],
  ["bytes=-5", 0, undefined, "§14.1.2: satisfiable, and no Content-Range could say it"],
  ["bytes=5-2", 10, undefined, "§14.1.1: invalid, so it is ignored"],
  ["bytes=-", 10, undefined, "no number"],
  ["bytes=", 10, undefined, "no range"],
  ["bytes", 10, undefined, "no range"],
  ["", 10, undefined, "nothing"],
  ["bytes=0-1,5-6", 10, undefined, "several ranges"],
  ["bytes=0-1,", 10, undefined, "a list"],
  [`bytes=${"0-0,".repeat(10_000)}0-0`, 10, undefined, "ten thousand ranges"],
  [`bytes=${"1-,".repeat(10_000)}`, 10, undefined, "overlapping ranges, CVE-2011-3192"],
  ["bytes= 0-1", 10, undefined, "a space"],
  ["bytes =0-1", 10, undefined, "a space"],
  ["bytes=0 -1", 10, undefined, "a space"],
  ["bytes=0-1 ", 10, undefined, "a space, which Headers removes"],
  ["bytes=--1", 10, undefined, "a negative number"],
  ["bytes=+0-1", 10, undefined, "a sign"],
  ["bytes=0x0-0x1", 10, undefined, "hexadecimal digits"],
  ["bytes=1e0-2", 10, undefined, "an exponent"],
  ["bytes=0.5-1", 10, undefined, "a fraction"],
  ["bytes=\u0661-\u0662", 10, undefined, "digits of another script"],
  ["bytes=0-1\nbytes=2-3", 10, undefined, "a line break"],
  ["lines=0-1", 10, undefined, "§14.2: another unit"],
  ["none", 10, undefined, "another unit"],
];

for (const [field, size, expected, why] of FIELDS) {
  const name = field.length > 40 ? `${field.slice(0, 40)}…` : field;
  Deno.test(`readRange() reads ${JSON.stringify(name)} of ${size} bytes: ${why}`, () => {
    const range = readRange(field, size);
    const actual = typeof range === "object" ? [range.start, range.end] as const : range;
    assertEquals(actual, expected);
  });
}

Deno.test("readRange() stays within the file, whatever the numbers", () => {
  const numbers = ["", "0", "1", "2", "3", "4", "5", "9007199254740993", NINES];
  for (let size = 0; size < 5; size++) {
    for (const first of numbers) {
      for (const last of numbers) {
        const range = readRange(`bytes=${first}-${last}`, size);
        if (typeof range !== "object") continue;
        const { start, end } = range;
        assertEquals(start >= 0 && start < end && end <= size, true, `${first}-${last}/${size}`);
      }
    }
  }
});
