/**
 * The request that the client sent, for the requests that mounts derive from it.
 *
 * @module
 */

import type { ResponseHook } from "./handler.ts";

/** A standard request, or a router's context of one. */
export type RequestLike = Request | { readonly raw: Request };

/** Where a derived request comes from. Flat, so that finding the original does not depend on the depth of the mounts. */
interface Origin {
  readonly original: Request;
  readonly source: RequestLike;
}

const ORIGINS: WeakMap<Request, Origin> = new WeakMap();

/** Records that a mount derived a request from another one, or from that of a context. */
export function linkRequest(derived: Request, source: RequestLike): void {
  ORIGINS.set(derived, { original: originalRequest(source), source });
}

/** What a mount derived a request from: a context, unless it is a clone; `undefined` for the original one. */
export function sourceOf(derived: Request): RequestLike | undefined {
  return ORIGINS.get(derived)?.source;
}

/** By original request: what the routers around a mounted one call last. */
const LAST_HOOKS: WeakMap<Request, Set<ResponseHook<unknown[]>>> = new WeakMap();

/** Has the routers around a mounted one call a hook with their response too, after all others. */
export function callLast(hook: ResponseHook<unknown[]>, request: RequestLike): void {
  const original = ORIGINS.get("raw" in request ? request.raw : request)?.original;
  if (original === undefined) return; // nothing is around it
  const hooks = LAST_HOOKS.get(original);
  if (hooks === undefined) LAST_HOOKS.set(original, new Set([hook]));
  else hooks.add(hook);
}

/** The hooks that mounted routers passed to {@linkcode callLast}. */
export function lastHooksOf(original: Request): readonly ResponseHook<unknown[]>[] {
  return [...LAST_HOOKS.get(original) ?? []];
}

/** The request that the outermost router was called with. A router's context remembers it, so that asking again is cheap. */
export function originalRequest(request: RequestLike): Request {
  if ("original" in request) return request.original as Request;
  const raw = "raw" in request ? request.raw : request;
  return ORIGINS.get(raw)?.original ?? raw;
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
