/**
 * Reads the shared conformance vectors, which are beside the project and not in it.
 *
 * @module
 */

const ROOT = new URL("../../../shared/vectors/", import.meta.url);

/** Cases of one file, or `undefined` where the folder is absent or may not be read. */
export function readVectors<T>(
  file: string,
  casesOf: (document: never) => readonly T[] = listedCases,
): readonly T[] | undefined {
  try {
    return casesOf(JSON.parse(Deno.readTextFileSync(new URL(file, ROOT))) as never);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable) {
      return undefined;
    }
    throw error;
  }
}

function listedCases<T>(document: { readonly cases: readonly T[] }): readonly T[] {
  return document.cases;
}

/** A Wycheproof file, whose tests are in groups. */
export interface Wycheproof<T> {
  /** Tests with common parameters. */
  readonly testGroups: readonly { readonly tests: readonly (T & { readonly tcId: number })[] }[];
}

/** The tests of all groups, with their number as id. */
export function wycheproofCases<T>(document: Wycheproof<T>): readonly (T & { id: string })[] {
  return document.testGroups.flatMap(({ tests }) =>
    tests.map((test) => ({ ...test, id: `tc${test.tcId}` }))
  );
}

/** How the cases of a file are run. */
export interface VectorRun<T> {
  /** Path in the vectors' folder. */
  readonly file: string;
  /** Finds the cases in the file. @default its `cases` */
  readonly casesOf?: (document: never) => readonly T[];
  /** Why a case does not apply, by a property of the case and never by its id. @default every case applies */
  skip?(test: T): string | undefined;
  /** Runs one case. */
  run(test: T): Promise<void> | void;
}

/**
 * Registers one test for a file: it runs every case that applies, prints in one line how many ran and why others did not,
 * and fails if none ran. The number and the ids of the cases may change.
 */
export function testVectors<T extends { readonly id: string }>(vectors: VectorRun<T>): void {
  const cases = readVectors<T>(vectors.file, vectors.casesOf);
  const name = `vectors ${vectors.file}`;
  if (cases === undefined) {
    Deno.test({ name: `${name} (skipped: no shared vectors here)`, ignore: true, fn() {} });
    return;
  }
  Deno.test(name, async () => {
    const reasons = new Map<string, string[]>();
    let ran = 0;
    for (const test of cases) {
      const reason = vectors.skip?.(test);
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
    if (ran === 0) throw new Error("no case ran");
  });
}
