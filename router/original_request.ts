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
