/**
 * How much the tests try. `deno task test` uses the small sizes; `deno task test:exhaustive` sets
 * `GATEHOUSE_EFFORT=all` for the large ones. Every size of a race, a fuzz or a walk is one row here.
 *
 * @module
 */

/** Whether the large sizes are used. */
export const EXHAUSTIVE: boolean = isExhaustive();

/** The contracts of stores also run on other runtimes and without permissions: there at the small sizes. */
function isExhaustive(): boolean {
  const { Deno: deno }: Partial<typeof globalThis> = globalThis;
  try {
    return deno?.env.get("GATEHOUSE_EFFORT") === "all";
  } catch {
    return false; // NotCapable
  }
}

/** The first rows of a table, or all of them. */
export function rowsOf<Row>(table: readonly Row[], small: number): readonly Row[] {
  return EXHAUSTIVE ? table : table.slice(0, small);
}

function size(small: number, large: number): number {
  return EXHAUSTIVE ? large : small;
}

/** Whether tests generate keys of an algorithm: of RSA keys, which are slow, the small tier makes RS256 and PS256 alone. */
export function isGenerated(alg: string): boolean {
  return EXHAUSTIVE || !/^(?:RS|PS)(?:384|512)$/.test(alg);
}

/** Callers that compete for one record. */
export const RACERS: number = size(24, 200);
/** Mutated tokens of a fuzz. */
export const MUTANTS: number = size(4_000, 104_000);
/** Mutated ceremonies of a fuzz. */
export const CEREMONY_MUTANTS: number = size(2_000, 20_000);
/** Seeds of a random walk. */
export const SEEDS: number = size(1, 14);
/** Random routers whose documents are compared with their routes. */
export const RANDOM_ROUTERS: number = size(100, 1_000);
/** Values of one TypeScript type that its schema and a validator are compared on. */
export const TYPE_VALUES: number = size(60, 300);
/** Values of one TypeScript type that its validator, another one and its schema are compared on. */
export const VALIDATED_VALUES: number = size(200, 10_000);
/** Saves of one record in a row. */
export const SAVES: number = size(64, 1_000);
/** Random inputs of a parser or a rule. */
export const INPUTS: number = size(1_000, 24_000);
/** Random tables of routes that the engine matches like a reference. */
export const RANDOM_TABLES: number = size(300, 3_000);
/** Random schemas with random rules, and queries for each. */
export const RANDOM_SCHEMAS: number = size(20, 1_000);
/** Authorization requests that are pushed. */
export const PUSHED_REQUESTS: number = size(1_000, 100_000);
/** Clients that try to register themselves. */
export const REGISTRATIONS: number = size(1_000, 100_000);
/** Devices that ask for codes. */
export const DEVICE_REQUESTS: number = size(3_000, 100_000);
