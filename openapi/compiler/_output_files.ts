/**
 * Files that the command writes: compared with what is there, and written only if they differ.
 *
 * @module
 */

import { resolve } from "@std/path";
import { readIfThere, writeWhole } from "../../static/native_write.ts";
import { attempt } from "./_generate_error.ts";

/** A file that is made of a document. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

/** Files that are made of a document. */
export interface GeneratedFiles {
  readonly files: readonly GeneratedFile[];
  /** What is in them, for the user: `2 paths`. */
  readonly summary: string;
}

/** What became of files. */
export interface FilesOutcome {
  readonly status: "written" | "unchanged" | "outdated";
  /** Their paths, and what is in them. */
  readonly summary: string;
}

/**
 * Writes files, unless they are unchanged.
 *
 * @param folder What their paths are relative to.
 * @param check Compare only.
 */
export async function writeFiles(
  { files, summary: content }: GeneratedFiles,
  folder: string,
  check: boolean,
): Promise<FilesOutcome> {
  const summary = `${files.map(({ path }) => path).join(" and ")} (${content})`;
  const changed: GeneratedFile[] = [];
  for (const { path, text } of files) {
    const before = await attempt(`read ${path}`, () => readIfThere(resolve(folder, path)));
    if (!isUnchanged(before, text)) changed.push({ path, text });
  }
  if (changed.length === 0) return { status: "unchanged", summary };
  if (check) return { status: "outdated", summary };
  for (const { path, text } of changed) {
    await attempt(`write ${path}`, () => writeWhole(resolve(folder, path), [text]));
  }
  return { status: "written", summary };
}

/** Whether a file has the same content, regardless of line ends and of the formatting of JSON. */
function isUnchanged(before: string | undefined, after: string): boolean {
  if (before === undefined || before.replaceAll("\r\n", "\n") === after) {
    return before !== undefined;
  }
  try {
    return JSON.stringify(JSON.parse(before)) === JSON.stringify(JSON.parse(after));
  } catch {
    return false; // the existing file is not JSON
  }
}
