/**
 * Declarations that generated modules consist of besides the checks of their types. A module has those that it uses.
 *
 * @module
 */

/** Start of a validation, where results of the one before are dropped. */
const VALIDATE = "validate(value) {";

/** A declaration of a generated module. */
interface Helper {
  readonly code: string;
  /** Declarations that it uses. */
  readonly needs?: readonly string[];
}

/** The declarations, in the order in which a module has them. */
const HELPERS: Readonly<Record<string, Helper>> = {
  Validator: {
    code: `/** A validator of Standard Schema v1. */
interface Validator {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result;
  };
}

type Result =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

/** Where a value is: under a key of what contains it. */
type Place = { readonly of: Place; readonly key: PropertyKey } | undefined;

type Check = (value: unknown, at: Place, issues: Issue[]) => void;`,
  },
  LIMIT: { code: `/** Maximum issues of a value. */\nconst LIMIT = 50;` },
  fail: {
    needs: ["LIMIT"],
    code:
      `function fail(issues: Issue[], at: Place, message: string, ...keys: PropertyKey[]): void {
  if (issues.length >= LIMIT) return;
  const path = keys.reverse();
  for (let one = at; one !== undefined; one = one.of) path.push(one.key);
  issues.push({ message, path: path.reverse() });
}`,
  },
  isObject: {
    code: `function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}`,
  },
  own: {
    code: `/** A property that every object inherits, if it is the object's own. */
function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}`,
  },
  either: {
    needs: ["LIMIT"],
    code:
      `/** Reports the issues of the alternative that fits best: its own properties are there, and their values fit. */
function either(value: unknown, at: Place, issues: Issue[], ...checks: Check[]): void {
  let depth = 1;
  for (let one = at; one !== undefined; one = one.of) depth++;
  let [best, least]: [Issue[], number] = [[], Infinity];
  for (const check of checks) {
    const found: Issue[] = [];
    check(value, at, found);
    if (found.length === 0) return;
    const own = found.filter(({ path }) => path.length <= depth);
    const misfit = own.length + own.filter(({ message }) => message === "is required").length;
    if (misfit < least) [best, least] = [found, misfit];
  }
  issues.push(...best.slice(0, LIMIT - issues.length));
}`,
  },
  once: {
    needs: ["LIMIT"],
    code: `let results = new WeakMap<object, Map<Check, Issue[]>>();

/** Checks each value once: alternatives of a recursive type would check what they contain once for each of them. */
function once(check: Check): Check {
  return (value, at, issues) => {
    if (typeof value !== "object" || value === null) return check(value, at, issues);
    let known = results.get(value);
    if (known === undefined) results.set(value, known = new Map());
    let found = known.get(check);
    if (found === undefined) {
      check(value, at, found = []);
      known.set(check, found);
    }
    if (found.length > 0) issues.push(...found.slice(0, LIMIT - issues.length));
  };
}`,
  },
  characters: {
    code: `function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}`,
  },
  isMultipleOf: {
    code: `/** Whether a quotient is an integer, but for what division rounds. */
function isMultipleOf(value: number, divisor: number): boolean {
  const quotient = value / divisor;
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON;
}`,
  },
  canonical: {
    code: `/** A text that is equal for equal JSON values. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return \`[\${value.map(canonical)}]\`;
  const members = Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1);
  return \`{\${members.map(([name, one]) => JSON.stringify(name) + canonical(one))}}\`;
}`,
  },
  isTemplate: {
    needs: ["nextStates"],
    code: `/**
 * Whether a text is of a template type: 0 is a string, 1 a number, 2 a bigint. It takes time in proportion to the text, where
 * a regular expression may try all divisions of it.
 */
function isTemplate(text: string, ...parts: readonly (string | 0 | 1 | 2)[]): boolean {
  let starts = new Uint8Array(text.length + 1);
  starts[0] = 1;
  for (const part of parts) {
    const ends = new Uint8Array(text.length + 1);
    let states = 0;
    for (let i = 0; i <= text.length; i++) {
      const isStart = starts[i] === 1;
      if (typeof part === "string") {
        if (isStart && text.startsWith(part, i)) ends[i + part.length] = 1;
      } else {
        if (part === 0 && isStart) states = 1;
        if (part === 0 ? states !== 0 : (states & (part === 1 ? 148 : 4)) !== 0) ends[i] = 1;
        if (part !== 0) states = nextStates(isStart ? states | 1 : states, text.charAt(i));
      }
    }
    starts = ends;
  }
  return starts[text.length] === 1;
}`,
  },
  nextStates: {
    code:
      `/** States in a number: 1 start, 2 minus, 4 integer, 8 point, 16 fraction, 32 e, 64 sign, 128 exponent. */
function nextStates(states: number, character: string): number {
  if (character >= "0" && character <= "9") {
    return (states & 7 ? 4 : 0) | (states & 24 ? 16 : 0) | (states & 224 ? 128 : 0);
  }
  if (character === "-") return (states & 1 ? 2 : 0) | (states & 32 ? 64 : 0);
  if (character === "+") return states & 32 ? 64 : 0;
  if (character === ".") return states & 4 ? 8 : 0;
  return (character === "e" || character === "E") && states & 20 ? 32 : 0;
}`,
  },
  toNumber: {
    code: String.raw`/** The number that a text is in JSON; other values as they are. */
function toNumber(value: unknown): unknown {
  if (typeof value !== "string" || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value)) return value;
  return Number(value);
}`,
  },
  toBoolean: {
    code: `function toBoolean(value: unknown): unknown {
  return value === "true" ? true : value === "false" ? false : value;
}`,
  },
  same: { code: `function same(value: unknown): unknown {\n  return value;\n}` },
  firstOf: {
    code:
      `/** The first of a text's readings that a check accepts; the text itself if there is none. */
function firstOf(check: Check, ...readers: readonly Reader[]): Reader {
  return (value) => {
    const readings = [value, ...readers.map((read) => read(value))];
    const accepted = readings.findIndex((one) => {
      const issues: Issue[] = [];
      check(one, undefined, issues);
      return issues.length === 0;
    });
    return accepted === -1 ? value : readings[accepted];
  };
}`,
    needs: ["Reader"],
  },
  listOf: {
    code: `/** Reads a list, whose name may occur once. */
function listOf(item: Reader): Reader {
  return (value) => Array.isArray(value) ? value.map(item) : [item(value)];
}`,
    needs: ["Reader"],
  },
  listOr: {
    code: `/** Reads a list if a name is repeated, and a single value otherwise. */
function listOr(item: Reader, single: Reader): Reader {
  return (value) => Array.isArray(value) ? value.map((one) => item(one)) : single(value);
}`,
    needs: ["Reader"],
  },
  Reader: { code: `type Reader = (value: unknown) => unknown;` },
  validator: {
    code: `function validator(check: Check): Validator {
  return {
    "~standard": {
      version: 1,
      vendor: "gatehouse",
      ${VALIDATE}
        const issues: Issue[] = [];
        check(value, undefined, issues);
        return issues.length === 0 ? { value } : { issues };
      },
    },
  };
}`,
  },
  read: {
    needs: ["Reader", "isObject"],
    code:
      `/** Reads the values of a query or a path, which are texts. @param others Reads those without a reader of their own. */
function read(
  readers: Readonly<Record<string, Reader>>,
  others: Reader | undefined,
  { "~standard": { version, vendor, validate } }: Validator,
): Validator {
  return {
    "~standard": {
      version,
      vendor,
      validate(value) {
        if (!isObject(value)) return validate(value);
        const result: Record<string, unknown> = Object.assign(Object.create(null), value);
        for (const name of Object.keys(result)) {
          const reader = Object.hasOwn(readers, name) ? readers[name] : others;
          if (reader !== undefined) result[name] = reader(result[name]);
        }
        return validate(result);
      },
    },
  };
}`,
  },
};

/** Names of the declarations. */
export const HELPER_NAMES: readonly string[] = Object.keys(HELPERS);

/** The declarations that a module needs, in their order. */
export function helpersCode(used: ReadonlySet<string>): string {
  const needed = new Set(["Validator", "validator", ...used]);
  for (const name of needed) HELPERS[name]?.needs?.forEach((one) => needed.add(one)); // grows during iteration
  const code = Object.entries(HELPERS).flatMap(([name, one]) => needed.has(name) ? [one.code] : [])
    .join("\n\n");
  return needed.has("once")
    ? code.replace(VALIDATE, `${VALIDATE}\n        results = new WeakMap();`)
    : code;
}
