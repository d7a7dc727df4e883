/**
 * What a command of the command line is, and what it has to do with: arguments and output.
 *
 * @module
 */

import { type Flags, type FlagValues, readFlags } from "./_args.ts";

/** Where the command line writes. */
export interface CliOutput {
  /** Takes what was asked for. */
  print(text: string): void;
  /** Takes what went wrong, and notes. */
  printError(text: string): void;
  /** The terminal that shows errors, for what is drawn while one waits. @default none */
  readonly terminal?: CliTerminal | undefined;
}

/** A terminal. */
export interface CliTerminal {
  /** How many characters a line has now; 0 or `undefined` where nobody knows. */
  columns(): number | undefined;
  /** Takes text and control characters. */
  write(text: string): void;
}

/** What became of a command. What there is to say has been printed, but for a wrong one. */
export type CommandOutcome =
  | { readonly kind: "done" | "failed" }
  | { readonly kind: "wrong"; readonly why: string };

/** All that is said of a command. */
export interface CommandRow<
  Required extends string,
  Optional extends string,
  Switch extends string,
> {
  /** The words that it is called by: `http openapi generate`. */
  readonly words: string;
  /** How it is used, in some lines. */
  readonly usage: string;
  /** Its options. */
  readonly flags: Flags<Required, Optional, Switch>;
  /** Does it. */
  readonly run: (
    values: FlagValues<Required, Optional, Switch>,
    output: CliOutput,
  ) => Promise<CommandOutcome>;
}

/** A command in a table with others. */
export interface Command {
  /** The words that it is called by. */
  readonly words: string;
  /** How it is used, in some lines. */
  readonly usage: string;
  /** Reads the arguments as its own. */
  readonly read: (args: readonly string[]) => CommandCall;
}

/** Arguments as a command reads them. */
export interface CommandCall {
  /** What is no option: the words of the command, and any that it does not have. */
  readonly words: string;
  /** Whether somebody asks how it is used. */
  readonly help: boolean;
  /** Does it, if its options are as they should be. */
  readonly run: (output: CliOutput) => Promise<CommandOutcome>;
}

/** Makes a row of a table, which does not know what options each of its rows has. */
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
 * A text in one line, as it may be shown on a terminal: what would steer one, or turn the direction of writing, is
 * written as `\u{1b}`.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
