/**
 * Origin verification as a check of its own, without keys and tokens.
 *
 * @module
 */

import { createEmitter } from "../_emit.ts";
import { parseOrigin } from "../_origin.ts";
import { AuthError } from "../error.ts";
import type { AuthEventListener, CsrfFailure } from "../events.ts";
import { isSafe, originVerifier } from "../../router/request_origin.ts";

/** Options of {@linkcode originCheck}. */
export interface OriginCheckOptions {
  /** Other origins whose pages may act for the user: `https://app.example.com`. @default {[]} */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** The time, in seconds since the epoch; for events. */
  readonly now: () => number;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
}

/** Checks where requests come from. */
export interface OriginCheck {
  /** Checks an unsafe request; one of unknown origin is refused, too. @throws {AuthError} `csrf_failed` */
  check(request: Request): void;
  /** Whether the origin is known to be the application's. @throws {AuthError} `csrf_failed`, if it is known to be another one */
  isTrusted(request: Request): boolean;
  /** Emits the event of a forged request. @returns The error, to be thrown. */
  failure(reason: CsrfFailure, origin?: string): AuthError;
}

const DETAIL = "The request carries no valid CSRF token, or comes from another site";

/** Creates the check. @throws {TypeError} If an origin is invalid. */
export function originCheck({ trustedOrigins, ...context }: OriginCheckOptions): OriginCheck {
  const verifyOrigin = originVerifier(trustedOrigins);
  const emit = createEmitter(context);

  function failure(reason: CsrfFailure, origin?: string): AuthError {
    emit("csrf.failed", { reason, origin });
    return new AuthError("csrf_failed", { reason, detail: DETAIL });
  }

  function isTrusted(request: Request): boolean {
    const origin = verifyOrigin(request);
    if (origin !== "cross_origin") return origin === "trusted";
    throw failure(origin, parseOrigin(request.headers.get("Origin") ?? "")?.origin);
  }

  return {
    isTrusted,
    failure,
    check(request) {
      if (!isSafe(request) && !isTrusted(request)) throw failure("token_missing");
    },
  };
}
