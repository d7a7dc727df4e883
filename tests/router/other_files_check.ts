/**
 * Types of functions that add routes to a router of another file.
 *
 * @module
 */

import {
  type AccessRules,
  type AuthRuntime,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  json,
  type Principal,
  provide,
  registerAuth,
  routerBuilder,
  type Routes,
  type TypedRouter,
  withAuthRoutes,
} from "@gatehouse/http";

type Rule = "read" | "write";
type AppRules = AccessRules<Rule>;
type Info = Deno.ServeHandlerInfo;
const tenant = provide(() => ({ tenant: "a" }));

function addPlain(router: TypedRouter<[], Principal>): void {
  router.get("/p", (req) => json(req.principal.sub)).under("/p", (req) => void req.path);
}

function addWithTenant(
  router: TypedRouter<[], Principal, AccessRules, { readonly tenant: string }>,
): void {
  router.get("/p", (req) => json(req.locals.tenant));
}

/** `Routes` accepts routers whose `fetch` gets more arguments. */
function addNotes(router: Routes<[], Principal, AppRules>): void {
  router.get("/n/:id", (req) => json(req.principal.sub + req.params.id), {
    authorization: { metadata: "read" },
  }).post("/n", (req) => json(req.content), { maxBodyBytes: 1 });
  // @ts-expect-error -- no such rule
  router.get("/n", () => json(1), { authorization: { metadata: "reed" } });
  router.provide(tenant).get("/t", (req) => json(req.locals.tenant));
}

function addPublic(router: Routes): void {
  router.get("/p", () => json(1));
}

function addAny(router: Routes<[], Principal, never>): void {
  router.get("/p", (req) => json(req.principal.sub), { auth: true });
}

function addWithInfo(
  router: Routes<[Info], Principal, AppRules, { readonly tenant: string }>,
): void {
  router.get("/p", (req, info) => json([info.remoteAddr.transport, req.locals.tenant]));
}

export function uses(runtime: AuthRuntime<Rule>): void {
  const plain = createRouter();
  addPublic(plain);
  addPublic(createRouter<[Info]>());
  addPublic(createRouter({ prefix: "/:a" }).provide(tenant));
  const router = withAuthRoutes(createRouter(), { runtime });
  addNotes(router);
  addAny(router);
  const served = withAuthRoutes(createRouter<[Info]>(), { runtime });
  addNotes(served);
  addAny(served);
  addNotes(served.provide(tenant));
  addWithInfo(served.provide(tenant));
  // @ts-expect-error -- its fetch needs an info
  addPlain(served);
  // @ts-expect-error -- nothing provides a tenant
  addWithInfo(served);
  // @ts-expect-error -- nothing passes an info
  addWithInfo(router.provide(tenant));
  // @ts-expect-error -- nothing guards it
  addNotes(plain);
  // @ts-expect-error -- all routes would be guarded
  addPublic(router);
  const built = routerBuilder<[Info]>().withAuth(runtime.integration({ routes: false })).provide(
    tenant,
  )
    .extend(addNotes).extend(addWithInfo).build();
  addNotes(built);
  addWithInfo(built);
}

export function withoutRules(): void {
  const runtime = registerAuth({
    secret: "",
    stores: inMemoryAuthStores(),
    container: createContainer(),
  });
  const router = withAuthRoutes(createRouter({ prefix: "/:org" }).provide(tenant), { runtime });
  addPlain(router); // it has more than is needed
  addWithTenant(router);
  addNotes(router);
  addWithTenant(router.provide(provide(() => ({ user: 1 }))));
  const bare = withAuthRoutes(createRouter(), { runtime });
  // @ts-expect-error -- nothing provides a tenant
  addWithTenant(bare);
  // @ts-expect-error -- nothing guards it
  addPlain(createRouter());
}
