/**
 * A process that shares a file of SQLite with others. Arguments: the file, how many processes there are, and how many
 * rounds. In every round it waits for the others, and then does what only one of all may do. At the end it says what it
 * did, as JSON.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- it talks to the test by its output

import { DatabaseSync } from "node:sqlite";
import { type SqlAdapter, sqlAdapter } from "../../auth/store_sql.ts";

/** What a process did. */
export interface Racer {
  /** Rounds whose state it took. */
  readonly taken: number;
  /** Rounds whose unique text it got, for a key of its own. */
  readonly created: number;
  /** How often it raised the number that all of them raise. */
  readonly raised: number;
}

/** How often a process looks for the others: one of them may have failed. */
const MAX_LOOKS = 10_000;

/** Opens an adapter on a file, as an application does. */
export function openFile(
  path: string,
  table = "gatehouse",
): { readonly adapter: SqlAdapter } & Disposable {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA journal_mode = WAL");
  const adapter = sqlAdapter({
    query: (text, params) => database.prepare(text).all(...params),
    dialect: "sqlite",
    table,
  });
  return { adapter, [Symbol.dispose]: () => database.close() };
}

async function race(adapter: SqlAdapter, processes: number, rounds: number): Promise<Racer> {
  const { atomic } = adapter;
  const name = crypto.randomUUID();
  let [taken, created, raised] = [0, 0, 0];
  for (let round = 0; round < rounds; round++) {
    await adapter.put("waiting", `${round} ${name}`, { value: 1, index: [`${round}`] });
    for (
      let looks = 0;
      (await adapter.list("waiting", 0, `${round}`)).length < processes;
      looks++
    ) {
      if (looks > MAX_LOOKS) throw new Error("Cannot race: the others do not come");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (await atomic.take?.("states", `s${round}`) !== null) taken++;
    const user = { value: { name }, unique: `u${round}` };
    if ((await atomic.cas("users", `${name} ${round}`, null, user)).status === "ok") created++;
    const sum = await adapter.get("sums", "sum");
    const next = { value: Number(sum?.value ?? 0) + 1 };
    if ((await atomic.cas("sums", "sum", sum?.version ?? null, next)).status === "ok") raised++;
  }
  return { taken, created, raised };
}

async function main([path = "", processes, rounds]: readonly string[]): Promise<void> {
  using file = openFile(path);
  using other = openFile(path, "raced");
  await other.adapter.migrate(); // all of them at once, where there is none
  console.log(JSON.stringify(await race(file.adapter, Number(processes), Number(rounds))));
}

if (import.meta.main) await main(Deno.args);
