/** Users on a table of the application: the contracts on two connections, and races of four processes. */

import { fromFileUrl } from "@std/path";
import {
  type SqlQuery,
  sqlUserStore,
  sqlUserTable,
  type SqlUserTableOptions,
} from "../../auth/stores/engines/sql.ts";
import { authStores } from "../../auth/stores/repo.ts";
import { CONTRACTS, registerContracts, runCase } from "../contracts/_contract.ts";
import { runRaces, USER_RACES } from "../contracts/_race_cases.ts";
import { startRacers } from "../contracts/_racers.ts";
import { RACE_TIME } from "../contracts/_races.ts";
import { sqlUserStores } from "../contracts/_sql_users.ts";
import { CLIENTS, freshPlace, openAdapter, openFreshAdapter } from "./_adapters.ts";
import { engineTest, engineTests } from "./_engines.ts";

const now = () => RACE_TIME;

for (const { name: client } of CLIENTS.filter(({ engine }) => engine === "postgres")) {
  const name = `sqlUserStore() over ${client}`;
  engineTests("postgres", name, (url) => {
    registerContracts(sqlUserStores(name, async () => {
      await using opened = new AsyncDisposableStack();
      const first = opened.use(await openFreshAdapter(client, { url, now }));
      const { place } = first;
      const second = opened.use(await openAdapter(client, { url, now, place }));
      const queries = [queryOf(first), queryOf(second)] as const;
      const table = `Users_${freshPlace().slice(6)}`;
      opened.defer(async () => void await queries[0](`DROP TABLE IF EXISTS "${table}"`, []));
      const all = opened.move();
      const columns = { disabled: "isDisabled", createdAt: "createdAt" };
      return { dialect: "postgres", table, columns, queries, dispose: () => all.disposeAsync() };
    }));
  });

  engineTest(
    "postgres",
    `sqlUserStore() in four processes over ${client} has one winner in each race`,
    async (url, t) => {
      await using open = await openFreshAdapter(client, { url, now });
      const query = queryOf(open);
      const options: SqlUserTableOptions = { dialect: "postgres", table: freshPlace() };
      for (const statement of sqlUserTable(options)) await query(statement, []);
      try {
        await using racers = await startRacers([
          "--allow-env",
          "--allow-read",
          "--allow-sys",
          "--allow-net",
          `--lock=${fromFileUrl(import.meta.resolve("./deno.lock"))}`,
          import.meta.resolve("./_racer.ts"),
          ...[client, url, open.place, options.table ?? ""],
        ]);
        const stores = { ...authStores(open.adapter), ...sqlUserStore({ query, ...options }) };
        await runRaces(t, { racers, stores, rounds: 5 }, USER_RACES);
      } finally {
        await query(`DROP TABLE "${options.table}"`, []);
      }
    },
  );
}

// At this isolation level PostgreSQL rolls back one of two conflicting transactions, which must be run again
engineTests("postgres", "sqlUserStore() on serializable transactions", (url) => {
  const strict = new URL(url);
  strict.searchParams.set("default_transaction_isolation", "serializable");
  const implementation = sqlUserStores("sqlUserStore() on serializable transactions", async () => {
    const opened = await openFreshAdapter("postgres.js", { url: strict.href, now });
    const { place } = opened;
    const query = queryOf(opened);
    await query(`DROP TABLE "${place}"`, []); // its name is free now, and the table is dropped at the end
    const dispose = async () => await opened[Symbol.asyncDispose]();
    return { dialect: "postgres", table: place, queries: [query], dispose };
  });
  for (const family of ["users", "emails"] as const) {
    for (const contractCase of CONTRACTS[family].filter(({ race }) => race)) {
      Deno.test(`${implementation.name} ${family}.${contractCase.name}`, async () => {
        await runCase(implementation, { family, contractCase } as Parameters<typeof runCase>[1]);
      });
    }
  }
});

function queryOf({ query }: { readonly query?: SqlQuery }): SqlQuery {
  if (query === undefined) throw new TypeError("Cannot test: the client runs no statements");
  return query;
}
