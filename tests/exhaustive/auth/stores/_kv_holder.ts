/**
 * A process that opens an SQLite file, as a backup may. Argument: the file. It runs each line as a statement.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { answerLines } from "../../../contracts/_processes.ts";

async function main([path = ""]: readonly string[]): Promise<void> {
  using database = new DatabaseSync(path, { timeout: 5_000 });
  await answerLines((statement) => {
    database.exec(statement);
    return Promise.resolve("done");
  });
}

if (import.meta.main) await main(Deno.args);
