/**
 * Staying synchronous until something returns a promise.
 *
 * @module
 */

/** A value now or later. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value comes later: a promise, or anything that `await` would wait for. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof (value as { then?: unknown } | undefined | null)?.then === "function";
}

/** Goes on with a value, now if it is there. */
export function andThen<T, U>(
  value: T | PromiseLike<T>,
  next: (value: T) => MaybePromise<U>,
): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}
