/**
 * The catalogue "Guards, stores, keys", misspelt options: each would open a route if it counted as omitted, so that it is
 * rejected by name before there is a route. Rows are only added.
 */

import {
  authorizationDenied,
  type Container,
  Controller,
  createContainer,
  createRouter,
  Endpoint,
  generateSecret,
  Get,
  HTTP_ROUTER,
  HttpRouter,
  inMemoryAuthStores,
  json,
  type Middleware,
  mountStatic,
  Post,
  problem,
  registerAuth,
  type RequestSpec,
  requireAuth,
  type ResponseSpec,
  routerBuilder,
  type StandardSchemaV1,
  type TypedRouter,
  withAuthRoutes,
} from "@gatehouse/http";
import { routerBuilder as nativeRouterBuilder } from "@gatehouse/http/native";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { untyped } from "../router/_helpers.ts";

const runtime = registerAuth({
  secret: generateSecret(),
  stores: inMemoryAuthStores(),
  container: createContainer(),
  authorization: { authorize: () => authorizationDenied("never") },
});
const integration = runtime.integration({ routes: false });
const handler = () => json("secret");
const guarded = () => withAuthRoutes(createRouter(), { runtime });
const built = () => routerBuilder().withAuth(integration).build();

/** As a value that TypeScript does not check: from a file, or of type `any`. */
const MISSPELT = untyped<Record<never, unknown>>({ authorisation: { metadata: "admin" } });
const INHERITED: Record<never, unknown> = Object.create(MISSPELT);

/** [source, what, the unknown name, what registers it] */
const MISSPELLINGS: readonly (readonly [
  source: string,
  what: string,
  name: string,
  register: () => unknown,
])[] = [
  [
    "neighbour",
    "a spread on a route",
    "authorisation",
    () => guarded().get("/", handler, { ...MISSPELT, auth: true }),
  ],
  [
    "neighbour",
    "a value without a type on a route",
    "authorisation",
    () => guarded().get("/", handler, untyped<never>(MISSPELT)),
  ],
  [
    "neighbour",
    "a spread on a route with content",
    "authorisation",
    () => guarded().post("/", handler, { ...MISSPELT, auth: true }),
  ],
  [
    "neighbour",
    "a spread on a route with explicit types",
    "authorisation",
    () => guarded().get<RequestSpec, ResponseSpec<string>>("/", handler, { ...MISSPELT }),
  ],
  [
    "neighbour",
    "an inherited name on a route",
    "authorisation",
    () => guarded().get("/", handler, INHERITED),
  ],
  [
    "neighbour",
    "a built router",
    "authorisation",
    () => built().get("/", handler, { ...MISSPELT, auth: true }),
  ],
  [
    "neighbour",
    "a builder's extension",
    "authorisation",
    () =>
      routerBuilder().withAuth(integration)
        .extend((router) => void router.get("/", handler, { ...MISSPELT })).build(),
  ],
  [
    "neighbour",
    "a mount",
    "authorisation",
    () => guarded().mount("/", createRouter(), { ...MISSPELT }),
  ],
  [
    "neighbour",
    "a mount of a built router",
    "authorisation",
    () => built().mount("/", createRouter(), { ...MISSPELT }),
  ],
  ["neighbour", "an integration's route", "authorisation", () =>
    createRouter().withAuth({
      ...integration,
      routes: (router) => void router.get("/", handler, { ...MISSPELT }),
    })],
  [
    "neighbour",
    "Get() with a spread",
    "authorisation",
    () => Get("/", { ...MISSPELT, auth: true }),
  ],
  [
    "neighbour",
    "Post() with a value without a type",
    "authorisation",
    () => Post("/", untyped<never>(MISSPELT)),
  ],
  ["neighbour", "Get() with an inherited name", "authorisation", () => Get("/", INHERITED)],
  [
    "neighbour",
    "an option of routes for Endpoint()",
    "authorization",
    () => Endpoint(untyped<never>({ authorization: { metadata: "admin" } })),
  ],
  [
    "neighbour",
    "an option of routes in openapi",
    "openapi: unknown option auth",
    () => guarded().get("/", handler, { openapi: untyped<never>({ auth: true }) }),
  ],
  [
    "neighbour",
    "middleware of a mount, which has none",
    "use",
    () =>
      createRouter().mount(
        "/",
        createRouter(),
        untyped<never>({ use: [requireAuth({ runtime })] }),
      ),
  ],
  [
    "neighbour",
    "a schema's part, which would not be validated",
    "schema: unknown option parms",
    () => createRouter().get("/:id", handler, { schema: untyped<never>({ parms: undefined }) }),
  ],
  [
    "neighbour",
    "middleware of a router",
    "befor",
    () => createRouter(untyped<never>({ befor: [requireAuth({ runtime })] })),
  ],
  [
    "neighbour",
    "middleware for the builder's factory",
    "use",
    () => routerBuilder(untyped<never>({ use: [requireAuth({ runtime })] })),
  ],
  [
    "neighbour",
    "HttpRouter() without its guard",
    "withAuht",
    () => HttpRouter(untyped<never>({ withAuht: integration })),
  ],
  [
    "neighbour",
    "Controller(), which has no guard",
    "auth",
    () => Controller("/", untyped<never>({ auth: true })),
  ],
];

for (const [source, what, name, register] of MISSPELLINGS) {
  Deno.test(`[${source}] options: ${what} → TypeError that names ${name}`, () => {
    assertThrows(register, TypeError, name.includes(":") ? name : `unknown option ${name}`);
  });
}

/** Values of `auth` that could count as `true`. */
const STEP_UPS: readonly (readonly [source: string, what: string, auth: unknown])[] = [
  ["neighbour", "a misspelt maxAge", { mode: "required", maxage: 900 }],
  ["neighbour", "a misspelt maxAge beside amr", { amr: ["mfa"], max_age: 900 }],
  ["neighbour", "an inherited misspelt name", Object.create({ amr: ["mfa"], max_age: 900 })],
  ["neighbour", "nothing, as from a variable that is not set", { maxAge: undefined }],
  ["neighbour", "no time", { maxAge: Infinity }],
  ["neighbour", "a time that is not a number", { maxAge: NaN }],
  ["neighbour", "a fraction of a second", { maxAge: 1.5 }],
  ["neighbour", "a time as a string", { maxAge: "900" }],
  ["neighbour", "no methods", { amr: [], maxAge: 900 }],
  ["neighbour", "a method as a string, whose letters are methods", { amr: "mfa" }],
  ["neighbour", "a recent sign-in that is optional", { mode: "optional", maxAge: 900 }],
  ["neighbour", "methods that are optional", { mode: "optional", amr: ["mfa"] }],
];

/** Where `auth` is an option. */
const STEP_UP_PLACES: Readonly<Record<string, (auth: true) => unknown>> = {
  "a route": (auth) => guarded().get("/", handler, { auth }),
  "a route with content": (auth) => guarded().post("/", handler, { auth }),
  "a mount": (auth) => guarded().mount("/", createRouter(), { auth }),
  "a mount of files": (auth) =>
    guarded().mount("/", mountStatic("/", { directory: "none" }), { auth }),
  "a built router": (auth) => built().get("/", handler, { auth }),
  "a mount of a built router": (auth) => built().mount("/", createRouter(), { auth }),
  "an extension": (auth) =>
    routerBuilder().withAuth(integration)
      .extend((router) => void router.get("/", handler, { auth })).build(),
  "a controller": (auth) => {
    @Controller("/step-up", { container: createContainer() })
    class Notes {
      @Get("/", { auth })
      get() {
        return json(1);
      }
    }
    routerBuilder().withAuth(integration).controllers(Notes).build();
  },
};

for (const [source, what, auth] of STEP_UPS) {
  Deno.test(`[${source}] options: auth with ${what} → an error before there is a route`, () => {
    for (const [place, register] of Object.entries(STEP_UP_PLACES)) {
      const error = assertThrows(() => register(untyped<true>(auth)), Error, "Cannot add ", place);
      assert(error instanceof TypeError || error instanceof RangeError, place);
    }
  });
}

/** Values that could count as another one. */
const VALUES: readonly (readonly [source: string, what: string, options: unknown])[] = [
  ["neighbour", "a handler where options belong", handler],
  ["neighbour", "null", null],
  ["neighbour", "a list of options", [{ auth: true }]],
  ["neighbour", "authorization: true", { authorization: true }],
  ["neighbour", 'a misspelt "none"', { authorization: "nonee" }],
  ["neighbour", "authorization without metadata", { authorization: { metdata: 1 } }],
  ["neighbour", "a schema that is null", { schema: null }],
  ["neighbour", "middleware that is in no array", { use: requireAuth({ runtime }) }],
  ["neighbour", "no scope", { scope: [] }],
  ["neighbour", "one scope as a string", { scope: "notes:read" }],
  ["neighbour", 'a misspelt "any"', { scope: "Any" }],
  ["neighbour", "a scope of a public route", { auth: false, scope: ["notes:read"] }],
];

for (const [source, what, options] of VALUES) {
  Deno.test(`[${source}] options: ${what} → TypeError`, () => {
    assertThrows(() => guarded().get("/", handler, untyped<never>(options)), TypeError, "Cannot ");
    assertThrows(() => guarded().mount("/", createRouter(), untyped<never>(options)), TypeError);
  });
}

Deno.test("[neighbour] options: a scope where no guard reads it → TypeError", () => {
  const guard = () => ({ sub: "ada" });
  for (const options of [{ scope: "any" }, { authorization: "none" }] as const) {
    assertThrows(() => createRouter().get("/", handler, options), TypeError, "needs a guard");
    const router = createRouter().withAuth({ guard });
    assertThrows(
      () => router.get("/", handler, options),
      TypeError,
      "needs an integration with authorize()",
    );
  }
});

Deno.test("[neighbour] options: a schema that a class inherits counts → 422", async () => {
  class Schema {
    get params(): StandardSchemaV1<unknown, unknown> {
      const validate = () => ({ issues: [{ message: "never" }] });
      return { "~standard": { version: 1, vendor: "test", validate } };
    }
  }
  const router = createRouter().get("/:id", handler, { schema: new Schema() });
  assertEquals((await router.request("/a")).status, 422);
});

Deno.test("[neighbour] options: members that a class inherits count → the manager is asked", async () => {
  class Options {
    get authorization(): { readonly metadata: string } {
      return { metadata: "admin" };
    }
  }
  const router = createRouter().withAuth({
    guard: (_req, { authorization }) => {
      assertEquals(authorization, { metadata: "admin" });
      return undefined;
    },
    authorize: () => {},
  });
  @Controller("/class")
  class Inheriting {
    @Get("/", untyped<{ readonly auth: true }>(new Options()))
    get() {
      return json("secret");
    }
  }
  router.get("/", handler, new Options());
  assertEquals((await router.request("/")).status, 401);
  const other = routerBuilder().withAuth(integration).controllers(Inheriting).build();
  assertEquals(other.routes.at(-1)?.options.authorization, { metadata: "admin" });
});

Deno.test("[neighbour] options: maxAge that a class inherits counts, and later changes do not → what was registered is asked", () => {
  class Recent {
    get maxAge(): number {
      return 900;
    }
  }
  const auth = { maxAge: 900, amr: ["mfa"] };
  const router = guarded().get("/a", handler, { auth: new Recent() }).get("/b", handler, { auth });
  auth.maxAge = 9000;
  auth.amr.length = 0;
  assertEquals(router.routes.map(({ guard }) => guard?.access), [
    { mode: "required", maxAge: 900 },
    { mode: "required", maxAge: 900, amr: ["mfa"] },
  ]);
});

Deno.test("[neighbour] options: an inherited registration, of a class with getters → closed stays closed", () => {
  class Settings {
    get registration(): "closed" {
      return "closed";
    }
  }
  const routes = new Settings();
  const paths = (router: { readonly routes: readonly { readonly pattern: string }[] }) =>
    router.routes.map(({ pattern }) => pattern);
  const integrated = routerBuilder().withAuth(runtime.integration({ routes })).build();
  assertEquals(paths(integrated).includes("/auth/register"), false);
  assertEquals(paths(integrated).includes("/auth/login"), true);
  assertEquals(runtime.routes(routes).some(({ path }) => path === "/register"), false);
});

Deno.test("[neighbour] options: what a router's options inherit counts → its guard is asked", async () => {
  class Options {
    readonly #limit = 5;
    get maxBodyBytes(): number {
      return this.#limit;
    }
  }
  class RouterOptions extends Options {
    get before(): readonly Middleware[] {
      return [() => problem(403, "closed")];
    }
  }
  const container = createContainer();
  class HttpRouterOptions extends Options {
    get container(): Container {
      return container;
    }
    get withAuth(): typeof integration {
      return integration;
    }
  }
  const router = createRouter(new RouterOptions()).get("/", handler);
  assertEquals((await router.request("/")).status, 403);

  @HttpRouter(new HttpRouterOptions())
  class Api {}
  assertEquals(Api.name, "Api");
  const declared = container.resolve<TypedRouter>(HTTP_ROUTER).get("/", handler);
  assertEquals((await declared.request("/")).status, 401);

  for (const create of [routerBuilder, nativeRouterBuilder]) {
    const built = create(new Options()).build().post("/", handler);
    const headers = { "Content-Type": "application/json" };
    const response = await built.request("/", { method: "POST", headers, body: '"long"' });
    assertEquals(response.status, 413);
  }
});
