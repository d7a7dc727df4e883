/**
 * The same application of 32 routes on every router that is compared, and on none: the floor is written by hand.
 *
 * Peers are imported by specifiers that are no literals, so that the project's lock file, which every run of the tests
 * downloads, names none of them.
 *
 * @module
 */

import { Hono } from "hono";
import { createRouter, json, type Middleware } from "../mod.ts";

/** Anything that answers requests. */
export interface App {
  readonly name: string;
  fetch(request: Request, ...args: unknown[]): Response | Promise<Response>;
}

/** Versions that were measured. */
export const VERSIONS: Readonly<Record<string, string>> = {
  hono: "4.13.19",
  "itty-router": "6.0.0",
  h3: "2.0.8",
  elysia: "1.4.30",
};

/** Static paths, GET. */
const PAGES: readonly string[] = Array.from({ length: 12 }, (_, i) => `/pages/page${i}`);
/** Paths with one parameter, GET; the handlers read it and a query. */
const RESOURCES: readonly string[] = Array.from({ length: 12 }, (_, i) => `/api/res${i}/:id`);
/** Paths with JSON, POST. */
const FORMS: readonly string[] = Array.from({ length: 5 }, (_, i) => `/api/forms/form${i}`);

const OK = { ok: true };

/** Middleware that waits once, as for a cache in the process. */
const waiting = async (): Promise<undefined> => await undefined;

/** Ours. */
export function gatehouse(): App {
  const router = createRouter<unknown[]>();
  for (const path of PAGES) router.get(path, () => json(OK));
  for (const path of RESOURCES) {
    router.get(path, (req) => json({ id: req.params.id, tab: req.query.tab }));
  }
  for (const path of FORMS) router.post(path, (req) => json(req.content));
  const step: Middleware<unknown[]> = () => undefined;
  router.get("/steps", () => json(OK), { use: [step, step, step] });
  router.get("/steps/async", () => json(OK), { use: [waiting, waiting, waiting] });
  router.get("/files/*", (req) => json({ path: req.path }));
  router.withAuth({ guard: () => ({ sub: "ada" }) })
    .get("/private", (req) => json({ sub: req.principal.sub }));
  return { name: "gatehouse", fetch: (request, ...args) => router.fetch(request, ...args) };
}

/** Hono. */
export function hono(): App {
  const app = new Hono<{ Variables: { principal: { sub: string } } }>();
  for (const path of PAGES) app.get(path, (c) => c.json(OK));
  for (const path of RESOURCES) {
    app.get(path, (c) => c.json({ id: c.req.param("id" as never), tab: c.req.query("tab") }));
  }
  for (const path of FORMS) app.post(path, async (c) => c.json(await c.req.json()));
  const step = (_c: unknown, next: () => Promise<void>): Promise<void> => next();
  app.get("/steps", step, step, step, (c) => c.json(OK));
  const waits = async (_c: unknown, next: () => Promise<void>): Promise<void> => {
    await undefined;
    await next();
  };
  app.get("/steps/async", waits, waits, waits, (c) => c.json(OK));
  app.get("/files/*", (c) => c.json({ path: c.req.path }));
  app.get(
    "/private",
    (c, next) => (c.set("principal", { sub: "ada" }), next()),
    (c) => c.json({ sub: c.get("principal").sub }),
  );
  return { name: "hono", fetch: (request, env) => app.fetch(request, env as undefined) };
}

/** No router: what the same answers cost when somebody writes a switch. */
export function floor(): App {
  const pages = new Set(PAGES);
  const forms = new Set(FORMS);
  function fetch(request: Request): Response | Promise<Response> {
    const { url, method } = request;
    const start = url.indexOf("/", 8);
    const question = url.indexOf("?", start);
    const path = url.slice(start, question === -1 ? undefined : question);
    if (method === "POST" && forms.has(path)) {
      return request.json().then((data) => Response.json(data));
    }
    if (method !== "GET") return new Response(null, { status: 405 });
    if (pages.has(path) || path.startsWith("/steps")) return Response.json(OK);
    if (path.startsWith("/api/res")) {
      const id = decodeURIComponent(path.slice(path.indexOf("/", 8) + 1));
      const tab = new URLSearchParams(url.slice(question)).get("tab");
      return Response.json({ id, tab });
    }
    if (path.startsWith("/files/")) return Response.json({ path });
    if (path === "/private") return Response.json({ sub: "ada" });
    return new Response(null, { status: 404 });
  }
  return { name: "floor", fetch };
}

interface IttyModule {
  AutoRouter(): {
    fetch(request: Request): Promise<Response>;
    all(path: string, ...handlers: IttyHandler[]): void;
    get(path: string, ...handlers: IttyHandler[]): void;
    post(path: string, ...handlers: IttyHandler[]): void;
  };
}
interface IttyRequest extends Request {
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  principal?: { sub: string };
}
type IttyHandler = (request: IttyRequest) => unknown;

/** itty-router, as its documentation starts: AutoRouter. */
export async function itty(): Promise<App> {
  const { AutoRouter } = await load<IttyModule>("itty-router");
  const router = AutoRouter();
  for (const path of PAGES) router.get(path, () => OK);
  for (const path of RESOURCES) {
    router.get(path, ({ params, query }) => ({ id: params.id, tab: query.tab }));
  }
  for (const path of FORMS) router.post(path, (request) => request.json());
  const step: IttyHandler = () => undefined;
  router.get("/steps", step, step, step, () => OK);
  router.get("/steps/async", waiting, waiting, waiting, () => OK);
  router.get("/files/*", ({ url }) => ({ path: new URL(url).pathname }));
  router.get(
    "/private",
    (request) => void (request.principal = { sub: "ada" }),
    ({ principal }) => ({ sub: principal?.sub }),
  );
  return { name: "itty-router", fetch: (request) => router.fetch(request) };
}

interface H3Event {
  readonly req: Request;
  readonly url: URL;
  readonly context: { params?: Record<string, string>; principal?: { sub: string } };
}
interface H3Module {
  H3: new () => {
    fetch(request: Request): Response | Promise<Response>;
    get(path: string, handler: (event: H3Event) => unknown, options?: unknown): void;
    post(path: string, handler: (event: H3Event) => unknown): void;
  };
}

/** h3. */
export async function h3(): Promise<App> {
  const { H3 } = await load<H3Module>("h3");
  const app = new H3();
  for (const path of PAGES) app.get(path, () => OK);
  for (const path of RESOURCES) {
    app.get(
      path,
      ({ context, url }) => ({ id: context.params?.id, tab: url.searchParams.get("tab") }),
    );
  }
  for (const path of FORMS) app.post(path, ({ req }) => req.json());
  const step = (_event: H3Event, next: () => unknown): unknown => next();
  app.get("/steps", () => OK, { middleware: [step, step, step] });
  const waits = async (_event: H3Event, next: () => unknown): Promise<unknown> => {
    await undefined;
    return await next();
  };
  app.get("/steps/async", () => OK, { middleware: [waits, waits, waits] });
  app.get("/files/**", ({ url }) => ({ path: url.pathname }));
  app.get("/private", ({ context }) => ({ sub: context.principal?.sub }), {
    middleware: [({ context }: H3Event, next: () => unknown) => {
      context.principal = { sub: "ada" };
      return next();
    }],
  });
  return { name: "h3", fetch: (request) => app.fetch(request) };
}

interface ElysiaContext {
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: unknown;
  readonly path: string;
  principal?: { sub: string };
}
interface ElysiaModule {
  Elysia: new () => {
    handle(request: Request): Response | Promise<Response>;
    get(path: string, handler: (context: ElysiaContext) => unknown, options?: unknown): void;
    post(path: string, handler: (context: ElysiaContext) => unknown): void;
    compile(): void;
  };
}

/** Elysia, compiled ahead. */
export async function elysia(): Promise<App> {
  const { Elysia } = await load<ElysiaModule>("elysia");
  const app = new Elysia();
  for (const path of PAGES) app.get(path, () => OK);
  for (const path of RESOURCES) {
    app.get(path, ({ params, query }) => ({ id: params.id, tab: query.tab }));
  }
  for (const path of FORMS) app.post(path, ({ body }) => body);
  const step = (): undefined => undefined;
  app.get("/steps", () => OK, { beforeHandle: [step, step, step] });
  app.get("/steps/async", () => OK, { beforeHandle: [waiting, waiting, waiting] });
  app.get("/files/*", ({ path }) => ({ path }));
  app.get("/private", ({ principal }) => ({ sub: principal?.sub }), {
    beforeHandle: [(context: ElysiaContext) => void (context.principal = { sub: "ada" })],
  });
  app.compile();
  return { name: "elysia", fetch: (request) => app.handle(request) };
}

async function load<Module>(name: string): Promise<Module> {
  return await import(`npm:${name}@${VERSIONS[name]}`) as Module;
}
