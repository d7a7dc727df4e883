/**
 * Helpers for tests of failures: an adapter behind a faulty proxy, and assertions on its errors.
 *
 * @module
 */

import { assert, assertMatch, assertRejects } from "@std/assert";
import { type AdapterOptions, type Client, openAdapter, openFreshAdapter } from "./_adapters.ts";
import type { OpenAdapter } from "./_adapters.ts";
import { type FaultyProxy, startProxy } from "./_proxy.ts";

/** Time limit of every wait here, in milliseconds. */
const LIMIT_MS = 5_000;
/** Time limit of a client in tests in which it must give up, in milliseconds. */
export const TIMEOUT_MS = 300;

/** One place on an engine, and two connections to it. */
export interface FaultyPlace extends AsyncDisposable {
  /** Connected through the proxy. */
  readonly faulty: OpenAdapter;
  /** Connected directly. */
  readonly direct: OpenAdapter;
  readonly proxy: FaultyProxy;
  /** Waits until the proxied client has reconnected: some clients reject calls until then. */
  reconnected(): Promise<void>;
}

/** Opens a place of its own, which is deleted at the end. */
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

/** Waits for work that must settle in time. */
export async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It does not settle")), LIMIT_MS);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Repeats a call until its result is the expected one; other results may be checked. */
export async function eventually<Result>(
  call: () => Promise<Result>,
  { is, otherwise = () => {} }: {
    readonly is: (result: Result) => boolean;
    readonly otherwise?: (result: Result) => Promise<void> | void;
  },
): Promise<Result> {
  for (let waited = 0; waited < LIMIT_MS; waited += 50) {
    const result = await inTime(call());
    if (is(result)) return result;
    await otherwise(result);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("It does not recover");
}

/** Asserts that work rejects in time with an adapter's error that discloses no secret, and returns the error. */
export async function assertFails(
  work: Promise<unknown>,
  secrets: readonly string[],
): Promise<Error> {
  const error = await assertRejects(() => inTime(work), Error);
  assertMatch(error.message, /^Cannot \w+ /);
  assertTellsNothing(error, secrets);
  return error;
}

/** Parts of the adapters' statements and scripts. */
const STATEMENTS: readonly string[] = [" WHERE ", "INSERT INTO", "redis.call"];

/** Asserts that an error and its causes contain no secret and no statement. */
export function assertTellsNothing(error: unknown, secrets: readonly string[]): void {
  const reported = Deno.inspect(error, { depth: 20 });
  for (const secret of [...secrets, ...STATEMENTS]) {
    assert(!reported.includes(secret), `${secret} in ${reported}`);
  }
}

/** The secrets in an engine's URL. */
export function secretsOf(url: string): readonly string[] {
  const { password } = new URL(url);
  return password === "" ? [url] : [url, password];
}
