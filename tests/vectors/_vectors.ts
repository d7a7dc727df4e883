/**
 * Reading the shared conformance vectors, which stand beside the project and not in it.
 *
 * @module
 */

const ROOT = new URL("../../../shared/vectors/", import.meta.url);

/** Cases of one file, or `undefined` where the folder is absent or may not be read. */
export function readVectors<T>(file: string): readonly T[] | undefined {
  try {
    return (JSON.parse(Deno.readTextFileSync(new URL(file, ROOT))) as { cases: readonly T[] })
      .cases;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw error;
  }
}

/** How a file's cases are run: what is left out and why, and what one case must show. */
export interface VectorRun<T> {
  /** Path in the vectors' folder. */
  readonly file: string;
  /** Why a case is not for us, if it is not. */
  skip(test: T): string | undefined;
  /** Runs one case. */
  run(test: T): Promise<void> | void;
  /** Cases that must run, so that a change cannot silently skip them. */
  readonly expected: number;
}

/**
 * Registers one test for a file: it runs every case that is for us, prints in one line how many ran and why others did
 * not, and fails if their number has changed.
 */
export function testVectors<T extends { readonly id: string }>(vectors: VectorRun<T>): void {
  const cases = readVectors<T>(vectors.file);
  const name = `vectors ${vectors.file}`;
  if (cases === undefined) {
    Deno.test({ name: `${name} (skipped: no shared vectors here)`, ignore: true, fn() {} });
    return;
  }
  Deno.test(name, async () => {
    const reasons = new Map<string, string[]>();
    let ran = 0;
    for (const test of cases) {
      const reason = vectors.skip(test);
      if (reason === undefined) {
        ran++;
        await vectors.run(test);
      } else reasons.set(reason, [...reasons.get(reason) ?? [], test.id]);
    }
    const skipped = [...reasons].map(([reason, ids]) =>
      `${ids.length} ${reason} (${ids.join(" ")})`
    );
    // deno-lint-ignore no-console -- how many cases ran is part of the result
    console.log(
      `${vectors.file}: ${ran} of ${cases.length} ran; not ours: ${skipped.join("; ") || "none"}`,
    );
    if (ran !== vectors.expected) throw new Error(`${ran} cases ran, ${vectors.expected} expected`);
  });
}
