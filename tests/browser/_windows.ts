/**
 * Tests in a browser: one browser for the tests of a file, a window with a jar of its own for each of them, and an eye on
 * the console.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import {
  type Browser,
  type BrowserContext,
  launchChromium,
  type LaunchOptions,
  type WindowOptions,
} from "./_playwright.ts";

/** Milliseconds that a test waits for one thing. */
export const PATIENCE_MS = 10_000;

/** Opens a window with an empty jar. */
export type OpenWindow = (options?: WindowOptions) => Promise<BrowserContext>;

/** Gives windows to a function, and closes them after it. */
export type UseWindows = (use: (open: OpenWindow) => Promise<void>) => Promise<void>;

/** Options of a test. */
export interface BrowserTestOptions extends LaunchOptions {
  /** Errors in the console that the test brings about; any other one fails it. */
  readonly errors?: readonly RegExp[];
}

const browsers = new Map<string, Browser>();

Deno.test.afterAll(async () => {
  for (const browser of browsers.values()) await browser.close();
  browsers.clear();
});

/** Registers a test. What it starts should close after the windows: it is what they talk to. */
export function windowTest(
  name: string,
  fn: (useWindows: UseWindows) => Promise<void>,
  { errors = [], ...launch }: BrowserTestOptions = {},
): void {
  Deno.test({
    name,
    // The browser is started by the first test and serves all: what it leaves open is not the test's
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const key = JSON.stringify([launch.cachesPages ?? false, launch.port]);
      let browser = browsers.get(key);
      if (browser === undefined) browsers.set(key, browser = await launchChromium(launch));
      const running = browser;
      await fn((use) => withWindows(running, errors, use));
    },
  });
}

async function withWindows(
  browser: Browser,
  expected: readonly RegExp[],
  use: (open: OpenWindow) => Promise<void>,
): Promise<void> {
  const contexts: BrowserContext[] = [];
  const found: string[] = [];
  const add = (text: string) => {
    if (!expected.some((regexp) => regexp.test(text))) found.push(text);
  };
  try {
    await use(async (options = {}) => {
      const context = await browser.newContext(options);
      contexts.push(context);
      context.setDefaultTimeout(PATIENCE_MS);
      context.on("console", (message) => {
        if (message.type() === "error") add(message.text());
      });
      context.on("weberror", (error) => add(String(error.error())));
      return context;
    });
  } finally {
    for (const context of contexts) await context.close();
  }
  assertEquals(found, [], "errors in the console");
}
