/** What {@linkcode sqlAdapter} does again, and how long it waits before. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { type SqlAdapter, sqlAdapter } from "../../../auth/stores/sql.ts";
import { pausesOf } from "../_pauses.ts";
import { openMigrated } from "./_sql.ts";

/** What fails for ever, how often it is asked, and the longest pause after each time, in milliseconds. */
const PAUSES: readonly {
  readonly why: string;
  readonly code: string;
  readonly call: (adapter: SqlAdapter) => Promise<unknown>;
  readonly asked: number;
  readonly most: (time: number) => number;
}[] = [
  {
    why: "between two transactions that meet",
    code: "40001",
    call: (adapter) => adapter.get("notes", "k"),
    asked: 20,
    most: (time) => Math.min(2 ** time, 100),
  },
  {
    why: "between two who make the tables",
    code: "23505",
    call: (adapter) => adapter.migrate(),
    asked: 6,
    most: (time) => 25 * 2 ** time,
  },
];

for (const { why, code, call, asked, most } of PAUSES) {
  Deno.test(`sqlAdapter() waits longer and longer, and never as long as another: ${why}`, async () => {
    let tried = 0;
    const adapter = sqlAdapter({
      query() {
        tried++;
        throw Object.assign(new Error("met another one"), { code });
      },
      dialect: "postgres",
    });
    const pauses = await pausesOf(() => assertRejects(() => call(adapter), Error));
    assertEquals([tried, pauses.length], [asked, asked - 1]);
    for (const [index, ms] of pauses.entries()) {
      const longest = most(index + 1);
      assert(ms >= longest / 2 && ms < longest, `${ms} ms after time ${index + 1}`);
    }
    const parts = pauses.map((ms, index) => ms / most(index + 1));
    assert(new Set(parts).size > 2, "they would meet again");
  });
}

Deno.test("sqlAdapter() says the same again, though the client keeps the list of parameters", async () => {
  using sqlite = await openMigrated();
  await sqlite.made.put("notes", "k", { value: 1 });
  let left = 3;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (left-- <= 0) return sqlite.query(text, params);
      params.length = 0;
      throw Object.assign(new Error("could not serialize"), { code: "40001" });
    },
  });
  assertEquals((await adapter.get("notes", "k"))?.value, 1);
});

Deno.test("sqlAdapter() writes if who had the text has gone when it looks who that is", async () => {
  for (const write of ["put", "create", "update"] as const) {
    using sqlite = await openMigrated();
    const { made } = sqlite;
    await made.put("notes", "other", { value: 1, unique: "u" });
    if (write === "update") await made.put("notes", "k", { value: 2 });
    const version = (await made.get("notes", "k"))?.version ?? null;
    let looks = 0;
    const adapter = sqlite.adapter({
      async query(text, params) {
        // Another process is faster than the look
        if (text.includes(" OR uniq = ") && ++looks === 1) await made.delete("notes", "other");
        return await sqlite.query(text, params);
      },
    });
    const record = { value: 3, unique: "u" };
    if (write === "put") await adapter.put("notes", "k", record);
    else assertEquals((await adapter.atomic.cas("notes", "k", version, record)).status, "ok");
    assertEquals([(await made.find("notes", "u"))?.value, looks], [3, 1], write);
  }
});
