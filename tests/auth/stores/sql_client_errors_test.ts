/** What {@linkcode sqlAdapter} keeps of a client's error: odd names, codes and messages. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { sqlAdapter } from "../../../auth/stores/sql.ts";

/** What becomes of an error that is thrown where somebody looks for a text. */
async function causeOf(thrown: unknown, text = "text"): Promise<Error> {
  const adapter = sqlAdapter({
    query() {
      throw thrown;
    },
    dialect: "postgres",
  });
  const { cause } = await assertRejects(() => adapter.find("notes", text), Error);
  assert(cause instanceof Error);
  return cause;
}

class DatabaseFault extends Error {}

const named = (name: string) => Object.assign(new Error("no"), { name });
const coded = (code: unknown) => Object.assign(new Error("no"), { code });

/** What is thrown, and the name and code that are kept. */
const NAMES: readonly (readonly [why: string, thrown: unknown, kept: Record<string, unknown>])[] = [
  ["a class that gives itself no name", new DatabaseFault("no"), { name: "DatabaseFault" }],
  ["a name of three letters", named("Bad"), { name: "Bad" }],
  ["a name of two letters", named("No"), { name: "Error" }],
  ["a name of forty letters", named("N".repeat(40)), { name: "N".repeat(40) }],
  ["a name of forty-one letters", named("N".repeat(41)), { name: "Error" }],
  ["a number for a code", coded(5), { name: "Error", code: 5 }],
  ["a code that is no text", coded({ a: 1 }), { name: "Error" }],
];

for (const [why, thrown, kept] of NAMES) {
  Deno.test(`sqlAdapter() keeps of an error a name and a code that may be one: ${why}`, async () => {
    assertEquals({ ...await causeOf(thrown) } as unknown, kept);
  });
}

const LEFT_OUT = "The message quotes what was sent, and is left out";
const LINE = "-".repeat(300);

/** A text that is sent, a client's message, and what is said of it. */
const MESSAGES: readonly (readonly [why: string, text: string, message: unknown, said: string])[] =
  [
    ["no text", "text", { toString: () => "text" }, ""],
    ["a word that begins like what was sent", "ad", "bad: adder", "bad: adder"],
    ["what was sent, in large letters", "ad", "bad: AD", "bad: AD"],
    ["what was sent, and no more", "twelve chars", "twelve chars", LEFT_OUT],
    ["what was sent, behind the end", "twelve chars", `${LINE}twelve chars`, `${LINE}…`],
    [
      "controls in JSON",
      "a\bb\fc\bd\fe\bf\fg\bh",
      JSON.stringify("a\bb\fc\bd\fe\bf\fg\bh"),
      LEFT_OUT,
    ],
    [
      "escapes in large letters",
      "a\nb\nc\nd\ne\nf\ng\n",
      "a\\u000Ab\\u000Ac\\u000Ad\\u000Ae\\u000Af\\u000Ag",
      LEFT_OUT,
    ],
  ];

for (const [why, text, message, said] of MESSAGES) {
  Deno.test(`sqlAdapter() says of a client's message what gives nothing away: ${why}`, async () => {
    assertEquals((await causeOf({ message }, text)).message, said);
  });
}

Deno.test("sqlAdapter() says of a client's message what times and counts it has", async () => {
  const message = "slow at 1700000000, LIMIT 25";
  const adapter = sqlAdapter({
    query: () => Promise.reject(new Error(message)),
    dialect: "postgres",
    now: () => 1_700_000_000,
  });
  const { cause } = await assertRejects(() => adapter.list("c", 0, "text", { limit: 25 }), Error);
  assert(cause instanceof Error);
  assertEquals(cause.message, message);
});
