/**
 * What every store of states must do.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { StateStore } from "../../auth/stores/types.ts";
import type { ContractCase } from "./_contract.ts";
import { JSON_VALUES, ODD_KEYS, race, RACERS, timesAround, vandalise } from "./_helpers.ts";

const START = 1_700_000_000;
const END = START + 600;

/** The cases. */
export const STATE_STORE_CASES: readonly ContractCase<StateStore>[] = [
  {
    name: "consume() returns a value once",
    async run({ store }) {
      await store.put("k", { a: 1 }, END);
      assertEquals(await store.consume("k"), { a: 1 });
      assertEquals(await store.consume("k"), null);
      assertEquals(await store.consume("k"), null);
    },
  },
  {
    name: "consume() returns null for an unknown key",
    async run({ store }) {
      await store.put("k", 1, END);
      for (const key of ["", "K", "k ", "kk", "__proto__", "constructor"]) {
        assertEquals(await store.consume(key), null, key);
      }
      assertEquals(await store.consume("k"), 1);
    },
  },
  {
    name: "consume() returns every kind of JSON unchanged",
    async run({ store }) {
      for (const [why, value] of JSON_VALUES) await store.put(why, value, END);
      for (const [why, value] of JSON_VALUES) {
        const text = JSON.stringify(value);
        assertEquals(JSON.stringify(await store.consume(why)), text, why);
      }
      assertEquals("polluted" in {}, false);
    },
  },
  {
    name: "put() accepts unusual keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) await store.put(key, why, END);
      for (const [why, key] of ODD_KEYS) assertEquals(await store.consume(key), why, why);
      for (const [why, key] of ODD_KEYS) assertEquals(await store.consume(key), null, why);
    },
  },
  {
    name: "put() stores a copy of the value",
    async run({ store }) {
      const value = { list: ["a"], inner: { b: 1 } };
      await store.put("k", value, END);
      vandalise(value);
      assertEquals(await store.consume("k"), { list: ["a"], inner: { b: 1 } });
    },
  },
  {
    name: "put() replaces an earlier value and its expiry",
    async run({ store, clock }) {
      await store.put("k", "early", END);
      await store.put("k", "late", END + 600);
      clock.set(END);
      assertEquals(await store.consume("k"), "late");
      assertEquals(await store.consume("k"), null, "the earlier value is replaced");
      await store.put("k", "late", END + 600);
      await store.put("k", "early", END + 10);
      clock.set(END + 10);
      assertEquals(await store.consume("k"), null, "the expiry may also be earlier");
    },
  },
  {
    name: "put() after consume() stores a new value",
    async run({ store }) {
      await store.put("k", 1, END);
      await store.consume("k");
      await store.put("k", 2, END);
      assertEquals(await store.consume("k"), 2);
    },
  },
  {
    name: "consume() returns null from the expiry on",
    async run({ store, clock }) {
      for (const [why, time, there] of timesAround(END)) {
        clock.set(START);
        await store.put("k", why, END);
        clock.set(time);
        assertEquals(await store.consume("k"), there ? why : null, why);
      }
    },
  },
  {
    name: "put() of an expired value stores nothing",
    async run({ store, clock }) {
      await store.put("k", "early", END);
      await store.put("k", "ended", START);
      assertEquals(await store.consume("k"), null);
      clock.set(START - 1);
      await store.put("k", "again", START);
      assertEquals(await store.consume("k"), "again");
    },
  },
  {
    name: "put() replaces an expired value",
    async run({ store, clock }) {
      await store.put("k", 1, END);
      clock.set(END);
      await store.put("k", 2, END + 600);
      assertEquals(await store.consume("k"), 2);
    },
  },
  {
    name: "claim() gives a key to the first caller, until its expiry",
    async run({ store, clock }) {
      clock.set(START);
      assertEquals(await store.claim("k", END), "claimed");
      assertEquals(await store.claim("k", END), "taken");
      assertEquals(await store.claim("K", END), "claimed", "another key");
      clock.set(END - 0.5);
      assertEquals(await store.claim("k", END + 600), "taken");
      clock.set(END);
      assertEquals(await store.claim("k", END + 600), "claimed");
      assertEquals(await store.claim("k", END + 600), "taken");
    },
  },
  {
    name: "claim() finds a key taken that has a value, and free after consume()",
    async run({ store }) {
      await store.put("k", { a: 1 }, END);
      assertEquals(await store.claim("k", END), "taken");
      assertEquals(await store.consume("k"), { a: 1 });
      assertEquals(await store.claim("k", END), "claimed");
    },
  },
  {
    name: "claim() accepts unusual keys",
    async run({ store }) {
      for (const [why, key] of ODD_KEYS) assertEquals(await store.claim(key, END), "claimed", why);
      for (const [why, key] of ODD_KEYS) assertEquals(await store.claim(key, END), "taken", why);
    },
  },
  {
    name: "claim() gives a key to one of many",
    race: true,
    async run(subject) {
      const outcomes = await race(subject, (store) => store.claim("k", END));
      assertEquals(outcomes.filter((outcome) => outcome === "claimed").length, 1);
    },
  },
  {
    name: "consume() returns a value to one of many",
    race: true,
    async run(subject) {
      await subject.store.put("k", { a: 1 }, END);
      const values = await race(subject, (store) => store.consume("k"));
      assertEquals(values.filter((value) => value !== null), [{ a: 1 }]);
    },
  },
  {
    name: "consume() returns each of many values to one of two",
    race: true,
    async run(subject) {
      for (let key = 0; key < RACERS / 2; key++) await subject.store.put(`k${key}`, key, END);
      const values = await race(subject, (store, racer) => store.consume(`k${racer >> 1}`));
      const given = values.filter((value) => value !== null).map(Number).sort((a, b) => a - b);
      assertEquals(given, Array.from({ length: RACERS / 2 }, (_, key) => key));
    },
  },
];
