/**
 * What decorated methods may and may not declare with schemas and guards, and which classes fit. `deno check` is the test, and this file is never run. The same source is
 * checked in both modes: `tests/legacy/decorators_schema_check.ts` is a link to it.
 *
 * @module
 */

import {
  Controller,
  createContainer,
  Get,
  type GuardedRequest,
  HttpRouter,
  type Json,
  json,
  type PathParams,
  Post,
  problem,
  type QueryParams,
  redirect,
  type RequestSpec,
  routerBuilder,
  type RouteRequest,
  type TypedRequest,
  type TypedResponse,
} from "@gatehouse/http";
import * as v from "valibot";
import { z } from "zod";

interface User {
  readonly id: number;
  readonly name: string;
}

interface Principal {
  readonly sub: string;
}

interface Env {
  readonly db: string;
}

type WithId = TypedRequest<RequestSpec<PathParams<{ id: string }>>>;
type WithUser = TypedRequest<RequestSpec<Json<User>>>;

const user = z.object({ id: z.number(), name: z.string() });

/** Compares declared types with the outputs of schemas. */
class Schemas {
  @Post("/:n", {
    schema: {
      body: user,
      params: z.object({ n: z.coerce.number() }),
      query: v.object({ q: v.string() }),
      response: user,
    },
    use: [(req) => void req.headers],
  })
  all(
    req: TypedRequest<
      RequestSpec<Json<User>, PathParams<{ n: number }>, QueryParams<{ q: string }>>
    >,
  ) {
    return json({ id: req.params.n, name: req.content.name + req.query.q });
  }
  // @ts-expect-error -- undeclared parameters are strings, and the schema returns a number
  @Get("/:n", { schema: { params: z.object({ n: z.coerce.number() }) } })
  undeclared(req: RouteRequest) {
    return json(req.params);
  }
  @Get("/:n", { schema: { params: z.object({ n: z.string().max(9) }) } })
  text(req: RouteRequest) {
    return json(req.params);
  }
  @Get("/r1", { schema: { response: user } })
  later(): Promise<TypedResponse<User>> {
    return Promise.resolve(json({ id: 1, name: "Ada" }));
  }
  @Get("/r2", { schema: { response: user } })
  orElse(req: RouteRequest) {
    if (req.method === "GET") return redirect("/elsewhere");
    return req.path === "/" ? problem(404, "no_such_user") : json({ id: 1, name: "Ada" });
  }
  @Post("/f", {
    multipart: true,
    schema: {
      body: z.instanceof(FormData).transform((form) => ({ id: form.getAll("id").length })),
    },
  })
  form(req: TypedRequest<RequestSpec<Json<{ id: number }>>>) {
    return json(req.content.id);
  }
  // @ts-expect-error -- the schema returns a name that is a number
  @Post("/b", { schema: { body: z.object({ id: z.number(), name: z.number() }) } })
  body(req: WithUser) {
    return json(req.content.name);
  }
  // @ts-expect-error -- the schema returns no name
  @Post("/c", { schema: { body: v.object({ id: v.number() }) } })
  partialBody(req: WithUser) {
    return json(req.content.name);
  }
  // @ts-expect-error -- the schema converts the parameter to a number
  @Get("/p/:id", { schema: { params: z.object({ id: z.coerce.number() }) } })
  params(req: WithId) {
    return json(req.params.id);
  }
  // @ts-expect-error -- the schema returns no page
  @Get("/q", { schema: { query: z.object({ size: z.coerce.number() }) } })
  query(req: TypedRequest<RequestSpec<QueryParams<{ page: number }>>>) {
    return json(req.query.page);
  }
  // @ts-expect-error -- the response has a name that is a number
  @Get("/r3", { schema: { response: user } })
  response() {
    return json({ id: 1, name: 2 });
  }
  // @ts-expect-error -- a plain Response does not have a data type
  @Get("/r4", { schema: { response: user } })
  plainResponse() {
    return new Response("{}");
  }
  // @ts-expect-error -- the same in a promise
  @Get("/r5", { schema: { response: user } })
  async laterResponse() {
    return await Promise.resolve(json({ id: "1", name: "Ada" }));
  }
}

const PUBLIC = { auth: false };

/** Compares the declared principal with option `auth`. */
class Principals {
  @Get("/a", { auth: true })
  required(req: TypedRequest<RequestSpec, Principal>) {
    return json(req.principal.sub);
  }
  @Get("/b", { auth: true, authorization: { metadata: { role: "admin" } } })
  withAuthorization(req: TypedRequest<RequestSpec, Principal>) {
    return json(req.principal.sub);
  }
  @Get("/c", { auth: { mode: "optional" } })
  optional(req: TypedRequest<RequestSpec, Principal | undefined>) {
    return json(req.principal?.sub ?? "nobody");
  }
  @Get("/d", { auth: false })
  open(req: TypedRequest) {
    return json(req.path);
  }
  @Post("/e", { auth: true })
  withContent(req: TypedRequest<RequestSpec<Json<User>>, Principal>) {
    return json(req.content.name + req.principal.sub);
  }
  @Post("/e2", { auth: true, multipart: true })
  withForm(req: GuardedRequest<FormData, Record<never, string>, object, Principal>) {
    return json(req.content.getAll("file").length + req.principal.sub.length);
  }
  // @ts-expect-error -- without option `auth`, the router may have no guard
  @Get("/a2")
  withoutAuth(req: TypedRequest<RequestSpec, Principal>) {
    return json(req.principal.sub);
  }
  // @ts-expect-error -- a public route has no principal
  @Get("/f", { auth: false })
  publicPrincipal(req: TypedRequest<RequestSpec, Principal>) {
    return json(req.principal.sub);
  }
  // @ts-expect-error -- a public route has no principal, with content either
  @Post("/g", { auth: false })
  publicWithContent(req: TypedRequest<RequestSpec<Json<User>>, Principal>) {
    return json(req.content.name + req.principal.sub);
  }
  // @ts-expect-error -- the principal may be absent
  @Get("/h", { auth: { mode: "optional" } })
  optionalPrincipal(req: TypedRequest<RequestSpec, Principal>) {
    return json(req.principal.sub);
  }
  // @ts-expect-error -- a public route, by options defined elsewhere
  @Get("/j", PUBLIC)
  widened(req: TypedRequest<RequestSpec, Principal>) {
    return json(req.principal.sub);
  }
  @Get("/k", PUBLIC)
  widenedOpen(req: TypedRequest) {
    return json(req.path);
  }
  // @ts-expect-error -- a misspelt mode
  @Get("/i", { auth: { mode: "optionl" } })
  misspelt() {
    return json(1);
  }
}

/** A class that the container can instantiate. */
@Controller("/made", { singleton: false })
class Made {
  readonly count: number;
  constructor(count = 1) {
    this.count = count;
  }
}

// @ts-expect-error -- the argument is not passed
@Controller("/argument")
class Argument {
  readonly count: number;
  constructor(count: number) {
    this.count = count;
  }
}

// @ts-expect-error -- an abstract class is never instantiated

@Controller("/abstract")
abstract class Abstract {}

// @ts-expect-error -- called without parentheses
@Controller
class Bare {}

// @ts-expect-error -- no such option
@Controller("/option", { single: false })
class Misspelt {}

/** The builder takes classes that a container can instantiate. */
function builders() {
  routerBuilder().controllers(Made).controllers().build();
  routerBuilder<[Env]>({ container: createContainer() }).controllers(Made, Schemas);
  // @ts-expect-error -- the argument is not passed
  routerBuilder().controllers(Argument);
  // @ts-expect-error -- an abstract class is never instantiated
  routerBuilder().controllers(Abstract);
}

@HttpRouter({
  prefix: "/api",
  use: [(req) => void req.headers, (_req, env: Env) => void env.db],
  catch: (_error, _req, env: Env) => json(env.db),
  finally: [(response) => response, (_response, _req, env: Env) => void env.db],
  withAuth: { guard: (req) => ({ sub: req.path }) },
  controllers: [Made, Schemas],
  container: createContainer(),
  info: { title: "API", version: "1" },
})
class Api {}

// @ts-expect-error -- an abstract class is never instantiated
@HttpRouter({ controllers: [Abstract] })
class WrongController {}

// @ts-expect-error -- no such option
@HttpRouter({ middleware: [] })
class WrongOption {}

// @ts-expect-error -- called without parentheses
@HttpRouter
class BareRouter {}

/** Takes requests, and nothing else, as the first parameter. */
class Requests {
  // @ts-expect-error -- a path parameter is not a request
  @Get("/a/:id")
  param(id: string) {
    return json(id);
  }
  // @ts-expect-error -- the standard request is `req.raw`
  @Get("/b")
  standard(req: Request) {
    return json(req.url);
  }
  // @ts-expect-error -- no request has this property
  @Get("/c")
  other(req: { readonly foo: number }) {
    return json(req.foo);
  }
  @Get("/d")
  part(req: { readonly headers: Headers }) {
    return json(req.headers.has("X"));
  }
}

/** Everything above, so that nothing is unused. */
export const checked: readonly unknown[] = [
  [Schemas, Principals, Requests, Made, Argument, Abstract, Bare, Misspelt],
  [builders, Api, WrongController, WrongOption, BareRouter],
];
