/**
 * Which engines there are for the tests, and how a test says which one it needs. `run.ts` starts the engines and hands
 * their addresses over.
 *
 * @module
 */

/** A database server that the tests know. */
export type Engine = "postgres" | "redis";

/** What is known of an engine. */
export interface EngineInfo {
  /** How people call it. */
  readonly title: string;
  /** The variable that holds its URL; it may be one that is given from outside. */
  readonly variable: string;
  /** The variable that holds its URL where an application keeps everything in it, as the README's recipes do. */
  readonly appVariable: string;
  /** The package of Debian that has it. */
  readonly debian: string;
}

/** Every engine. */
export const ENGINES: { readonly [E in Engine]: EngineInfo } = {
  postgres: {
    title: "PostgreSQL",
    variable: "GATEHOUSE_POSTGRES",
    appVariable: "DATABASE_URL",
    debian: "postgresql",
  },
  redis: {
    title: "Redis",
    variable: "GATEHOUSE_REDIS",
    appVariable: "REDIS_URL",
    debian: "redis-server",
  },
};

/** The engines' names. */
export const ENGINE_NAMES: readonly Engine[] = Object.keys(ENGINES) as Engine[];

/** URL of an engine; `undefined` where there is none. */
export function engineUrl(engine: Engine): string | undefined {
  const url = Deno.env.get(ENGINES[engine].variable) ?? "";
  return url === "" ? undefined : url;
}

/** Registers a test on an engine. Without the engine it is skipped, and counted as that. */
export function engineTest(
  engine: Engine,
  name: string,
  fn: (url: string, t: Deno.TestContext) => Promise<void>,
): void {
  const url = engineUrl(engine);
  Deno.test({
    name: `${name} (${ENGINES[engine].title})`,
    ignore: url === undefined,
    fn: async (t) => await fn(url ?? "", t),
  });
}

/** Registers many tests on an engine, such as a contract. Without the engine one stands for them all, and is skipped. */
export function engineTests(
  engine: Engine,
  name: string,
  register: (url: string) => void,
): void {
  const url = engineUrl(engine);
  if (url !== undefined) return register(url);
  Deno.test({ name: `${name} (${ENGINES[engine].title})`, ignore: true, fn() {} });
}
