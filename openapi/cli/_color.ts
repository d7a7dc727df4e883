/**
 * Colors of what commands print on a terminal.
 *
 * @module
 */

import process from "node:process";
import type { CliOutput } from "./_command.ts";

/** Which outputs are terminals. */
export interface Terminals {
  readonly stdout: boolean | undefined;
  readonly stderr: boolean | undefined;
}

const GREEN = 32;
const YELLOW = 33;
const RED = 31;
/** What commands print first when all went well. */
const DONE_REGEXP = /^(?:Wrote|Up to date:)/;
const NOTE_REGEXP = /^Note:/;
/** The first line of an error. */
const LINE_REGEXP = /^[^\n]+/;

/** Output in color: results green, notes yellow, the first line of an error red. What is no terminal stays plain. */
export function inColor(output: CliOutput, { stdout, stderr }: Terminals): CliOutput {
  const { print, printError } = output;
  return {
    ...output,
    ...stdout && { print: (text: string) => print(paint(text, DONE_REGEXP, GREEN)) },
    ...stderr && {
      printError: (text: string) =>
        printError(
          NOTE_REGEXP.test(text) ? paint(text, NOTE_REGEXP, YELLOW) : paint(text, LINE_REGEXP, RED),
        ),
    },
  };
}

/** Whether the user wants no colors: `NO_COLOR` (no-color.org), or a terminal without them. */
export function colorsDisabled(): boolean {
  const { Deno } = globalThis as { readonly Deno?: { readonly noColor: boolean } };
  if (Deno !== undefined) return Deno.noColor; // needs no permission
  return (process.env.NO_COLOR ?? "") !== "" || process.env.TERM === "dumb";
}

/** SGR of ECMA-48 §8.3.117 around the text that matches; 39 is the color that it had before. */
function paint(text: string, regexp: RegExp, color: number): string {
  return text.replace(regexp, (found) => `\x1b[${color}m${found}\x1b[39m`);
}
