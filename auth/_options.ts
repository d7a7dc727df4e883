/**
 * Options: a misspelt one must not pass for one that was left out.
 *
 * @module
 */

/** Every name of an interface's members, once. */
export type NamesOf<T> = Readonly<Record<keyof Required<T>, true>>;

/**
 * Checks that options have known names only.
 *
 * @param cannot What fails without them: `Cannot set up authentication`.
 * @throws {TypeError} If they are no object, or one is not known.
 */
export function checkNames<T extends object>(
  cannot: string,
  options: Partial<T>,
  names: NamesOf<T>,
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${cannot}: the options are no object`);
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw new TypeError(`${cannot}: there is no option ${unknown}`);
}

/** Checks an option that is a function or left out. @throws {TypeError} If it is neither. */
export function checkOptionalFunction(cannot: string, name: string, value: unknown): void {
  if (value === undefined || typeof value === "function") return;
  throw new TypeError(`${cannot}: ${name} is no function`);
}
