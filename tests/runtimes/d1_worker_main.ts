/**
 * The entry of the cases on D1. `/?part=0&parts=2` runs every other one of them.
 *
 * @module
 */

import { sqlAdapter } from "../../auth/stores/engines/sql.ts";
import { type D1Database, d1Query } from "./d1.ts";
import { runCases } from "./harness.ts";
import { sqliteCases } from "./sql_cases.ts";

/** What the Worker is bound to: one database, twice. */
interface Env {
  readonly DB: D1Database;
  readonly SAME: D1Database;
}

/** Runs cases. */
const worker: { fetch(request: Request, env: Env): Promise<Response> } = {
  async fetch({ url }, { DB, SAME }) {
    const { searchParams } = new URL(url);
    const [part, parts] = [Number(searchParams.get("part")), Number(searchParams.get("parts"))];
    const [first, second] = [d1Query(DB), d1Query(SAME)];
    const cases = sqliteCases("sqlAdapter() on D1", async () => {
      await sqlAdapter({ query: first, dialect: "sqlite" }).migrate();
      await first("DELETE FROM gatehouse", []);
      return { queries: [first, second] };
    });
    return Response.json(await runCases(cases.filter((_, index) => index % parts === part)));
  },
};

export default worker;
