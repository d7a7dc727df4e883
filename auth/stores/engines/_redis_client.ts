/**
 * How {@linkcode redisAdapter} calls a client: commands, scripts by their digest, and errors.
 *
 * @module
 */

import { clientError } from "./_client_error.ts";
import type { RedisPurpose, RedisScript } from "./_redis_scripts.ts";

/**
 * Sends a command to Redis and returns its reply: a string or its bytes in UTF-8, a number, `null`, or an array of them.
 * Rejects with an error reply, its message starting with that of Redis.
 */
export type RedisSend = (command: string, args: readonly string[]) => Promise<unknown>;

const NO_SCRIPT_REGEXP = /^\W*(?:ERR )?NOSCRIPT\b/;
/** Arguments of a script. */
export interface RedisScriptCall {
  /** The only declared key. */
  readonly key: string;
  readonly args: readonly string[];
  /** The strings among them that must not be logged. */
  readonly secrets: readonly string[];
}

/** Reads fields of a record. @throws {Error} If Redis fails; the error does not contain the secrets. */
export async function readFields(
  send: RedisSend,
  { key, args, secrets }: RedisScriptCall,
): Promise<unknown> {
  try {
    return await receive(send, "HMGET", [key, ...args]);
  } catch (error) {
    throw redisError("read record", error, secrets);
  }
}

/**
 * Runs a script by its digest, or with its source if Redis replies that it does not know the script, as after a restart. No
 * other error is retried, because the script may have run.
 *
 * @throws {Error} If Redis fails; the error does not contain the secrets.
 */
export async function runScript(
  send: RedisSend,
  script: RedisScript,
  { key, args, secrets }: RedisScriptCall,
): Promise<unknown> {
  const rest = ["1", key, ...args];
  try {
    // The digest is cached, not its promise: in workerd no request may await another one's promise
    const sha = script.sha ??= await sha1Hex(script.lua);
    try {
      return await receive(send, "EVALSHA", [sha, ...rest]);
    } catch (error) {
      if (!NO_SCRIPT_REGEXP.test(messageOf(error))) throw error;
    }
    return await receive(send, "EVAL", [script.lua, ...rest]);
  } catch (error) {
    throw redisError(script.purpose, error, secrets);
  }
}

/** Some clients return error replies as values. */
async function receive(send: RedisSend, name: string, args: readonly string[]): Promise<unknown> {
  const reply = await send(name, args);
  if (reply instanceof Error) throw reply;
  return reply;
}

async function sha1Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function redisError(purpose: RedisPurpose, error: unknown, secrets: readonly string[]): Error {
  return new Error(`Cannot ${purpose}: Redis failed`, { cause: clientError(error, secrets) });
}

function messageOf(error: unknown): string {
  const { message } = Object(error) as { readonly message?: unknown };
  return typeof message === "string" ? message : "";
}
