import { assertEquals, assertRejects } from "@std/assert";
import type { SqlAdapter, SqlQuery } from "../../../auth/stores/sql.ts";
import { openMigrated, START } from "./_sql.ts";

/** How long after its end a record stays: clocks of two processes may be that far apart. */
const SKEW = 300;

Deno.test("sweep() removes what ended five minutes ago, and nothing else", async () => {
  using sqlite = await openMigrated();
  const { made } = sqlite;
  for (const end of [START - 1, START, START + 0.5, START + 1]) {
    await made.put("notes", `ends at ${end}`, { value: 1, expiresAt: end, unique: `${end}` });
  }
  await made.put("notes", "lasting", { value: 1 });
  const sweepAt = async (time: number) => {
    sqlite.time = time;
    return [await made.sweep(), sqlite.rows().length];
  };
  assertEquals(await sweepAt(START + SKEW - 2), [0, 5]);
  assertEquals(await sweepAt(START + SKEW - 1), [1, 4]);
  assertEquals(await sweepAt(START + SKEW), [1, 3]);
  assertEquals(await sweepAt(START + SKEW + 1), [2, 1]);
  assertEquals(await sweepAt(START + 1e9), [0, 1]);
  assertEquals((await made.get("notes", "lasting"))?.value, 1);
});

Deno.test("sweep() removes a thousand at a time, until nothing is left", async () => {
  using sqlite = await openMigrated();
  const { made, said } = sqlite;
  await fill(made, 2_500);
  sqlite.time = START + SKEW;
  said.length = 0;
  assertEquals(await made.sweep(), 2_500);
  assertEquals(said.length, 3);
  assertEquals(sqlite.rows(), []);
});

Deno.test("sweep() rejects if the database fails", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter({ query: failing(sqlite.query) });
  await assertRejects(() => adapter.sweep(), Error, "Cannot remove ended records");
});

Deno.test("put() and cas() remove a batch of what has ended, every five minutes", async () => {
  using sqlite = await openMigrated();
  const { said } = sqlite;
  const adapter = sqlite.adapter();
  const writes: readonly (() => Promise<unknown>)[] = [
    () => adapter.put("notes", "k", { value: 1 }),
    () => adapter.atomic.cas("notes", "l", null, { value: 1 }),
  ];
  /** Seconds after the start, and whether a write sweeps then. */
  const cases = [[0, 1], [0, 0], [299, 0], [300, 1], [301, 0], [599, 0], [10_000, 1]] as const;
  for (const [index, [after, sweeps]] of cases.entries()) {
    sqlite.time = START + after;
    said.length = 0;
    await writes[index % 2]?.();
    assertEquals(said.filter(({ text }) => text.includes("LIMIT 1000")).length, sweeps, `${after}`);
  }
});

Deno.test("put() sweeps on a second later while there is more than a batch", async () => {
  using sqlite = await openMigrated();
  await fill(sqlite.made, 2_500);
  sqlite.said.length = 0;
  const adapter = sqlite.adapter();
  const left: number[] = [];
  for (const after of [0, 0, 1, 1, 2, 3]) {
    sqlite.time = START + SKEW + after;
    await adapter.put("notes", "lasting", { value: 1 });
    left.push(sqlite.rows().length - 1);
  }
  assertEquals(left, [1_500, 1_500, 500, 500, 0, 0]);
  const sweeps = sqlite.said.filter(({ text }) => text.includes("LIMIT 1000"));
  assertEquals(sweeps.length, 3, "after less than a batch it waits again");
});

Deno.test("put() sweeps again after the clock was put back", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter();
  sqlite.time = START + 1e9;
  await adapter.put("notes", "lasting", { value: 1 });
  sqlite.time = START;
  await adapter.put("notes", "k", { value: 1, expiresAt: START - SKEW });
  assertEquals(sqlite.rows().length, 1);
});

Deno.test("put() and cas() write though the sweep fails, and wait for it", async () => {
  using sqlite = await openMigrated();
  let sweeping = 0;
  const adapter = sqlite.adapter({
    query: failing(sqlite.query, async () => {
      sweeping++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      sweeping--;
    }),
  });
  await adapter.put("notes", "k", { value: 1 });
  assertEquals(sweeping, 0); // a worker that answers may end here
  sqlite.time += 300;
  assertEquals((await adapter.atomic.cas("notes", "l", null, { value: 1 })).status, "ok");
  assertEquals(sweeping, 0);
  assertEquals(sqlite.rows().length, 2);
});

Deno.test("get(), find(), list(), delete() and take() do not sweep", async () => {
  using sqlite = await openMigrated();
  const adapter = sqlite.adapter();
  await adapter.get("notes", "k");
  await adapter.find("notes", "k");
  await adapter.list("notes", 0, "k");
  await adapter.delete("notes", "k");
  await adapter.atomic.take("notes", "k");
  assertEquals(sqlite.said.length, 5);
});

async function fill(adapter: SqlAdapter, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await adapter.put("notes", `k${index}`, { value: 1, expiresAt: START });
  }
}

/** A client whose sweeps fail. */
function failing(query: SqlQuery, before?: () => Promise<void>): SqlQuery {
  return async (text, params) => {
    if (!text.includes("LIMIT 1000")) return await query(text, params);
    await before?.();
    throw new Error("deadlock detected");
  };
}
