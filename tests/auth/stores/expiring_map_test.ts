import { assert, assertEquals } from "@std/assert";
import { createExpiringMap, type ExpiringMap } from "../../../auth/stores/_expiring_map.ts";

interface Entry {
  readonly id: string;
  readonly end: number;
}

/** A map, what it has told of, and how often it has looked at an entry. */
function observedMap(): { map: ExpiringMap<Entry>; removed: string[]; looks: () => number } {
  const removed: string[] = [];
  let looks = 0;
  const map = createExpiringMap<Entry>({
    expiresAt({ end }) {
      looks++;
      return end;
    },
    removed: ({ id }) => removed.push(id),
  });
  return { map, removed, looks: () => looks };
}

for (
  const [why, now, there] of [
    ["before the end", 99, true],
    ["at the end", 100, false],
    ["after the end", 101, false],
    ["a moment before the end", 99.999, true],
  ] as const
) {
  Deno.test(`get() ${there ? "finds" : "does not find"} a value ${why}`, () => {
    const { map, removed } = observedMap();
    map.set("k", { id: "a", end: 100 }, 0);
    assertEquals(map.get("k", now)?.id, there ? "a" : undefined);
    assertEquals(map.size, there ? 1 : 0);
    assertEquals(removed, there ? [] : ["a"]);
  });
}

Deno.test("get() does not find a value that ends at no number, and its memory comes back", () => {
  const { map } = observedMap();
  map.set("k", { id: "a", end: NaN }, 0);
  assertEquals(map.get("k", 0), undefined);
  for (let i = 0; i < 10; i++) map.set(`${i}`, { id: "b", end: NaN }, 0);
  assert(map.size < 3);
});

Deno.test("set() tells of a value that has ended and not of one that it replaces", () => {
  const { map, removed } = observedMap();
  map.set("k", { id: "a", end: 100 }, 0);
  map.set("k", { id: "b", end: 100 }, 0);
  assertEquals(removed, []);
  map.set("k", { id: "c", end: 200 }, 100);
  assertEquals(removed, ["b"]);
  assertEquals(map.get("k", 100)?.id, "c");
});

Deno.test("delete() tells of a value once, and of none that is not there", () => {
  const { map, removed } = observedMap();
  map.delete("k");
  map.set("k", { id: "a", end: 100 }, 0);
  map.delete("k");
  map.delete("k");
  assertEquals(removed, ["a"]);
  assertEquals([map.size, map.get("k", 0)], [0, undefined]);
});

Deno.test("set() looks at a few others, however many there are", () => {
  for (const count of [10, 1_000, 100_000]) {
    const { map, looks } = observedMap();
    for (let i = 0; i < count; i++) map.set(`${i}`, { id: "a", end: 100 }, 0);
    for (let i = 0; i < 10; i++) {
      const before = looks();
      map.set(`more ${i}`, { id: "a", end: 100 }, 200);
      assert(looks() - before <= 5);
    }
  }
});

Deno.test("set() keeps what has ended to half of what has not, in a steady stream", () => {
  const { map, removed } = observedMap();
  const life = 1_000;
  let most = 0;
  for (let now = 0; now < 100 * life; now++) {
    map.set(`${now}`, { id: `${now}`, end: now + life }, now);
    most = Math.max(most, map.size);
  }
  assert(most <= 1.5 * life + 10, `${most} entries`);
  assertEquals(new Set(removed).size, removed.length, "each was told of once");
  assertEquals(removed.length + map.size, 100 * life, "each was told of or is there");
});

Deno.test("set() gives back a burst's memory within a third as many writes to one key", () => {
  const { map } = observedMap();
  for (let i = 0; i < 3_000; i++) map.set(`${i}`, { id: "a", end: 100 }, 0);
  for (let i = 0; i < 1_000; i++) map.set("k", { id: "b", end: 300 }, 200);
  assert(map.size <= 2, `${map.size} entries`);
});

Deno.test("set() reaches entries that others outlive, wherever they stand", () => {
  const { map, removed } = observedMap();
  for (let i = 0; i < 1_000; i++) map.set(`${i}`, { id: `${i}`, end: i % 10 === 0 ? 50 : 1e9 }, 0);
  for (let i = 0; i < 600; i++) map.set("k", { id: "k", end: 1e9 }, 60);
  assertEquals(removed.length, 100);
  assertEquals(map.size, 901);
});

Deno.test("set() of what has ended keeps nothing that could be found", () => {
  const { map } = observedMap();
  map.set("k", { id: "a", end: 100 }, 100);
  assertEquals(map.get("k", 100), undefined);
  assertEquals(map.size, 0);
});
