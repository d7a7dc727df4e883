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
  /** What the one word after its words is, which it then requires: `folder`. @default none */
  readonly operand?: string;
  /** Its options. */
  readonly flags: Flags<Required, Optional, Switch>;
  /**
   * Runs the command.
   *
   * @param operand The word after its words; empty for a command without one.
   */
  readonly run: (
    values: FlagValues<Required, Optional, Switch>,
    output: CliOutput,
    operand: string,
  ) => Promise<CommandOutcome>;
}

/** A command, without the types of its options. */
export interface Command {
  /** Help text. */
  readonly usage: string;
  /** Parses arguments with the command's options. */
  readonly read: (args: readonly string[]) => CommandCall;
}

/** Arguments as parsed by a command. */
export interface CommandCall {
  /** Whether the arguments start with the words of the command. */
  readonly selected: boolean;
  /** Whether help was requested. */
  readonly help: boolean;
  /** Runs the command if its words and options are valid. */
  readonly run: (output: CliOutput) => Promise<CommandOutcome>;
}

/** Erases the types of a command's options, so that commands fit in one table. */
export function command<
  Required extends string,
  Optional extends string,
  Switch extends string,
>({ words, usage, operand, flags, run }: CommandRow<Required, Optional, Switch>): Command {
  const own = words.split(" ");
  return {
    usage,
    read(args) {
      const { words: all, help, given } = readFlags(args, flags);
      const rest = all.slice(own.length);
      const why = operand === undefined ? unknownWords(all, rest) : wrongOperand(operand, rest);
      return {
        selected: own.every((word, i) => all[i] === word),
        help,
        async run(output) {
          if (why !== undefined) return { kind: "wrong", why };
          return given.kind === "wrong" ? given : await run(given, output, rest[0] ?? "");
        },
      };
    },
  };
}

function unknownWords(all: readonly string[], rest: readonly string[]): string | undefined {
  return rest.length === 0 ? undefined : `Unknown command: ${all.join(" ")}`;
}

function wrongOperand(operand: string, [first, ...others]: readonly string[]): string | undefined {
  if (first === undefined) return `Missing ${operand}`;
  return others.length === 0 ? undefined : `Takes one ${operand}: ${[first, ...others].join(" ")}`;
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
