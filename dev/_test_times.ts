/**
 * Which files of tests take how long, from the report that `deno test --junit-path` writes.
 *
 * @module
 */

/** A file of tests, and the sum of its tests' times. */
export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

/** The tests of one file. Their `classname` is the file that defines them, which several may share. */
const SUITE_REGEXP = /<testsuite name="([^"]*)"[^>]*>(.*?)<\/testsuite>/gs;

/** The files whose tests took more than so many seconds in all, slowest first. */
export function slowFiles(junit: string, seconds: number): FileTime[] {
  const times = new Map<string, number>();
  for (const [, file = "", tests = ""] of junit.matchAll(SUITE_REGEXP)) {
    const sum = [...tests.matchAll(/<testcase [^>]* time="([\d.]+)"/g)]
      .reduce((total, [, time]) => total + Number(time), 0);
    times.set(file, (times.get(file) ?? 0) + sum);
  }
  return [...times]
    .map(([file, sum]) => ({ file: file.replace(/^\.\//, ""), seconds: sum }))
    .filter((entry) => entry.seconds > seconds)
    .sort((a, b) => b.seconds - a.seconds);
}
