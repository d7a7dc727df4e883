/**
 * Delivery of messages, apart from the request that asks for them.
 *
 * @module
 */

import type { Emit } from "../_emit.ts";
import type { AccountMessage, DeliverMessage, MessageContext } from "./account_types.ts";

/** Milliseconds before the second attempt. */
const RETRY_MS = 1_000;

/** Queues messages. */
export type Deliver = (
  message: AccountMessage,
  context: Pick<MessageContext, "locale" | "waitUntil">,
) => void;

/**
 * Delivers in another turn of the event loop: neither the time nor the outcome of a delivery tells who has an account. Messages
 * are secrets, so that an error of the application, which may contain one, is only in the warning.
 */
export function createDelivery(
  { deliver, emit, warn }: {
    readonly deliver: DeliverMessage;
    readonly emit: Emit;
    readonly warn: (message: string, error?: unknown) => void;
  },
): Deliver {
  async function attempt(message: AccountMessage): Promise<void> {
    const { kind, sub } = message;
    for (const isLast of [false, true]) {
      await wait(isLast ? RETRY_MS : 0);
      try {
        await deliver(message);
        return;
      } catch (error) {
        warn(`Cannot deliver message: ${kind}`, error);
        emit("delivery.failed", { kind, gaveUp: isLast, ...(sub === undefined ? {} : { sub }) });
      }
    }
  }

  return (message, { locale, waitUntil }) => {
    const delivery = attempt({ ...message, ...(locale ? { locale } : {}) });
    waitUntil?.(delivery);
  };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
