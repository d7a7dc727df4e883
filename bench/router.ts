/**
 * The router in process, beside its peers and a hand-written floor: `deno task bench`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { elysia, floor, gatehouse, h3, hono, itty } from "./_apps.ts";
import { measure } from "./_measure.ts";
import { ORIGIN, REQUESTS, sameAnswers } from "./_requests.ts";

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
