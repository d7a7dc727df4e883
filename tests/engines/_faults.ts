/**
 * What tests of faults share: an adapter behind a way that can fail, and what a failure may look like.
 *
 * @module
 */

import { assert, assertMatch, assertRejects } from "@std/assert";
import { type AdapterOptions, type Client, openAdapter, openFreshAdapter } from "./_adapters.ts";
import type { OpenAdapter } from "./_adapters.ts";
import { type FaultyProxy, startProxy } from "./_proxy.ts";

/** The longest that anything here takes, in milliseconds. */
const PATIENCE_MS = 5_000;
/** How long a client waits for an answer where a test wants it to give up, in milliseconds. */
export const TIMEOUT_MS = 300;

/** One place on an engine, and two ways to it. */
export interface FaultyPlace extends AsyncDisposable {
  /** By the way that can fail. */
  readonly faulty: OpenAdapter;
  /** By a way that does not. */
  readonly direct: OpenAdapter;
  readonly proxy: FaultyProxy;
  /** Waits until the way that can fail does not: some clients refuse to wait for that. */
  reconnected(): Promise<void>;
}

/** Opens a place of its own, which is gone at the end. */
export async function openFaulty(
  client: Client,
  options: Omit<AdapterOptions, "place">,
): Promise<FaultyPlace> {
  await using opened = new AsyncDisposableStack();
  const direct = opened.use(await openFreshAdapter(client, options));
  const proxy = opened.use(startProxy(options.url));
  const { place } = direct;
  const faulty = opened.use(await openAdapter(client, { ...options, url: proxy.url, place }));
  const all = opened.move();
  return {
    faulty,
    direct,
    proxy,
    reconnected: async () =>
      void await eventually(() => faulty.adapter.get("c", "k").then(() => true, () => false), {
        is: (isBack) => isBack,
      }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Waits for something that must end, well or not. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It hangs")), PATIENCE_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Asks until the answer is the one that is waited for; each other one may be looked at. */
export async function eventually<Result>(
  ask: () => Promise<Result>,
  { is, otherwise = () => {} }: {
    readonly is: (result: Result) => boolean;
    readonly otherwise?: (result: Result) => Promise<void> | void;
  },
): Promise<Result> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    const result = await inTime(ask());
    if (is(result)) return result;
    await otherwise(result);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("It does not come back");
}

/** Says that something rejects, in time, by an error of an adapter that tells nothing of what is kept and where: that one. */
export async function assertFails(
  work: Promise<unknown>,
  secrets: readonly string[],
): Promise<Error> {
  const error = await assertRejects(() => inTime(work), Error);
  assertMatch(error.message, /^Cannot \w+ /);
  assertTellsNothing(error, secrets);
  return error;
}

/** Parts of what adapters say to engines. */
const STATEMENTS: readonly string[] = [" WHERE ", "INSERT INTO", "redis.call"];

/** Says that an error, with its causes, has none of some texts in it, and no statement. */
export function assertTellsNothing(error: unknown, secrets: readonly string[]): void {
  const told = Deno.inspect(error, { depth: 20 });
  for (const secret of [...secrets, ...STATEMENTS]) {
    assert(!told.includes(secret), `${secret} is in ${told}`);
  }
}

/** What of an engine's URL nobody may hear. */
export function secretsOf(url: string): readonly string[] {
  const { password } = new URL(url);
  return password === "" ? [url] : [url, password];
}
