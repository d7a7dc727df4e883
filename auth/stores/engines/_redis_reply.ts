/**
 * Decodes replies of Redis, which clients return as strings or bytes, numbers or strings, `null` or `undefined`.
 *
 * @module
 */

import type { CasResult, KeyedRecord, Versioned } from "../adapter.ts";

/** A leading byte order mark is a part of the string. */
const KEEP_BOM: TextDecoderOptions = { ignoreBOM: true };

/** Decodes a string or null reply. @throws {Error} If it is another one. */
export function optionalString(reply: unknown): string | undefined {
  switch (typeof reply) {
    case "string":
      return reply;
    case "number":
    case "bigint":
      return `${reply}`;
    case "undefined":
      return undefined;
  }
  if (reply === null) return undefined;
  if (reply instanceof Uint8Array) return new TextDecoder("utf-8", KEEP_BOM).decode(reply);
  throw unexpectedReply();
}

/** Decodes an array reply. @throws {Error} If it is another one. */
export function replyArray(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw unexpectedReply();
}

/** Decodes version, value and expiry of a record; `null` if they are absent. @throws {Error} If one is invalid. */
export function readVersioned([v, j, e]: readonly unknown[]): Versioned | null {
  const [version, text, end] = [optionalString(v), optionalString(j), optionalString(e)];
  if (version === undefined || text === undefined) return null;
  const value = readValue(text);
  return end === undefined ? { value, version } : { value, version, expiresAt: Number(end) };
}

/** Decodes key, version, value and expiry of a record. @throws {Error} If one is invalid. */
export function readKeyed(reply: unknown): KeyedRecord {
  const [first, ...rest] = replyArray(reply);
  const key = optionalString(first);
  const record = readVersioned(rest);
  if (key === undefined || record === null) throw unexpectedReply();
  return { key, ...record };
}

/** Parses a value. @throws {Error} If it is not JSON. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch { // the message of JSON.parse() may quote the value
    throw new Error("Cannot read record: the stored value is not JSON");
  }
}

/** Decodes the status of a write. @throws {Error} If it is unknown. */
export function readResult(reply: unknown, version: string): CasResult {
  const status = optionalString(reply);
  if (status === "ok") return { status, version };
  if (status === "lost" || status === "taken") return { status };
  throw unexpectedReply();
}

/** A client that parses JSON itself returns values that Redis cannot reply. */
function unexpectedReply(): Error {
  return new Error("Cannot read reply of Redis: send returned an unexpected type");
}
