/**
 * What must and must not compile. `deno check` is the test, and this file is never run: a `@ts-expect-error` above
 * lines that do compile is an error.
 *
 * @module
 */

import {
  createRouter,
  empty,
  type Handler,
  type Json,
  json,
  type Multipart,
  pass,
  type PathParams,
  problem,
  type QueryParams,
  redirect,
  type RequestSpec,
  type ResponseSpec,
  type RouteGuard,
  type SpecOf,
  type TypedResponse,
} from "@gatehouse/http";
import { z } from "zod";
import * as v from "valibot";

interface User {
  id: number;
  name: string;
}

/** Compiles only where both types are the same. */
function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
    : ["types differ"]
): void {}

/** Infers params from a literal path. */
export function paths(): void {
  createRouter()
    .get("/a", (req) => (same<typeof req.params, Readonly<Record<never, string>>>(), json(1)))
    .get("/a/:id", (req) => (same<typeof req.params, { readonly id: string }>(), json(1)))
    .get("/a/:id/b/:n{[0-9]+}", (req) => (same<typeof req.params.n, string>(), json(req.params.id)))
    .get("/o/:id?", (req) => (same<typeof req.params.id, string | undefined>(), json(1)))
    .get("/o/:id{[0-9]+}?", (req) => (same<typeof req.params.id, string | undefined>(), json(1)))
    .get("/w/*", (req) => json(req.path))
    // @ts-expect-error -- the path declares no such parameter
    .get("/b/:id", (req) => json(req.params.name))
    .get(
      "/c" as string,
      (req) => (same<typeof req.params, Readonly<Record<string, string>>>(), json(1)),
    );
}

/** Types content by route. */
export function contents(): void {
  createRouter()
    .get("/g", (req) => (same<typeof req.content, undefined>(), json(1)))
    .post("/p", (req) => (same<typeof req.content, unknown>(), json(1)))
    .post("/m", (req) => (same<typeof req.content, FormData>(), json(1)), { multipart: true })
    .post("/r", (req) => (same<typeof req.content, undefined>(), json(1)), { raw: true })
    .post("/s", (req) => (same<typeof req.content, { title: string }>(), json(req.content.title)), {
      schema: { body: z.object({ title: z.string() }) },
    })
    .post("/v", (req) => (same<typeof req.content, { n: number }>(), json(req.content.n)), {
      schema: { body: v.object({ n: v.number() }) },
      use: [(req) => void req.headers],
    })
    .post("/f", (req) => (same<typeof req.content, { name: string }>(), json(1)), {
      multipart: true,
      schema: {
        body: z.instanceof(FormData).transform((form) => ({ name: String(form.get("name")) })),
      },
    })
    // @ts-expect-error -- GET has no content
    .get("/x", () => json(1), { multipart: true })
    // @ts-expect-error -- the content is not typed
    .post("/y", (req) => json(req.content.title));
}

/** Takes types from explicit markers. */
export function markers(): void {
  createRouter()
    .post<
      RequestSpec<Json<User>, PathParams<{ org: string }>, QueryParams<{ dry?: string }>>,
      ResponseSpec<User>
    >(
      "/:org/users",
      (req) => {
        same<typeof req.content, User>();
        same<typeof req.params.org, string>();
        same<typeof req.query.dry, string | undefined>();
        return json(req.content, { status: 201 });
      },
    )
    .get<RequestSpec, ResponseSpec<User>>(
      "/u/:id",
      (req) => json({ id: Number(req.params.id), name: "Ada" }),
    )
    // @ts-expect-error -- the name is not a number
    .get<RequestSpec, ResponseSpec<User>>("/w1", () => json({ id: 1, name: 2 }))
    // @ts-expect-error -- a plain Response does not have a data type
    .get<RequestSpec, ResponseSpec<User>>("/w2", () => new Response("{}"))
    // @ts-expect-error -- a forgotten return
    .get<RequestSpec, ResponseSpec<User>>("/w3", () => {})
    .get<RequestSpec, ResponseSpec<User>>("/w4", () => redirect("/elsewhere"))
    .get<RequestSpec, ResponseSpec<User>>("/w5", () => problem(404, "no_such_user"))
    .get<RequestSpec, ResponseSpec<User>>("/w6", async () => await Promise.resolve(pass()))
    .post<RequestSpec<Multipart<{ file: File }>>>(
      "/up",
      (req) => json(req.content.getAll("file").length),
      {
        multipart: true,
      },
    )
    // @ts-expect-error -- a Multipart marker needs multipart: true
    .post<RequestSpec<Multipart<{ file: File }>>>("/up2", () => json(1))
    // @ts-expect-error -- a Json marker rejects multipart: true
    .post<RequestSpec<Json<User>>>("/up3", () => json(1), { multipart: true });
}

/** Rejects a forgotten return. */
export function returns(): void {
  // @ts-expect-error -- nothing is returned
  createRouter().get("/", () => {});
  // @ts-expect-error -- one branch returns nothing
  createRouter().get("/", (req) => {
    if (req.method === "GET") return json(1);
  });
  // @ts-expect-error -- data is not a response
  createRouter().get("/", () => ({ id: 1 }));
}

/** Takes types from schemas. */
export function schemas(): void {
  const schema = {
    body: z.object({ at: z.coerce.date() }),
    params: z.object({ id: z.coerce.number() }),
    query: z.object({ page: z.coerce.number().default(1) }),
    response: z.object({ id: z.number() }),
  };
  const handler: Handler<SpecOf<typeof schema>, ResponseSpec<{ id: number }>> = (req) => {
    same<typeof req.content, { at: Date }>();
    return json({ id: req.params.id + req.query.page });
  };
  createRouter()
    .put("/t/:id", handler, { schema })
    .put(
      "/i/:id",
      (req) => json({ id: req.params.id + req.query.page + req.content.at.getTime() }),
      { schema },
    )
    // @ts-expect-error -- the response schema wants a number
    .put("/j/:id", () => json({ id: "7" }), { schema });
}

/** Types the extra arguments of fetch. */
export function extraArguments(): void {
  interface Env {
    DB: string;
  }
  const router = createRouter<[Env]>({
    before: [(_req, env) => void env.DB.length],
    catch: (_error, _req, env) => json(env.DB),
    finally: [(_response, _req, env) => void env.DB],
  }).get("/", (_req, env) => json(env.DB.length));
  const fetch: (request: Request, env: Env) => Response | Promise<Response> = router.fetch;
  void fetch;
  // @ts-expect-error -- the environment is missing
  void (() => router.fetch(new Request("http://localhost/")));
  // @ts-expect-error -- the environment is missing
  void (() => router.request("/"));
  // @ts-expect-error -- a handler that wants another environment
  router.get("/x", (_req, env: { KV: string }) => json(env.KV));
}

/** Fits the servers. */
export function servers(): void {
  const plain = createRouter().get("/", () => json(1));
  const served: Deno.ServeHandler = plain.fetch;
  const exported: Deno.ServeDefaultExport = plain;
  const withInfo: Deno.ServeHandler =
    createRouter<[Deno.ServeHandlerInfo]>().get("/", (_req, info) => json(info.remoteAddr)).fetch;
  void [served, exported, withInfo];
  createRouter().mount("/plain", plain).mount("/fetch", { fetch: () => new Response() });
  // @ts-expect-error -- the mounted application needs an argument that is not passed
  createRouter().mount("/x", createRouter<[{ DB: string }]>());
}

/** Narrows the type of req.principal. */
export function principals(): void {
  interface Principal {
    readonly sub: string;
  }
  const guard: RouteGuard<Principal> = () => ({ sub: "ada" });
  type NewUser = RequestSpec<Json<{ name: string }>>;
  const open = createRouter();
  // @ts-expect-error -- this router has no guard
  open.get("/none", (req) => json(req.principal));
  const router = open.withAuth({ guard });
  router
    .get("/a", (req) => (same<typeof req.principal, Principal>(), json(req.principal.sub)))
    .get(
      "/b/:id",
      (req) => (same<typeof req.principal, Principal | undefined>(), json(req.params.id)),
      {
        auth: { mode: "optional" },
      },
    )
    // @ts-expect-error -- a public route has no principal
    .get("/c", (req) => json(req.principal), { auth: false })
    .post("/d", (req) => json(req.content.title + req.principal.sub), {
      schema: { body: z.object({ title: z.string() }) },
      authorization: { metadata: { role: "admin" } },
    })
    .post("/e", (req) => json(req.content.getAll("file").length), { multipart: true, auth: false })
    .post<NewUser, ResponseSpec<User>>(
      "/f",
      (req) => json({ id: req.principal.sub.length, name: req.content.name }),
    )
    .post<NewUser, ResponseSpec<User>>("/g", (req) => json({ id: 1, name: req.content.name }), {
      auth: false,
    })
    .post<NewUser, ResponseSpec<User>>(
      "/h",
      (req) => json({ id: 1, name: req.principal?.sub ?? "" }),
      {
        auth: { mode: "optional" },
      },
    )
    .get<RequestSpec, ResponseSpec<User>>("/i", (req) => json({ id: 1, name: req.principal.sub }))
    // @ts-expect-error -- the response is not a User
    .get<RequestSpec, ResponseSpec<User>>("/j", (req) => json({ id: req.principal.sub, name: "" }))
    // @ts-expect-error -- explicit types on a public route: no principal
    .get<RequestSpec, ResponseSpec<string>>("/k", (req) => json(req.principal.sub), {
      auth: false,
    });
  const guarded: Handler<RequestSpec, ResponseSpec, [], Principal> = (req) =>
    json(req.principal.sub);
  router.get("/l", guarded);
  // @ts-expect-error -- a handler that needs a principal on a public route
  router.get("/m", guarded, { auth: false });
  // @ts-expect-error -- a handler that needs a principal on an unguarded router
  createRouter().get("/n", guarded);
}

/** Knows the status of responses, where it is written as a number. */
export function statuses(): void {
  same<ReturnType<() => 200>, ReturnType<typeof one>["status"]>();
  same<201, ReturnType<typeof made>["status"]>();
  same<number, ReturnType<typeof counted>["status"]>();
  same<number, ReturnType<typeof stated>["status"]>();
  same<204, ReturnType<typeof none>["status"]>();
  same<304, ReturnType<typeof unchanged>["status"]>();
  same<302 | 303, ReturnType<typeof elsewhere>["status"]>();
  same<409, ReturnType<typeof rejected>["status"]>();
  const one = () => json(1);
  const made = () => json(1, { status: 201, headers: { A: "b" } });
  const counted = (status: number) => json(1, { status });
  const stated = () => json<number>(1, { status: 201 });
  const none = () => empty();
  const unchanged = () => empty(304, { headers: { ETag: "a" } });
  const elsewhere = (post: boolean) => post ? redirect("/a", 303) : redirect("/a");
  const rejected = () => problem(409, "exists");
  createRouter()
    .get<RequestSpec, ResponseSpec<number>>("/a", () => json(1, { status: 201 }))
    .get<RequestSpec, ResponseSpec<number>>("/b", (): TypedResponse<number, 201> => made())
    .get("/c", (): TypedResponse<number> => made())
    // @ts-expect-error -- another status
    .get("/d", (): TypedResponse<number, 200> => made());
  // @ts-expect-error -- not a redirect status
  redirect("/a", 200);
}
