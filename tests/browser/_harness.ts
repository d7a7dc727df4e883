/**
 * What every test in a browser has: a window with a jar of its own, the application on `app.localhost`, an attacker's
 * server on every other name of the same port, and the list of what the application was asked.
 *
 * Chromium resolves `localhost` and all names beneath it to this machine by itself, sends `Secure` cookies there, and
 * takes `app.localhost` for a site: `evil.app.localhost` is of the same site, `127.0.0.1` of another one.
 *
 * @module
 */

import { createTestApp, type TestApp } from "./_app.ts";
import type { BrowserContext, Page } from "./_playwright.ts";
import {
  type BrowserTestOptions,
  type OpenWindow,
  PATIENCE_MS,
  type UseWindows,
  windowTest,
} from "./_windows.ts";

/** Another site than the application's. */
export const OTHER_SITE = "127.0.0.1";
/** A sibling of the application's host: the same site, another origin. */
export const SIBLING = "evil.app.localhost";
/** The application's host. */
export const APP_HOST = "app.localhost";

/** A password that nothing is wrong with. */
export const PASSWORD = "seven green bottles on a wall";

/** A request that reached the application, with its answer. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** `Sec-Fetch-Site`. */
  readonly site: string | null;
  /** Names of the cookies that came along. */
  readonly cookies: readonly string[];
  readonly status: number;
  /** Code of the problem, if the answer is one. */
  readonly code: string | undefined;
  readonly headers: Headers;
}

/** What a test gets. */
export interface Scene extends Omit<TestApp, "fetch"> {
  /** The window. */
  readonly context: BrowserContext;
  /** Origin of a host. @param host The application's by default. */
  origin(host?: string): string;
  /** Opens a page of the application in a new tab. */
  open(path?: string): Promise<Page>;
  /**
   * Opens an attacker's page on a host, in a new tab. It is empty: a test runs scripts in it.
   *
   * @param cookies Values of the `Set-Cookie` fields that it comes with.
   */
  openAttacker(host: string, cookies?: readonly string[]): Promise<Page>;
  /** What the application was asked, in the order of its answers. */
  readonly exchanges: readonly Exchange[];
  /**
   * Waits until the application has answered such a request.
   *
   * @param from How many of the exchanges are passed over. @default {0}
   */
  until(method: string, path: string | RegExp, from?: number): Promise<Exchange>;
  /** Another window, with an empty jar. */
  readonly another: OpenWindow;
}

/** Registers a test in a window of its own, before an application of its own. */
export function browserTest(
  name: string,
  fn: (scene: Scene) => Promise<void>,
  options?: BrowserTestOptions,
): void {
  windowTest(name, (useWindows) => withScene(useWindows, fn), options);
}

async function withScene(
  useWindows: UseWindows,
  test: (scene: Scene) => Promise<void>,
): Promise<void> {
  const { fetch, ...app } = createTestApp();
  const log = exchangeLog(fetch);
  const stop = new AbortController(); // `shutdown()` would wait for what a failed test left open
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, signal: stop.signal, onListen: () => {} },
    (request, info) =>
      new URL(request.url).hostname === APP_HOST
        ? log.fetch(request, info)
        : attackerResponse(new URL(request.url)),
  );
  const origin = (host = APP_HOST) => `http://${host}:${server.addr.port}`;

  try {
    await useWindows(async (another) => {
      const context = await another();
      await test({
        ...app,
        context,
        another,
        origin,
        exchanges: log.exchanges,
        until: log.until,
        async open(path = "/") {
          const page = await context.newPage();
          await page.goto(origin() + path);
          return page;
        },
        async openAttacker(host, cookies = []) {
          const page = await context.newPage();
          const query = new URLSearchParams(cookies.map((cookie) => ["cookie", cookie]));
          await page.goto(`${origin(host)}/?${query}`);
          return page;
        },
      });
    });
  } finally {
    stop.abort();
    await server.finished;
  }
}

/**
 * The attacker's server: an empty page with the cookies that its URL names, and a redirect that keeps method and content,
 * for requests that began elsewhere.
 */
function attackerResponse({ pathname, searchParams }: URL): Response {
  const target = searchParams.get("to");
  if (target !== null) return new Response(null, { status: 307, headers: { Location: target } });
  if (pathname !== "/") return new Response(null, { status: 404 });
  const markup = `<!DOCTYPE html><title>Attack</title><link rel="icon" href="data:,"><body>`;
  const headers = new Headers({ "Content-Type": "text/html; charset=utf-8" });
  for (const cookie of searchParams.getAll("cookie")) headers.append("Set-Cookie", cookie);
  return new Response(markup, { headers });
}

/** Notes what a handler answers, and wakes those who wait for it. */
function exchangeLog(fetch: TestApp["fetch"]): {
  fetch(request: Request, ...args: unknown[]): Promise<Response>;
  readonly exchanges: readonly Exchange[];
  until: Scene["until"];
} {
  const exchanges: Exchange[] = [];
  const waiting = new Set<() => void>();
  return {
    exchanges,
    async fetch(request, ...args) {
      const { method, headers, url } = request;
      const asked = { // before it becomes a WebSocket, whose request cannot be read
        method,
        path: new URL(url).pathname,
        site: headers.get("Sec-Fetch-Site"),
        cookies: (headers.get("Cookie") ?? "").split("; ").map((pair) => pair.split("=")[0] ?? ""),
      };
      const response = await fetch(request, ...args);
      const isProblem = response.headers.get("Content-Type") === "application/problem+json";
      exchanges.push({
        ...asked,
        status: response.status,
        code: isProblem ? (await response.clone().json()).code : undefined,
        headers: response.headers,
      });
      for (const wake of waiting) wake();
      return response;
    },
    until(method, path, from = 0) {
      const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
      const late = () => reject(new Error(`Nobody asked for ${method} ${path}`));
      const timer = setTimeout(late, PATIENCE_MS);
      const look = () => {
        const found = exchanges.slice(from).find((one) =>
          one.method === method &&
          (path instanceof RegExp ? path.test(one.path) : one.path === path)
        );
        if (found !== undefined) resolve(found);
      };
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
  };
}
