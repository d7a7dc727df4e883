/**
 * Helpers for the cases of several stores.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import * as effort from "../_effort.ts";
import type { ContractClock, ContractSubject } from "./_contract.ts";

/** Concurrent callers of a race. */
export let RACERS: number = effort.RACERS;

/** Pairs of {@linkcode raceToEnd}: each of its 32 starting orders at least once. */
const pairs = (): number => Math.max(32, RACERS / 2);

/** Limits the number of racers, for an engine that runs calls sequentially. */
export function limitRacers(most: number): void {
  RACERS = Math.min(RACERS, most);
}

/** Starts many calls concurrently, distributed over all instances of the store, and waits for all of them. */
export function race<Store, Result>(
  { stores }: Pick<ContractSubject<Store>, "stores">,
  start: (store: Store, racer: number) => Promise<Result>,
  count: number = RACERS,
): Promise<Result[]> {
  const racers = Array.from({ length: count }, (_, racer) => racer);
  return Promise.all(racers.map((racer) => {
    const store = stores[racer % stores.length];
    if (store === undefined) throw new TypeError("Cannot race: there are no stores");
    return start(store, racer);
  }));
}

/** Two concurrent actions on each of some items. */
export interface EndingRace<Store, Item> {
  /** From {@linkcode makePairs}. */
  readonly items: readonly Item[];
  /** The action that must prevail. */
  readonly end: (store: Store, item: Item) => Promise<unknown>;
  /** The action that must not restore the item. */
  readonly change: (store: Store, item: Item) => Promise<unknown>;
}

/**
 * Starts two concurrent calls for each item. For every other item the one that deletes it starts first, and the other zero to
 * fifteen turns later, so that some interleave wherever a store waits between a read and a write.
 */
export async function raceToEnd<Store, Item>(
  subject: Pick<ContractSubject<Store>, "stores">,
  { items, end, change }: EndingRace<Store, Item>,
): Promise<void> {
  assertEquals(items.length, pairs());
  await race(subject, async (store, racer) => {
    const index = racer >> 1;
    const item = items[index];
    if (item === undefined) return;
    const [first, second] = index % 2 === 0 ? [end, change] : [change, end];
    if (racer % 2 === 0) {
      await first(store, item);
    } else {
      await turns((index >> 1) % 16);
      await second(store, item);
    }
  }, 2 * items.length);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}

/** Creates the items of {@linkcode raceToEnd}. */
export function makePairs<Item>(make: (index: number) => Promise<Item>): Promise<Item[]> {
  return Promise.all(Array.from({ length: pairs() }, (_, index) => make(index)));
}

/** A race that one racer wins. */
export interface SoleRace<Store, Outcome extends string> {
  /** The action of each racer. */
  readonly start: (store: Store, racer: number) => Promise<Outcome>;
  /** The result of the winner. */
  readonly won: Outcome;
  /** The result of all others. */
  readonly lost: Outcome;
}

/** Runs a race and returns the winner. Fails unless one racer won and all others got the result of losers. */
export async function raceForOne<Store, Outcome extends string>(
  subject: Pick<ContractSubject<Store>, "stores">,
  { start, won, lost }: SoleRace<Store, Outcome>,
): Promise<number> {
  const outcomes = await race(subject, start);
  assertEquals(outcomes.filter((outcome) => outcome === won).length, 1, `one ${won}`);
  assertEquals(outcomes.filter((outcome) => outcome === lost).length, outcomes.length - 1);
  return outcomes.indexOf(won);
}

/** Asserts that the winner, and no other racer, is the user of one record: racer 7 is the user `u7`. */
export async function assertSoleOwner(
  { list }: { list(sub: string): Promise<readonly unknown[]> },
  winner: number,
): Promise<void> {
  for (let racer = 0; racer < RACERS; racer++) {
    assertEquals((await list(`u${racer}`)).length, racer === winner ? 1 : 0, `u${racer}`);
  }
}

/** Keys with a special meaning somewhere, each with the reason. They are all different. */
export const ODD_KEYS: readonly (readonly [why: string, key: string])[] = [
  ["empty", ""],
  ["the prototype of a plain object", "__proto__"],
  ["a member of Object.prototype", "constructor"],
  ["a method of Object.prototype", "toString"],
  ["longer than a short column of a database", "k".repeat(300)],
  ["the same except for the end", "k".repeat(299) + "l"],
  ["non-ASCII", "ключ"],
  ["outside the BMP", "🔑"],
  ["composed", "\u00e9"],
  ["decomposed", "e\u0301"],
  ["lower case", "ada"],
  ["upper case", "ADA"],
  ["a trailing space", "ada "],
  ["a prefix of another key", "ad"],
  ["a separator", "ada:1"],
  ["another separator", "ada/1"],
  ["only a separator", ":"],
  ["a path", "../ada"],
  ["an escape", "ada%3A1"],
  ["a pattern in SQL", "%"],
  ["another pattern in SQL", "___"],
  ["a pattern in Redis", "*"],
  ["quotes of SQL", "'; DROP TABLE users; --"],
  ["a number", "1"],
  ["a number with the same value", "01"],
  ["two lines", "a\nb"],
];

/** JSON that must be returned unchanged. */
export const JSON_VALUES: readonly (readonly [why: string, value: unknown])[] = [
  ["a string", "state"],
  ["an empty string", ""],
  ["a string that looks like JSON", '{"a":1}'],
  ["a string outside the BMP, and two lines", "🔑\n\u2028"],
  ["a NUL, and a lone surrogate", "a\0b\ud83d"],
  ["a number", 1.5],
  ["zero", 0],
  ["a large number", Number.MAX_SAFE_INTEGER],
  ["smallest and largest numbers", [5e-324, Number.MAX_VALUE, -1e21, 0.1]],
  ["true", true],
  ["false", false],
  ["an array", ["a", 1, null, [true]]],
  ["an empty array", []],
  ["an empty object", {}],
  ["nested objects", { a: { b: { c: [{ d: null }] } } }],
  ["empty nested arrays and objects", { list: [], object: {}, lists: [[], {}] }],
  ["unsorted members", { b: 1, aa: 2, a: 3 }],
  ["a member named __proto__", JSON.parse('{"__proto__":{"polluted":true},"a":1}')],
  ["members with the names of a store's columns", {
    value: 1,
    expiresAt: 2,
    version: "3",
    key: "4",
  }],
  ["members with odd names", { "": 1, "a\0": 2, "$a.b": 3, "🔑": 4 }],
  ["ten thousand characters", "k".repeat(10_000)],
  ["fifty thousand bytes", { text: "ключ".repeat(6_250) }],
];

/** Times around an expiry, and whether the record is found then. */
export function timesAround(
  end: number,
): readonly (readonly [why: string, time: number, there: boolean])[] {
  return [
    ["the last second", end - 1, true],
    ["the expiry", end, false],
    ["a second later", end + 1, false],
  ];
}

/** Runs at each of the times around an expiry. */
export async function atTimesAround(
  { clock, end }: { clock: ContractClock; end: number },
  run: (expected: { there: boolean; why: string }) => Promise<void>,
): Promise<void> {
  for (const [why, time, there] of timesAround(end)) {
    clock.set(time);
    await run({ there, why });
  }
}

/** Tries to change every member of a value, recursively. Frozen values stay unchanged. */
export function vandalise(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const key of Object.keys(value)) {
    vandalise(Reflect.get(value, key));
    Reflect.set(value, key, "vandalised");
  }
  Reflect.set(value, "vandal", "was here");
  if (Array.isArray(value) && !Object.isFrozen(value)) value.length = 0;
}

/**
 * Asserts that records are returned equal and detached: changes to an argument or to a returned record
 * do not change the stored record.
 */
export async function assertDetached<Value>(
  handedIn: Value,
  { expected, find }: { expected: Value; find: () => Promise<unknown> },
): Promise<void> {
  assertEquals(await find(), expected);
  vandalise(handedIn);
  assertEquals(await find(), expected, "changed through the argument");
  vandalise(await find());
  assertEquals(await find(), expected, "changed through the result");
}
