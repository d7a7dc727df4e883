/**
 * Files that the command writes: compared with what is there, and written only if they differ.
 *
 * @module
 */

import { resolve } from "@std/path";
import { readIfThere, writeWhole } from "../../static/native_write.ts";
import { attempt } from "./_generate_error.ts";

/** Where a file is. */
export interface FilePlace {
  /** Its path, as the user wrote it. */
  readonly path: string;
  /** Its absolute path. */
  readonly target: string;
}

/** A file as it should be. */
export interface OutputFile extends FilePlace {
  readonly text: string;
  /** What it has, for the user. */
  readonly contents: string;
  /** Whether a text differs only in what does not matter. @default the same lines */
  readonly isSame?: (before: string) => boolean;
}

/** What became of a file. */
export interface FileOutcome {
  readonly status: "written" | "unchanged" | "outdated";
  /** Its path, and what it has. */
  readonly summary: string;
}

/** Writes a file unless it is unchanged. @param check Compare only. */
export async function writeOutput(
  { path, target, text, contents, isSame = (before) => sameLines(before, text) }: OutputFile,
  check: boolean,
): Promise<FileOutcome> {
  const summary = `${path} (${contents})`;
  const before = await attempt(`read ${path}`, () => readIfThere(target));
  if (before !== undefined && (before === text || isSame(before))) {
    return { status: "unchanged", summary };
  }
  if (check) return { status: "outdated", summary };
  await attempt(`write ${path}`, () => writeWhole(target, [text]));
  return { status: "written", summary };
}

/** The place of a path under the working directory of now. */
export function placeOf(path: string): FilePlace {
  return { path, target: resolve(path) };
}

function sameLines(before: string, after: string): boolean {
  return before.replaceAll("\r\n", "\n") === after;
}
