/**
 * Telling listeners of events.
 *
 * @module
 */

import { type Warn, warnConsole } from "./_report.ts";
import type { AuthEvent, AuthEventListener } from "./events.ts";

/** An event before it is known when it happened; what is `undefined` is left out of it. */
export type EventOf<Type extends AuthEvent["type"]> = OrUndefined<
  Omit<Extract<AuthEvent, { type: Type }>, "at" | "type">
>;

/** The same members, of which the optional ones may be `undefined`. */
type OrUndefined<T> = { readonly [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };

/** Tells of an event. */
export type Emit = <Type extends AuthEvent["type"]>(type: Type, event: EventOf<Type>) => void;

/** What {@linkcode createEmitter} takes. */
export interface EmitterOptions {
  /** Is told of events. */
  readonly events?: AuthEventListener | undefined;
  /** The time, in seconds since the epoch. */
  readonly now: () => number;
  /** Is told of a listener that throws. @default {console.warn} */
  readonly warn?: Warn | undefined;
}

/** Makes the function that tells a listener of events, and keeps its errors from the request. */
export function createEmitter({ events, now, warn = warnConsole }: EmitterOptions): Emit {
  if (events === undefined) return () => {};
  const failed = (type: string, error: unknown) => {
    try {
      warn(`Cannot deliver event ${type}: the listener failed`, error);
    } catch {
      // nobody is left to tell, and the request goes on
    }
  };
  return (type, event) => {
    try {
      const known = Object.entries(event).filter(([, value]) => value !== undefined);
      const whole = { type, at: now(), ...Object.fromEntries(known) };
      const told = events(Object.freeze(whole) as unknown as AuthEvent);
      if (told instanceof Promise) told.catch((error) => failed(type, error));
    } catch (error) {
      failed(type, error);
    }
  };
}
