/**
 * Which names options may have. `deno check` is the test, and this file is never run: a `@ts-expect-error` above lines that do
 * compile is an error. `tests/legacy/` has a link to it, for decorators of the other mode.
 *
 * @module
 */

import {
  Controller,
  createRouter,
  Endpoint,
  Get,
  type Json,
  json,
  Post,
  type RequestSpec,
  type ResponseSpec,
  type RouteOptions,
  routerBuilder,
  type TypedRequest,
} from "@gatehouse/http";
import { z } from "zod";

const MISSPELT = { authorisation: { metadata: 1 } };
const GOOD = { authorization: { metadata: 1 }, auth: true } as const;
const METADATA = { summary: "x", tags: ["a"], "x-own": 1 } as const;
const SUMARY = { sumary: "x" };
const declared: RouteOptions = { auth: true };
const body = z.object({ title: z.string() });
const query = z.object({ n: z.coerce.number() });

/** Compiles only where both types are the same. */
function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
    : ["types differ"]
): void {}

/** Inference is that of literal options, wherever names come from. */
export function inference(maybe: boolean): void {
  createRouter()
    .get("/a", () => json(1), {})
    .get("/a", () => json(1), undefined)
    .get("/a", () => json(1), { maxBodyBytes: 1 })
    .get(
      "/a",
      (req) => (same<typeof req.params, Readonly<Record<never, string>>>(), json(1)),
      { ...GOOD },
    )
    .get("/a/:id", (req) => (same<typeof req.params, { readonly id: string }>(), json(1)), GOOD)
    .post("/a", () => json(1), declared)
    .post("/a", () => json(1), { ...declared, auth: false })
    .post("/a", (req) => json(req.content.title), {
      ...GOOD,
      schema: { body },
      use: [(q) => void q.headers],
    })
    .post("/a", (req) => json(req.content.title), {
      use: [(q) => {
        void q.headers;
      }],
      schema: { body },
      ...GOOD,
    })
    .post("/a", (req) => (same<typeof req.content, FormData>(), json(1)), {
      multipart: true,
      ...GOOD,
    })
    .post("/a", (req) => (same<typeof req.content, undefined>(), json(1)), { raw: true })
    .get("/a", () => json(1), { ...(maybe ? GOOD : {}), auth: true })
    .get("/a", () => json(1), { ...(maybe && GOOD) })
    .get("/q", (req) => (same<typeof req.query.n, number>(), json(1)), {
      schema: { query },
      ...GOOD,
    });
}

/** Misspelt names of an unguarded router. */
export function names(maybe: boolean): void {
  const r = createRouter();
  // @ts-expect-error -- misspelt
  r.get("/b", () => json(1), { authorisation: { metadata: 1 } });
  // @ts-expect-error -- misspelt, beside another
  r.get("/b", () => json(1), { authorisation: { metadata: 1 }, auth: true });
  // @ts-expect-error -- a spread
  r.get("/b", () => json(1), { ...MISSPELT });
  // @ts-expect-error -- a spread beside another
  r.get("/b", () => json(1), { ...MISSPELT, auth: true });
  // @ts-expect-error -- an inline spread
  r.get("/b", () => json(1), { ...{ authorisation: 1 }, auth: true });
  // @ts-expect-error -- a variable
  r.post("/b", () => json(1), MISSPELT);
  // @ts-expect-error -- a spread, with a schema and a lambda
  r.post("/b", () => json(1), { ...MISSPELT, schema: { body }, use: [(q) => void q.headers] });
  // @ts-expect-error -- a conditional spread
  r.get("/b", () => json(1), { ...(maybe ? MISSPELT : {}), auth: true });
  // @ts-expect-error -- a conditional spread of the other form
  r.get("/b", () => json(1), { ...(maybe && MISSPELT), auth: true });
  // @ts-expect-error -- GET has no content
  r.get("/b", () => json(1), { ...{ multipart: true }, auth: true });
  // @ts-expect-error -- a mount
  r.mount("/b", createRouter(), { ...MISSPELT, auth: true });
  // @ts-expect-error -- a mount has no middleware of its own
  r.mount("/b", createRouter(), { ...{ use: [] } });
  // @ts-expect-error -- a built router
  routerBuilder().build().get("/b", () => json(1), { ...MISSPELT, auth: true });
  // @ts-expect-error -- a mount of a built router
  routerBuilder().build().mount("/b", createRouter(), { ...MISSPELT, auth: true });
  // @ts-expect-error -- explicit types, a literal
  r.get<RequestSpec, ResponseSpec<number>>("/b", () => json(1), { authorisation: 1, auth: true });
  // Explicit types leave nothing to infer names from: registration rejects a spread then, and `any`.
  r.get<RequestSpec, ResponseSpec<number>>("/b", () => json(1), { ...MISSPELT, auth: true });
}

/** A guarded router. */
export function guarded(): void {
  const r = createRouter().withAuth({ guard: () => ({ sub: "" }) });
  r.get("/a", (req) => json(req.principal.sub), GOOD);
  r.get("/a", (req) => (same<typeof req.principal, { sub: string } | undefined>(), json(1)), {
    ...{ auth: { mode: "optional" } } as const,
    maxBodyBytes: 1,
  });
  r.post("/a", (req) => json(req.content.title + req.principal.sub), {
    ...GOOD,
    schema: { body },
    use: [(q) => void q.headers],
  });
  // @ts-expect-error -- a spread
  r.get("/b", () => json(1), { ...MISSPELT, auth: true });
  // @ts-expect-error -- a variable
  r.post("/b", () => json(1), MISSPELT);
  // @ts-expect-error -- a spread, with a schema and a lambda
  r.post("/b", () => json(1), { schema: { body }, use: [(q) => void q.headers], ...MISSPELT });
  // @ts-expect-error -- a literal
  r.get("/b", () => json(1), { authorisation: 1, auth: true });
}

/** Decorators take options and metadata, and nothing else. */
class Decorated {
  @Get("/a", { ...GOOD, ...METADATA, use: [(q) => void q.headers] })
  good() {
    return json(1);
  }
  @Post("/a", { ...GOOD, summary: "x", "x-other": 2, schema: { body } })
  inferred(req: TypedRequest<RequestSpec<Json<{ title: string }>>, { sub: string }>) {
    return json(req.content.title + req.principal.sub);
  }
  @Get("/recent", { ...METADATA, auth: { amr: ["mfa"], maxAge: 900 } })
  recent(req: TypedRequest<RequestSpec, { sub: string }>) {
    return json(req.principal.sub);
  }
  // @ts-expect-error -- a principal cannot be optional and recent
  @Get("/b", { auth: { mode: "optional", maxAge: 900 } })
  optional() {
    return json(1);
  }
  @Endpoint({ ...METADATA })
  @Get("/e")
  endpoint() {
    return json(1);
  }
  // @ts-expect-error -- a spread
  @Get("/b", { ...MISSPELT, auth: true })
  spread() {
    return json(1);
  }
  // @ts-expect-error -- a spread of metadata
  @Post("/b", { ...SUMARY, auth: true })
  metadata() {
    return json(1);
  }
  // @ts-expect-error -- a variable
  @Get("/b", MISSPELT)
  variable() {
    return json(1);
  }
  // @ts-expect-error -- a literal
  @Get("/b", { sumary: "x" })
  literal() {
    return json(1);
  }
}
export const checked: unknown = Controller("/c")(Decorated);
