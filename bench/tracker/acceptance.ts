/**
 * The walk through the tracker over HTTP: one check for each point of its specification.
 *
 * `deno run -A bench/tracker/acceptance.ts --version=hono --origin=http://localhost:3000 --log=file` walks through a
 * server that runs already; its output goes to the file. Ends with 1 if a check fails.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import type { Adapter } from "./_client.ts";
import { ACCOUNT_CHECKS } from "./_checks_accounts.ts";
import { DOCUMENT_CHECKS } from "./_checks_documents.ts";
import { ISSUE_CHECKS } from "./_checks_issues.ts";
import { ORG_CHECKS } from "./_checks_orgs.ts";
import { type Check, prepare, type Walk } from "./_walk.ts";

/** How a check ended. */
export interface Outcome {
  readonly point: number;
  readonly name: string;
  readonly kind: "passed" | "failed" | "not met";
  /** What failed, or why it is not met. */
  readonly reason?: string;
}

const CHECKS: readonly Check[] = [
  ...ACCOUNT_CHECKS,
  ...ORG_CHECKS,
  ...ISSUE_CHECKS,
  ...DOCUMENT_CHECKS,
];

/** Runs all checks. */
export async function accept(
  options: Pick<Walk, "origin" | "adapter" | "log" | "sockets">,
): Promise<Outcome[]> {
  const walk = await prepare(options);
  const outcomes: Outcome[] = [];
  // The limit of sign-in attempts is reached in the first one: it goes last.
  for (const check of [...CHECKS.slice(1), ...CHECKS.slice(0, 1)]) {
    outcomes.push(await outcomeOf(check, walk));
  }
  return outcomes.sort((a, b) => a.point - b.point);
}

/** Whether nothing failed. */
export function accepted(outcomes: readonly Outcome[]): boolean {
  return outcomes.every(({ kind }) => kind !== "failed");
}

/** An outcome as a line. */
export function lineOf({ point, name, kind, reason }: Outcome): string {
  return `${kind} ${point} ${name}${reason === undefined ? "" : `: ${reason}`}`;
}

/** The adapter of a version. */
export async function adapterOf(version: string): Promise<Adapter> {
  const { adapter } = await import(new URL(`adapters/${version}.ts`, import.meta.url).href);
  return adapter;
}

async function outcomeOf({ point, name, run }: Check, walk: Walk): Promise<Outcome> {
  const notMet = walk.adapter.notMet[point];
  if (notMet !== undefined) return { point, name, kind: "not met", reason: notMet };
  try {
    await run(walk);
    return { point, name, kind: "passed" };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { point, name, kind: "failed", reason };
  }
}

function option(name: string): string | undefined {
  const prefix = `--${name}=`;
  return Deno.args.find((arg) => arg.startsWith(prefix))?.slice(prefix.length);
}

if (import.meta.main) {
  const log = option("log");
  const outcomes = await accept({
    origin: option("origin") ?? "http://localhost:3000",
    adapter: await adapterOf(option("version") ?? "hono"),
    log: () => log === undefined ? "" : Deno.readTextFileSync(log),
    sockets: () => undefined,
  });
  for (const outcome of outcomes) console.log(lineOf(outcome));
  Deno.exit(accepted(outcomes) ? 0 : 1);
}
