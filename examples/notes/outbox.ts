/**
 * The outbox: where messages to users go while the service runs for development, in place of mail.
 *
 * @module
 */

import type { AccountMessage, DeliverMessage } from "@gatehouse/http";
import { isLocalOrigin } from "./settings.ts";

/** A message that would have been mailed. */
export interface OutboxMessage extends AccountMessage {
  /** When, in seconds since the Unix epoch. */
  readonly sentAt: number;
}

/** The messages of this process. Each contains a secret: whoever reads it has the account. */
export interface Outbox {
  /** Adds a message. */
  readonly deliver: DeliverMessage;
  /** The messages, the newest first. */
  list(): readonly OutboxMessage[];
}

/** Most messages; the oldest are dropped. */
const MOST_MESSAGES = 50;

/**
 * Creates an empty outbox.
 *
 * @param origin Origin of the service.
 * @param now The clock, in seconds since the Unix epoch.
 * @returns `undefined` at a public origin, where everybody could read it: there, nothing is mailed.
 */
export function createOutbox(origin: string, now: () => number): Outbox | undefined {
  if (!isLocalOrigin(origin)) return undefined;
  let messages: readonly OutboxMessage[] = [];
  return {
    deliver(message) {
      messages = [{ ...message, sentAt: now() }, ...messages].slice(0, MOST_MESSAGES);
    },
    list: () => messages,
  };
}
