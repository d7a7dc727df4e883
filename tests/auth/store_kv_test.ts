import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { denoKvAdapter, type DenoKvAdapterOptions } from "../../auth/store_kv.ts";
import { allKeys, START } from "./_store_kv.ts";

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
  for (const kv of [opening, undefined, null, {}, new Map()]) {
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
  await assertRejects(() => adapter.put("c", "k", { value: 1 }), RangeError, "tell the time");
  assertEquals(await allKeys(kv), []);
});

/** What somebody else may have left where a record should be. */
const DAMAGED: readonly (readonly [why: string, value: unknown])[] = [
  ["a text", '{"value":"secret"}'],
  ["an object", { value: "secret", index: [] }],
  ["no JSON", new TextEncoder().encode("secret")],
  ["other JSON", new TextEncoder().encode('"secret"')],
  ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
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
