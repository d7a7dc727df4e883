/**
 * Defaults that are made anew each time: no document can state them, and one that did would never be the same.
 *
 * @module
 */

import type { SchemaObject } from "../router/openapi_types.ts";
import { isObject, isSame, MAP_KEYWORDS } from "./_json_schema.ts";

/** Most looks at the clock; workerd's stands still while code runs. */
const MAX_LOOKS = 50_000;

/**
 * A schema without the defaults that come out different another time, such as an id or the time.
 *
 * @param convert Makes the schema. It is asked twice if there are defaults, in different milliseconds.
 */
export function withoutMadeUpDefaults(convert: () => SchemaObject): SchemaObject {
  const one = convert();
  if (!JSON.stringify(one).includes('"default":')) return one;
  const then = Date.now();
  for (let i = 0; i < MAX_LOOKS && Date.now() === then; i++);
  return withoutMadeUp(one, convert());
}

/** Whether a value is the time, in whatever unit: another conversion may come within the same second or day. */
function isNow(value: unknown): boolean {
  const now = Date.now();
  if (typeof value === "number") {
    return [value, value * 1000].some((time) => Math.abs(time - now) < 60_000);
  }
  return typeof value === "string" &&
    (Math.abs(Date.parse(value) - now) < 60_000 ||
      value === new Date(now).toISOString().slice(0, 10));
}

function withoutMadeUp(one: SchemaObject, other: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(one)
      .filter(([keyword, value]) =>
        keyword !== "default" || (isSame(value, other[keyword]) && !isNow(value))
      )
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
