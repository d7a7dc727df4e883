/**
 * What every benchmark of the router asks for.
 *
 * @module
 */

import type { App } from "./_apps.ts";

/** One case: its name in the tables, and the request. */
export type Case = readonly [name: string, path: string, init?: RequestInit];

/** Where the applications in process seem to be. */
export const ORIGIN = "http://localhost";

/** The body of a POST. */
export const BODY: string = JSON.stringify({
  title: "Milk",
  text: "x".repeat(60),
  tags: ["a", "b"],
});

const POST = {
  method: "POST",
  body: BODY,
  headers: { "Content-Type": "application/json", "Content-Length": String(BODY.length) },
};

/** What is asked for. Every application must give the same data, or the same status where there is none. */
export const REQUESTS: readonly Case[] = [
  ["static", "/pages/page7"],
  ["param + query", "/api/res5/42?tab=posts"],
  ["POST JSON", "/api/forms/form3", POST],
  ["3 middleware", "/steps"],
  ["3 async middleware", "/steps/async"],
  ["wildcard", "/files/a/b.txt"],
  ["404", "/nowhere"],
  ["405", "/pages/page7", { method: "DELETE" }],
  ["guarded", "/private"],
];

/** @throws {Error} If an application does not answer what the first one does. */
export async function sameAnswers(apps: readonly App[]): Promise<void> {
  for (const [name, path, init] of REQUESTS) {
    if (name === "404" || name === "405") continue; // peers answer 404 to both, each in its own words
    const answers = await Promise.all(
      apps.map(async (app) =>
        JSON.stringify(await (await app.fetch(new Request(ORIGIN + path, init))).json())
      ),
    );
    answers.forEach((answer, i) => {
      if (answer !== answers[0]) {
        throw new Error(`${name}: ${apps[i]?.name} gave ${answer}, not ${answers[0]}`);
      }
    });
  }
}
