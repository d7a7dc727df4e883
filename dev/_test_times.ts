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

/** The files whose tests took more than so many seconds in all, slowest first. */
export function slowFiles(junit: string, seconds: number): FileTime[] {
  const times = new Map<string, number>();
  for (
    const [, file = "", time] of junit.matchAll(
      /<testcase [^>]*classname="([^"]*)" time="([\d.]+)"/g,
    )
  ) {
    times.set(file, (times.get(file) ?? 0) + Number(time));
  }
  return [...times]
    .map(([file, sum]) => ({ file: file.replace(/^\.\//, ""), seconds: sum }))
    .filter((entry) => entry.seconds > seconds)
    .sort((a, b) => b.seconds - a.seconds);
}
