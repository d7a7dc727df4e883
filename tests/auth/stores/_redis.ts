/**
 * Stands in for Redis where only what is sent and what comes back matters.
 *
 * @module
 */

import type { RedisSend } from "../../../auth/stores/redis.ts";

/** A command, as it was sent. */
export type SentCommand = readonly [name: string, ...args: string[]];

/** A function to send with, and what it was asked to send. */
export interface FakeRedis {
  /** Notes a command, and gives the next reply; the last one over and over. */
  readonly send: RedisSend;
  /** The commands, the first one first. */
  readonly sent: SentCommand[];
}

/** Replies to commands in turn; what is an `Error` it rejects with. */
export function fakeRedis(...replies: readonly unknown[]): FakeRedis {
  const sent: SentCommand[] = [];
  return {
    sent,
    send(command, args) {
      sent.push([command, ...args]);
      const reply = replies[Math.min(sent.length, replies.length) - 1];
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    },
  };
}
