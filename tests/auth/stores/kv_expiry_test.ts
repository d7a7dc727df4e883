import { assert, assertEquals } from "@std/assert";
import { SKEW_SECONDS } from "../../../auth/_clock.ts";
import { denoKvAdapter } from "../../../auth/stores/kv.ts";
import { allKeys, hookedKv, kvFile, START } from "./_kv.ts";

const FULL = { value: 1, unique: "u", index: ["i", "j"] } as const;

/** Ends of a record, and when Deno KV may remove what is written at the start. */
const ENDS: readonly {
  readonly why: string;
  readonly expiresAt: number | undefined;
  readonly expireIn: number | undefined;
}[] = [
  { why: "in an hour", expiresAt: START + 3_600, expireIn: (3_600 + SKEW_SECONDS) * 1_000 },
  { why: "in a part of a second", expiresAt: START + 0.000_1, expireIn: SKEW_SECONDS * 1_000 + 1 },
  { why: "now", expiresAt: START, expireIn: SKEW_SECONDS * 1_000 },
  { why: "long ago", expiresAt: START - 3_600, expireIn: 1 },
  { why: "at the beginning of time", expiresAt: 0, expireIn: 1 },
  { why: "never", expiresAt: undefined, expireIn: undefined },
  { why: "later than Deno KV can tell", expiresAt: Number.MAX_VALUE, expireIn: undefined },
];

for (const { why, expiresAt, expireIn } of ENDS) {
  Deno.test(`denoKvAdapter() lets all of a record that ends ${why} go together`, async () => {
    using kv = await Deno.openKv(":memory:");
    const ends: (number | undefined)[] = [];
    const onSet = (_key: unknown, options?: { expireIn?: number }) => ends.push(options?.expireIn);
    const adapter = denoKvAdapter(hookedKv(kv, { onSet }), { now: () => START });
    await adapter.put("c", "k", { ...FULL, expiresAt });
    assertEquals(ends, Array(4).fill(expireIn));
    const version = (await adapter.get("c", "k"))?.version ?? null;
    assertEquals(
      (await adapter.atomic.cas("c", "k", version, { ...FULL, expiresAt })).status,
      "ok",
    );
    assertEquals(ends, Array(8).fill(expireIn), "texts that stay get the new end");
  });
}

Deno.test("denoKvAdapter() leaves it to Deno KV to remove what has ended, with all that finds it", async () => {
  await using file = await kvFile();
  {
    using kv = await Deno.openKv(file.path);
    const adapter = denoKvAdapter(kv, { now: () => START });
    await adapter.put("c", "gone", { ...FULL, expiresAt: START - SKEW_SECONDS - 1 });
    await adapter.put("c", "ended", { ...FULL, unique: "v", expiresAt: START });
    await adapter.put("c", "stays", { ...FULL, unique: "w", expiresAt: START - SKEW_SECONDS - 1 });
    await adapter.put("c", "stays", { ...FULL, unique: "w" });
    assertEquals((await allKeys(kv)).length, 12);
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
  using kv = await Deno.openKv(file.path); // removes first
  const keys = (await allKeys(kv)).map((key) => key.split("|").slice(1).join("|"));
  assertEquals(keys, [
    "index|c|0|i|ended",
    "index|c|0|i|stays",
    "index|c|1|j|ended",
    "index|c|1|j|stays",
    "record|c|ended",
    "record|c|stays",
    "unique|c|v",
    "unique|c|w",
  ]);
});

Deno.test("denoKvAdapter() knows an end that Deno KV has not noticed", async () => {
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

/** What Deno KV may have removed of a record that has ended while the rest is still there. */
const PARTS: readonly (readonly [why: string, key: readonly string[]])[] = [
  ["the record", ["gatehouse", "record", "c", "k"]],
  ["its unique text", ["gatehouse", "unique", "c", "u"]],
  ["its text in the first index", ["gatehouse", "index", "c", "0", "i", "k"]],
  ["its text in the second index", ["gatehouse", "index", "c", "1", "j", "k"]],
];

for (const [why, key] of PARTS) {
  Deno.test(`denoKvAdapter() does with a record of which Deno KV has removed ${why}`, async () => {
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
      await adapter.put("c", "other", FULL); // The text is free
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

Deno.test("denoKvAdapter() leaves nothing of a record that gave its text away when it ended", async () => {
  using kv = await Deno.openKv(":memory:");
  const expiresAt = START + 10;
  const behind = denoKvAdapter(kv, { now: () => expiresAt - 1 });
  const ahead = denoKvAdapter(kv, { now: () => expiresAt });
  await behind.put("c", "k", { ...FULL, expiresAt });
  await ahead.put("c", "other", { value: 2, unique: "u" });
  assertEquals(await behind.get("c", "k"), null, "two records would have the text");
  assertEquals((await behind.find("c", "u"))?.key, "other");
  assertEquals(await allKeys(kv), ["gatehouse|record|c|other", "gatehouse|unique|c|u"]);
});

Deno.test("denoKvAdapter() does not take away a text that another record gets meanwhile", async () => {
  using kv = await Deno.openKv(":memory:");
  const { plain, late, commits } = meeting(kv, async () => {
    await kv.delete(["gatehouse", "unique", "c", "u"]); // Deno KV has got so far
    await plain.put("c", "other", FULL);
  });
  await plain.put("c", "k", { ...FULL, expiresAt: START + 10 });
  await late.delete("c", "k");
  assertEquals([(await plain.find("c", "u"))?.key, commits()], ["other", 2]);
});

Deno.test("denoKvAdapter() does not remove a record that is made where one has ended meanwhile", async () => {
  using kv = await Deno.openKv(":memory:");
  const { plain, late, commits } = meeting(kv, async () => {
    await kv.delete(["gatehouse", "record", "c", "k"]); // Deno KV has got so far
    await plain.put("c", "k", { value: 2 });
  });
  await plain.put("c", "k", { ...FULL, expiresAt: START + 10 });
  await late.put("c", "other", FULL);
  assertEquals([(await plain.find("c", "u"))?.key, commits()], ["other", 2]);
  assertEquals((await plain.get("c", "k"))?.value, 2);
});

/** Two adapters long after the start, and what happens before the first commit of the one that is late. */
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
