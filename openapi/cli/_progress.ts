/**
 * A progress bar in the last line of a terminal.
 *
 * @module
 */

import type { PackageProgress } from "../../static/native_package.ts";
import { type CliTerminal, printable } from "./_command.ts";

/** Options of {@linkcode createProgressBar}. */
export interface ProgressBarOptions {
  /** Monotonic time in milliseconds. @default {performance.now} */
  nowMs?: () => number;
}

/** A progress bar. */
export interface ProgressBar {
  /** Redraws the bar, at most ten times per second; clears it at the end. */
  draw(progress: PackageProgress): void;
  /** Removes the bar from the line. */
  clear(): void;
}

const PAUSE_MS = 100;
const CELLS = 20;
/** Width for terminals that do not report one. */
const USUAL_COLUMNS = 80;
/** Carriage return, then erase to the end of the line: ECMA-48 §8.3.41, EL. */
const ERASE = "\r\x1b[K";

/** Creates a progress bar: `12/340 [#-------------------] css/app.css`. Nothing is written before the first `draw`. */
export function createProgressBar(
  terminal: CliTerminal,
  { nowMs = () => performance.now() }: ProgressBarOptions = {},
): ProgressBar {
  let drawnAt: number | undefined;

  function clear(): void {
    if (drawnAt === undefined) return;
    drawnAt = undefined;
    terminal.write(ERASE);
  }

  return {
    clear,
    draw(progress) {
      if (progress.key === undefined) return clear();
      const time = nowMs();
      if (drawnAt !== undefined && time - drawnAt < PAUSE_MS) return;
      drawnAt = time;
      // The last column stays free, because a terminal may wrap after it
      terminal.write(ERASE + clip(lineOf(progress), (terminal.columns() || USUAL_COLUMNS) - 1));
    },
  };
}

function lineOf({ done, total, key = "" }: PackageProgress): string {
  const filled = Math.floor(CELLS * done / total);
  const bar = "#".repeat(filled) + "-".repeat(CELLS - filled);
  return `${done}/${total} [${bar}] ${printable(key)}`;
}

/** Truncates text to a width. A non-ASCII character may take two columns, and none takes more. */
function clip(text: string, columns: number): string {
  let width = 0;
  let clipped = "";
  for (const char of text) {
    width += char.charCodeAt(0) < 0x80 ? 1 : 2;
    if (width > columns) break;
    clipped += char;
  }
  return clipped;
}
