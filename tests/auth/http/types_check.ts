/**
 * What must and must not compile with guarded routes. `deno check` is the test, and this file is never run: a
 * `@ts-expect-error` above lines that do compile is an error.
 *
 * @module
 */

import {
  type AuthorizationManager,
  type AuthRuntime,
  type AuthStrategy,
  createRouter,
  getPrincipal,
  getSession,
  type Handler,
  type Json,
  json,
  type PathParams,
  type Principal,
  registerAuth,
  type RequestSpec,
  requireAuth,
  requireAuthz,
  type ResponseSpec,
  routerBuilder,
  withAuthErrors,
  withAuthRoutes,
} from "@gatehouse/http";

/** Compiles only where both types are the same. */
function same<A, B>(
  ..._equal: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? []
    : ["types differ"]
): void {}

interface Note {
  readonly id: string;
  readonly by: string;
}

/** Narrows `req.principal` by the route's options. */
export function principals(runtime: AuthRuntime, seconds: number | undefined): void {
  const open = createRouter();
  // @ts-expect-error -- this router has no guard
  open.get("/", (req) => json(req.principal));
  const router = withAuthRoutes(open, { runtime });
  router
    .get("/", (req) => (same<typeof req.principal, Principal>(), json(1)))
    .get("/true", (req) => (same<typeof req.principal, Principal>(), json(1)), { auth: true })
    .get("/maybe", (req) => (same<typeof req.principal, Principal | undefined>(), json(1)), {
      auth: { mode: "optional" },
    })
    // @ts-expect-error -- the principal may be undefined
    .get("/maybe", (req) => json(req.principal.sub), { auth: { mode: "optional" } })
    // @ts-expect-error -- a public route has no principal
    .get("/public", (req) => json(req.principal), { auth: false })
    .get("/asked", (req) => (same<typeof req.principal, Principal>(), json(1)), {
      authorization: { metadata: { action: "read" } },
    })
    .get("/anonymous", (req) => (same<typeof req.principal, Principal | undefined>(), json(1)), {
      auth: { mode: "optional" },
      authorization: { metadata: 1, allowAnonymous: true },
    })
    .post("/notes/:id", (req) => json([req.principal.sub, req.params.id, req.content]));
  // @ts-expect-error -- an unknown option
  router.get("/", () => json(1), { auth: "optional" });
  // @ts-expect-error -- an unknown mode
  router.get("/", () => json(1), { auth: { mode: "maybe" } });
  router
    .get("/recent", (req) => (same<typeof req.principal, Principal>(), json(1)), {
      auth: { maxAge: 900 },
    })
    .get("/mfa", (req) => (same<typeof req.principal, Principal>(), json(1)), {
      auth: { mode: "required", amr: ["mfa"], maxAge: 900 },
    })
    .post("/mfa", (req) => (same<typeof req.principal, Principal>(), json(1)), {
      auth: { amr: ["mfa"] as const },
    })
    .mount("/admin", open, { auth: { maxAge: 900 } });
  // @ts-expect-error -- the principal may be undefined in one of the cases
  router.get("/", (req) => json(req.principal.sub), {
    auth: seconds ? true : { mode: "optional" },
  });
  router.post("/", (req) => (same<typeof req.principal, Principal | undefined>(), json(1)), {
    auth: seconds ? { maxAge: seconds } : { mode: "optional" },
  });
  // @ts-expect-error -- an anonymous request has no sign-in
  router.get("/", () => json(1), { auth: { mode: "optional", maxAge: 900 } });
  // @ts-expect-error -- the same
  router.post("/", () => json(1), { auth: { mode: "optional", amr: ["mfa"] } });
  // @ts-expect-error -- a mount is not optional
  router.mount("/", open, { auth: { mode: "optional", maxAge: 900 } });
  // @ts-expect-error -- nothing is required
  router.get("/", () => json(1), { auth: {} });
  // @ts-expect-error -- a misspelt name
  router.get("/", () => json(1), { auth: { maxage: 900 } });
  // `auth` is inferred as it is: registration rejects a misspelt name beside another.
  router.get("/", () => json(1), { auth: { amr: ["mfa"], maxage: 900 } });
  // @ts-expect-error -- a misspelt name of a route with content
  router.post("/", () => json(1), { auth: { maxage: 900 } });
  // @ts-expect-error -- a misspelt name of a mount
  router.mount("/", open, { auth: { mode: "required", maxage: 900 } });
  // @ts-expect-error -- not a number of seconds
  router.get("/", () => json(1), { auth: { maxAge: "900" } });
  // @ts-expect-error -- one method is an array, too
  router.get("/", () => json(1), { auth: { amr: "mfa" } });
  // @ts-expect-error -- a variable that may be undefined
  router.get("/", () => json(1), { auth: { maxAge: seconds } });
  // @ts-expect-error -- handlers must not change the principal
  router.get("/", (req) => json(req.principal.sub = "eve"));
  // @ts-expect-error -- there already is a guard
  withAuthRoutes(router, { runtime });
}

/** Keeps the principal with explicit types. */
export function markers(runtime: AuthRuntime): void {
  type NewNote = RequestSpec<Json<{ id: string }>, PathParams<{ org: string }>>;
  const router = withAuthRoutes(createRouter(), { runtime });
  router
    .post<NewNote, ResponseSpec<Note>>(
      "/:org/notes",
      (req) => json({ id: req.content.id + req.params.org, by: req.principal.sub }),
    )
    .post<NewNote, ResponseSpec<Note>>(
      "/:org/maybe",
      (req) => json({ id: req.content.id, by: req.principal?.sub ?? "" }),
      { auth: { mode: "optional" } },
    )
    .post<NewNote, ResponseSpec<Note>>(
      "/:org/recent",
      (req) => json({ id: req.content.id, by: req.principal.sub }),
      { auth: { maxAge: 900 } },
    )
    .get<RequestSpec, ResponseSpec<string>>("/recent", (req) => json(req.principal.sub), {
      auth: { amr: ["mfa"] },
    })
    // @ts-expect-error -- explicit types on a public route: no principal
    .post<NewNote, ResponseSpec<Note>>("/:org", (req) => json({ id: "", by: req.principal.sub }), {
      auth: false,
    });
  const guarded: Handler<NewNote, ResponseSpec<Note>, [], Principal> = (req) =>
    json({ id: req.content.id, by: req.principal.sub });
  router.post("/:org/elsewhere", guarded);
  // @ts-expect-error -- a handler that needs a principal on a public route
  router.post("/:org/elsewhere", guarded, { auth: false });
}

/** Narrows builders, and routers with host arguments. */
export function builders(runtime: AuthRuntime): void {
  routerBuilder().withAuth(runtime.integration({ routes: { registration: "open" } }))
    .extend((router) => void router.get("/", (req) => json(req.principal.sub)))
    // @ts-expect-error -- routes added before the guard have no principal
    .extend((router) => void router.get("/", (req) => json(req.principal.sub)), "static")
    .build()
    .get("/", (req) => (same<typeof req.principal, Principal>(), json(1)));
  const served = withAuthRoutes(createRouter<[Deno.ServeHandlerInfo]>(), { runtime });
  served.get("/", (req, info) => json([req.principal.sub, info.remoteAddr.transport]));
  void Deno.serve(served.fetch);
  createRouter<[Deno.ServeHandlerInfo]>({
    before: [requireAuth({ runtime }), requireAuthz({ runtime, metadata: 1 })],
    catch: withAuthErrors((error, req, ...args) => {
      same<typeof args, unknown[]>();
      void [error.code, req.path];
      return undefined;
    }),
  });
}

/** Accepts both types of request, and returns what may be absent. */
export function lookups(runtime: AuthRuntime): void {
  withAuthRoutes(createRouter(), { runtime }).get("/", (req) => {
    same<ReturnType<typeof getPrincipal>, Principal | undefined>();
    void [getPrincipal(req), getPrincipal(req.raw), getSession(req)?.user.identifier];
    // @ts-expect-error -- a path is not a request
    getPrincipal("/");
    return json(1);
  });
}

/** Rejects invalid options. */
export function options(runtime: AuthRuntime, rest: Parameters<typeof registerAuth>[0]): void {
  // @ts-expect-error -- false does not disable the CSRF check
  registerAuth({ ...rest, csrf: false });
  // @ts-expect-error -- false does not disable the throttle
  registerAuth({ ...rest, throttle: false });
  // @ts-expect-error -- an unknown option
  registerAuth({ ...rest, secrets: "" });
  // @ts-expect-error -- users and sessions are required
  registerAuth({ secret: "", stores: {} });
  // @ts-expect-error -- whether registration is open has to be said
  runtime.integration();
  // @ts-expect-error -- the same
  runtime.integration({ routes: {} });
  // @ts-expect-error -- false does not skip the check
  registerAuth({ ...rest, jwt: { issuer: "", audience: "", accept: false } });
  requireAuth({ runtime, amr: ["mfa"], maxAge: 900 });
  requireAuthz({ runtime, metadata: 1, maxAge: 900 });
  // @ts-expect-error -- a misspelt name
  requireAuth({ runtime, maxage: 900 });
  // @ts-expect-error -- one method is an array, too
  requireAuth({ runtime, amr: "mfa" });
  // @ts-expect-error -- an unknown option of passkeys
  registerAuth({ ...rest, webauthn: { rpId: "", rpName: "", origins: [], origin: "" } });
  // @ts-expect-error -- origins are required: those of a request prove nothing
  registerAuth({ ...rest, webauthn: { rpId: "", rpName: "" } });
  // @ts-expect-error -- metadata is required
  requireAuthz({ runtime });
  // @ts-expect-error -- a function is not a manager
  requireAuthz({ runtime, metadata: 1, manager: () => true });
}

/** Rejects strategies and managers with invalid results. */
export function results(): void {
  const flag: AuthStrategy = {
    name: "flag",
    // @ts-expect-error -- a boolean is not a result
    authenticate: () => Promise.resolve(true),
  };
  const silent: AuthStrategy = {
    name: "silent",
    // @ts-expect-error -- undefined is not a result
    async authenticate() {},
  };
  const loose: AuthorizationManager = {
    // @ts-expect-error -- a boolean is not a result
    authorize: () => ({ allowed: true }),
  };
  const nothing: AuthorizationManager = {
    // @ts-expect-error -- undefined is not a result
    authorize: () => {},
  };
  const sub: AuthorizationManager = {
    // @ts-expect-error -- the principal may be undefined
    authorize: (principal) => ({ status: principal.sub === "ada" ? "allowed" : "denied" }),
  };
  void [flag, silent, loose, nothing, sub];
}
