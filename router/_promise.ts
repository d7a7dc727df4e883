/**
 * Staying synchronous until something returns a promise.
 *
 * @module
 */

/** A value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value is a promise or another thenable. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | undefined | null)?.then === "function";
}

/** Calls a function with a value, immediately unless the value is a promise. */
export function andThen<T, U>(
  value: T | PromiseLike<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Calls a function, and another one with what it throws or its promise rejects with. */
export function attempt<T>(
  run: () => T | PromiseLike<T>,
  fail: (error: unknown) => MaybePromise<T>,
): MaybePromise<T> {
  try {
    const result = run();
    return isPromise(result) ? Promise.resolve(result).catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}
