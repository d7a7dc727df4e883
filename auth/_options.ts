/**
 * Checks of options. A misspelt option must not be taken for an omitted one.
 *
 * @module
 */

/** All member names of an interface; the values do not matter. */
export type OptionNames<T> = Readonly<Record<keyof Required<T>, unknown>>;

/**
 * Rejects options with unknown names.
 *
 * @param cannot Start of the message: `Cannot set up authentication`.
 * @throws {TypeError} If `options` is not an object, or has an unknown name.
 */
export function rejectUnknownOptions<T extends object>(
  cannot: string,
  options: Partial<T>,
  names: OptionNames<T>,
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${cannot}: options must be an object`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw new TypeError(`${cannot}: unknown option ${unknown}`);
}

/**
 * The longest time of most options: 400 days, the limit of cookies. A day in milliseconds is longer.
 */
export const MAX_SECONDS = 34_560_000;

/**
 * Checks options that are times in seconds, by name.
 *
 * @throws {RangeError} If one is not an integer from `min` (1) to `max` (400 days).
 */
export function requireSeconds(
  cannot: string,
  named: Readonly<Record<string, unknown>>,
  { min = 1, max = MAX_SECONDS }: { readonly min?: number; readonly max?: number } = {},
): void {
  for (const [name, seconds] of Object.entries(named)) {
    if (Number.isInteger(seconds) && min <= Number(seconds) && Number(seconds) <= max) continue;
    throw new RangeError(`${cannot}: ${name} must be an integer of seconds from ${min} to ${max}`);
  }
}

/** Checks an optional function. @throws {TypeError} If the value is neither a function nor `undefined`. */
export function checkOptionalFunction(cannot: string, name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new TypeError(`${cannot}: ${name} must be a function`);
}
