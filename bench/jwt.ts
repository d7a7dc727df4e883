/**
 * What signing and verifying tokens costs, beside jose and Web Crypto alone: `deno task bench:jwt`.
 *
 * All in one process: for each algorithm Web Crypto, ours and jose take turns, one token after the other and many at once.
 * `--rounds=51`, `--runs=100` of each in a round (a quarter of them sign) and `--tokens=1000000` for the memory are the
 * defaults.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import {
  checkContests,
  type Contest,
  JOSE,
  type Jose,
  loadJose,
  signContests,
  verifyContests,
} from "./_jwt_contestants.ts";
import { retainedByAccepted, retainedByRefused } from "./_jwt_memory.ts";
import { ALGORITHMS, createIssuer, inTurn, type Issuer, type Signed } from "./_jwt_tokens.ts";
import { measure, type Measurement } from "./_measure.ts";
import { numberOption, table } from "./_table.ts";

/** Tokens that are under way together, as on a server with something to do. */
const AT_ONCE = 32;

/** Most that verifying may take, as a multiple of Web Crypto alone. */
const TARGET = 1.3;
const TARGET_ALGORITHMS: readonly string[] = ["ES256", "RS256"];

/** More than jose's time by so much is slower; less is noise. */
const NOISE = 1.05;

interface Turns {
  readonly rounds: number;
  readonly runs: number;
}

/** A row: one kind of key, alone and at once. */
interface Row {
  readonly title: string;
  readonly alone: Ratios;
  readonly together: Ratios;
}

interface Ratios {
  /** Nanoseconds of Web Crypto alone, and of ours, for one token. */
  readonly bareNs: number;
  readonly ns: number;
  readonly overBare: number;
  readonly joseOverBare: number;
  readonly overJose: number;
}

/** Times the contests of one algorithm, all in the same rounds. */
async function measureContests(
  contests: readonly Contest[],
  issuer: Issuer,
  { rounds, runs }: Turns,
): Promise<readonly Row[]> {
  const next = inTurn(issuer);
  const works = [...new Set(contests.flatMap(({ bare, ours, jose }) => [bare, ours, jose]))];
  const alone = await measure(works, next, { rounds, runs: Math.ceil(runs) });
  const together = await measure(
    works.map(({ name, run }) => ({
      name,
      run: (inputs: readonly Signed[]) => Promise.all(inputs.map(run)),
    })),
    () => Array.from({ length: AT_ONCE }, next),
    { rounds, runs: Math.ceil(runs / AT_ONCE) },
  );
  return contests.map((contest) => ({
    title: contest.title,
    alone: ratiosOf(contest, alone, 1),
    together: ratiosOf(contest, together, AT_ONCE),
  }));
}

function ratiosOf(
  { bare, ours, jose }: Contest,
  results: readonly Measurement[],
  tokens: number,
): Ratios {
  const find = (name: string): Measurement => {
    const found = results.find((result) => result.name === name);
    if (found === undefined) throw new Error(`Cannot find the result of ${name}`);
    return found;
  };
  const [own, theirs] = [find(ours.name), find(jose.name)];
  return {
    bareNs: find(bare.name).ns / tokens,
    ns: own.ns / tokens,
    overBare: own.over(bare.name),
    joseOverBare: theirs.over(bare.name),
    overJose: own.over(jose.name),
  };
}

function report(what: string, rows: readonly Row[]): string {
  const cells = ({ bareNs, ns, overBare, joseOverBare, overJose }: Ratios): readonly string[] => [
    (bareNs / 1000).toFixed(1),
    (ns / 1000).toFixed(1),
    ...[overBare, joseOverBare, overJose].map((ratio) => ratio.toFixed(2)),
  ];
  const ratios = ["÷ Web Crypto", "jose ÷ Web Crypto", "÷ jose"];
  return table(
    [
      what,
      ...["Web Crypto, µs", "ours, µs", ...ratios],
      ...[`Web Crypto, µs, ${AT_ONCE} at once`, "ours, µs", ...ratios],
      "per second",
    ],
    rows.map(({ title, alone, together }) => [
      title,
      ...cells(alone),
      ...cells(together),
      Math.round(1e9 / together.ns).toLocaleString("en"),
    ]),
  );
}

/** Whether verifying is within its target, and where it is slower than jose. */
function reportTargets(rows: readonly Row[]): string {
  const bound = rows.filter(({ title }) => TARGET_ALGORITHMS.some((alg) => title.startsWith(alg)));
  const lines = bound.map(({ title, alone, together }) => {
    const ratios = [alone.overBare, together.overBare];
    const verdict = Math.max(...ratios) <= TARGET ? "met" : "missed";
    const [one, many] = ratios.map((ratio) => ratio.toFixed(2));
    return `${title} ÷ Web Crypto ≤ ${TARGET}: ${one} alone, ${many} at once: ${verdict}`;
  });
  const slower = rows.filter(({ alone, together }) =>
    Math.max(alone.overJose, together.overJose) > NOISE
  );
  const names = slower.map(({ title }) => title).join("; ");
  return [
    ...lines,
    `slower than jose by more than a twentieth: ${names === "" ? "nowhere" : names}`,
  ].join("\n");
}

async function measureMemory(tokens: number): Promise<string> {
  const [secret, pair] = [await createIssuer("HS256"), await createIssuer("ES256")];
  const rows = [
    ["HS256, signed and verified", await retainedByAccepted(secret, tokens)],
    ["HS256, refused by its signature", await retainedByRefused(secret, tokens)],
    ["ES256, signed and verified", await retainedByAccepted(pair, tokens / 100)],
  ] as const;
  const count = tokens.toLocaleString("en");
  return table(
    [`${count} tokens (ES256: a hundredth)`, "bytes kept for each"],
    rows.map(([title, bytes]) => [title, bytes.toFixed(2)]),
  );
}

async function main(): Promise<void> {
  const turns: Turns = { rounds: numberOption("rounds", 51), runs: numberOption("runs", 100) };
  const fewer: Turns = { ...turns, runs: turns.runs / 4 }; // RSA signs slowly
  const tokens = numberOption("tokens", 1_000_000);
  const jose: Jose = await loadJose();
  const verified: Row[] = [];
  const signed: Row[] = [];
  for (const alg of ALGORITHMS) {
    const issuer = await createIssuer(alg);
    await checkContests(issuer, jose);
    verified.push(...await measureContests(verifyContests(issuer, jose), issuer, turns));
    signed.push(...await measureContests(signContests(issuer, jose), issuer, fewer));
  }
  console.log(`${JOSE}\n\n${report("verify", verified)}\n\n${reportTargets(verified)}\n`);
  console.log(`${report("sign", signed)}\n`);
  console.log(await measureMemory(tokens));
}

if (import.meta.main) await main();
