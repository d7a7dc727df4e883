/**
 * How Redis is asked: scripts by their digest, and what its errors mean.
 *
 * @module
 */

import { clientError } from "./_client_error.ts";
import type { RedisPurpose, RedisScript } from "./_redis_scripts.ts";

/**
 * Sends a command to Redis and gives its reply: text or its bytes in UTF-8, numbers, `null`, arrays of them. It rejects with
 * what Redis replies as an error, whose message starts with Redis' own.
 */
export type RedisSend = (command: string, args: readonly string[]) => Promise<unknown>;

/** What errors of Redis mean to those who run it. */
const REASONS: Readonly<Record<string, string>> = {
  BUSY: "another script runs for too long",
  CLUSTERDOWN: "a part of the cluster is not there",
  CROSSSLOT: "the cluster keeps the keys of the prefix apart",
  LOADING: "it is still loading what it has",
  MASTERDOWN: "its primary is not there",
  MISCONF: "it can save nothing to its disk",
  MOVED: "the client does not know the cluster",
  NOAUTH: "it wants a password",
  NOPERM: "its user is not allowed the command, or the prefix",
  NOREPLICAS: "too few replicas are there",
  OOM: "its memory is full",
  READONLY: "it is a replica, and takes no writes",
  WRONGPASS: "the password is wrong",
  WRONGTYPE: "the prefix is used by something else",
};

const NO_SCRIPT_REGEXP = /^\W*(?:ERR )?NOSCRIPT\b/;
/** Where a reply names its kind; in older versions an error within a script is inside another one. */
const KIND_REGEXP = /(?:^\W*|: -?)([A-Z]{3,})\b/g;

/** What a script gets, behind its text or digest. */
export interface RedisScriptCall {
  /** The one key that it is told. */
  readonly key: string;
  readonly args: readonly string[];
  /** What of it nobody must read in a log. */
  readonly texts: readonly string[];
}

/** Reads fields of a record. @throws {Error} If it fails, without the texts that nobody must read. */
export async function readFields(
  send: RedisSend,
  { key, args, texts }: RedisScriptCall,
): Promise<unknown> {
  try {
    return await receive(send, "HMGET", [key, ...args]);
  } catch (error) {
    throw redisError("read record", error, texts);
  }
}

/**
 * Runs a script. Redis forgets scripts when it starts over, and says so before it does anything: then it gets the text. After
 * no other error is anything sent again, since it may have been done.
 *
 * @throws {Error} If it fails, without the texts that nobody must read.
 */
export async function runScript(
  send: RedisSend,
  script: RedisScript,
  { key, args, texts }: RedisScriptCall,
): Promise<unknown> {
  const rest = ["1", key, ...args];
  try {
    // What is kept is the digest, never the promise of one: in workerd no request waits for another's
    const sha = script.sha ??= await sha1Hex(script.lua);
    try {
      return await receive(send, "EVALSHA", [sha, ...rest]);
    } catch (error) {
      if (!NO_SCRIPT_REGEXP.test(messageOf(error))) throw error;
    }
    return await receive(send, "EVAL", [script.lua, ...rest]);
  } catch (error) {
    throw redisError(script.purpose, error, texts);
  }
}

/** Some clients give errors as values. */
async function receive(send: RedisSend, name: string, args: readonly string[]): Promise<unknown> {
  const reply = await send(name, args);
  if (reply instanceof Error) throw reply;
  return reply;
}

async function sha1Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function redisError(purpose: RedisPurpose, error: unknown, texts: readonly string[]): Error {
  const cause = clientError(error, texts);
  const name = typeof cause.code === "string" ? cause.code : cause.name;
  return new Error(`Cannot ${purpose}: Redis failed, ${reasonOf(messageOf(error)) ?? name}`, {
    cause,
  });
}

function reasonOf(message: string): string | undefined {
  for (const [, kind = ""] of message.matchAll(KIND_REGEXP)) {
    if (Object.hasOwn(REASONS, kind)) return `${kind}, ${REASONS[kind]}`;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  const { message } = Object(error) as { readonly message?: unknown };
  return typeof message === "string" ? message : "";
}
