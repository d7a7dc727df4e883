/**
 * How Redis is asked: scripts by their digest, and errors that quote nothing.
 *
 * @module
 */

import type { RedisScript } from "./_redis_scripts.ts";

/**
 * Sends a command to Redis and gives its reply: text or its bytes in UTF-8, numbers, `null`, arrays of them. It rejects with
 * what Redis replies as an error, whose message starts with Redis' own.
 */
export type RedisSend = (command: string, args: readonly string[]) => Promise<unknown>;

/** What a command is for, in the message of its failure. */
export type RedisPurpose = "read from Redis" | "write to Redis";

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
/** Codes of the platform and names of classes. */
const NAME_REGEXP = /^[A-Za-z_]{3,40}$/;

/** Sends one command. @throws {Error} If it fails, without what was sent. */
export async function askRedis(
  send: RedisSend,
  purpose: RedisPurpose,
  command: readonly [name: string, ...args: string[]],
): Promise<unknown> {
  const [name, ...args] = command;
  try {
    return await receive(send, name, args);
  } catch (error) {
    throw redisError(purpose, error, args);
  }
}

/**
 * Runs a script about a key. Redis forgets scripts when it starts over, and says so before it does anything: then it gets the
 * text. After no other error is anything sent again, since it may have been done.
 */
export async function runScript(
  send: RedisSend,
  purpose: RedisPurpose,
  { script, key, args }: {
    readonly script: RedisScript;
    readonly key: string;
    readonly args: readonly string[];
  },
): Promise<unknown> {
  const rest = ["1", key, ...args];
  try {
    const sha = await (script.sha ??= sha1Hex(script.lua));
    try {
      return await receive(send, "EVALSHA", [sha, ...rest]);
    } catch (error) {
      if (!NO_SCRIPT_REGEXP.test(textOf(error, "message"))) throw error;
    }
    return await receive(send, "EVAL", [script.lua, ...rest]);
  } catch (error) {
    throw redisError(purpose, error, rest);
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

/**
 * An error without what was sent. That of a client may quote the command, or have it as a member that is printed with it, and
 * values are what nobody must read in a log.
 */
function redisError(purpose: RedisPurpose, error: unknown, args: readonly string[]): Error {
  const message = textOf(error, "message");
  const stack = textOf(error, "stack");
  const name = nameOf(error);
  const quotes = args.some((arg) => isQuoted(arg, message) || isQuoted(arg, stack));
  const cause = new Error(quotes ? "The message quotes the command, and is left out" : message);
  cause.name = name ?? "Error";
  if (quotes || stack === "") delete cause.stack; // it would be this file's
  else cause.stack = stack;
  return new Error(`Cannot ${purpose}: ${reasonOf(message) ?? name ?? "Redis failed"}`, { cause });
}

/** Whether a text has the start of an argument, as it is or within JSON. */
function isQuoted(arg: string, text: string): boolean {
  if (arg.length < 3) return false;
  const start = arg.slice(0, 12);
  return text.includes(start) || text.includes(JSON.stringify(start).slice(1, -1));
}

function reasonOf(message: string): string | undefined {
  for (const [, kind = ""] of message.matchAll(KIND_REGEXP)) {
    if (Object.hasOwn(REASONS, kind)) return `${kind}, ${REASONS[kind]}`;
  }
  return undefined;
}

/** The code of an error, or its class. */
function nameOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const names: unknown[] = [Reflect.get(error, "code"), error.constructor?.name];
  return names.filter((name) => typeof name === "string").find((name) => NAME_REGEXP.test(name));
}

function textOf(error: unknown, member: "message" | "stack"): string {
  if (typeof error !== "object" || error === null) return "";
  const text: unknown = Reflect.get(error, member);
  return typeof text === "string" ? text : "";
}
