/** What {@linkcode sqlAdapter} says to PostgreSQL alone. */

import { assertEquals } from "@std/assert";
import { sqlAdapter } from "../../../auth/stores/sql.ts";
import { startPglite } from "../../contracts/_pglite.ts";
import { START } from "./_sql.ts";

Deno.test("sqlAdapter() makes and sweeps a table of its own on PostgreSQL, and no other", async () => {
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
      await adapter.put("notes", "ended", { value: 1, expiresAt: START + 1, unique: "u" });
      await adapter.put("notes", "lasting", { value: 2 });
      await adapter.put("others", "ended", { value: 3 });
    }
    time += 1_000;
    assertEquals([await second.sweep(), await second.sweep()], [1, 0]);
    const keys = async (table: string) =>
      (await query(`SELECT collection, key FROM ${table} ORDER BY collection, key`, []))
        .map(({ collection, key }) => `${collection}/${key}`);
    assertEquals(await keys("second.gatehouse"), ["notes/lasting", "others/ended"]);
    assertEquals(await keys("gatehouse"), ["notes/ended", "notes/lasting", "others/ended"]);
  } finally {
    pglite.close();
  }
});
