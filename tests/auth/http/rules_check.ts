/**
 * What routes may and may not say to a guard whose authorization manager has a type. `deno check` is the test, and this file is
 * never run: a `@ts-expect-error` above lines that do compile is an error. For controllers, see
 * `tests/exhaustive/router/types_messages_test.ts`.
 *
 * @module
 */

import {
  type AccessRules,
  authorizationAllowed,
  type AuthorizationContext,
  type AuthorizationManager,
  type AuthorizationResult,
  type AuthRuntime,
  type BuiltRouter,
  Controller,
  createAuthRoutes,
  createContainer,
  createRouter,
  HttpRouter,
  inMemoryAuthStores,
  type Json,
  json,
  mountAuthRoutes,
  type PasskeyRuntime,
  type PathParams,
  type Principal,
  registerAuth,
  type RequestSpec,
  requireAuth,
  requireAuthz,
  resourceServer,
  type ResponseSpec,
  routerBuilder,
  type TokenRuntime,
  type TokenService,
  type TypedRouter,
  type WebAuthnService,
  withAuthRoutes,
} from "@gatehouse/http";

interface Rule {
  readonly action: "read" | "write";
}
type AppRules = AccessRules<Rule>;

class NoteAccess implements AuthorizationManager<Rule> {
  authorize(
    _principal: Principal | undefined,
    { metadata }: AuthorizationContext<Rule>,
  ): AuthorizationResult {
    void metadata.action;
    return authorizationAllowed();
  }
}

const base = { secret: "x", stores: inMemoryAuthStores(), container: createContainer() };
const WEBAUTHN = { rpId: "example.com", rpName: "x", origins: ["https://example.com"] };
const READ = { authorization: { metadata: { action: "read" } } } as const;
const REED = { authorization: { metadata: { action: "reed" } } } as const;

function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
    : ["types differ"]
): void {}

/** A runtime has the metadata of its manager. */
export function runtimes(): void {
  const typed = registerAuth({ ...base, authorization: new NoteAccess() });
  same<typeof typed, AuthRuntime<Rule>>();
  const tokens = registerAuth({ ...base, authorization: new NoteAccess(), jwt: {} as never });
  same<typeof tokens, TokenRuntime<Rule>>();
  const passkeys = registerAuth({ ...base, authorization: new NoteAccess(), webauthn: WEBAUTHN });
  same<typeof passkeys, PasskeyRuntime<Rule>>();
  same<typeof passkeys.webauthn, WebAuthnService>();
  same<typeof passkeys.tokens, TokenService | undefined>();
  const both = registerAuth({ ...base, jwt: {} as never, webauthn: WEBAUTHN });
  same<typeof both, TokenRuntime & PasskeyRuntime>();
  same<typeof both.webauthn, WebAuthnService>();
  same<typeof both.tokens, TokenService>();
  const plain = registerAuth(base);
  same<typeof plain, AuthRuntime>();
  same<typeof plain.webauthn, WebAuthnService | undefined>();
  const annotated = registerAuth({
    ...base,
    authorization: {
      authorize: (_principal, { metadata }: AuthorizationContext<Rule>) => (
        void metadata.action, authorizationAllowed()
      ),
    },
  });
  same<typeof annotated, AuthRuntime<Rule>>();
  const unannotated = registerAuth({
    ...base,
    authorization: {
      authorize: (_principal, { metadata }) => (
        same<typeof metadata, unknown>(), authorizationAllowed()
      ),
    },
  });
  same<typeof unannotated, AuthRuntime>();
  const explicit = registerAuth<Rule>({
    ...base,
    authorization: {
      authorize: (_principal, { metadata }) => (
        same<typeof metadata, Rule>(), authorizationAllowed()
      ),
    },
  });
  same<typeof explicit, AuthRuntime<Rule>>();
  // @ts-expect-error -- the type of a manager is not lost in an annotation
  const lost: AuthRuntime = typed;
  // @ts-expect-error -- nor is that of a manager alone
  const manager: AuthorizationManager = new NoteAccess() as AuthorizationManager<Rule>;
  void [lost, manager];
}

/** Builders. */
export function builders(runtime: AuthRuntime<Rule>): void {
  const router = routerBuilder().withAuth(runtime.integration({ routes: false })).build();
  same<typeof router, BuiltRouter<[], Principal, AppRules>>();
  router
    .get("/a/:id", (req) => json(req.params.id + req.principal.sub), { ...READ, scope: ["any-s"] })
    .post("/a/:id", (req) => json(req.params.id + req.principal.sub), {
      authorization: { metadata: { action: "write" }, allowAnonymous: false },
      scope: "any",
    })
    .get("/b", (req) => (same<typeof req.principal, Principal | undefined>(), json(1)), {
      auth: { mode: "optional" },
      authorization: { metadata: { action: "read" }, allowAnonymous: true },
    })
    .get("/n", () => json(1), { authorization: "none" })
    .mount("/m", createRouter(), READ);
  // @ts-expect-error -- a misspelt value
  router.get("/c", () => json(1), { authorization: { metadata: { action: "reed" } } });
  // @ts-expect-error -- a misspelt value in a spread
  router.post("/c", () => json(1), { ...REED, maxBodyBytes: 1 });
  // @ts-expect-error -- a misspelt name
  router.get("/c", () => json(1), { authorization: { metadata: { acton: "read" } } });
  // @ts-expect-error -- not a rule
  router.post("/c", () => json(1), { authorization: { metadata: 1 } });
  // @ts-expect-error -- no metadata
  router.post("/c", () => json(1), { authorization: {} });
  // @ts-expect-error -- not an option of authorization
  router.post("/c", () => json(1), { authorization: "non" });
  // @ts-expect-error -- scopes are an array
  router.get("/c", () => json(1), { scope: "notes:write" });
  // @ts-expect-error -- a misspelt value of a mount
  router.mount("/m", createRouter(), { authorization: { metadata: { action: "reed" } } });
  type Spec = RequestSpec<PathParams<{ id: string }>>;
  router.get<Spec, ResponseSpec<string>>("/d/:id", (req) => json(req.params.id), READ);
  // @ts-expect-error -- an explicit route, a misspelt value
  router.get<Spec, ResponseSpec<string>>("/d/:id", (req) => json(req.params.id), REED);
  type Body = RequestSpec<Json<{ text: string }>>;
  // @ts-expect-error -- an explicit route with content, a misspelt value
  router.post<Body, ResponseSpec<string>>("/d", (req) => json(req.content.text), REED);
  routerBuilder().withAuth(runtime.integration({ routes: false }))
    .extend((router) => void router.get("/x", () => json(1), READ))
    // @ts-expect-error -- misspelt in an extension
    .extend((router) => void router.get("/x", () => json(1), REED));
}

/** Routers, middleware, and a manager in place of the runtime's. */
export function routers(runtime: AuthRuntime<Rule>, words: AuthorizationManager<"x">): void {
  const router = withAuthRoutes(createRouter<[Deno.ServeHandlerInfo]>(), { runtime });
  same<typeof router, TypedRouter<[Deno.ServeHandlerInfo], Principal, AppRules>>();
  router.get("/c", () => json(1), READ);
  // @ts-expect-error -- a misspelt value
  router.get("/c", () => json(1), REED);
  const own = withAuthRoutes(createRouter(), { runtime, manager: words });
  own.get("/c", () => json(1), { authorization: { metadata: "x" } });
  // @ts-expect-error -- this manager does not know it
  own.get("/c", () => json(1), { authorization: { metadata: "y" } });
  requireAuthz({ runtime, metadata: { action: "read" } });
  requireAuthz({ runtime, manager: words, metadata: "x" });
  // @ts-expect-error -- a misspelt value
  requireAuthz({ runtime, metadata: { action: "reed" } });
  // @ts-expect-error -- a misspelt name
  requireAuthz({ runtime, metadata: { acton: "read" } });
  requireAuth({ runtime });
  mountAuthRoutes(router, createAuthRoutes({ runtime }));
  const server = resourceServer({ strategies: [], authorization: new NoteAccess() });
  const behind = routerBuilder().withAuth(server.integration()).build();
  behind.get("/", () => json(1), READ);
  // @ts-expect-error -- a misspelt value
  behind.get("/", () => json(1), REED);
  withAuthRoutes(createRouter({ prefix: "/:org" }), { runtime })
    .get("/:id", (req) => json(req.params.org + req.params.id + req.principal.sub), READ);
}

/** Scopes and metadata that a router states itself. */
export function stated(
  router: TypedRouter<[], Principal, AccessRules<Rule, "read" | "write">>,
): void {
  router.get("/", () => json(1), { scope: ["read"] });
  // @ts-expect-error -- no such scope
  router.get("/", () => json(1), { scope: ["reed"] });
}

/** Nothing is checked if the manager has no type. */
export function untyped(runtime: AuthRuntime): void {
  withAuthRoutes(createRouter(), { runtime }).get("/", () => json(1), {
    authorization: { metadata: { whatever: 1 } },
    scope: ["whatever"],
  });
  withAuthRoutes(createRouter()).get("/", () => json(1), { authorization: { metadata: 1 } });
  createRouter().withAuth({ guard: () => ({ sub: "" }), authorize: () => {} })
    .get("/", (req) => json(req.principal.sub), { authorization: { metadata: 1 } });
}

/** Functions in other files take routers whose manager understands what they say. */
function addNotes(router: TypedRouter<[], Principal, AppRules>): void {
  router.get("/n", (req) => json(req.principal.sub), READ);
}
function addPlain(router: TypedRouter<[], Principal, AccessRules<never, never>>): void {
  router.get("/n", (req) => json(req.principal.sub));
  // @ts-expect-error -- nothing is known of the manager
  router.get("/n", (req) => json(req.principal.sub), READ);
}
function addLoose(router: TypedRouter<[], Principal>): void {
  router.get("/n", (req) => json(req.principal.sub), { authorization: { metadata: 1 } });
}
export function elsewhere(runtime: AuthRuntime<Rule>, loose: AuthRuntime): void {
  const router = withAuthRoutes(createRouter(), { runtime });
  addNotes(router);
  addPlain(router);
  // @ts-expect-error -- it may say anything
  addLoose(router);
  const open = withAuthRoutes(createRouter(), { runtime: loose });
  addNotes(open);
  addPlain(open);
  addLoose(open);
  const built = routerBuilder().withAuth(runtime.integration({ routes: false })).build();
  addNotes(built);
  addPlain(built);
  routerBuilder().withAuth(runtime.integration({ routes: false })).extend(addNotes).extend(addPlain)
    .build();
  // @ts-expect-error -- it may say anything
  routerBuilder().withAuth(runtime.integration({ routes: false })).extend(addLoose).build();
  const container = createContainer();
  @Controller("/")
  @HttpRouter({ withAuth: runtime.integration({ routes: false }), container })
  class Application {}
  void Application;
}
