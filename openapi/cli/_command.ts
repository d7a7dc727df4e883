/**
 * Commands of the command line, and their output.
 *
 * @module
 */

import { type Flags, type FlagValues, readFlags } from "./_args.ts";

/** Output of the command line. */
export interface CliOutput {
  /** Writes to stdout. */
  print(text: string): void;
  /** Writes errors and notes to stderr. */
  printError(text: string): void;
  /** The terminal behind stderr, for progress bars. @default none */
  readonly terminal?: CliTerminal | undefined;
}

/** A terminal. */
export interface CliTerminal {
  /** Current width in characters; 0 or `undefined` if unknown. */
  columns(): number | undefined;
  /** Writes text and control characters. */
  write(text: string): void;
}

/** Outcome of a command. Its output was printed, except for a usage error. */
export type CommandOutcome =
  | { readonly kind: "done" | "failed" }
  | { readonly kind: "wrong"; readonly why: string };

/** Definition of a command. */
export interface CommandRow<
  Required extends string,
  Optional extends string,
  Switch extends string,
> {
  /** The words that select it: `http openapi generate`. */
  readonly words: string;
  /** Help text. */
  readonly usage: string;
  /** Its options. */
  readonly flags: Flags<Required, Optional, Switch>;
  /** Runs the command. */
  readonly run: (
    values: FlagValues<Required, Optional, Switch>,
    output: CliOutput,
  ) => Promise<CommandOutcome>;
}

/** A command, without the types of its options. */
export interface Command {
  /** The words that select it. */
  readonly words: string;
  /** Help text. */
  readonly usage: string;
  /** Parses arguments with the command's options. */
  readonly read: (args: readonly string[]) => CommandCall;
}

/** Arguments as parsed by a command. */
export interface CommandCall {
  /** Positional arguments: the words of the command, and any unexpected ones. */
  readonly words: string;
  /** Whether help was requested. */
  readonly help: boolean;
  /** Runs the command if its options are valid. */
  readonly run: (output: CliOutput) => Promise<CommandOutcome>;
}

/** Erases the types of a command's options, so that commands fit in one table. */
export function command<
  Required extends string,
  Optional extends string,
  Switch extends string,
>({ words, usage, flags, run }: CommandRow<Required, Optional, Switch>): Command {
  return {
    words,
    usage,
    read(args) {
      const { words, help, given } = readFlags(args, flags);
      return {
        words,
        help,
        run: (output) => given.kind === "wrong" ? Promise.resolve(given) : run(given, output),
      };
    },
  };
}

/**
 * Text in one line that is safe to print on a terminal: control characters and those that change the writing direction
 * are escaped as `\u{1b}`.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
