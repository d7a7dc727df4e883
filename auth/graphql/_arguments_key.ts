/**
 * A string for the arguments of a field: equal for equal arguments, and for no others.
 *
 * @module
 */

/** Deepest nesting; deeper arguments have no key. */
const MAX_DEPTH = 32;

/**
 * The key of arguments, whatever the order of their members.
 *
 * @returns `undefined` if they contain what cannot be compared by its members: an object of a class, such as a scalar's.
 */
export function argumentsKey(args: Readonly<Record<string, unknown>>): string | undefined {
  for (const _ in args) return keyOf(args, 0);
  return "";
}

function keyOf(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
    case "object":
      if (value === null) return "null";
      return depth < MAX_DEPTH ? membersKey(value, depth + 1) : undefined;
    default:
      return undefined;
  }
}

function membersKey(value: object, depth: number): string | undefined {
  if (Array.isArray(value)) {
    const keys = value.map((each) => keyOf(each, depth));
    return keys.includes(undefined) ? undefined : `[${keys.join()}]`;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return undefined;
  const keys = Object.entries(value).sort(([one], [other]) => one < other ? -1 : 1)
    .map(([name, each]) => {
      const key = keyOf(each, depth);
      return key === undefined ? undefined : `${JSON.stringify(name)}:${key}`;
    });
  return keys.includes(undefined) ? undefined : `{${keys.join()}}`;
}
