/**
 * Stores over a file that several processes open, like an application.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { denoKvAdapter } from "../../auth/stores/engines/kv.ts";
import { authStores } from "../../auth/stores/repo.ts";
import { sqlAdapter } from "../../auth/stores/engines/sql.ts";
import type { AuthStores } from "../../auth/stores/types.ts";
import { RACE_TIME } from "./_races.ts";

/** Engines that store a file. */
export type FileEngine = "Deno KV" | "SQLite";

/** An open file. */
export interface RaceFile extends Disposable {
  readonly stores: AuthStores;
  /** Creates the table. */
  prepare?(): Promise<void>;
}

const OPENERS: { readonly [E in FileEngine]: (path: string) => Promise<RaceFile> | RaceFile } = {
  "Deno KV": openKv,
  SQLite: openSqlite,
};

/** All engines that store a file. */
export const FILE_ENGINES: readonly FileEngine[] = Object.keys(OPENERS) as FileEngine[];

/** Opens a file, and creates it if necessary. */
export async function openRaceFile(engine: FileEngine, path: string): Promise<RaceFile> {
  return await OPENERS[engine](path);
}

async function openKv(path: string): Promise<RaceFile> {
  const kv = await Deno.openKv(path);
  const adapter = denoKvAdapter(kv, { now: () => RACE_TIME });
  return { stores: authStores(adapter), [Symbol.dispose]: () => kv.close() };
}

function openSqlite(path: string): RaceFile {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA journal_mode = WAL");
  const adapter = sqlAdapter({
    query: (text, params) => database.prepare(text).all(...params),
    dialect: "sqlite",
    now: () => RACE_TIME,
  });
  return {
    stores: authStores(adapter),
    prepare: () => adapter.migrate(),
    [Symbol.dispose]: () => database.close(),
  };
}
