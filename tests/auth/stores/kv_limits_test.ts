import { assert, assertEquals, assertRejects } from "@std/assert";
import { denoKvAdapter } from "../../../auth/stores/kv.ts";
import { allKeys } from "./_kv.ts";

const TOO_LARGE = "Cannot keep record: the value is larger than Deno KV's 64 KiB";
const TOO_LONG = "Cannot keep record: its key or a text is larger than Deno KV's 2 KiB";

/** How many bytes a record has around the text that is its value, if nothing else finds it. */
const AROUND = `{"value":"","writer":"${"w".repeat(22)}","index":[null,null]}`.length;

/** Letters of one to four bytes: as an object, Deno KV would count others. */
const LETTERS: readonly (readonly [letter: string, bytes: number])[] = [
  ["a", 1],
  ["é", 2],
  ["界", 3],
  ["🔑", 4],
];

for (const [letter, bytes] of LETTERS) {
  Deno.test(`denoKvAdapter() keeps a value of 64 KiB of ${letter}, and no larger one`, async () => {
    using kv = await Deno.openKv(":memory:");
    const adapter = denoKvAdapter(kv);
    const most = Math.floor((65_536 - AROUND) / bytes);
    await adapter.put("c", "k", { value: letter.repeat(most) });
    assertEquals((await adapter.get("c", "k"))?.value, letter.repeat(most));
    const larger = { value: letter.repeat(most + 1) };
    const version = (await adapter.get("c", "k"))?.version ?? null;
    const keys = await allKeys(kv);
    for (const key of ["k", "new"]) {
      const expected = key === "k" ? version : null;
      await assertRejects(() => adapter.put("c", key, larger), RangeError, TOO_LARGE);
      await assertRejects(
        () => adapter.atomic.cas("c", key, expected, larger),
        RangeError,
        TOO_LARGE,
      );
    }
    assertEquals([(await adapter.get("c", "k"))?.version, await allKeys(kv)], [version, keys]);
  });
}

/** Records of which Deno KV takes no key; `n` is how long a text is. */
const LONG_TEXTS: readonly {
  readonly why: string;
  /** How many bytes there are besides the text. */
  readonly besides: number;
  readonly put: (adapter: ReturnType<typeof denoKvAdapter>, text: string) => Promise<unknown>;
}[] = [
  {
    why: "a key",
    besides: "gatehouse".length + "record".length + "c".length + 4 * 2,
    put: (adapter, text) => adapter.put("c", text, { value: 1 }),
  },
  {
    why: "a key, if it is not there",
    besides: "gatehouse".length + "record".length + "c".length + 4 * 2,
    put: (adapter, text) => adapter.atomic.cas("c", text, null, { value: 1 }),
  },
  {
    why: "a unique text",
    besides: "gatehouse".length + "unique".length + "c".length + 4 * 2,
    put: (adapter, text) => adapter.put("c", "k", { value: 1, unique: text }),
  },
  {
    why: "a text of an index",
    besides: "gatehouse".length + "index".length + "c".length + 1 + "k".length + 6 * 2,
    put: (adapter, text) => adapter.put("c", "k", { value: 1, index: [undefined, text] }),
  },
  {
    why: "a collection",
    besides: "gatehouse".length + "record".length + "k".length + 4 * 2,
    put: (adapter, text) => adapter.put(text, "k", { value: 1 }),
  },
];

for (const { why, besides, put } of LONG_TEXTS) {
  Deno.test(`denoKvAdapter() keeps a record with 2 KiB in ${why}, and no longer one`, async () => {
    using kv = await Deno.openKv(":memory:");
    const adapter = denoKvAdapter(kv);
    await put(adapter, "a".repeat(2_048 - besides));
    const keys = await allKeys(kv);
    assert(keys.length > 0);
    await assertRejects(() => put(adapter, "b".repeat(2_049 - besides)), RangeError, TOO_LONG);
    await assertRejects(() => put(adapter, "é".repeat(1_024)), RangeError, TOO_LONG);
    assertEquals(await allKeys(kv), keys);
  });
}

Deno.test("denoKvAdapter() finds nothing by a text that it could not keep", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(kv);
  for (const text of ["a".repeat(2_030), "a".repeat(2_049), "🔑".repeat(100_000)]) {
    assertEquals(await adapter.get("c", text), null);
    assertEquals(await adapter.find("c", text), null);
    assertEquals(await adapter.list("c", 0, text), []);
    assertEquals(await adapter.atomic.take("c", text), null);
    assertEquals((await adapter.atomic.cas("c", text, "v", null)).status, "lost");
    const cas = () => adapter.atomic.cas("c", text, "v", { value: 1 });
    await assertRejects(cas, RangeError, TOO_LONG);
    await adapter.delete("c", text);
    const after = () => adapter.list("c", 0, "i", { after: text });
    await assertRejects(
      after,
      RangeError,
      "Cannot list records: after is larger than Deno KV's 2 KiB",
    );
  }
});

Deno.test("denoKvAdapter() keeps a record of all limits at once", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(kv);
  const [key, text] = ["k".repeat(1_000), "t".repeat(1_000)];
  const record = { value: "v".repeat(60_000), unique: text, index: [text, text] } as const;
  await adapter.put("c", key, record);
  await adapter.put("c", key, { ...record, unique: "u", index: ["i", "j"] });
  await adapter.put("c", key, record);
  assertEquals((await adapter.list("c", 1, text)).map((each) => each.key), [key]);
  assertEquals((await allKeys(kv)).length, 4);
});
