/**
 * Which paths fit explicit `PathParams`. `deno check` is the test, and this file is never run: a `@ts-expect-error` above lines
 * that do compile is an error. For decorators, see `decorators_check.ts`.
 *
 * @module
 */

import {
  createRouter,
  type Handler,
  type Json,
  json,
  type NoLocals,
  type PathParams,
  type RequestSpec,
  type ResponseSpec,
  routerBuilder,
  type SpecOf,
  type TypedRouter,
} from "@gatehouse/http";
import { z } from "zod";

type P<T> = RequestSpec<PathParams<T>>;
type S = ResponseSpec<unknown>;
type Body<T> = RequestSpec<PathParams<T>, Json<{ a: string }>>;

interface Named {
  readonly id: string;
}

const params = z.object({ n: z.coerce.number() });
const byNumber: Handler<SpecOf<{ params: typeof params }>> = (req) => json(req.params.n + 1);

/** Names. */
export function unguarded(): void {
  const r = createRouter();
  r.get<P<{ id: string }>>("/c/:id", (req) => json(req.params.id));
  r.get<P<{ id: string }>>("/c/:id/edit", (req) => json(req.params.id));
  r.get<P<{ id: string }>>("/c/:id{[0-9]+}", (req) => json(req.params.id));
  r.get<P<{ id: string }>>("/c/:id{[0-9]+}/edit", (req) => json(req.params.id));
  r.get<P<{ id: string }>>("/:org/c/:id", (req) => json(req.params.id));
  r.get<P<{ id: string; org: string }>>("/:org/c/:id", (req) => json([req.params.org]));
  r.get<P<{ a: string; b: string; c: string }>>("/:c/:b/:a", (req) => json([req.params.a]));
  r.get<P<Named>>("/c/:id", (req) => json(req.params.id));
  r.get<P<{ id?: string }>>("/c/:id?", (req) => json(req.params.id ?? null));
  r.get<P<{ id?: string }>>("/c/:id{[0-9]+}?", (req) => json(req.params.id ?? null));
  r.get<P<{ id?: string }>>("/c/:id", (req) => json(req.params.id ?? null));
  r.get<P<{ id: string | undefined }>>("/c/:id?", (req) => json(req.params.id ?? null));
  r.get<P<Record<never, string>>>("/c/:id", () => json(1));
  r.get<P<Readonly<Record<string, string>>>>("/c/:id", (req) => json(req.params.id ?? null));
  r.get<P<Readonly<Record<string, string | undefined>>>>("/c", () => json(1));
  // deno-lint-ignore no-explicit-any
  r.get<any, any>("/c/:id", () => json(1));
  // deno-lint-ignore no-explicit-any
  r.get<P<any>>("/c/:id", (req) => json(req.params.idd));
  r.get<RequestSpec>("/c/:id", (req) => json(req.params.id ?? null));
  r.get<RequestSpec>("/c/:id" as string, (req) => json(req.params.id ?? null));
  r.get<P<{ id: string }>, S, string>("/c/:id" as string, (req) => json(req.params.id));
  r.post<Body<{ id: string }>>("/c/:id", (req) => json(req.params.id + req.content.a));
  // @ts-expect-error -- misspelt
  r.get<P<{ idd: string }>>("/c/:id", () => json(1));
  // @ts-expect-error -- part of a name
  r.get<P<{ id: string }>>("/c/:idd", () => json(1));
  // @ts-expect-error -- one of two is misspelt
  r.get<P<{ org: string; idd: string }>>("/:org/c/:id", () => json(1));
  // @ts-expect-error -- the path has none
  r.get<P<{ id: string }>>("/c", () => json(1));
  // @ts-expect-error -- it may be absent
  r.get<P<{ id: string }>>("/c/:id?", () => json(1));
  // @ts-expect-error -- it may be absent, with an expression
  r.get<P<{ id: string }>>("/c/:id{[0-9]+}?", () => json(1));
  // @ts-expect-error -- misspelt, with an expression
  r.get<P<{ idd: string }>>("/c/:id{[0-9]+}", () => json(1));
  // @ts-expect-error -- misspelt, optional
  r.get<P<{ idd?: string }>>("/c/:id?", () => json(1));
  // @ts-expect-error -- not a number
  r.get<P<{ n: number }>>("/c/:n", () => json(1));
  // @ts-expect-error -- not a number, beside a string
  r.get<P<{ id: string; n: number }>>("/:id/:n", () => json(1));
  // @ts-expect-error -- not a number, on any path
  r.get<P<{ n: number }>>("/c/:n" as string, () => json(1));
  // @ts-expect-error -- an unknown path: say so by a third type argument, `string`
  r.get<P<{ id: string }>>("/c/:id" as string, () => json(1));
  // @ts-expect-error -- not one of two strings
  r.get<P<{ kind: "a" | "b" }>>("/c/:kind{a|b}", () => json(1));
  // @ts-expect-error -- not one of two strings, beside any
  r.get<P<{ kind: "a" | "b"; id: string }>>("/c/:kind{a|b}/:id", () => json(1));
  // @ts-expect-error -- misspelt, with content
  r.post<Body<{ idd: string }>, S>("/c/:id", () => json(1));
  // @ts-expect-error -- misspelt, on a built router
  routerBuilder().build().get<P<{ idd: string }>>("/c/:id", () => json(1));
}

/** A schema converts parameters, and its output is inferred. */
export function schemas(): void {
  const r = createRouter();
  r.get("/c/:n", (req) => json(req.params.n + 1), { schema: { params } });
  r.get("/c/:n", byNumber, { schema: { params } });
  // @ts-expect-error -- without the schema it is a string
  r.get("/c/:n", byNumber);
}

/** A guarded router. */
export function guarded(): void {
  const r = createRouter().withAuth({ guard: () => ({ sub: "" }) });
  r.get<P<{ id: string }>, S>("/c/:id", (req) => json(req.params.id + req.principal.sub));
  r.get<P<{ id: string }>, S>("/c/:id", (req) => json(req.params.id), { auth: false });
  r.get<P<{ id: string }>, S>("/c/:id", (req) => json(req.principal?.sub), {
    auth: { mode: "optional" },
  });
  r.get<P<{ id: string; org: string }>, S>("/:org/c/:id", (req) => json(req.params.id));
  r.get<P<{ id?: string }>, S>("/c/:id?", (req) => json(req.params.id ?? ""));
  r.get<RequestSpec, S>("/c/:id" as string, (req) => json(req.params.id ?? ""));
  r.post<Body<{ id: string }>, S>("/c/:id", (req) => json(req.params.id + req.content.a));
  // @ts-expect-error -- misspelt
  r.get<P<{ idd: string }>, S>("/c/:id", () => json(1));
  // @ts-expect-error -- misspelt, public
  r.get<P<{ idd: string }>, S>("/c/:id", () => json(1), { auth: false });
  // @ts-expect-error -- misspelt, optional principal
  r.get<P<{ idd: string }>, S>("/c/:id", () => json(1), { auth: { mode: "optional" } });
  // @ts-expect-error -- not a number
  r.get<P<{ n: number }>, S>("/c/:n", () => json(1));
  // @ts-expect-error -- misspelt, with content
  r.post<Body<{ idd: string }>, S>("/c/:id", () => json(1));
}

/** Parameters of a prefix. */
export function prefixes(): void {
  const router = createRouter({ prefix: "/orgs/:org" });
  router.get("/:id", (req) => json(req.params.org + req.params.id));
  router.get("/:id?", (req) => json(req.params.org + (req.params.id ?? "")));
  router.get<P<{ org: string; id: string }>>("/:id", (req) => json(req.params.org));
  router.get<P<{ org: string }>>("/:id", (req) => json(req.params.org));
  router.get<P<{ org?: string }>>("/:id", (req) => json(req.params.org ?? ""));
  router.get<P<{ org: string }>>("/x" as string, (req) => json(req.params.org));
  // @ts-expect-error -- neither in the path nor in the prefix
  router.get<P<{ org: string; idd: string }>>("/:id", () => json(1));
  // @ts-expect-error -- the prefix names it org
  router.get<P<{ orgg: string; id: string }>>("/:id", () => json(1));
  // @ts-expect-error -- not a number
  router.get<P<{ org: number; id: string }>>("/:id", () => json(1));
  // @ts-expect-error -- no such parameter
  router.get("/:id", (req) => json(req.params.orgg));
  const guarded = router.withAuth({ guard: () => ({ sub: "" }) });
  guarded.get("/:id", (req) => json(req.params.org + req.params.id + req.principal.sub));
  guarded.get<P<{ org: string; id: string }>, S>("/:id", (req) => json(req.params.id));
  const built = routerBuilder().prefix("/orgs/:org")
    .extend((router) => void router.get("/:id", (req) => json(req.params.org)))
    .build();
  built.get<P<{ org: string; id: string }>>("/:id", (req) => json(req.params.org));
  // Beside an explicit type of the arguments, the prefix is stated too.
  createRouter<[string], "/orgs/:org">({ prefix: "/orgs/:org" })
    .get("/", (req, text) => json(req.params.org + text));
  const plain: TypedRouter<[string]> = createRouter<[string]>({ prefix: "/api" });
  const dynamic: TypedRouter = createRouter({ prefix: "/x" as string });
  const narrower: TypedRouter = router;
  void [plain, dynamic, narrower];
  // @ts-expect-error -- a router without the prefix does not have its parameters
  const wider: TypedRouter<[], unknown, never, NoLocals, { readonly org: string }> = createRouter();
  void wider;
}
