/**
 * Errors of database clients that quote what was sent, and calls that must not disclose it.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { AtomicHook, StorageAdapter } from "../../../auth/stores/adapter.ts";

/** An adapter with a compare-and-swap. */
export interface AtomicAdapter extends StorageAdapter {
  readonly atomic: Required<AtomicHook>;
}

/** So many consecutive characters of a string count as a quote. */
const QUOTE_LENGTH = 12;

/** Strings that must not be disclosed: long and short ones, plain ones and those that JSON or a URL encodes. */
const KEY = "key_of_a_record_48c";
const UNIQUE = 'ada "the first" müller@example.org';
const SHORT = "ada+1";
const TOKEN = 'Zk3-7fQp_w9x/5tB\n%2b\\u0041 "8d6c"  plums & pears, 12 of each';
const SECRETS: readonly string[] = [KEY, UNIQUE, SHORT, TOKEN, JSON.stringify({ token: TOKEN })];

const RECORD = { value: { token: TOKEN }, unique: UNIQUE, index: [SHORT, KEY] } as const;

/** Every call of an adapter that sends some of these strings. */
export const CALLS: readonly (readonly [
  name: string,
  call: (adapter: AtomicAdapter) => Promise<unknown>,
])[] = [
  ["get()", (adapter) => adapter.get("notes", KEY)],
  ["find()", (adapter) => adapter.find("notes", UNIQUE)],
  ["find() of a short string", (adapter) => adapter.find("notes", SHORT)],
  ["list()", (adapter) => adapter.list("notes", 0, SHORT, { after: UNIQUE, limit: 9 })],
  ["put()", (adapter) => adapter.put("notes", KEY, RECORD)],
  ["put() under a short key", (adapter) => adapter.put("notes", SHORT, { value: TOKEN })],
  ["delete()", (adapter) => adapter.delete("notes", KEY)],
  ["cas() that creates", ({ atomic }) => atomic.cas("notes", KEY, null, RECORD)],
  ["cas() that updates", ({ atomic }) => atomic.cas("notes", KEY, UNIQUE, RECORD)],
  ["cas() that deletes", ({ atomic }) => atomic.cas("notes", SHORT, UNIQUE, null)],
  ["cas() from null to null", ({ atomic }) => atomic.cas("notes", KEY, null, null)],
  ["take()", ({ atomic }) => atomic.take("notes", KEY)],
];

/** Errors of clients, each made from what was sent. */
export const LEAKS: readonly (readonly [
  why: string,
  leak: (sent: readonly string[]) => unknown,
])[] = [
  ["its message", (sent) => new Error(`failed: INSERT\nparams: ${sent.join(",")}`)],
  ["its message, between words", (sent) => new Error(`ERR wrong: ${sent.join(" ")} and more`)],
  ["JSON in its message", (sent) => new TypeError(`Cannot send ${JSON.stringify(sent)}`)],
  [
    "JSON of JSON in its message",
    (sent) => new Error(`400: ${JSON.stringify({ body: JSON.stringify(sent) })}`),
  ],
  [
    "JSON of each in its message, but without quotes",
    (sent) => new Error(sent.map((text) => JSON.stringify(text).slice(1, -1)).join(" | ")),
  ],
  [
    "a URL in its message",
    (sent) => new Error(`GET /?${sent.map((text) => encodeURIComponent(text)).join("&")}`),
  ],
  [
    "a form in its message",
    (sent) => new Error(`POST ${new URLSearchParams(sent.map((text) => ["a", text]))}`),
  ],
  [
    "a URL inside JSON in its message",
    (sent) => new Error(JSON.stringify({ url: sent.map((text) => encodeURIComponent(text)) })),
  ],
  ["a truncated message", (sent) => new Error(parts(sent, 0, 32).join("', '"))],
  ["a message that is truncated later", (sent) => new Error(parts(sent, 0, 200).join("... "))],
  ["a message that quotes the middle", (sent) => new Error(parts(sent, 5, 30).join("... "))],
  [
    "a message that quotes the end",
    (sent) => new Error(`near ${parts(sent, -14, Infinity).join()}`),
  ],
  ["a message whose end is truncated", (sent) => {
    return new Error(`${"wrong ".repeat(48)}${sent.join(" ")}`);
  }],
  ["a long message", (sent) => new Error(`${"wrong ".repeat(9_999)}${sent.join(" ")}`)],
  ["custom fields", (sent) =>
    Object.assign(new Error("violates a constraint"), {
      detail: `Failing row contains (${sent.join(", ")})`,
      parameters: sent,
      command: { name: "EVAL", args: sent },
    })],
  ["a code", (sent) => Object.assign(new Error("wrong"), { code: sent.join(" ") })],
  ["a single word as its name and code", (sent) => {
    const word = sent.find((text) => text === KEY) ?? "";
    return Object.assign(new Error("wrong"), { name: word, code: word });
  }],
  ["its name", (sent) => Object.assign(new Error("wrong"), { name: sent.join(" ") })],
  ["its class", (sent) =>
    new (class extends Error {
      static override name = sent.join(" ");
    })("wrong")],
  ["its stack", (sent) => Object.assign(new Error("wrong"), { stack: sent.join(" ") })],
  ["its cause", (sent) => new Error("wrong", { cause: new Error(sent.join()) })],
  ["nested errors", (sent) => new AggregateError([new Error(sent.join())], "2 errors")],
  ["a string that is thrown", (sent) => sent.join()],
  ["an array that is thrown", (sent) => sent],
];

/** Asserts that an error and its causes do not disclose the strings. */
export function assertTellsNothing(error: Error, why: string): void {
  const { cause } = error;
  assert(cause instanceof Error && cause.cause === undefined, why);
  const reported = [error, cause].map((one) => `${one.name} ${one.message} ${one.stack}`).join(
    "\n",
  );
  const shown = `${reported} ${Deno.inspect(error, { depth: 9, showHidden: true })}`;
  for (const reading of [shown, decoded(shown), shown.replace(/\\(.)/g, "$1")]) {
    for (const piece of SECRETS.flatMap(pieces)) {
      assertEquals(reading.includes(piece), false, `${why}: ${piece} in ${reading}`);
    }
  }
}

function parts(texts: readonly string[], from: number, to: number): string[] {
  return texts.map((text) => text.slice(from, to));
}

function pieces(text: string): readonly string[] {
  if (text.length <= QUOTE_LENGTH) return [text];
  return Array.from(
    { length: text.length - QUOTE_LENGTH + 1 },
    (_, at) => text.slice(at, at + QUOTE_LENGTH),
  );
}

function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part; // it was truncated within a character
    }
  });
}
