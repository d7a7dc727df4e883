/**
 * A progress bar in the last line of a terminal.
 *
 * @module
 */

import type { PackageProgress } from "../../static/native_package.ts";
import { type CliTerminal, printable } from "./_command.ts";

/** Options of {@linkcode createProgressBar}. */
export interface ProgressBarOptions {
  /** The time in milliseconds, from any beginning. @default {performance.now} */
  nowMs?: () => number;
}

/** A progress bar. */
export interface ProgressBar {
  /** Draws it in place of the one before, ten times in a second at most; at the end, clears it. */
  draw(progress: PackageProgress): void;
  /** Takes it away, so that the line is as it was. */
  clear(): void;
}

const PAUSE_MS = 100;
const CELLS = 20;
/** Where a terminal does not say its width. */
const USUAL_COLUMNS = 80;
/** To the beginning of the line, and delete from there: ECMA-48 §8.3.41, EL. */
const ERASE = "\r\x1b[K";

/** Makes a progress bar: `12/340 [#-------------------] css/app.css`. Nothing is written before it is drawn. */
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
      // The last column stays free: a terminal may begin a new line behind it
      terminal.write(ERASE + clip(lineOf(progress), (terminal.columns() || USUAL_COLUMNS) - 1));
    },
  };
}

function lineOf({ done, total, key = "" }: PackageProgress): string {
  const filled = Math.floor(CELLS * done / total);
  const bar = "#".repeat(filled) + "-".repeat(CELLS - filled);
  return `${done}/${total} [${bar}] ${printable(key)}`;
}

/** As much of a text as fits. What is not ASCII may take two columns, and none takes more. */
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
