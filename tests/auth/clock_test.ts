/** Clocks: whole seconds, and loudly nothing else. */

import { assert, assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { createClock, nowSeconds } from "../../auth/_clock.ts";

const NOW = 1_700_000_000;

Deno.test("nowSeconds() gives whole seconds since the epoch", () => {
  const before = Math.floor(Date.now() / 1000);
  const now = nowSeconds();
  assert(Number.isInteger(now) && now >= before && now <= Date.now() / 1000);
});

Deno.test("checkedClock() is the system's clock unless there is another", () => {
  assertStrictEquals(createClock(undefined), nowSeconds);
});

const TIMES: readonly [why: string, given: number, read: number][] = [
  ["whole seconds", NOW, NOW],
  ["parts of a second, which end before it does", NOW + 0.999, NOW],
  ["the epoch", 0, 0],
  ["what a test begins with", 1, 1],
  ["before the epoch", -1.5, -2],
  ["the last second before milliseconds are meant", 1e11 - 1, 1e11 - 1],
  ["Date.now() / 1000", 1_700_000_000.123, NOW],
];

for (const [why, given, read] of TIMES) {
  Deno.test(`checkedClock() reads ${given} as ${read}: ${why}`, () => {
    assertEquals(createClock(() => given)(), read);
  });
}

const NO_TIMES: readonly [why: string, given: unknown][] = [
  ["milliseconds", NOW * 1_000],
  ["Date.now()", Date.now()],
  ["milliseconds of 1974", 126_230_400_000],
  ["the first that is too late", 1e11],
  ["microseconds", NOW * 1e6],
  ["milliseconds of long ago", -NOW * 1_000],
  ["no number", NaN],
  ["no end", Infinity],
  ["no beginning", -Infinity],
  ["nothing", undefined],
  ["null", null],
  ["a text", `${NOW}`],
  ["a date", new Date(NOW * 1_000)],
  ["a bigint", BigInt(NOW)],
  ["a promise", Promise.resolve(NOW)],
  ["true", true],
  ["a list", [NOW]],
];

for (const [why, given] of NO_TIMES) {
  Deno.test(`checkedClock() throws of ${why}`, () => {
    const clock = createClock((() => given) as () => number);
    assertThrows(clock, RangeError, "Invalid clock: now() must return seconds");
  });
}

Deno.test("checkedClock() asks each time, and not before", () => {
  let time = NOW;
  const clock = createClock(() => time++);
  assertEquals(time, NOW);
  assertEquals([clock(), clock(), clock()], [NOW, NOW + 1, NOW + 2]);
});

Deno.test("checkedClock() lets through what a clock throws", () => {
  const clock = createClock(() => {
    throw new Error("no time today");
  });
  assertThrows(clock, Error, "no time today");
});
