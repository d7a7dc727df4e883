/**
 * Requests that mounts make of others: which one the client sent.
 *
 * @module
 */

/** What a mount handed on, and what it had. */
const OUTER: WeakMap<Request, Request> = new WeakMap();

/** Notes that a mount made a request of another. */
export function linkRequest(inner: Request, outer: Request): void {
  OUTER.set(inner, outer);
}

/** The request that a router of ours was called with, whatever mounts have made of it since. */
export function originalRequest(request: Request): Request {
  let current = request;
  for (let outer = OUTER.get(current); outer !== undefined; outer = OUTER.get(current)) {
    current = outer;
  }
  return current;
}
