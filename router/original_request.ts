/**
 * The request that the client sent, for the requests that mounts derive from it.
 *
 * @module
 */

/** A standard request, or a router's context of one. */
export type RequestLike = Request | { readonly raw: Request };

/** Where a derived request comes from. Flat, so that finding the original does not depend on the depth of the mounts. */
interface Origin {
  readonly original: Request;
  readonly source: Request;
}

const ORIGINS: WeakMap<Request, Origin> = new WeakMap();

/** Records that a mount derived a request from another one. */
export function linkRequest(derived: Request, source: Request): void {
  ORIGINS.set(derived, { original: ORIGINS.get(source)?.original ?? source, source });
}

/** The request that a mount derived a request from; `undefined` for the original one. */
export function sourceRequest(derived: Request): Request | undefined {
  return ORIGINS.get(derived)?.source;
}

/** The request that the outermost router was called with. A router's context remembers it, so that asking again is cheap. */
export function originalRequest(request: RequestLike): Request {
  if ("original" in request) return request.original as Request;
  const raw = "raw" in request ? request.raw : request;
  return ORIGINS.get(raw)?.original ?? raw;
}
