/** Statements of {@linkcode sqlAdapter} on PGlite, which takes seconds to start, and a database that never stops conflicting. */

import { assertEquals, assertRejects } from "@std/assert";
import { sqlAdapter } from "../../../../auth/stores/engines/sql.ts";
import { pausesOf } from "../../../auth/_pauses.ts";
import { openMigrated, START } from "../../../auth/stores/_sql.ts";
import { explainAll } from "../../../auth/stores/_sql_plans.ts";
import { type Pglite, startPglite } from "../../../contracts/_pglite.ts";

Deno.test("sqlAdapter() creates and sweeps only its own table on PostgreSQL", async () => {
  const pglite = startPglite();
  try {
    const { query } = pglite;
    await query("CREATE SCHEMA second", []);
    let time = START;
    const [first, second] = ["gatehouse", "second.gatehouse"].map((table) =>
      sqlAdapter({ query, dialect: "postgres", table, now: () => time })
    ) as [ReturnType<typeof sqlAdapter>, ReturnType<typeof sqlAdapter>];
    for (const adapter of [first, second]) {
      await adapter.migrate();
      await adapter.put("notes", "expired", { value: 1, expiresAt: START + 1, unique: "u" });
      await adapter.put("notes", "persistent", { value: 2 });
      await adapter.put("others", "expired", { value: 3 });
    }
    time += 1_000;
    assertEquals([await second.sweep(), await second.sweep()], [1, 0]);
    const keys = async (table: string) =>
      (await query(`SELECT collection, key FROM ${table} ORDER BY collection, key`, []))
        .map(({ collection, key }) => `${collection}/${key}`);
    assertEquals(await keys("second.gatehouse"), ["notes/persistent", "others/expired"]);
    assertEquals(await keys("gatehouse"), ["notes/expired", "notes/persistent", "others/expired"]);
  } finally {
    pglite.close();
  }
});

Deno.test("sqlAdapter() uses an index for every statement on PostgreSQL", async () => {
  using pglite: Pglite & Disposable = { ...startPglite(), [Symbol.dispose]: () => pglite.close() };
  const { query } = pglite;
  await explainAll({ query, dialect: "postgres" }, async ({ text, params }) => {
    const rows = await query(`EXPLAIN ${text}`, [...params]);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
});

Deno.test("sqlAdapter() rejects if every write violates the unique index", async () => {
  using sqlite = await openMigrated();
  let writes = 0;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (!text.startsWith("INSERT")) return sqlite.query(text, params);
      writes++;
      throw Object.assign(new Error("duplicate key"), { code: "23505" });
    },
  });
  const record = { value: 1, unique: "u" };
  const calls = [
    () => adapter.put("notes", "k", record),
    () => adapter.atomic.cas("notes", "k", null, record),
  ];
  for (const call of calls) {
    writes = 0;
    await pausesOf(() => assertRejects(call, Error, "Cannot write record: too many conflicts"));
    assertEquals(writes, 1_000);
  }
});

Deno.test("sqlAdapter() rejects if every transaction is rolled back", async () => {
  for (const code of ["40001", "40P01"]) {
    let queries = 0;
    const adapter = sqlAdapter({
      query() {
        queries++;
        throw Object.assign(new Error("could not serialize access"), { code });
      },
      dialect: "postgres",
    });
    const get = () => adapter.get("notes", "k");
    await pausesOf(() => assertRejects(get, Error, "Cannot read record: the database failed"));
    assertEquals(queries, 1_000);
  }
});
