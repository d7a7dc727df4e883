/**
 * Parses command-line arguments strictly: unknown, duplicate and empty options are rejected.
 *
 * @module
 */

import { parseArgs } from "@std/cli";

/** Options of a command, by their names without dashes. */
export interface Flags<Required extends string, Optional extends string, Switch extends string> {
  /** Required options with a value. */
  readonly required: readonly Required[];
  /** Optional options with a value. */
  readonly optional: readonly Optional[];
  /** Options without a value. */
  readonly switches: readonly Switch[];
}

/** Parsed options. */
export interface FlagValues<
  Required extends string,
  Optional extends string,
  Switch extends string,
> {
  readonly kind: "values";
  /** Values, none of them empty. */
  readonly strings: Readonly<Record<Required, string> & Record<Optional, string | undefined>>;
  /** Whether each switch is set. */
  readonly switches: Readonly<Record<Switch, boolean>>;
}

/** Parsed arguments. */
export interface ReadArgs<
  Required extends string,
  Optional extends string,
  Switch extends string,
> {
  /** Positional arguments, none of them empty. */
  readonly words: readonly string[];
  /** Whether `--help` or `-h` is among them. */
  readonly help: boolean;
  /** The options, or the first error. */
  readonly given:
    | FlagValues<Required, Optional, Switch>
    | { readonly kind: "wrong"; readonly why: string };
}

/** Parses arguments with the options of a command. */
export function readFlags<
  Required extends string,
  Optional extends string,
  Switch extends string,
>(
  args: readonly string[],
  { required, optional, switches }: Flags<Required, Optional, Switch>,
): ReadArgs<Required, Optional, Switch> {
  const names: readonly string[] = [...required, ...optional];
  const unknown: string[] = [];
  const parsed: Readonly<Record<string, unknown>> = parseArgs(args, {
    string: [...names, "_"], // so that the folder 007 is not 7
    collect: names,
    boolean: [...switches, "help"],
    alias: { h: "help" },
    unknown: (flag) => {
      if (flag.startsWith("-")) unknown.push(flag.replace(/=.*$/s, ""));
      return !flag.startsWith("-");
    },
  });
  const values = new Map(names.map((name) => [name, parsed[name] as readonly string[]]));
  const words = parsed._ as readonly string[];
  const why = findError({ args, required, switches, unknown, values });
  return {
    words: words.filter((word) => word !== ""),
    help: parsed.help === true,
    given: why !== undefined ? { kind: "wrong", why } : {
      kind: "values",
      strings: byName(names, (name) => values.get(name)?.[0]) as Strings<Required, Optional>,
      switches: byName(switches, (name) => parsed[name] === true),
    },
  };
}

type Strings<Required extends string, Optional extends string> = FlagValues<
  Required,
  Optional,
  never
>["strings"];

interface Given {
  readonly args: readonly string[];
  readonly required: readonly string[];
  readonly switches: readonly string[];
  readonly unknown: readonly string[];
  /** Values of each option, one for each occurrence. */
  readonly values: ReadonlyMap<string, readonly string[]>;
}

function findError({ args, required, switches, unknown, values }: Given): string | undefined {
  const valued = switches.find((name) => hasValue(args, name));
  if (valued !== undefined) return `Takes no value: --${valued}`;
  if (unknown[0] !== undefined) return `Unknown option: ${unknown[0]}`;
  const given = [...values];
  const empty = given.find(([, all]) => all.includes(""));
  if (empty !== undefined) return `Missing value: --${empty[0]}`;
  const repeated = given.find(([, all]) => all.length > 1);
  if (repeated !== undefined) return `Duplicate option: --${repeated[0]}`;
  const missing = required.find((name) => values.get(name)?.length === 0);
  return missing === undefined ? undefined : `Missing option: --${missing}`;
}

/** Whether a switch has a value, which would be parsed as a positional argument, or ignored. */
function hasValue(args: readonly string[], name: string): boolean {
  return args.some((arg, i) =>
    arg.startsWith(`--${name}=`) ||
    (arg === `--${name}` && /^(?:true|false)$/.test(args[i + 1] ?? ""))
  );
}

function byName<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
