/**
 * Delivery of events to listeners.
 *
 * @module
 */

import { type Warn, warnConsole } from "./_report.ts";
import type { AuthEvent, AuthEventListener, AuthEventMap } from "./events.ts";

/** The members of an event's row; those that are `undefined` are left out of the event. */
type EventMembers<Type extends keyof AuthEventMap> = {
  readonly [K in keyof AuthEventMap[Type]]: undefined extends AuthEventMap[Type][K]
    ? AuthEventMap[Type][K] | undefined
    : AuthEventMap[Type][K];
};

/** Emits an event. */
export type Emit = <Type extends keyof AuthEventMap>(
  type: Type,
  members: EventMembers<Type>,
) => void;

/** Options of {@linkcode createEmitter}. */
export interface EmitterOptions {
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /** Called when the listener throws or rejects. @default {console.warn} */
  readonly warn?: Warn | undefined;
}

/** Creates the function that emits events, and keeps a listener's errors from the request. */
export function createEmitter({ events, now, warn = warnConsole }: EmitterOptions): Emit {
  if (events === undefined) return () => {};
  const report = (type: string, error: unknown) => {
    try {
      warn(`Cannot deliver event ${type}: the listener failed`, error);
    } catch {
      // a failing `warn` must not fail the request either
    }
  };
  return (type, members) => {
    try {
      const defined = Object.entries(members).filter(([, value]) => value !== undefined);
      const event = Object.freeze({ type, at: now(), ...Object.fromEntries(defined) });
      const result = events(event as unknown as AuthEvent);
      if (result instanceof Promise) result.catch((error) => report(type, error));
    } catch (error) {
      report(type, error);
    }
  };
}
