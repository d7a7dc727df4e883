/**
 * Runs the tests that need a browser: the machine's Chromium. Without one they are skipped, unless `--require-all` is
 * given.
 *
 * ```sh
 * deno task test:browser                        # Everything
 * deno task test:browser --filter "keyboard"    # Flags go to `deno test`
 * CHROMIUM=<path> deno task test:browser        # Another Chromium
 * ```
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { runFolder } from "../../dev/_run_tests.ts";
import { findChromium, launchChromium } from "./_playwright.ts";

async function main(args: readonly string[]): Promise<number> {
  const requireAll = args.includes("--require-all");
  const chromium = findChromium();
  if (chromium === undefined) {
    console.log("browser: skipped, no chromium found; apt-get install chromium");
    return requireAll ? 1 : 0;
  }
  const browser = await launchChromium();
  console.log(`browser: chromium ${browser.version()}`);
  await browser.close();
  return await runFolder("browser", args.filter((arg) => arg !== "--require-all"), {
    permissions: () => ["--allow-all"], // Playwright looks into /proc, and ends processes that it did not name before
    env: { CHROMIUM: chromium },
  });
}

if (import.meta.main) Deno.exit(await main(Deno.args));
