import { assert, assertEquals, assertRejects } from "@std/assert";
import { sqlAdapter } from "../../../auth/stores/sql.ts";
import { openSqlite } from "./_sql.ts";

Deno.test("migrate() makes the table and its indexes, once", async () => {
  using sqlite = openSqlite();
  const adapter = sqlite.adapter();
  await adapter.migrate();
  await adapter.put("notes", "k", { value: 1 });
  sqlite.said.length = 0;
  for (let time = 0; time < 3; time++) await adapter.migrate();
  assertEquals(sqlite.said.map(({ text }) => text.split(" ", 1)[0]), [
    "SELECT",
    "SELECT",
    "SELECT",
  ]);
  assertEquals((await adapter.get("notes", "k"))?.value, 1);
});

Deno.test("migrate() makes what is missing of an earlier try", async () => {
  for (let made = 0; made < 5; made++) {
    using sqlite = openSqlite();
    const adapter = sqlite.adapter();
    const statements = adapter.schema.split(";\n").slice(0, made);
    for (const statement of statements) await sqlite.query(statement, []);
    await adapter.migrate();
    const found = await sqlite.query("SELECT name FROM sqlite_master WHERE sql IS NOT NULL", []);
    assertEquals(found.length, 5);
  }
});

Deno.test("migrate() makes a table though another schema has one of the name", async () => {
  using sqlite = openSqlite();
  const [first, second] = [
    sqlite.adapter({ table: "main.gatehouse" }),
    sqlite.adapter({ table: "temp.gatehouse" }),
  ];
  await first.migrate();
  await second.migrate();
  await second.put("notes", "k", { value: 2, unique: "u" });
  assertEquals(await first.get("notes", "k"), null);
  assertEquals((await second.find("notes", "u"))?.value, 2);
});

Deno.test("migrate() of several at once makes it for all of them", async () => {
  using sqlite = openSqlite();
  const adapters = Array.from({ length: 20 }, () => sqlite.adapter());
  await Promise.all(adapters.map((adapter) => adapter.migrate()));
  for (const [index, adapter] of adapters.entries()) {
    await adapter.put("notes", "k", { value: index });
  }
  assertEquals(sqlite.rows().length, 1);
});

Deno.test("migrate() tries again if another process makes the same at the same time", async () => {
  using sqlite = openSqlite();
  let failures = 3;
  const adapter = sqlite.adapter({
    query(text, params) {
      if (text.startsWith("CREATE") && failures-- > 0) {
        throw new Error('duplicate key violates "pg_type_typname_nsp_index"');
      }
      return sqlite.query(text, params);
    },
  });
  await adapter.migrate();
  await adapter.put("notes", "k", { value: 1 });
  assertEquals(failures, -5);
});

Deno.test("migrate() gives up after some seconds, with what the database said", async () => {
  let asked = 0;
  const adapter = sqlAdapter({
    query() {
      asked++;
      throw new Error("permission denied for schema public");
    },
    dialect: "postgres",
  });
  const error = await assertRejects(() => adapter.migrate(), Error, "Cannot look for tables");
  assert(Deno.inspect(error).includes("permission denied for schema public"));
  assertEquals(asked, 6);
});
