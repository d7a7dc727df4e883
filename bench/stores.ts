/**
 * What stores on an engine cost beside the engine's bare client: `deno task bench:stores`.
 *
 * Sessions that are verified and refresh tokens that are rotated, one after the other and many at once. The bare client
 * makes the same digests, sends the same statements about records of the same table, and checks nothing. PostgreSQL and
 * Redis are started for this, or reached by `GATEHOUSE_POSTGRES` and `GATEHOUSE_REDIS`; those that are not there are left
 * out. `--rounds=51`, `--runs=100` of each in a round and `--sessions=10000` are the defaults; names of engines are
 * those that are wanted: `memory kv sqlite pglite postgres redis`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { type Engine, ENGINES, engineUrl } from "../tests/engines/_engines.ts";
import { findEngine, startEngine } from "../tests/engines/_servers.ts";
import { measure, type Measurement } from "./_measure.ts";
import { type StoreContest, type StoreContestant, storeContests } from "./_store_contests.ts";
import { openDenoKv, openMemory, openRedis } from "./_store_key_engines.ts";
import { openPglite, openPostgres, openSqlite } from "./_store_sql_engines.ts";
import type { EngineOptions, StoreEngine } from "./_store_types.ts";
import { numberOption, table } from "./_table.ts";

/** What is under way together, as on a server with something to do. */
const AT_ONCE = 32;

/** Least that ours does in a second, as a part of what the bare client does. */
const TARGET = 0.8;

/** What the times of writes depend on. To wait for a disk would hide what is added, so as little as can be does. */
const DURABILITY =
  "SQLite in WAL mode, synchronous = NORMAL; PostgreSQL and Redis, where they were started for this, wait for no disk.";

/** Where engines put their files, and what they stop at the end. */
interface Place extends EngineOptions {
  readonly folder: string;
  readonly stack: AsyncDisposableStack;
}

type Open = (place: Place) => Promise<StoreEngine | undefined>;

const ENGINE_NAMES: Readonly<Record<string, Open>> = {
  memory: openMemory,
  kv: ({ folder, now }) => openDenoKv(folder, { now }),
  sqlite: ({ folder, now }) => openSqlite(folder, { now }),
  pglite: openPglite,
  postgres: (place) => openServer("postgres", place, openPostgres),
  redis: (place) => openServer("redis", place, openRedis),
};

async function openServer(
  engine: Engine,
  { stack, now }: Place,
  open: (url: string, options: EngineOptions) => Promise<StoreEngine>,
): Promise<StoreEngine | undefined> {
  const given = engineUrl(engine);
  if (given !== undefined) return await open(given, { now });
  const programs = await findEngine(engine);
  if (programs === undefined) return undefined;
  return await open(stack.use(await startEngine(engine, programs)).url, { now });
}

interface Turns {
  readonly rounds: number;
  readonly runs: number;
}

/** A comparison with one bare client. */
interface Row {
  readonly engine: StoreEngine;
  readonly work: string;
  readonly against: string;
  readonly statements: readonly [ours: number, bare: number];
  readonly alone: Rates;
  readonly together: Rates;
  /** Whether the target is about it. */
  readonly bound: boolean;
}

interface Rates {
  /** In a second. */
  readonly ours: number;
  readonly bare: number;
  /** Median of the ratios of the rounds. */
  readonly ratio: number;
}

/** Times all who take part in a contest, in the same rounds. */
async function measureContest(
  engine: StoreEngine,
  { work, ours, bare }: StoreContest,
  { rounds, runs }: Turns,
): Promise<readonly Row[]> {
  const all = [ours, ...bare];
  let turn = 0;
  const alone = await measure(all, () => turn++, { rounds, runs: Math.ceil(runs) });
  const together = await measure(
    all.map(({ name, run }) => ({
      name,
      run: (turns: readonly number[]) => Promise.all(turns.map(run)),
    })),
    () => Array.from({ length: AT_ONCE }, () => turn++),
    { rounds, runs: Math.ceil(runs / AT_ONCE) },
  );
  return bare.map((one, i) => ({
    engine,
    work,
    against: one.name,
    statements: [ours.statements, one.statements],
    alone: ratesOf(alone, [ours, one], 1),
    together: ratesOf(together, [ours, one], AT_ONCE),
    bound: engine.bound && i === 0,
  }));
}

function ratesOf(
  results: readonly Measurement[],
  [ours, bare]: readonly [StoreContestant, StoreContestant],
  runs: number,
): Rates {
  const find = ({ name }: StoreContestant): Measurement => {
    const found = results.find((result) => result.name === name);
    if (found === undefined) throw new Error(`Cannot find the result of ${name}`);
    return found;
  };
  const [own, theirs] = [find(ours), find(bare)];
  return {
    ours: runs * 1e9 / own.ns,
    bare: runs * 1e9 / theirs.ns,
    ratio: theirs.over(own.name), // of their time to ours: of what we do in a second to what they do
  };
}

function report(work: string, rows: readonly Row[]): string {
  const cells = ({ ours, bare, ratio }: Rates): readonly string[] => [
    ...[ours, bare].map((rate) => Math.round(rate).toLocaleString("en")),
    ratio.toFixed(2),
  ];
  const columns = ["ours, per second", "bare", "ours ÷ bare"];
  const together = columns.map((title, i) => i === 0 ? `ours, ${AT_ONCE} at once` : title);
  return table(
    [work, "beside", "statements", ...columns, ...together],
    rows.filter((row) => row.work === work).map(({ engine, against, statements, ...rates }) => [
      engine.title,
      against,
      engine.bound ? statements.join(" and ") : "none",
      ...cells(rates.alone),
      ...cells(rates.together),
    ]),
  );
}

function reportTargets(rows: readonly Row[]): string {
  return table(
    [`ours ÷ the same statements ≥ ${TARGET}`, "alone", `${AT_ONCE} at once`, ""],
    rows.filter(({ bound }) => bound).map(({ engine, work, alone, together }) => {
      const ratios = [alone.ratio, together.ratio];
      const verdict = Math.min(...ratios) >= TARGET ? "met" : "missed";
      return [`${engine.title}: ${work}`, ...ratios.map((ratio) => ratio.toFixed(2)), verdict];
    }),
  );
}

/** Names of engines on the command line; all of them if there is none. @throws {RangeError} If one is not known. */
function wantedEngines(): readonly string[] {
  const given = Deno.args.filter((arg) => !arg.startsWith("--"));
  const unknown = given.find((name) => !Object.hasOwn(ENGINE_NAMES, name));
  if (unknown !== undefined) throw new RangeError(`Cannot measure ${unknown}: no such engine`);
  return given.length === 0 ? Object.keys(ENGINE_NAMES) : given;
}

async function main(): Promise<void> {
  const turns: Turns = { rounds: numberOption("rounds", 51), runs: numberOption("runs", 100) };
  const sessions = numberOption("sessions", 10_000);
  const at = Math.floor(Date.now() / 1000);
  const now = () => at;
  const rows: Row[] = [];
  const sizes: (readonly string[])[] = [];
  for (const name of wantedEngines()) {
    await using stack = new AsyncDisposableStack();
    const folder = await Deno.makeTempDir({ prefix: "gatehouse_bench_" });
    stack.defer(() => Deno.remove(folder, { recursive: true }));
    const engine = await ENGINE_NAMES[name]?.({ folder, stack, now });
    if (engine === undefined) {
      console.log(`${ENGINES[name as Engine].title}: left out, not found\n`);
      continue;
    }
    stack.use(engine);
    const { contests, bytes, check } = await storeContests(engine, { now, sessions });
    for (const contest of contests) rows.push(...await measureContest(engine, contest, turns));
    await check();
    if (bytes !== undefined) sizes.push([engine.title, Math.round(bytes).toLocaleString("en")]);
  }
  for (const work of new Set(rows.map((row) => row.work))) console.log(`${report(work, rows)}\n`);
  console.log(`${reportTargets(rows)}\n`);
  const title = `${sessions.toLocaleString("en")} sessions, with what finds them`;
  console.log(`${table([title, "bytes each"], sizes)}\n\n${DURABILITY}`);
}

if (import.meta.main) await main();
