/**
 * Defaults that are made anew each time: no document can state them, and one that did would never be the same.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, isSame, MAP_KEYWORDS } from "./_json_schema.ts";

/**
 * A schema without the defaults that come out different another time, such as an id or the time.
 *
 * @param convert Makes the schema. It is asked twice if there are defaults.
 */
export function withoutMadeUpDefaults(convert: () => SchemaObject): SchemaObject {
  const one = convert();
  return JSON.stringify(one).includes('"default":')
    ? withoutMadeUp(one, atAnotherTime(convert))
    : one;
}

/** Another year, day, hour, minute, second and millisecond. */
const SHIFT_MS = 400 * 86_400_000 + 3_661_001;

/** Runs with a clock that is ahead, so that whatever is made of the time comes out different. */
function atAnotherTime<T>(run: () => T): T {
  const clock = globalThis.Date;
  globalThis.Date = new Proxy(clock, {
    construct: (target, args, caller) =>
      Reflect.construct(target, args.length === 0 ? [target.now() + SHIFT_MS] : args, caller),
    get: (target, name) =>
      name === "now" ? () => target.now() + SHIFT_MS : Reflect.get(target, name),
  });
  try {
    return run();
  } finally {
    globalThis.Date = clock;
  }
}

function withoutMadeUp(one: SchemaObject, other: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(one)
      .filter(([keyword, value]) => keyword !== "default" || isSame(value, other[keyword]))
      .map(([keyword, value]) => {
        if (!MAP_KEYWORDS.has(keyword) || !isObject(value)) {
          return [keyword, alike(value, other[keyword])];
        }
        const others = other[keyword];
        const named = Object.entries(value).map(([name, schema]) => [
          name,
          alike(schema, isObject(others) ? others[name] : undefined),
        ]);
        return [keyword, Object.fromEntries(named)];
      }),
  );
}

function alike(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.map((part, i) => alike(part, other[i]));
  }
  return isObject(one) && isObject(other) ? withoutMadeUp(one, other) : one;
}
