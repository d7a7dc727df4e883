/**
 * Runs cases on whatever runtime this is bundled for. No test runner exists on all of them, so this
 * is one.
 *
 * @module
 */

/** One thing that has to hold on every runtime. */
export interface RuntimeCase {
  readonly name: string;
  /** Throws if it does not hold. */
  run(): Promise<void> | void;
}

/** What became of a case: `error` says why it failed. */
export interface RuntimeResult {
  readonly name: string;
  readonly error?: string;
}

/** Runs one case after the other. */
export async function runCases(cases: readonly RuntimeCase[]): Promise<RuntimeResult[]> {
  const results: RuntimeResult[] = [];
  for (const { name, run } of cases) {
    try {
      await run();
      results.push({ name });
    } catch (error) {
      results.push({ name, error: String(error) });
    }
  }
  return results;
}

/** Throws unless the condition holds. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Throws unless both have the same JSON. */
export function assertSame(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  assert(left === right, `${left} is not ${right}`);
}
