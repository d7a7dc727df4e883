/**
 * Types of locals: what `provide()` returns, what `req.locals` is behind it, and who may use it.
 *
 * @module
 */

import {
  type AccessRules,
  type BuiltRouter,
  createContainer,
  createRouter,
  type GuardRules,
  type Handler,
  inMemoryAuthStores,
  type Json,
  json,
  type LocalsProvider,
  type Middleware,
  type NoLocals,
  type PathParams,
  type Principal,
  problem,
  provide,
  registerAuth,
  type RequestSpec,
  type ResponseSpec,
  routerBuilder,
  type TypedRequest,
  type TypedRouter,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { fromHono } from "@gatehouse/http/hono";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";
import { requestId } from "hono/request-id";

function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
    : ["types differ"]
): void {}

interface Tenant {
  readonly name: string;
}
interface User {
  readonly id: number;
}

const tenant = provide((req) => ({
  tenant: { name: req.headers.get("X-Tenant") ?? "" } as Tenant,
}));
const found = provide((req) =>
  req.path === "/" ? problem(404, "no_such_tenant") : { tenant: { name: "a" } as Tenant }
);
const later = provide(async () => ({ user: await Promise.resolve({ id: 1 } as User) }));
const needy = provide((req: TypedRequest<RequestSpec, unknown, { tenant: Tenant }>) => ({
  plan: req.locals.tenant.name.length,
}));
const member = provide((req: TypedRequest<RequestSpec, Principal | undefined>) => ({
  member: req.principal?.sub,
}));

export function providers(): void {
  same<typeof tenant, LocalsProvider<[], { tenant: Tenant }>>();
  same<typeof found, LocalsProvider<[], { tenant: Tenant }>>();
  same<typeof later, LocalsProvider<[], { user: User }>>();
  same<ReturnType<typeof tenant.of>, { tenant: Tenant }>();
  // @ts-expect-error -- nothing is returned
  provide(() => {});
  // @ts-expect-error -- a name is no object of locals
  provide(() => "tenant");
}

export function routers(): void {
  const open = createRouter();
  // @ts-expect-error -- nothing provides it
  open.get("/", (req) => json(req.locals.tenant));
  const one = open.provide(tenant);
  same<typeof one, TypedRouter<[], unknown, AccessRules, { tenant: Tenant }>>();
  one.get("/", (req) => {
    same<typeof req.locals, { tenant: Tenant }>();
    return json(req.locals.tenant.name);
  });
  one.post("/:id", (req) => json(req.locals.tenant.name + req.params.id), {
    use: [(req) => void req.locals.tenant.name],
  });
  const two = one.provide(later).under("/", () => {});
  two.get("/", (req) => json([req.locals.tenant.name, req.locals.user.id]));
  // @ts-expect-error -- a misspelt name
  two.get("/", (req) => json(req.locals.tenent));
  // @ts-expect-error -- handlers do not replace them
  two.get("/", (req) => json(req.locals = { tenant: { name: "" }, user: { id: 1 } }));
  one.provide(needy).get("/", (req) => json(req.locals.plan));
  // @ts-expect-error -- it needs a tenant
  open.provide(needy);
  // @ts-expect-error -- it needs a guard
  open.provide(member);
  // @ts-expect-error -- plain middleware provides nothing
  open.provide((req: TypedRequest) => void req.headers);
  type Spec = RequestSpec<PathParams<{ id: string }>>;
  one.get<Spec, ResponseSpec<string>>(
    "/:id",
    (req) => json(req.params.id + req.locals.tenant.name),
  );
  // in another file, a handler's type says what it needs
  const handler: Handler<
    RequestSpec,
    ResponseSpec,
    [],
    unknown,
    undefined,
    { tenant: Tenant }
  > = (req) => json(req.locals.tenant.name);
  one.get("/h", handler);
  two.get("/h", handler);
  // @ts-expect-error -- nothing provides it
  open.get("/h", handler);
  // elsewhere it is middleware, and of() has the type
  open.under("/x", tenant).get("/x/y", (req) => json(tenant.of(req).tenant.name), {
    use: [tenant, later, wrap((_req, next) => next())],
  });
  createRouter({
    before: [tenant, (req) => void req.headers],
    catch: (_error, req) => json(tenant.of(req).tenant.name),
  });
  const plain: Middleware = tenant;
  void plain;
  const none: NoLocals = {};
  void none;
}

export function guarded(): void {
  const runtime = registerAuth({
    secret: "",
    stores: inMemoryAuthStores(),
    container: createContainer(),
  });
  const info = provide((_req, info: Deno.ServeHandlerInfo) => ({ from: info.remoteAddr }));
  const router = withAuthRoutes(createRouter<[Deno.ServeHandlerInfo]>().provide(info), { runtime });
  router.get("/", (req) => {
    same<typeof req.principal, Principal>();
    return json(req.locals.from.transport);
  });
  router.get("/o", (req) => {
    same<typeof req.principal, Principal | undefined>();
    return json(req.locals.from.transport);
  }, { auth: { mode: "optional" } });
  router.post<RequestSpec, ResponseSpec<string>>(
    "/",
    (req) => json(req.locals.from.transport + req.principal.sub),
  );
  router.get<RequestSpec, ResponseSpec<string>>(
    "/p",
    (req) => json(req.locals.from.transport),
    { auth: false },
  );
  router.post<RequestSpec<Json<{ id: string }>>, ResponseSpec<string>>(
    "/c",
    (req) => json(req.locals.from.transport + req.content.id + (req.principal?.sub ?? "")),
    { auth: { mode: "optional" } },
  );
  router.provide(member).get("/m", (req) => json(req.locals.member ?? ""));
  const always = provide((req: TypedRequest<RequestSpec, Principal>) => ({
    by: req.principal.sub,
  }));
  // @ts-expect-error -- a route may be public
  router.provide(always);

  const built = routerBuilder().provide(tenant).withAuth(runtime.integration({ routes: false }))
    .prefix("/t/:org")
    .provide(member)
    .extend((router) =>
      void router.get("/e/:id", (req) =>
        json([
          req.locals.tenant.name,
          req.locals.member,
          req.principal.sub,
          req.params.org,
          req.params.id,
        ]))
    )
    .build().provide(later);
  same<
    typeof built,
    BuiltRouter<
      [],
      Principal,
      GuardRules<unknown>,
      { tenant: Tenant } & { member: string | undefined } & { user: User },
      { readonly org: string }
    >
  >();
  built.static("/s", { directory: "x" }).get(
    "/x",
    (req) => json([req.locals.tenant.name, req.locals.user.id, req.params.org]),
  );
}

/** What Hono middleware sets is typed as its own `Variables`. */
export function hono(): void {
  const user = createMiddleware<{ Variables: { user: User } }>((c, next) => {
    c.set("user", { id: 1 });
    return next();
  });
  createRouter().provide(fromHono(user)).get("/", (req) => json(req.locals.user.id));
  createRouter().provide(fromHono(requestId())).get("/", (req) => {
    same<typeof req.locals.requestId, string>();
    // @ts-expect-error -- not set
    return json(req.locals.user);
  });
  // without types of its own, the second type argument has them
  createRouter().provide(fromHono<unknown, { user: User }>(cors() as never))
    .get("/", (req) => json(req.locals.user.id));
}
