import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type DenoKvAdapter,
  denoKvAdapter,
  type DenoKvAdapterOptions,
} from "../../../auth/stores/kv.ts";
import { allKeys, hookedKv, START } from "./_kv.ts";

const now = () => START;

Deno.test("denoKvAdapter() writes a record and all that finds it where it says", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(kv);
  await adapter.put("users", "u1", { value: { n: 1 }, unique: "ada", index: ["x", "y"] });
  assertEquals(await allKeys(kv), [
    "gatehouse|index|users|0|x|u1",
    "gatehouse|index|users|1|y|u1",
    "gatehouse|record|users|u1",
    "gatehouse|unique|users|ada",
  ]);
  await adapter.put("users", "u1", { value: { n: 2 }, index: [undefined, "z"] });
  assertEquals(await allKeys(kv), ["gatehouse|index|users|1|z|u1", "gatehouse|record|users|u1"]);
  await adapter.delete("users", "u1");
  assertEquals(await allKeys(kv), []);
});

Deno.test("denoKvAdapter() keeps prefixes apart, though one begins like another", async () => {
  using kv = await Deno.openKv(":memory:");
  const prefixes = [[], ["a"], ["a", "b"], ["a", "record"], ["record"], ["index", "c", "0"]];
  const adapters = prefixes.map((prefix) => denoKvAdapter(kv, { prefix, now }));
  for (const [at, adapter] of adapters.entries()) {
    await adapter.put("c", "k", { value: at + 1, unique: "u", index: ["i"] });
  }
  for (const [at, adapter] of adapters.entries()) {
    assertEquals((await adapter.get("c", "k"))?.value, at + 1);
    assertEquals((await adapter.find("c", "u"))?.value, at + 1);
    assertEquals((await adapter.list("c", 0, "i")).map(({ value }) => value), [at + 1]);
  }
});

Deno.test("denoKvAdapter() is not changed by what becomes of its options", async () => {
  using kv = await Deno.openKv(":memory:");
  const prefix = ["mine"];
  const adapter = denoKvAdapter(kv, { prefix });
  prefix[0] = "theirs";
  await adapter.put("c", "k", { value: 1 });
  assertEquals(await allKeys(kv), ["mine|record|c|k"]);
});

Deno.test("denoKvAdapter() leaves other keys of the database alone", async () => {
  using kv = await Deno.openKv(":memory:");
  const others = [["gatehouse"], ["gatehouse", "record"], ["notes", 1], [new Uint8Array(1)]];
  for (const key of others) await kv.set(key, "theirs");
  const adapter = denoKvAdapter(kv);
  await adapter.put("c", "k", { value: 1, unique: "u", index: ["i", "j"] });
  assertEquals(await adapter.atomic.take("c", "k"), 1);
  for (const key of others) assertEquals((await kv.get(key)).value, "theirs");
});

Deno.test("denoKvAdapter() gives no version for what is not there any more", async () => {
  using kv = await Deno.openKv(":memory:");
  const { atomic, ...adapter } = denoKvAdapter(kv, { prefix: undefined, now: undefined });
  await adapter.put("c", "k", { value: 1 });
  const version = (await adapter.get("c", "k"))?.version ?? "";
  assertEquals(await atomic.cas("c", "k", version, null), { status: "ok", version: "" });
  assertEquals(await atomic.cas("c", "k", null, null), { status: "ok", version: "" });
});

Deno.test("denoKvAdapter() finds no record by a text that it gives away meanwhile", async () => {
  using kv = await Deno.openKv(":memory:");
  const plain = denoKvAdapter(kv, { now });
  await plain.put("c", "k", { value: 1, unique: "u" });
  let reads = 0;
  const onRead = async () => {
    if (++reads === 2) await plain.put("c", "k", { value: 2, unique: "v" });
  };
  assertEquals(await denoKvAdapter(hookedKv(kv, { onRead }), { now }).find("c", "u"), null);
  assertEquals([(await plain.find("c", "v"))?.value, reads], [2, 2]);
});

/** What is asked where there are 150 records, five of which have ended, and how often Deno KV is asked for it. */
const READS: readonly (readonly [
  why: string,
  reads: number,
  call: (adapter: DenoKvAdapter) => Promise<unknown>,
])[] = [
  ["a record", 1, (adapter) => adapter.get("c", "k050")],
  ["a record by its text", 2, (adapter) => adapter.find("c", "u50")],
  ["a list, by 100 and 50, each by ten", 2 + 15, (adapter) => adapter.list("c", 0, "all")],
  ["some of a list", 2, (adapter) => adapter.list("c", 0, "all", { after: "k050", limit: 10 })],
  ["one of a list that begins with five ended", 2, (adapter) => {
    return adapter.list("c", 0, "all", { limit: 1 });
  }],
  ["a short list", 2, (adapter) => adapter.list("c", 1, "j7")],
  ["none of a list", 0, (adapter) => adapter.list("c", 0, "all", { limit: 0 })],
  ["a new record", 1, (adapter) => adapter.put("c", "new", { value: 1, unique: "new" })],
  ["a record with the text that it has", 1, (adapter) => {
    return adapter.put("c", "k050", { value: 1, unique: "u50" });
  }],
];

Deno.test("denoKvAdapter() asks Deno KV no more than it has to", async () => {
  using kv = await Deno.openKv(":memory:");
  const plain = denoKvAdapter(kv, { now });
  for (let n = 0; n < 150; n++) {
    await plain.put("c", `k${`${n}`.padStart(3, "0")}`, {
      value: n,
      unique: `u${n}`,
      index: ["all", `j${n % 50}`],
      expiresAt: n < 5 ? START : undefined,
    });
  }
  let asked = 0;
  const onRead = () => void asked++;
  const adapter = denoKvAdapter(hookedKv(kv, { onRead }), { now });
  for (const [why, reads, call] of READS) {
    asked = 0;
    await call(adapter);
    assertEquals(asked, reads, why);
  }
});

/** What cannot be an option. */
const BAD_OPTIONS: readonly (readonly [why: string, options: unknown])[] = [
  ["a misspelt name", { prefixes: ["a"] }],
  ["a text for the prefix", { prefix: "gatehouse" }],
  ["a number in the prefix", { prefix: [1] }],
  ["a NUL in the prefix", { prefix: ["a\0"] }],
  ["half a surrogate pair in the prefix", { prefix: ["\ud83d"] }],
  ["a time for the clock", { now: START }],
  ["nothing for the options", null],
];

for (const [why, options] of BAD_OPTIONS) {
  Deno.test(`denoKvAdapter() refuses ${why}`, async () => {
    using kv = await Deno.openKv(":memory:");
    assertThrows(() => denoKvAdapter(kv, options as DenoKvAdapterOptions), TypeError);
  });
}

Deno.test("denoKvAdapter() refuses a database that is not open yet, or none", async () => {
  const opening = Deno.openKv(":memory:");
  const [getMany, list, atomic] = [() => {}, () => {}, () => {}];
  const parts = [{ list, atomic }, { getMany, atomic }, { getMany, list }];
  for (const kv of [opening, undefined, null, {}, new Map(), ...parts]) {
    assertThrows(
      () => denoKvAdapter(kv as unknown as Deno.Kv),
      TypeError,
      "Cannot create Deno KV adapter: kv is no open Deno KV",
    );
  }
  (await opening).close();
});

Deno.test("denoKvAdapter() refuses a clock that gives milliseconds, when it is asked", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(kv, { now: () => START * 1000 });
  await assertRejects(() => adapter.put("c", "k", { value: 1 }), RangeError, "Invalid clock");
  assertEquals(await allKeys(kv), []);
});

/** What somebody else may have left where a record should be. */
const DAMAGED: readonly (readonly [why: string, value: unknown])[] = [
  ["a text", '{"value":"secret"}'],
  ["an object", { value: "secret", index: [] }],
  ["no JSON", new TextEncoder().encode("secret")],
  ["other JSON", new TextEncoder().encode('"secret"')],
  ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  [
    "a record with a byte that is no UTF-8",
    Uint8Array.from('{"value":"\xff","writer":"w","index":["i"],"unique":"u"}', (one) => {
      return one.charCodeAt(0);
    }),
  ],
  ["nothing", null],
];

Deno.test("denoKvAdapter() takes nothing for a record that it did not write, nor tells it", async () => {
  for (const [why, value] of DAMAGED) {
    using kv = await Deno.openKv(":memory:");
    const adapter = denoKvAdapter(kv);
    await adapter.put("c", "k", { value: 1, unique: "u", index: ["i"] });
    await kv.set(["gatehouse", "record", "c", "k"], value);
    const calls = [
      () => adapter.get("c", "k"),
      () => adapter.find("c", "u"),
      () => adapter.list("c", 0, "i"),
      () => adapter.put("c", "k", { value: 2 }),
      () => adapter.atomic.take("c", "k"),
    ];
    for (const call of calls) {
      const error = await assertRejects(
        call,
        Error,
        "Cannot read record: it is not as an adapter wrote it",
        why,
      );
      assertEquals(Deno.inspect(error).includes("secret"), false, why);
    }
  }
});
