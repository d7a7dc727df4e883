/**
 * One measurement for `growth.ts`: `_growth.ts <router> <mix> <routes>` prints JSON. Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */
// deno-lint-ignore-file no-console

import { Hono } from "hono";
import { createRouter, json } from "../mod.ts";
import type { App } from "./_apps.ts";
import { measure } from "./_measure.ts";
import { ORIGIN } from "./_requests.ts";

/** What an application of some size costs. */
export interface Growth {
  /** Milliseconds to register all routes. */
  readonly registerMs: number;
  /** Milliseconds until the first answer after that. */
  readonly firstMs: number;
  /** Nanoseconds of a request to a static path. */
  readonly staticNs: number;
  /** Nanoseconds of a request to a path with two parameters. */
  readonly paramNs: number;
  /** Nanoseconds of a request that nothing matches. */
  readonly missingNs: number;
  /** Heap that the routes, compiled, hold after garbage collection. */
  readonly heapBytes: number;
}

/** Patterns by number; four kinds take turns: static, one parameter, two, wildcard. */
const MIXES: Readonly<Record<string, (i: number) => string>> = {
  fitting: (i) =>
    [`/pages${i}/about`, `/api/res${i}/:id`, `/orgs${i}/:org/users/:id`, `/files${i}/*`][i % 4] ??
      "",
  unfitting: (i) =>
    // a parameter and literals at one place
    [`/pages${i}/about`, `/:tenant/res${i}/:id`, `/orgs${i}/:org/users/:id`, `/files${i}/*`][
      i % 4
    ] ?? "",
};

/** Answers with a number, on every route of a mix. */
const ROUTERS: Readonly<Record<string, (paths: readonly string[]) => App>> = {
  gatehouse(paths) {
    const router = createRouter();
    paths.forEach((path, i) => router.get(path, () => json(i)));
    return { name: "gatehouse", fetch: (request) => router.fetch(request) };
  },
  hono(paths) {
    const app = new Hono();
    paths.forEach((path, i) => app.get(path, (c) => c.json(i)));
    return { name: "hono", fetch: (request) => app.fetch(request) };
  },
};

async function grow(router: string, mix: string, count: number): Promise<Growth> {
  const build = ROUTERS[router];
  const pattern = MIXES[mix];
  if (build === undefined || pattern === undefined) {
    throw new TypeError(`Cannot measure "${router}" with "${mix}": not one of those here`);
  }
  const paths = Array.from({ length: count }, (_, i) => pattern(i));
  const heapBefore = heapUsed();
  const start = performance.now();
  const app = build(paths);
  const registered = performance.now();
  await expectStatus(app, "/nowhere", 404);
  const answered = performance.now();
  const heapBytes = heapUsed() - heapBefore;
  const middle = count >> 1;
  const chosen = (kind: number): number => middle - (middle % 4) + kind;
  return {
    registerMs: registered - start,
    firstMs: answered - registered,
    staticNs: await requestNs(app, `/pages${chosen(0)}/about`, 200),
    paramNs: await requestNs(app, `/orgs${chosen(2)}/ada/users/7`, 200),
    missingNs: await requestNs(app, "/nowhere/at/all", 404),
    heapBytes,
  };
}

async function requestNs(app: App, path: string, status: number): Promise<number> {
  await expectStatus(app, path, status);
  const [result] = await measure(
    [{ name: app.name, run: (request: Request) => app.fetch(request) }],
    () => new Request(ORIGIN + path),
    { rounds: 31, runs: 300 },
  );
  return result?.ns ?? NaN;
}

async function expectStatus(app: App, path: string, status: number): Promise<void> {
  const response = await app.fetch(new Request(ORIGIN + path));
  await response.body?.cancel();
  if (response.status !== status) {
    throw new Error(`Cannot measure ${app.name}: ${path} gave ${response.status}, not ${status}`);
  }
}

function heapUsed(): number {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    throw new Error("Cannot collect garbage: --v8-flags=--expose-gc is missing");
  }
  gc();
  return Deno.memoryUsage().heapUsed;
}

if (import.meta.main) {
  const [router = "", mix = "", count = ""] = Deno.args;
  console.log(JSON.stringify(await grow(router, mix, Number(count))));
}
