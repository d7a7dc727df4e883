/**
 * A worker that makes files and a folder into links that lead out, and back, as fast as it can.
 *
 * Takes `{ kind, folder, ms }` and answers with the number of exchanges.
 *
 * @module
 */

import { join } from "@std/path";

/** What the worker is told. */
export interface SwapOrder {
  /** What changes: the files in `root/raced`, or the folder `root/turned`. */
  readonly kind: "files" | "folder";
  /** The fixture's folder. */
  readonly folder: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** The part of a worker's scope that is used here. */
interface Scope {
  onmessage: (event: { data: SwapOrder }) => void;
  postMessage(count: number): void;
  close(): void;
}

/** Milliseconds that a folder stays what it is, at most. */
const LONGEST_MS = 0.05;

const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data: { kind, folder, ms } }) => {
  const end = performance.now() + ms;
  const swap = kind === "files" ? swapFiles : swapFolder;
  let count = 0;
  while (performance.now() < end) {
    swap(folder);
    count += 1;
  }
  scope.postMessage(count);
  scope.close();
};

/** Each name is a file, then a link; never nothing. */
function swapFiles(folder: string): void {
  for (const name of ["small.txt", "large.bin"]) {
    const path = join(folder, "root/raced", name);
    const aside = join(folder, `aside-${name}`);
    Deno.linkSync(path, aside);
    const link = join(folder, `link-${name}`);
    Deno.symlinkSync(join(folder, "outside", name), link);
    Deno.renameSync(link, path);
    Deno.renameSync(aside, path);
  }
}

/** The name is a folder, nothing, a link, nothing, and a folder again. */
function swapFolder(folder: string): void {
  const path = join(folder, "root/turned");
  const aside = join(folder, "aside");
  const link = join(folder, "link");
  Deno.symlinkSync(join(folder, "outside"), link);
  Deno.renameSync(path, aside);
  Deno.renameSync(link, path);
  spin(Math.random() * LONGEST_MS);
  Deno.removeSync(path);
  Deno.renameSync(aside, path);
  spin(Math.random() * LONGEST_MS);
}

/** Passes time: what is attacked lies between calls that take some microseconds. */
function spin(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
