import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SKEW_SECONDS } from "../../../auth/_clock.ts";
import {
  type DenoKvAdapter,
  denoKvAdapter,
  type DenoKvAdapterOptions,
} from "../../../auth/stores/engines/kv.ts";
import { allKeys, hookedKv, kvFile, START } from "./_kv.ts";

const now = () => START;

Deno.test("denoKvAdapter() stores a record and its index entries under the documented keys", async () => {
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

Deno.test("denoKvAdapter() separates prefixes, also if one starts with another", async () => {
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

Deno.test("denoKvAdapter() does not see later changes of its options", async () => {
  using kv = await Deno.openKv(":memory:");
  const prefix = ["mine"];
  const adapter = denoKvAdapter(kv, { prefix });
  prefix[0] = "theirs";
  await adapter.put("c", "k", { value: 1 });
  assertEquals(await allKeys(kv), ["mine|record|c|k"]);
});

Deno.test("denoKvAdapter() does not touch other keys of the database", async () => {
  using kv = await Deno.openKv(":memory:");
  const others = [["gatehouse"], ["gatehouse", "record"], ["notes", 1], [new Uint8Array(1)]];
  for (const key of others) await kv.set(key, "theirs");
  const adapter = denoKvAdapter(kv);
  await adapter.put("c", "k", { value: 1, unique: "u", index: ["i", "j"] });
  assertEquals(await adapter.atomic.take("c", "k"), 1);
  for (const key of others) assertEquals((await kv.get(key)).value, "theirs");
});

Deno.test("denoKvAdapter() returns an empty version after a delete", async () => {
  using kv = await Deno.openKv(":memory:");
  const { atomic, ...adapter } = denoKvAdapter(kv, { prefix: undefined, now: undefined });
  await adapter.put("c", "k", { value: 1 });
  const version = (await adapter.get("c", "k"))?.version ?? "";
  assertEquals(await atomic.cas("c", "k", version, null), { status: "ok", version: "" });
  assertEquals(await atomic.cas("c", "k", null, null), { status: "ok", version: "" });
});

Deno.test("denoKvAdapter() find() returns null if the record loses the unique value between the reads", async () => {
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

/** Calls on 150 records, five of them expired, and the reads of Deno KV that each makes. */
const READS: readonly (readonly [
  why: string,
  reads: number,
  call: (adapter: DenoKvAdapter) => Promise<unknown>,
])[] = [
  ["a record", 1, (adapter) => adapter.get("c", "k050")],
  ["a record by its unique value", 2, (adapter) => adapter.find("c", "u50")],
  [
    "a list, in pages of 100 and 50, by ten records each",
    2 + 15,
    (adapter) => adapter.list("c", 0, "all"),
  ],
  ["a page of a list", 2, (adapter) => adapter.list("c", 0, "all", { after: "k050", limit: 10 })],
  ["a page of a list that starts with five expired records", 2, (adapter) => {
    return adapter.list("c", 0, "all", { limit: 1 });
  }],
  ["a short list", 2, (adapter) => adapter.list("c", 1, "j7")],
  ["a list with limit 0", 0, (adapter) => adapter.list("c", 0, "all", { limit: 0 })],
  ["a new record", 1, (adapter) => adapter.put("c", "new", { value: 1, unique: "new" })],
  ["a record with its own unique value", 1, (adapter) => {
    return adapter.put("c", "k050", { value: 1, unique: "u50" });
  }],
];

Deno.test("denoKvAdapter() makes the fewest reads of Deno KV", async () => {
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
  let reads = 0;
  const onRead = () => void reads++;
  const adapter = denoKvAdapter(hookedKv(kv, { onRead }), { now });
  for (const [why, expected, call] of READS) {
    reads = 0;
    await call(adapter);
    assertEquals(reads, expected, why);
  }
});

/** Invalid options. */
const BAD_OPTIONS: readonly (readonly [why: string, options: unknown])[] = [
  ["a misspelled name", { prefixes: ["a"] }],
  ["a string as the prefix", { prefix: "gatehouse" }],
  ["a number in the prefix", { prefix: [1] }],
  ["a NUL in the prefix", { prefix: ["a\0"] }],
  ["a lone surrogate in the prefix", { prefix: ["\ud83d"] }],
  ["a number as the clock", { now: START }],
  ["null as the options", null],
];

for (const [why, options] of BAD_OPTIONS) {
  Deno.test(`denoKvAdapter() rejects ${why}`, async () => {
    using kv = await Deno.openKv(":memory:");
    assertThrows(() => denoKvAdapter(kv, options as DenoKvAdapterOptions), TypeError);
  });
}

Deno.test("denoKvAdapter() rejects a promise of a database, and objects that are not a Deno KV", async () => {
  const opening = Deno.openKv(":memory:");
  const [getMany, list, atomic] = [() => {}, () => {}, () => {}];
  const parts = [{ list, atomic }, { getMany, atomic }, { getMany, list }];
  for (const kv of [opening, undefined, null, {}, new Map(), ...parts]) {
    assertThrows(
      () => denoKvAdapter(kv as unknown as Deno.Kv),
      TypeError,
      "Cannot create Deno KV adapter: kv must be an open Deno KV",
    );
  }
  (await opening).close();
});

Deno.test("denoKvAdapter() rejects a write if its clock returns milliseconds", async () => {
  using kv = await Deno.openKv(":memory:");
  const adapter = denoKvAdapter(kv, { now: () => START * 1000 });
  await assertRejects(() => adapter.put("c", "k", { value: 1 }), RangeError, "Invalid clock");
  assertEquals(await allKeys(kv), []);
});

/** Values that the adapter never writes. */
const DAMAGED: readonly (readonly [why: string, value: unknown])[] = [
  ["a string", '{"value":"secret"}'],
  ["an object", { value: "secret", index: [] }],
  ["bytes that are not JSON", new TextEncoder().encode("secret")],
  ["other JSON", new TextEncoder().encode('"secret"')],
  ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
  [
    "a record with a byte that is not UTF-8",
    Uint8Array.from('{"value":"\xff","writer":"w","index":["i"],"unique":"u"}', (one) => {
      return one.charCodeAt(0);
    }),
  ],
  ["null", null],
];

Deno.test("denoKvAdapter() rejects a stored value that it did not write, without quoting it", async () => {
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
        "Cannot read record: the stored value has an unknown format",
        why,
      );
      assertEquals(Deno.inspect(error).includes("secret"), false, why);
    }
  }
});

// Expiry

const FULL = { value: 1, unique: "u", index: ["i", "j"] } as const;

/** Expiry times of a record, and the `expireIn` that Deno KV gets for a write at START. */
const EXPIRIES: readonly {
  readonly why: string;
  readonly expiresAt: number | undefined;
  readonly expireIn: number | undefined;
}[] = [
  { why: "in an hour", expiresAt: START + 3_600, expireIn: (3_600 + SKEW_SECONDS) * 1_000 },
  {
    why: "in a fraction of a second",
    expiresAt: START + 0.000_1,
    expireIn: SKEW_SECONDS * 1_000 + 1,
  },
  { why: "now", expiresAt: START, expireIn: SKEW_SECONDS * 1_000 },
  { why: "long ago", expiresAt: START - 3_600, expireIn: 1 },
  { why: "at the epoch", expiresAt: 0, expireIn: 1 },
  { why: "never", expiresAt: undefined, expireIn: undefined },
  { why: "later than Deno KV accepts", expiresAt: Number.MAX_VALUE, expireIn: undefined },
];

for (const { why, expiresAt, expireIn } of EXPIRIES) {
  Deno.test(`denoKvAdapter() gives all entries of a record that expires ${why} the same expiry`, async () => {
    using kv = await Deno.openKv(":memory:");
    const expiries: (number | undefined)[] = [];
    const onSet = (_key: unknown, options?: { expireIn?: number }) =>
      expiries.push(options?.expireIn);
    const adapter = denoKvAdapter(hookedKv(kv, { onSet }), { now: () => START });
    await adapter.put("c", "k", { ...FULL, expiresAt });
    assertEquals(expiries, Array(4).fill(expireIn));
    const version = (await adapter.get("c", "k"))?.version ?? null;
    assertEquals(
      (await adapter.atomic.cas("c", "k", version, { ...FULL, expiresAt })).status,
      "ok",
    );
    assertEquals(expiries, Array(8).fill(expireIn), "unchanged entries get the new expiry");
  });
}

Deno.test("denoKvAdapter() lets Deno KV purge expired records and their index entries", async () => {
  await using file = await kvFile();
  {
    using kv = await Deno.openKv(file.path);
    const adapter = denoKvAdapter(kv, { now: () => START });
    await adapter.put("c", "gone", { ...FULL, expiresAt: START - SKEW_SECONDS - 1 });
    await adapter.put("c", "expired", { ...FULL, unique: "v", expiresAt: START });
    await adapter.put("c", "stays", { ...FULL, unique: "w", expiresAt: START - SKEW_SECONDS - 1 });
    await adapter.put("c", "stays", { ...FULL, unique: "w" });
    assertEquals((await allKeys(kv)).length, 12);
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  using kv = await Deno.openKv(file.path); // purges when it opens
  const keys = (await allKeys(kv)).map((key) => key.split("|").slice(1).join("|"));
  assertEquals(keys, [
    "index|c|0|i|expired",
    "index|c|0|i|stays",
    "index|c|1|j|expired",
    "index|c|1|j|stays",
    "record|c|expired",
    "record|c|stays",
    "unique|c|v",
    "unique|c|w",
  ]);
});

Deno.test("denoKvAdapter() does not return an expired record that Deno KV has not purged", async () => {
  using kv = await Deno.openKv(":memory:");
  let time = START;
  const adapter = denoKvAdapter(kv, { now: () => time });
  await adapter.put("c", "k", { ...FULL, expiresAt: START + 10 });
  time = START + 10;
  assertEquals((await allKeys(kv)).length, 4);
  assertEquals(await adapter.get("c", "k"), null);
  assertEquals(await adapter.find("c", "u"), null);
  assertEquals(await adapter.list("c", 0, "i"), []);
  assertEquals(await adapter.atomic.take("c", "k"), null);
});

/** The part of an expired record that Deno KV has purged while the rest is still there. */
const PARTS: readonly (readonly [why: string, key: readonly string[]])[] = [
  ["the record", ["gatehouse", "record", "c", "k"]],
  ["its unique value", ["gatehouse", "unique", "c", "u"]],
  ["its entry in the first index", ["gatehouse", "index", "c", "0", "i", "k"]],
  ["its entry in the second index", ["gatehouse", "index", "c", "1", "j", "k"]],
];

for (const [why, key] of PARTS) {
  Deno.test(`denoKvAdapter() handles an expired record of which Deno KV has purged ${why}`, async () => {
    for (const last of ["put", "cas", "take", "delete"] as const) {
      using kv = await Deno.openKv(":memory:");
      let time = START;
      const adapter = denoKvAdapter(kv, { now: () => time });
      await adapter.put("c", "k", { ...FULL, expiresAt: START + 10 });
      time += 10 + SKEW_SECONDS;
      await kv.delete(key);
      assertEquals(await adapter.get("c", "k"), null);
      assertEquals(await adapter.find("c", "u"), null);
      assertEquals(await adapter.list("c", 0, "i"), []);
      await adapter.put("c", "other", FULL); // the unique value is free
      if (last === "put") await adapter.put("c", "k", { value: 2 });
      if (last === "cas") await adapter.atomic.cas("c", "k", null, { value: 2 });
      if (last === "take") assertEquals(await adapter.atomic.take("c", "k"), null);
      if (last === "delete") await adapter.delete("c", "k");
      assertEquals((await adapter.find("c", "u"))?.key, "other", last);
      for (const index of [0, 1] as const) {
        const found = await adapter.list("c", index, index === 0 ? "i" : "j");
        assertEquals(found.map((each) => each.key), ["other"], last);
      }
      assert((await adapter.get("c", "k")) === null || last === "put" || last === "cas");
    }
  });
}

Deno.test("denoKvAdapter() deletes an expired record whose unique value is reused", async () => {
  using kv = await Deno.openKv(":memory:");
  const expiresAt = START + 10;
  const slow = denoKvAdapter(kv, { now: () => expiresAt - 1 });
  const fast = denoKvAdapter(kv, { now: () => expiresAt });
  await slow.put("c", "k", { ...FULL, expiresAt });
  await fast.put("c", "other", { value: 2, unique: "u" });
  assertEquals(await slow.get("c", "k"), null, "two records would have the unique value");
  assertEquals((await slow.find("c", "u"))?.key, "other");
  assertEquals(await allKeys(kv), ["gatehouse|record|c|other", "gatehouse|unique|c|u"]);
});

Deno.test("denoKvAdapter() delete() keeps a unique value that another record gets concurrently", async () => {
  using kv = await Deno.openKv(":memory:");
  const { plain, late, commits } = meeting(kv, async () => {
    await kv.delete(["gatehouse", "unique", "c", "u"]); // purged by Deno KV
    await plain.put("c", "other", FULL);
  });
  await plain.put("c", "k", { ...FULL, expiresAt: START + 10 });
  await late.delete("c", "k");
  assertEquals([(await plain.find("c", "u"))?.key, commits()], ["other", 2]);
});

Deno.test("denoKvAdapter() does not delete a record that concurrently replaces an expired one", async () => {
  using kv = await Deno.openKv(":memory:");
  const { plain, late, commits } = meeting(kv, async () => {
    await kv.delete(["gatehouse", "record", "c", "k"]); // purged by Deno KV
    await plain.put("c", "k", { value: 2 });
  });
  await plain.put("c", "k", { ...FULL, expiresAt: START + 10 });
  await late.put("c", "other", FULL);
  assertEquals([(await plain.find("c", "u"))?.key, commits()], ["other", 2]);
  assertEquals((await plain.get("c", "k"))?.value, 2);
});

/** Two adapters after the expiry; `meanwhile` runs before the first commit of the second one. */
function meeting(kv: Deno.Kv, meanwhile: () => Promise<void>) {
  const now = () => START + 10 + SKEW_SECONDS;
  let commits = 0;
  const hooked = hookedKv(kv, {
    async onCommit(commit) {
      if (++commits === 1) await meanwhile();
      return await commit();
    },
  });
  return {
    plain: denoKvAdapter(kv, { now }),
    late: denoKvAdapter(hooked, { now }),
    commits: () => commits,
  };
}

// Limits of Deno KV

const TOO_LARGE = "Cannot write record: it exceeds Deno KV's limit of 64 KiB";
const TOO_LONG =
  "Cannot write record: its key, unique or indexed value exceeds Deno KV's limit of 2 KiB";

/** Bytes of an encoded record without its value. */
const OVERHEAD = `{"value":"","writer":"${"w".repeat(22)}","index":[null,null]}`.length;

/** Characters of one to four bytes in UTF-8; Deno KV's own encoding would count others. */
const CHARACTERS: readonly (readonly [character: string, bytes: number])[] = [
  ["a", 1],
  ["é", 2],
  ["界", 3],
  ["🔑", 4],
];

for (const [character, bytes] of CHARACTERS) {
  Deno.test(`denoKvAdapter() stores a value of 64 KiB of ${character}, and rejects a longer one`, async () => {
    using kv = await Deno.openKv(":memory:");
    const adapter = denoKvAdapter(kv);
    const most = Math.floor((65_536 - OVERHEAD) / bytes);
    await adapter.put("c", "k", { value: character.repeat(most) });
    assertEquals((await adapter.get("c", "k"))?.value, character.repeat(most));
    const larger = { value: character.repeat(most + 1) };
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

/** Writes whose key, unique or indexed value has a given length. */
const LONG_TEXTS: readonly {
  readonly why: string;
  /** Bytes of the Deno KV key without the string. */
  readonly besides: number;
  readonly put: (adapter: ReturnType<typeof denoKvAdapter>, text: string) => Promise<unknown>;
}[] = [
  {
    why: "a key",
    besides: "gatehouse".length + "record".length + "c".length + 4 * 2,
    put: (adapter, text) => adapter.put("c", text, { value: 1 }),
  },
  {
    why: "the key of a new record",
    besides: "gatehouse".length + "record".length + "c".length + 4 * 2,
    put: (adapter, text) => adapter.atomic.cas("c", text, null, { value: 1 }),
  },
  {
    why: "a unique value",
    besides: "gatehouse".length + "unique".length + "c".length + 4 * 2,
    put: (adapter, text) => adapter.put("c", "k", { value: 1, unique: text }),
  },
  {
    why: "an indexed value",
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
  Deno.test(`denoKvAdapter() stores a record with 2 KiB in ${why}, and rejects a longer one`, async () => {
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

Deno.test("denoKvAdapter() returns nothing for a key that exceeds the limit", async () => {
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
      "Cannot list records: after exceeds Deno KV's limit of 2 KiB",
    );
  }
});

Deno.test("denoKvAdapter() stores a record that reaches all limits at once", async () => {
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
