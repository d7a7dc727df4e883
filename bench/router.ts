/**
 * The router in process, beside its peers and a hand-written floor: `deno task bench`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { type App, elysia, floor, gatehouse, h3, hono, itty } from "./_apps.ts";
import { measure } from "./_measure.ts";

const BODY = JSON.stringify({ title: "Milk", text: "x".repeat(60), tags: ["a", "b"] });
const POST = {
  method: "POST",
  body: BODY,
  headers: { "Content-Type": "application/json", "Content-Length": String(BODY.length) },
};

/** What is asked for. Every application must give the same data, or the same status where there is none. */
const REQUESTS: readonly (readonly [name: string, path: string, init?: RequestInit])[] = [
  ["static", "/pages/page7"],
  ["param + query", "/api/res5/42?tab=posts"],
  ["POST JSON", "/api/forms/form3", POST],
  ["3 middleware", "/steps"],
  ["wildcard", "/files/a/b.txt"],
  ["404", "/nowhere"],
  ["405", "/pages/page7", { method: "DELETE" }],
  ["guarded", "/private"],
];

const ORIGIN = "http://localhost";

async function sameAnswers(apps: readonly App[]): Promise<void> {
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

/** Prints a Markdown table: nanoseconds, and in parentheses the ratio to the floor; then ours over Hono. */
async function main(): Promise<void> {
  const apps = [floor(), gatehouse(), hono(), await elysia(), await h3(), await itty()];
  await sameAnswers(apps);
  console.log(`| case | ${apps.map(({ name }) => name).join(" | ")} | gatehouse ÷ hono |`);
  console.log(`| --- |${" --- |".repeat(apps.length + 1)}`);
  for (const [name, path, init] of REQUESTS) {
    const url = ORIGIN + path;
    const results = await measure(
      apps.map((app) => ({ name: app.name, run: (request: Request) => app.fetch(request) })),
      () => new Request(url, init),
    );
    const cells = results.map(({ ns, over }) => `${ns.toFixed(0)} (${over("floor").toFixed(2)})`);
    const ratio = results.find((result) => result.name === "gatehouse")?.over("hono") ?? NaN;
    console.log(`| ${name} | ${cells.join(" | ")} | ${ratio.toFixed(2)} |`);
  }
}

if (import.meta.main) await main();
