/**
 * The request that the client sent, for the requests that mounts derive from it.
 *
 * @module
 */

/** A standard request, or a router's context of one. */
export type RequestLike = Request | { readonly raw: Request };

/** The original request by derived request. Flat, so that a lookup does not depend on the depth of the mounts. */
const ORIGINALS: WeakMap<Request, Request> = new WeakMap();

/** Records that a mount derived a request from another one. */
export function linkRequest(derived: Request, source: Request): void {
  ORIGINALS.set(derived, ORIGINALS.get(source) ?? source);
}

/** The request that the outermost router was called with. A router's context remembers it, so that asking again is cheap. */
export function originalRequest(request: RequestLike): Request {
  if ("original" in request) return request.original as Request;
  const raw = "raw" in request ? request.raw : request;
  return ORIGINALS.get(raw) ?? raw;
}

/** Original requests whose signal was read through a router. */
const READ_SIGNALS: WeakSet<Request> = new WeakSet();

/** The signal of the original request, read only on demand: on Deno, reading it prints a warning. */
export function signalOf(request: Request): AbortSignal {
  const original = originalRequest(request);
  READ_SIGNALS.add(original);
  return original.signal;
}

/** Whether the client disconnected and the error only says so, as waiting on the signal throws. */
export function isAbortOf(request: Request, error: unknown): boolean {
  const original = originalRequest(request);
  const aborted = isAbortError(error); // also of a signal that was read without the router
  if (!aborted && !READ_SIGNALS.has(original)) return false;
  const { signal } = original;
  return signal.aborted && (aborted || error === signal.reason);
}

function isAbortError(error: unknown): boolean {
  try {
    return error instanceof DOMException && error.name === "AbortError";
  } catch {
    return false; // a proxy whose traps throw
  }
}
