/**
 * What Redis replies, however a client gives it: text or bytes, numbers or their text, `null` or nothing.
 *
 * @module
 */

import type { CasResult, KeyedRecord, Versioned } from "./adapter.ts";

/** The first character of a text is a part of it, whatever it is. */
const KEEP_BOM: TextDecoderOptions = { ignoreBOM: true };

/** The text of a reply, if there is one. @throws {Error} If it is something else. */
export function optionalText(reply: unknown): string | undefined {
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

/** The parts of a reply. @throws {Error} If it has none. */
export function replyArray(reply: unknown): readonly unknown[] {
  if (Array.isArray(reply)) return reply;
  throw unexpectedReply();
}

/** A record of its version, value and end; `null` if they are not there. @throws {Error} If it is none. */
export function readVersioned([v, j, e]: readonly unknown[]): Versioned | null {
  const [version, text, end] = [optionalText(v), optionalText(j), optionalText(e)];
  if (version === undefined || text === undefined) return null;
  const value = readValue(text);
  return end === undefined ? { value, version } : { value, version, expiresAt: Number(end) };
}

/** A record of its key, version, value and end. @throws {Error} If it is none. */
export function readKeyed(reply: unknown): KeyedRecord {
  const [first, ...rest] = replyArray(reply);
  const key = optionalText(first);
  const record = readVersioned(rest);
  if (key === undefined || record === null) throw unexpectedReply();
  return { key, ...record };
}

/** A value of its text. @throws {Error} If it is none; the platform's own error would quote it. */
export function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("Cannot read record: its value is not JSON");
  }
}

/** What a write came to. @throws {Error} If that is nothing known. */
export function readResult(reply: unknown, version: string): CasResult {
  const status = optionalText(reply);
  if (status === "ok") return { status, version };
  if (status === "lost" || status === "taken") return { status };
  throw unexpectedReply();
}

/** A client that reads JSON by itself gives what Redis did not. */
function unexpectedReply(): Error {
  return new Error("Cannot read reply of Redis: send gives something else");
}
