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

import { join } from "@std/path";
import { ROOT } from "../../dev/_project.ts";
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
  return await runTests(chromium, args.filter((arg) => arg !== "--require-all"));
}

async function runTests(chromium: string, args: readonly string[]): Promise<number> {
  const temporary = await Deno.realPath(await Deno.makeTempDir({ prefix: "gatehouse_browser_" }));
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: [
        "test",
        "--allow-all", // Playwright looks into /proc, and ends processes that it did not name before
        `--lock=${join(ROOT, "tests/browser/deno.lock")}`,
        ...args,
        ...(args.some(isPath) ? [] : ["tests/browser"]),
      ],
      cwd: ROOT,
      env: { CHROMIUM: chromium, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    }).spawn().status;
    return code;
  } finally {
    await Deno.remove(temporary, { recursive: true });
  }
}

function isPath(arg: string, index: number, args: readonly string[]): boolean {
  return !arg.startsWith("-") && args[index - 1] !== "--filter";
}

if (import.meta.main) Deno.exit(await main(Deno.args));
