/**
 * Options: a misspelt one must not pass for one that was left out.
 *
 * @module
 */

/** Every name of an interface's members, once. */
export type OptionNames<T> = Readonly<Record<keyof Required<T>, true>>;

/**
 * Checks that options have known names only.
 *
 * @param cannot What fails without them: `Cannot set up authentication`.
 * @throws {TypeError} If they are no object, or one is not known.
 */
export function rejectUnknownOptions<T extends object>(
  cannot: string,
  options: Partial<T>,
  names: OptionNames<T>,
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${cannot}: the options are no object`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw new TypeError(`${cannot}: there is no option ${unknown}`);
}

/**
 * The longest time that an option says, unless it has a reason of its own: 400 days, which is the limit of cookies. A day
 * in milliseconds is longer.
 */
const MAX_SECONDS = 34_560_000;

/**
 * Checks times that options say, by their names.
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
    throw new RangeError(`${cannot}: ${name} is not an integer of seconds from ${min} to ${max}`);
  }
}

/** Checks an option that is a function or left out. @throws {TypeError} If it is neither. */
export function checkOptionalFunction(cannot: string, name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new TypeError(`${cannot}: ${name} is no function`);
}
