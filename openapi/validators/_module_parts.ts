/**
 * What a generated module consists of, while it is written: functions, constants and helpers, and their names.
 *
 * @module
 */

import { HELPER_NAMES } from "./_helpers.ts";

/** Lines of code, indented by two spaces for each block. */
export type Lines = readonly string[];

/** Indents the lines of a block. */
export function indented(lines: Lines): Lines {
  return lines.map((line) => "  " + line);
}

/** A value in code. */
export function literal(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16)}`,
  );
}

/** A function that checks the values of a type. */
export interface CheckFunction {
  readonly name: string;
  /** Its body; `undefined` while it is written, which happens for recursive types. */
  lines: Lines | undefined;
  /** Functions that it calls. */
  readonly calls: Set<CheckFunction>;
  /** Whether it tries alternatives. */
  tries: boolean;
}

/** The parts of a module. */
export interface ModuleParts {
  /** The function of a schema, written by `write` unless it was before. @param key Equal for equal schemas. */
  functionOf(key: unknown, name: string, write: () => Lines): CheckFunction;
  /** Calls a function from the one that is written: the name, or `undefined` if it checks nothing. */
  call(called: CheckFunction): string | undefined;
  /** A constant. @param name Start of its name. */
  constant(name: string, code: string): string;
  /** Uses a helper. */
  use(helper: string): string;
  /** Notes that the function that is written tries alternatives. */
  noteTrial(): void;
  /** A name for a variable of the function that is written. */
  variable(wanted: string): string;
  /** Helpers that are used. */
  readonly helpers: ReadonlySet<string>;
  /** The constants and functions. */
  text(): string;
}

/** Names that variables must not hide: of JavaScript, of what checks use, and of helpers. */
const RESERVED = [
  ...("arguments as at await boolean break case catch class const continue debugger default delete do else enum eval " +
    "export extends false finally for function if implements import in instanceof interface issues let new null number " +
    "object package private protected public return static string super switch symbol this throw true try typeof " +
    "undefined value var void while with yield Array Number Object Set").split(" "),
  ...HELPER_NAMES,
];

/** Creates the parts of an empty module. */
export function createModuleParts(): ModuleParts {
  const functions = new Map<unknown, CheckFunction>();
  const written: CheckFunction[] = [];
  const constants = new Map<string, string>();
  const names = new Set<string>();
  const helpers = new Set<string>();
  let current: CheckFunction | undefined;
  let variables = new Set<string>();

  function freeName(wanted: string, taken: Set<string>): string {
    const base = wanted.replace(/[^\p{ID_Continue}$]/gu, "_");
    let name = base;
    for (let n = 2; taken.has(name); n++) name = `${base}${n}`;
    taken.add(name);
    return name;
  }

  return {
    helpers,
    functionOf(key, name, write) {
      const known = functions.get(key);
      if (known !== undefined) return known;
      const made: CheckFunction = {
        name: freeName(name, names),
        lines: undefined,
        calls: new Set(),
        tries: false,
      };
      functions.set(key, made);
      const outer = [current, variables] as const;
      [current, variables] = [made, new Set(RESERVED)];
      made.lines = write();
      [current, variables] = outer;
      if (made.lines.length > 0) written.push(made);
      return made;
    },
    call(called) {
      if (called.lines?.length === 0) return undefined;
      current?.calls.add(called);
      return called.name;
    },
    constant(name, code) {
      const known = constants.get(code) ?? freeName(name, names);
      constants.set(code, known);
      return known;
    },
    use(helper) {
      helpers.add(helper);
      return helper;
    },
    noteTrial() {
      if (current !== undefined) current.tries = true;
    },
    variable(wanted) {
      const name = /^[a-z_$][\w$]*$/i.test(wanted) ? wanted : "item";
      return freeName(
        /^check[A-Z_]/.test(name) || isConstantName(name) ? `${name}_` : name,
        variables,
      );
    },
    text() {
      const lines = [...constants].map(([code, name]) => `const ${name} = ${code};`);
      const texts = written.map((one) => functionText(one, isExponential(one)));
      if (written.some(isExponential)) helpers.add("once");
      return [...(lines.length === 0 ? [] : [lines.join("\n")]), ...texts].join("\n\n");
    },
  };
}

function isConstantName(name: string): boolean {
  return /^[A-Z\d_]+$/.test(name);
}

/** Whether a function may check the same value again and again: it calls itself, and tries alternatives on the way. */
function isExponential(one: CheckFunction): boolean {
  const reached = new Set(one.calls);
  for (const called of reached) called.calls.forEach((next) => reached.add(next)); // grows during iteration
  return reached.has(one) && [one, ...reached].some(({ tries }) => tries);
}

function functionText({ name, lines = [] }: CheckFunction, once: boolean): string {
  const body = indented(lines).join("\n");
  return once
    ? `const ${name}: Check = once((value, at, issues) => {\n${body}\n});`
    : `function ${name}(value: unknown, at: Place, issues: Issue[]): void {\n${body}\n}`;
}
