/**
 * What the cases of several stores share.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import * as effort from "../_effort.ts";
import type { ContractClock, ContractSubject } from "./_contract.ts";

/** Concurrent callers of a race. */
export let RACERS: number = effort.RACERS;

/** Pairs of {@linkcode raceToEnd}: each of its 32 beginnings at least once. */
const pairs = (): number => Math.max(32, RACERS / 2);

/** Sets a maximum of racers, for an engine that runs one call after the other. */
export function limitRacers(most: number): void {
  RACERS = Math.min(RACERS, most);
}

/** Starts many at once, spread over all ways to the store, and waits for all of them. */
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

/** What two racers do with an item, and which. */
export interface EndingRace<Store, Item> {
  /** From {@linkcode makePairs}. */
  readonly items: readonly Item[];
  /** What must have the last word. */
  readonly end: (store: Store, item: Item) => Promise<unknown>;
  /** What must not bring it back. */
  readonly change: (store: Store, item: Item) => Promise<unknown>;
}

/**
 * Starts two at once for each item. Of every other item the one that ends it starts first, and the other none to fifteen
 * turns later, so that some of them meet wherever a store waits between its reading and its writing.
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

/** Makes the items of {@linkcode raceToEnd}. */
export function makePairs<Item>(make: (index: number) => Promise<Item>): Promise<Item[]> {
  return Promise.all(Array.from({ length: pairs() }, (_, index) => make(index)));
}

/** How a race of many for one thing ends. */
export interface SoleRace<Store, Outcome extends string> {
  /** What each racer does. */
  readonly start: (store: Store, racer: number) => Promise<Outcome>;
  /** What one of them hears. */
  readonly won: Outcome;
  /** What all others hear. */
  readonly lost: Outcome;
}

/** Races for one thing, and gives the racer that won. Fails if several won, or none, or a loser did not hear of it. */
export async function raceForOne<Store, Outcome extends string>(
  subject: Pick<ContractSubject<Store>, "stores">,
  { start, won, lost }: SoleRace<Store, Outcome>,
): Promise<number> {
  const outcomes = await race(subject, start);
  assertEquals(outcomes.filter((outcome) => outcome === won).length, 1, `one ${won}`);
  assertEquals(outcomes.filter((outcome) => outcome === lost).length, outcomes.length - 1);
  return outcomes.indexOf(won);
}

/** Says that the winner, and no other racer, is the user of one record: racer 7 is the user `u7`. */
export async function assertSoleOwner(
  { list }: { list(sub: string): Promise<readonly unknown[]> },
  winner: number,
): Promise<void> {
  for (let racer = 0; racer < RACERS; racer++) {
    assertEquals((await list(`u${racer}`)).length, racer === winner ? 1 : 0, `u${racer}`);
  }
}

/** Keys that mean something somewhere, each with why. They are all different, and only keys. */
export const ODD_KEYS: readonly (readonly [why: string, key: string])[] = [
  ["no text", ""],
  ["the prototype of a plain object", "__proto__"],
  ["a member of every object", "constructor"],
  ["a method of every object", "toString"],
  ["longer than a database's shortest column", "k".repeat(300)],
  ["the same but for the end", "k".repeat(299) + "l"],
  ["beyond ASCII", "ключ"],
  ["beyond the BMP", "🔑"],
  ["composed", "\u00e9"],
  ["decomposed", "e\u0301"],
  ["lower case", "ada"],
  ["upper case", "ADA"],
  ["a space behind", "ada "],
  ["a prefix of another", "ad"],
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

/** JSON that comes back as it was. */
export const JSON_VALUES: readonly (readonly [why: string, value: unknown])[] = [
  ["a text", "state"],
  ["an empty text", ""],
  ["text that looks like JSON", '{"a":1}'],
  ["text beyond the BMP, and two lines", "🔑\n\u2028"],
  ["a NUL, and half a surrogate pair", "a\0b\ud83d"],
  ["a number", 1.5],
  ["zero", 0],
  ["a large number", Number.MAX_SAFE_INTEGER],
  ["numbers at the ends of their range", [5e-324, Number.MAX_VALUE, -1e21, 0.1]],
  ["true", true],
  ["false", false],
  ["a list", ["a", 1, null, [true]]],
  ["an empty list", []],
  ["an empty object", {}],
  ["objects within objects", { a: { b: { c: [{ d: null }] } } }],
  ["empty ones within others", { list: [], object: {}, lists: [[], {}] }],
  ["members in no order", { b: 1, aa: 2, a: 3 }],
  ["a member named as the prototype", JSON.parse('{"__proto__":{"polluted":true},"a":1}')],
  ["members named as a store's own", { value: 1, expiresAt: 2, version: "3", key: "4" }],
  ["members with odd names", { "": 1, "a\0": 2, "$a.b": 3, "🔑": 4 }],
  ["ten thousand characters", "k".repeat(10_000)],
  ["fifty thousand bytes", { text: "ключ".repeat(6_250) }],
];

/** Times beside the one from which on something has ended, and whether it is still there. */
export function timesAround(
  end: number,
): readonly (readonly [why: string, time: number, there: boolean])[] {
  return [
    ["the last second", end - 1, true],
    ["the end", end, false],
    ["a second later", end + 1, false],
  ];
}

/** Runs at the times beside an end, one by one. */
export async function atTimesAround(
  { clock, end }: { clock: ContractClock; end: number },
  run: (expected: { there: boolean; why: string }) => Promise<void>,
): Promise<void> {
  for (const [why, time, there] of timesAround(end)) {
    clock.set(time);
    await run({ there, why });
  }
}

/** Tries to change everything in a value, through and through. On a frozen one nothing happens. */
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
 * Says that records come back equal and detached: what is done to the one that was handed in, or to one that came back,
 * does not change what is kept.
 */
export async function assertDetached<Value>(
  handedIn: Value,
  { expected, find }: { expected: Value; find: () => Promise<unknown> },
): Promise<void> {
  assertEquals(await find(), expected);
  vandalise(handedIn);
  assertEquals(await find(), expected, "changed through what was handed in");
  vandalise(await find());
  assertEquals(await find(), expected, "changed through what came back");
}
