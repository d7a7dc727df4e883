/** What a full map forgets, what it keeps, and that it looks at few of its entries to decide. */

import { assert, assertEquals } from "@std/assert";
import { createLruMap } from "../../../auth/stores/_lru_map.ts";
import { randomNumbers } from "../../static/_random.ts";

/** A full map of so many entries, all pinned, and how often it has asked whether one is. */
function pinnedMap(count: number) {
  let asked = 0;
  const map = createLruMap<{ readonly pinnedUntil: number }>({
    limit: count,
    weigh: () => 1,
    expiresAt: () => 1_000,
    isPinned({ pinnedUntil }, time) {
      asked++;
      return time < pinnedUntil;
    },
  });
  for (let i = 0; i < count; i++) map.set(`pinned ${i}`, { pinnedUntil: 100 }, 0);
  return { map, asked: () => asked };
}

Deno.test("createLruMap() looks at a few entries to make room, even where 100,000 are pinned", () => {
  const { map, asked } = pinnedMap(100_000);
  assertEquals(asked(), 0, "there was room");
  for (let i = 0; i < 1_000; i++) {
    const before = asked();
    map.set(`more ${i}`, { pinnedUntil: 100 }, 0);
    assert(asked() - before <= 8);
  }
  assertEquals(map.size, 101_000, "what is pinned is kept beyond the limit");
  assert(map.get("pinned 0", 0) && map.get("pinned 99999", 0) && map.get("more 0", 0));
});

Deno.test("createLruMap() comes back to its limit when nothing is pinned any more", () => {
  const { map } = pinnedMap(1_000);
  for (let i = 0; i < 1_000; i++) map.set(`more ${i}`, { pinnedUntil: 100 }, 0);
  assertEquals(map.size, 2_000);
  for (let i = 0; i < 1_000; i++) {
    map.set(`later ${i}`, { pinnedUntil: 0 }, 100);
    assertEquals(map.size, 2_000 - (i + 1), "two go for one that comes");
  }
  for (let i = 0; i < 10; i++) map.set(`last ${i}`, { pinnedUntil: 0 }, 100);
  assertEquals(map.size, 1_000);
  assert(map.get("last 0", 100) && map.get("last 9", 100), "the youngest are kept");
});

Deno.test("createLruMap() finds the one entry that may go behind many pinned ones in time", () => {
  const { map } = pinnedMap(100);
  map.set("plain", { pinnedUntil: 0 }, 0);
  for (let i = 0; i < 20; i++) map.set(`more ${i}`, { pinnedUntil: 100 }, 0);
  assertEquals(map.get("plain", 0), undefined);
});

Deno.test("createLruMap() keeps its order through deletions, replacements and ends", () => {
  const map = createLruMap<{ readonly end: number }>({
    limit: 4,
    weigh: () => 1,
    expiresAt: ({ end }) => end,
    isPinned: () => false,
  });
  const kept = (time: number) => "abcdefgh".split("").filter((key) => map.get(key, time)).join("");
  for (const key of "abcd") map.set(key, { end: 100 }, 0);
  map.delete("b"); // from the middle
  map.delete("d"); // the newest
  map.delete("a"); // the oldest
  assertEquals(kept(0), "c");
  map.set("e", { end: 200 }, 0);
  map.set("c", { end: 200 }, 0); // e is the oldest now
  map.set("f", { end: 50 }, 0);
  map.set("g", { end: 200 }, 0);
  map.set("h", { end: 200 }, 0);
  assertEquals(kept(0), "cfgh");
  assertEquals(kept(50), "cgh", "f has ended and was read");
  map.set("a", { end: 200 }, 50);
  assertEquals(kept(50), "acgh", "there was room");
  map.set("b", { end: 200 }, 50);
  assertEquals(kept(50), "abgh");
  for (const key of "abgh") map.delete(key);
  assertEquals([map.size, kept(50)], [0, ""]);
  for (const key of "abcde") map.set(key, { end: 200 }, 60);
  assertEquals(kept(60), "bcde");
});

/** A map of entries that weigh something, none of them pinned unless it weighs 1,000. */
function weighedMap(limit: number) {
  const map = createLruMap<number>({
    limit,
    weigh: (weight) => weight,
    expiresAt: () => 1_000,
    isPinned: (weight) => weight >= 1_000,
  });
  const keys = (text: string) => [...text].filter((key) => map.get(key, 0) !== undefined).join("");
  return { map, keys };
}

/** Entries by their age, of a full map, and which of them is forgotten for one more. */
const FULL: readonly [why: string, weights: readonly number[], kept: string][] = [
  ["the oldest, where all weigh the same", [1, 1, 1, 1], "bcd"],
  ["the lightest, though it is the youngest", [4, 3, 2, 1], "abc"],
  ["the lightest, though it is not the oldest", [2, 1, 2, 2], "acd"],
  ["the older of two that are lightest", [2, 1, 1, 2], "acd"],
  ["the oldest of the heavy ones, where there is no other", [9, 9, 9, 9], "bcd"],
  ["the lightest of four, and no lighter one behind them", [5, 4, 5, 5, 1, 1], "acdef"],
  ["a heavy one, where the light ones are pinned", [1_000, 9, 1_000, 1_000], "acd"],
  ["none, where all are pinned", [1_000, 1_000, 1_000, 1_000], "abcd"],
];

for (const [why, weights, kept] of FULL) {
  Deno.test(`createLruMap() forgets ${why}`, () => {
    const { map, keys } = weighedMap(weights.length);
    for (const [i, weight] of weights.entries()) map.set("abcdef".charAt(i), weight, 0);
    map.set("new", 1, 0);
    assertEquals(keys("abcdef"), kept);
    assertEquals(map.get("new", 0), 1);
  });
}

Deno.test("createLruMap() looks at others with the next write: those it has looked at are at the back", () => {
  const { map, keys } = weighedMap(6);
  for (const [i, weight] of [5, 4, 5, 5, 1, 1].entries()) map.set("abcdef".charAt(i), weight, 0);
  map.set("g", 9, 0); // b was the lightest of abcd
  assertEquals(keys("abcdefg"), "acdefg");
  map.set("h", 9, 0); // of efac
  assertEquals(keys("abcdefgh"), "acdfgh");
  map.set("i", 9, 0); // of dgfa, or fdga: f in any case
  assertEquals(keys("abcdefghi"), "acdghi");
});

Deno.test("createLruMap() keeps what is heavy through a flood of 50 times its size, wherever it stands", () => {
  for (const at of [0, 1, 50, 98, 99]) {
    const { map } = weighedMap(100);
    for (let i = 0; i < 100; i++) map.set(i === at ? "heavy" : `early ${i}`, i === at ? 2 : 1, 0);
    for (let i = 0; i < 5_000; i++) {
      map.set(`flood ${i}`, 1, 0);
      assertEquals(map.get("heavy", 0), 2, `at ${at}, after ${i}`);
    }
    assertEquals(map.size, 100);
  }
});

Deno.test("createLruMap() keeps a fifth of heavy ones that stand apart, and the heaviest in any case", () => {
  const random = randomNumbers(28);
  const { map } = weighedMap(1_000);
  for (let i = 0; i < 1_000; i++) map.set(`${i}`, i % 5 === 0 ? 50 + random(50) : 1, 0);
  map.set("heaviest", 200, 0);
  for (let i = 0; i < 20_000; i++) map.set(`flood ${i}`, 1, 0);
  const heavy = Array.from({ length: 200 }, (_, i) => map.get(`${5 * i}`, 0)).filter(Boolean);
  assertEquals(map.get("heaviest", 0), 200);
  assert(heavy.length > 190, `${heavy.length} of 200 are left`);
});

Deno.test("createLruMap() is never larger than its limit while nothing is pinned", () => {
  const random = randomNumbers(4);
  const { map } = weighedMap(50);
  for (let i = 0; i < 5_000; i++) {
    map.set(`${random(200)}`, random(5), 0);
    if (random(10) === 0) map.delete(`${random(200)}`);
    assert(map.size <= 50);
  }
});

Deno.test("createLruMap() asks for few weights to make room", () => {
  let asked = 0;
  const map = createLruMap<number>({
    limit: 10_000,
    weigh: (weight) => {
      asked++;
      return weight;
    },
    expiresAt: () => 1_000,
    isPinned: () => false,
  });
  for (let i = 0; i < 10_000; i++) map.set(`${i}`, 1, 0);
  assertEquals(asked, 0, "there was room");
  for (let i = 0; i < 1_000; i++) map.set(`more ${i}`, 1, 0);
  assert(asked <= 16_000, `${asked}`);
});
