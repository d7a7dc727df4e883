import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type SqlAdapter,
  sqlAdapter,
  type SqlDialect,
  type SqlParameter,
  type SqlQuery,
} from "../../../auth/stores/sql.ts";
import { type Pglite, startPglite } from "../../contracts/_pglite.ts";
import { openSqlite, type Said, START } from "./_sql.ts";

/** Enough that a look at all of them is no way to find one. */
const RECORDS = 5_000;

/** What is done, and which index finds it. */
const PLANS: readonly (readonly [
  what: string,
  index: string,
  run: (adapter: SqlAdapter) => Promise<unknown>,
])[] = [
  ["get()", "pkey", (adapter) => adapter.get("sessions", "k7")],
  ["find()", "uniq", (adapter) => adapter.find("sessions", "u7")],
  ["list()", "index_0", (adapter) => adapter.list("sessions", 0, "i7")],
  ["list() by the second", "index_1", (adapter) => adapter.list("sessions", 1, "j7")],
  [
    "list() on",
    "index_0",
    (adapter) => adapter.list("sessions", 0, "i7", { after: "k7", limit: 5 }),
  ],
  [
    "list() back",
    "index_1",
    (adapter) => adapter.list("sessions", 1, "j7", { after: "k7", limit: 5, reverse: true }),
  ],
  ["put()", "uniq", (adapter) => adapter.put("sessions", "new", { value: 1, unique: "v" })],
  [
    "cas() that makes",
    "uniq",
    ({ atomic }) => atomic.cas("sessions", "made", null, { value: 1, unique: "w" }),
  ],
  [
    "cas() that changes",
    "pkey",
    ({ atomic }) => atomic.cas("sessions", "k8", "read", { value: 1, unique: "u8" }),
  ],
  ["cas() that removes", "pkey", ({ atomic }) => atomic.cas("sessions", "k9", "read", null)],
  ["take()", "pkey", async ({ atomic }) => await atomic.take("sessions", "k7")],
  ["delete()", "pkey", (adapter) => adapter.delete("sessions", "k7")],
  ["sweep()", "expires_at", (adapter) => adapter.sweep()],
];

/** Makes records, a handful of which have ended. */
async function fill(query: SqlQuery, dialect: SqlDialect): Promise<void> {
  const numbers = dialect === "postgres"
    ? `SELECT n FROM generate_series(1, ${RECORDS}) AS numbers (n)`
    : `WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${RECORDS}) ` +
      "SELECT n FROM numbers";
  await query(
    "INSERT INTO gatehouse SELECT 'sessions', 'k' || n, '1', 'v' || n, " +
      `${START} + n * 100, 'u' || n, 'i' || n % 500, 'j' || n % 500 FROM (${numbers}) AS all_numbers`,
    [],
  );
  // PostgreSQL does so by itself after a while; on SQLite nobody does
  if (dialect === "postgres") await query("ANALYZE gatehouse", []);
}

/** Runs everything, and says how each statement was carried out. */
async function explainAll(
  { query, dialect }: { query: SqlQuery; dialect: SqlDialect },
  explain: (said: Said) => Promise<string>,
): Promise<void> {
  const said: Said[] = [];
  const adapter = sqlAdapter({
    query(text: string, params: SqlParameter[]) {
      said.push({ text, params });
      return query(text, params);
    },
    dialect,
    now: () => START + 2_000,
  });
  await adapter.migrate();
  await fill(query, dialect);
  await adapter.put("sessions", "sweeps", { value: 1 }); // the first writing sweeps too
  for (const [what, index, run] of PLANS) {
    said.length = 0;
    await run(adapter);
    assert(said.length > 0);
    const plans = await Promise.all(said.map(explain));
    assertStringIncludes(plans[0] ?? "", index, what);
    for (const plan of plans) assertNoScan(plan, what);
  }
}

function assertNoScan(plan: string, what: string): void {
  assertEquals(/Seq Scan on gatehouse|SCAN (?!CONSTANT ROW)/.test(plan), false, `${what}: ${plan}`);
  assertEquals(/ Sort |TEMP B-TREE/.test(plan), false, `${what}: ${plan}`);
}

Deno.test("sqlAdapter() looks at no more records than it has to, on SQLite", async () => {
  using sqlite = openSqlite();
  const { query } = sqlite;
  await explainAll({ query, dialect: "sqlite" }, async ({ text, params }) => {
    const rows = await query(`EXPLAIN QUERY PLAN ${text}`, [...params]);
    return rows.map(({ detail }) => detail).join("\n").replace("autoindex_gatehouse_1", "pkey");
  });
});

Deno.test("sqlAdapter() looks at no more records than it has to, on PostgreSQL", async () => {
  using pglite: Pglite & Disposable = { ...startPglite(), [Symbol.dispose]: () => pglite.close() };
  const { query } = pglite;
  await explainAll({ query, dialect: "postgres" }, async ({ text, params }) => {
    const rows = await query(`EXPLAIN ${text}`, [...params]);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });
});
