/**
 * The engines of the tests, and how a test declares the one that it needs. `run.ts` starts the engines and passes their
 * addresses in the environment.
 *
 * @module
 */

/** A database server. */
export type Engine = "postgres" | "redis";

/** Names of an engine. */
export interface EngineInfo {
  /** Display name. */
  readonly title: string;
  /** The variable of its URL; set it to test on a running server. */
  readonly variable: string;
  /** The variable of its URL in an application, as in the recipes of docs/stores.md. */
  readonly appVariable: string;
  /** Its Debian package. */
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

/** URL of an engine; `undefined` if it is not available. */
export function engineUrl(engine: Engine): string | undefined {
  const url = Deno.env.get(ENGINES[engine].variable) ?? "";
  return url === "" ? undefined : url;
}

/** Registers a test on an engine. Without the engine it is ignored. */
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

/** Registers many tests on an engine, such as a contract. Without the engine one ignored test represents them. */
export function engineTests(
  engine: Engine,
  name: string,
  register: (url: string) => void,
): void {
  const url = engineUrl(engine);
  if (url !== undefined) return register(url);
  Deno.test({ name: `${name} (${ENGINES[engine].title})`, ignore: true, fn() {} });
}
