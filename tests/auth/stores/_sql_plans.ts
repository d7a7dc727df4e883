/**
 * Query plans of the statements of SQL adapters, for both dialects.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  type SqlAdapter,
  sqlAdapter,
  type SqlDialect,
  type SqlParameter,
  type SqlQuery,
} from "../../../auth/stores/engines/sql.ts";
import { START, type Statement } from "./_sql.ts";

/** Enough records that a planner prefers an index to a scan. */
const RECORDS = 5_000;

/** Calls, and the index that each must use. */
const PLANS: readonly (readonly [
  what: string,
  index: string,
  run: (adapter: SqlAdapter) => Promise<unknown>,
])[] = [
  ["get()", "pkey", (adapter) => adapter.get("sessions", "k7")],
  ["find()", "uniq", (adapter) => adapter.find("sessions", "u7")],
  ["list()", "index_0", (adapter) => adapter.list("sessions", 0, "i7")],
  ["list() by the second index", "index_1", (adapter) => adapter.list("sessions", 1, "j7")],
  [
    "list() after a key",
    "index_0",
    (adapter) => adapter.list("sessions", 0, "i7", { after: "k7", limit: 5 }),
  ],
  [
    "list() in reverse",
    "index_1",
    (adapter) => adapter.list("sessions", 1, "j7", { after: "k7", limit: 5, reverse: true }),
  ],
  ["put()", "uniq", (adapter) => adapter.put("sessions", "new", { value: 1, unique: "v" })],
  [
    "cas() that creates",
    "uniq",
    ({ atomic }) => atomic.cas("sessions", "made", null, { value: 1, unique: "w" }),
  ],
  [
    "cas() that updates",
    "pkey",
    ({ atomic }) => atomic.cas("sessions", "k8", "read", { value: 1, unique: "u8" }),
  ],
  ["cas() that deletes", "pkey", ({ atomic }) => atomic.cas("sessions", "k9", "read", null)],
  ["take()", "pkey", async ({ atomic }) => await atomic.take("sessions", "k7")],
  ["delete()", "pkey", (adapter) => adapter.delete("sessions", "k7")],
  ["sweep()", "expires_at", (adapter) => adapter.sweep()],
];

/** Inserts records, some of them expired. */
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
  // PostgreSQL analyzes in the background after a while, SQLite never
  if (dialect === "postgres") await query("ANALYZE gatehouse", []);
}

/** Runs all calls and checks the plan of each statement. */
export async function explainAll(
  { query, dialect }: { query: SqlQuery; dialect: SqlDialect },
  explain: (statement: Statement) => Promise<string>,
): Promise<void> {
  const log: Statement[] = [];
  const adapter = sqlAdapter({
    query(text: string, params: SqlParameter[]) {
      log.push({ text, params });
      return query(text, params);
    },
    dialect,
    now: () => START + 2_000,
  });
  await adapter.migrate();
  await fill(query, dialect);
  await adapter.put("sessions", "sweeps", { value: 1 }); // the first write also sweeps
  for (const [what, index, run] of PLANS) {
    log.length = 0;
    await run(adapter);
    assert(log.length > 0);
    const plans = await Promise.all(log.map(explain));
    assertStringIncludes(plans[0] ?? "", index, what);
    for (const plan of plans) assertNoScan(plan, what);
  }
}

function assertNoScan(plan: string, what: string): void {
  assertEquals(/Seq Scan on gatehouse|SCAN (?!CONSTANT ROW)/.test(plan), false, `${what}: ${plan}`);
  assertEquals(/ Sort |TEMP B-TREE/.test(plan), false, `${what}: ${plan}`);
}
