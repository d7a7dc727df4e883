/**
 * A fake Redis client with a log of commands and scripted replies.
 *
 * @module
 */

import type { RedisSend } from "../../../auth/stores/engines/redis.ts";

/** A command that was sent. */
export type SentCommand = readonly [name: string, ...args: string[]];

/** A client, and the commands sent with it. */
export interface FakeRedis {
  /** Logs a command and returns the next reply; the last one repeatedly. */
  readonly send: RedisSend;
  /** The commands in order. */
  readonly sent: SentCommand[];
}

/** Creates a client that returns the replies in turn and rejects with those that are an `Error`. */
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
