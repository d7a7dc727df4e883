/** The journeys of accounts, and their races, on other engines than memory. */

import { sqlUserStore, sqlUserTable } from "../../../auth/stores/engines/sql.ts";
import { denoKvAdapter } from "../../../auth/stores/engines/kv.ts";
import { authStores } from "../../../auth/stores/repo.ts";
import { openMigrated } from "../stores/_sql.ts";
import { START } from "./_accounts.ts";
import { type OpenDatabase, testJourneys } from "./_journeys.ts";

/** Engines, each with an empty database. */
const ENGINES: readonly (readonly [name: string, open: OpenDatabase])[] = [
  ["SQLite", async () => {
    const sqlite = await openMigrated();
    return { stores: authStores(sqlite.made), [Symbol.asyncDispose]: () => close(sqlite) };
  }],
  ["SQLite with a table of users", async () => {
    const sqlite = await openMigrated();
    const own = { dialect: "sqlite", query: sqlite.query } as const;
    for (const statement of sqlUserTable({ dialect: "sqlite" })) await own.query(statement, []);
    const stores = { ...authStores(sqlite.made), ...sqlUserStore(own) };
    return { stores, [Symbol.asyncDispose]: () => close(sqlite) };
  }],
  ["Deno KV", async () => {
    const kv = await Deno.openKv(":memory:");
    const stores = authStores(denoKvAdapter(kv, { now: () => START }));
    return { stores, [Symbol.asyncDispose]: () => Promise.resolve(kv.close()) };
  }],
];

function close(sqlite: Disposable): Promise<void> {
  return Promise.resolve(sqlite[Symbol.dispose]());
}

for (const [name, open] of ENGINES) testJourneys(name, open);
