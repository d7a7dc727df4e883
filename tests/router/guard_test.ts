import {
  type AuthIntegration,
  createRouter,
  HttpError,
  json,
  type Middleware,
  pass,
  type RouteAccess,
  type RouteGuard,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  badly,
  codeOf,
  collectErrors,
  countedStream,
  jsonRequest,
  problemOf,
  rawRequest,
  untyped,
} from "./_helpers.ts";

interface Principal {
  readonly sub: string;
}

const ADA: Principal = { sub: "ada" };

/** A router whose guard returns any value, of any type. */
function guarded(guard: unknown, onError: (error: unknown) => void = () => {}) {
  return createRouter({ onError }).withAuth({
    guard: guard as RouteGuard<Principal>,
    authorize: () => {},
  });
}

/** A promise-like that settles later, and whose `then` returns nothing. */
function later(value: unknown): unknown {
  return { then: (done: (value: unknown) => void) => void setTimeout(() => done(value), 1) };
}

/** [why, guard, status if a principal is required, status if it is optional] */
const GUARDS:
  readonly (readonly [why: string, guard: () => unknown, required: number, optional: number])[] = [
    ["a principal", () => ADA, 200, 200],
    ["a promise of a principal", () => Promise.resolve(ADA), 200, 200],
    ["a promise-like principal", () => later(ADA), 200, 200],
    [
      "a frozen principal without a prototype",
      () => Object.freeze(Object.assign(Object.create(null), ADA)),
      200,
      200,
    ],
    ["nothing", () => undefined, 401, 200],
    ["a promise of nothing", () => Promise.resolve(undefined), 401, 200],
    ["a promise-like nothing", () => later(undefined), 401, 200],
    ["null", () => null, 401, 200],
    ["a promise of null", () => Promise.resolve(null), 401, 200],
    ["false", () => false, 500, 500],
    ["true", () => true, 500, 500],
    ["zero", () => 0, 500, 500],
    ["a number", () => 7, 500, 500],
    ["an empty string", () => "", 500, 500],
    ["a name", () => "ada", 500, 500],
    ["a symbol", () => Symbol("ada"), 500, 500],
    ["a function", () => () => ADA, 500, 500],
    ["an array", () => [ADA], 500, 500],
    ["a response with status 403", () => new Response(null, { status: 403 }), 500, 500],
    ["a promise of a response", () => Promise.resolve(json("no", { status: 401 })), 500, 500],
    [
      "a response of another realm",
      () => ({ [Symbol.toStringTag]: "Response", status: 403 }),
      500,
      500,
    ],
    ["an error that it meant to throw", () => new Error("secret"), 500, 500],
    ["an HttpError that it meant to throw", () => new HttpError(403, "access_denied"), 500, 500],
    ["a promise-like false", () => later(false), 500, 500],
  ];

for (const [why, guard, required, optional] of GUARDS) {
  Deno.test(`a guard that returns ${why} is ${required} where required, ${optional} where optional`, async () => {
    const { errors, onError } = collectErrors();
    const principals: unknown[] = [];
    const router = guarded(guard, onError)
      .get("/required", (req) => (principals.push(req.principal), json("ok")))
      .get("/optional", (req) => (principals.push(req.principal), json("ok")), {
        auth: { mode: "optional" },
      })
      .get("/public", () => json("ok"), { auth: false });
    for (
      const [path, status] of [["/required", required], ["/optional", optional], [
        "/public",
        200,
      ]] as const
    ) {
      const response = await router.request(path);
      assertEquals(response.status, status, path);
      assert(!(await response.text()).includes("secret"));
    }
    assertEquals(principals.length, Number(required === 200) + Number(optional === 200));
    assertEquals(
      principals.every((principal) =>
        principal === undefined || untyped<Principal>(principal).sub === "ada"
      ),
      true,
    );
    assertEquals(
      errors.length,
      Number(required === 500) + Number(optional === 500),
      "a faulty guard is reported",
    );
  });
}

for (
  const [why, fail, status] of [
    ["throws", () => {
      throw new Error("secret");
    }, 500],
    ["rejects", () => Promise.reject(new Error("secret")), 500],
    ["throws something like an HttpError", () => {
      throw untyped<Error>({ status: 200, code: "ok", detail: "secret" });
    }, 500],
    ["throws nothing", () => {
      throw untyped<Error>(undefined);
    }, 500],
    ["rejects with nothing", () => Promise.reject(), 500],
    ["throws an HttpError", () => {
      throw new HttpError(403, "access_denied");
    }, 403],
    ["rejects with an HttpError", () => Promise.reject(new HttpError(403, "access_denied")), 403],
    ["is not a function", "text", 500],
  ] as const
) {
  Deno.test(`a guard that ${why} is ${status}, never a pass`, async () => {
    let handled = 0;
    let router;
    try {
      router = guarded(fail)
        .get("/required", () => json(handled++))
        .get("/optional", () => json(handled++), { auth: { mode: "optional" } })
        .get("/anonymous", () => json(handled++), {
          auth: { mode: "optional" },
          authorization: { metadata: 1, allowAnonymous: true },
        })
        .mount("/mount", { fetch: () => json(handled++) });
    } catch (error) {
      return assert(typeof fail === "string" && error instanceof TypeError); // rejected when it is installed is stricter still
    }
    for (const path of ["/required", "/optional", "/anonymous", "/mount/x"]) {
      const response = await router.request(path);
      assertEquals(response.status, status, path);
      assert(!(await response.text()).includes("secret"));
    }
    assertEquals(handled, 0);
  });
}

/** [options, status for an anonymous request, access that the guard receives] */
const ACCESS:
  readonly (readonly [options: object, status: number, access: RouteAccess | undefined])[] = [
    [{}, 401, { mode: "required" }],
    [{ auth: undefined }, 401, { mode: "required" }],
    [{ auth: true }, 401, { mode: "required" }],
    [{ auth: { mode: "optional" } }, 200, { mode: "optional" }],
    [{ auth: { mode: "required" } }, 401, { mode: "required" }],
    [{ auth: { maxAge: 900 } }, 401, { mode: "required", maxAge: 900 }],
    [{ auth: { mode: "required", amr: ["mfa"], maxAge: 1 } }, 401, {
      mode: "required",
      amr: ["mfa"],
      maxAge: 1,
    }],
    [{ auth: false }, 200, undefined],
    [{ authorization: { metadata: "m" } }, 401, {
      mode: "required",
      authorization: { metadata: "m" },
    }],
    [{ authorization: { metadata: "m", allowAnonymous: true } }, 401, {
      mode: "required",
      authorization: { metadata: "m", allowAnonymous: true },
    }],
    [{ auth: { mode: "optional" }, authorization: { metadata: "m" } }, 401, {
      mode: "optional",
      authorization: { metadata: "m" },
    }],
    [{ auth: { mode: "optional" }, authorization: { metadata: "m", allowAnonymous: false } }, 401, {
      mode: "optional",
      authorization: { metadata: "m", allowAnonymous: false },
    }],
    [{ auth: { mode: "optional" }, authorization: { metadata: "m", allowAnonymous: true } }, 200, {
      mode: "optional",
      authorization: { metadata: "m", allowAnonymous: true },
    }],
  ];

for (const [options, status, access] of ACCESS) {
  Deno.test(`an anonymous request to a route with ${JSON.stringify(options)} is ${status}`, async () => {
    const asked: RouteAccess[] = [];
    const router = guarded((_req: unknown, access: RouteAccess) => void asked.push(access)).get(
      "/",
      () => json(1),
      untyped<{ auth?: true }>(options),
    );
    const response = await router.request("/");
    assertEquals(response.status, status);
    await response.body?.cancel();
    assertEquals(asked, access === undefined ? [] : [access]);
  });
}

for (const value of ["yes", "truthy", 1, {}]) {
  Deno.test(`allowAnonymous: ${JSON.stringify(value)} is not true`, async () => {
    const options = {
      auth: { mode: "optional" },
      authorization: { metadata: "m", allowAnonymous: value },
    };
    let router;
    try {
      router = guarded(() => undefined).get(
        "/",
        () => json("open"),
        untyped<{ auth?: true }>(options),
      );
    } catch (error) {
      return assert(error instanceof TypeError);
    }
    assertEquals((await router.request("/")).status, 401);
  });
}

for (
  const auth of [
    null,
    0,
    1,
    "",
    "required",
    "optional",
    "false",
    [],
    {},
    { mode: "required" },
    { mode: true },
    { mode: false },
    { mode: null },
    { mode: "Optional" },
    { mode: "required", maxAg: 900 },
    { maxAge: 900, arm: ["mfa"] },
    { maxAge: null },
    { maxAge: 0 },
    { maxAge: 1.5 },
    { maxAge: "900" },
    { amr: [] },
    { acr: [] },
    { acr: "gold" },
    { amr: [""] },
    { amr: [1] },
    { amr: "mfa" },
    { mode: "optional", maxAge: 900 },
    { mode: "optional", amr: ["mfa"] },
  ]
) {
  Deno.test(`auth: ${JSON.stringify(auth)} never makes a route public: a TypeError at registration, or the guard runs`, async () => {
    const options = untyped<{ auth?: true }>({ auth });
    try {
      const router = guarded(() => undefined).get("/", () => json("open"), options);
      assertEquals((await router.request("/")).status, 401);
    } catch (error) {
      assert(error instanceof TypeError || error instanceof RangeError, String(error));
    }
    assertThrows(
      () => createRouter().get("/", () => json("open"), options),
      Error,
      "Cannot add route GET /",
    );
  });
}

for (
  const options of [{ auth: true }, { auth: { mode: "optional" } }, { auth: { maxAge: 900 } }, {
    authorization: { metadata: 1 },
  }, { auth: { mode: "optional" }, authorization: { metadata: 1 } }] as const
) {
  Deno.test(`${JSON.stringify(options)} on a router without a guard throws at registration`, () => {
    const router = createRouter();
    for (const add of [router.get, router.all, router.delete]) {
      assertThrows(
        () => add("/a", () => json(1), options),
        TypeError,
        "the router has none; call withAuth() first",
      );
    }
    assertThrows(() => router.post("/a", () => json(1), options), TypeError, "the router has none");
    assertThrows(
      () =>
        router.mount("/m", { fetch: () => undefined }, untyped<{ auth: boolean }>({ auth: true })),
      TypeError,
      "the router has none",
    );
  });
}

Deno.test("auth: false needs no guard, and with authorization it throws", () => {
  createRouter().get("/a", () => json(1), { auth: false }).mount("/m", { fetch: () => undefined }, {
    auth: false,
  });
  const contradiction = { auth: false, authorization: { metadata: 1 } } as const;
  assertThrows(
    () => createRouter().get("/a", () => json(1), contradiction),
    TypeError,
    "auth is false",
  );
  assertThrows(
    () => guarded(() => ADA).get("/a", () => json(1), contradiction),
    TypeError,
    "auth is false",
  );
});

Deno.test("withAuth() guards routes added later, and none added before", async () => {
  const router = createRouter().get("/before", () => json(1)).mount("/m/before", {
    fetch: () => json(1),
  })
    .withAuth({ guard: () => undefined }).get("/after", () => json(1)).mount("/m/after", {
      fetch: () => json(1),
    }).mount("/m/open", { fetch: () => json(1) }, { auth: false });
  for (
    const [path, status] of [["/before", 200], ["/m/before/x", 200], ["/after", 401], [
      "/m/after/x",
      401,
    ], ["/m/open/x", 200]] as const
  ) {
    assertEquals((await router.request(path)).status, status, path);
  }
});

Deno.test("withAuth() returns the same router, and a second call throws", () => {
  const router = createRouter();
  const integration: AuthIntegration<Principal, []> = { guard: () => ADA };
  assertEquals<unknown>(router.withAuth(integration), router);
  assertThrows(() => router.withAuth(integration), TypeError, "the router has one");
});

Deno.test("withAuth() sends the integration's challenge with the router's own 401", async () => {
  for (
    const [challenge, field] of [[undefined, "Session"], [
      'Bearer realm="api"',
      'Bearer realm="api"',
    ]] as const
  ) {
    const router = createRouter().withAuth({
      guard: () => undefined,
      ...(challenge === undefined ? {} : { challenge }),
    }).get("/", () => json(1));
    const response = await router.request("/");
    assertEquals(response.headers.get("WWW-Authenticate"), field);
    assertEquals(await codeOf(response), [401, "unauthenticated"]);
  }
});

Deno.test("withAuth() lets the integration add routes, which are guarded by default", async () => {
  const router = createRouter({ prefix: "/api" }).withAuth<Principal>({
    guard: () => undefined,
    routes: (router) =>
      void router.post("/login", () => json("in"), { auth: false, raw: true }).get(
        "/me",
        () => json("me"),
      ),
  });
  assertEquals(await (await router.request("/api/login", { method: "POST" })).json(), "in");
  assertEquals((await router.request("/api/me")).status, 401);
});

Deno.test("withAuth() runs the integration's catch first, then the router's, and runs its finally last", async () => {
  const log: string[] = [];
  const router = createRouter({
    catch: () => (log.push("router catch"), json(1, { status: 418 })),
    finally: [() => void log.push("router finally")],
  }).withAuth<Principal>({
    guard: () => undefined,
    catch: (error) => {
      log.push("auth catch");
      return (error as HttpError).status === 401 ? json("sign in", { status: 401 }) : undefined;
    },
    finally: () => void log.push("auth finally"),
  }).get("/", () => json(1)).get("/throw", () => {
    throw new Error();
  }, { auth: false });
  assertEquals(await (await router.request("/")).json(), "sign in");
  assertEquals((await router.request("/throw")).status, 418);
  assertEquals(
    log,
    "auth catch,router finally,auth finally,auth catch,router catch,router finally,auth finally"
      .split(","),
  );
});

Deno.test("the guard comes before use, content type, body and schema", async () => {
  const log: string[] = [];
  const { stream, pulled } = countedStream(new Uint8Array(1));
  const body = {
    "~standard": { version: 1, vendor: "x", validate: () => (log.push("schema"), { value: 1 }) },
  } as const;
  const router = guarded(() => void log.push("guard")).post(
    "/",
    () => (log.push("handler"), json(1)),
    { use: [() => void log.push("use")], schema: { body } },
  )
    .post("/form", () => json(1), { multipart: true });
  const plain = { headers: { "Content-Type": "text/plain" } };
  assertEquals(await codeOf(router.fetch(jsonRequest("/", stream, plain))), [
    401,
    "unauthenticated",
  ], "401 precedes 415");
  assertEquals(
    (await router.fetch(jsonRequest("/", "{", { headers: { "Content-Length": "99999999" } })))
      .status,
    401,
    "and 413, and 400",
  );
  assertEquals((await router.fetch(jsonRequest("/form", "{}", plain))).status, 401);
  assertEquals([log, pulled()], [["guard", "guard", "guard"], 0]);
});

Deno.test("the guard runs after before and under, once for each match", async () => {
  const log: string[] = [];
  const router = createRouter({ before: [() => void log.push("before")] }).under(
    "/",
    () => void log.push("under"),
  )
    .withAuth<Principal>({ guard: (req) => (log.push(`guard ${req.route}`), ADA) })
    .get("/a", () => pass()).get("/:x", () => json(1));
  await (await router.request("/a")).body?.cancel();
  assertEquals(log, ["before", "under", "guard /a", "guard /:x"]);
});

Deno.test("the guard covers HEAD, a route for all, and unknown methods", async () => {
  let handled = 0;
  const router = guarded(() => undefined).get("/a", () => json(handled++)).all(
    "/b",
    () => json(handled++),
  );
  for (
    const [path, method] of [["/a", "HEAD"], ["/b", "HEAD"], ["/b", "PROPFIND"], [
      "/b",
      "constructor",
    ], ["/b", "OPTIONS"]] as const
  ) {
    assertEquals(
      (await router.fetch(rawRequest(path, { method }))).status,
      401,
      `${method} ${path}`,
    );
  }
  assertEquals(handled, 0);
});

Deno.test("the guard gets request, access and the extra arguments", async () => {
  const seen: unknown[] = [];
  const router = createRouter<[string, number]>().withAuth<Principal>({
    guard: (
      req,
      access,
      ...args
    ) => (seen.push(req.params.id, req.headers.get("X-A"), access.mode, ...args), ADA),
  }).get("/:id", () => json(1));
  await (await router.request("/7", { headers: { "X-A": "1" } }, "env", 9)).body?.cancel();
  assertEquals(seen, ["7", "1", "required", "env", 9]);
});

Deno.test("a principal is not kept for a later match that is public or optional", async () => {
  const principals: unknown[] = [];
  let asked = 0;
  const router = guarded(() => asked++ === 0 ? ADA : undefined)
    .get("/a", (req) => (principals.push(req.principal), pass()))
    .get("/:x", (req) => (principals.push(req.principal), pass()), { auth: { mode: "optional" } })
    .get("*", (req) => (principals.push(untyped<{ principal: unknown }>(req).principal), json(1)), {
      auth: false,
    });
  await (await router.request("/a")).body?.cancel();
  assertEquals(principals, [ADA, undefined, undefined]);
});

Deno.test("a wrong principal does not reach the handler after one that was rejected", async () => {
  let handled = 0;
  const router = guarded(() => undefined).get("/a", () => json(handled++)).get(
    "*",
    () => json(handled++),
    { auth: false },
  );
  assertEquals(
    await codeOf(router.request("/a")),
    [401, "unauthenticated"],
    "a rejection ends the request; no later match is tried",
  );
  assertEquals(handled, 0);
});

Deno.test("options that change after registration do not make a route public", async () => {
  const options: Record<string, unknown> = {};
  const authorization = { metadata: "m", allowAnonymous: false };
  const optional = { auth: { mode: "optional" }, authorization };
  const router = guarded(() => undefined).get(
    "/a",
    () => json("open"),
    untyped<{ auth?: true }>(options),
  ).get("/b", () => json("open"), untyped<{ auth?: true }>(optional));
  const use: Middleware[] = [() => json("denied", { status: 403 })];
  const used = createRouter().get("/c", () => json("open"), { use });
  use.length = 0;
  options.auth = false;
  authorization.allowAnonymous = true;
  assertEquals([(await router.request("/a")).status, (await router.request("/b")).status], [
    401,
    401,
  ]);
  assertEquals((await used.request("/c")).status, 403);
});

Deno.test("an integration that changes after withAuth() does not make a route public", async () => {
  const integration: { guard: RouteGuard<Principal> } = { guard: () => undefined };
  const router = createRouter().withAuth(integration).get("/", () => json("open"));
  integration.guard = () => ADA;
  assertEquals((await router.request("/")).status, 401);
});

Deno.test("the value of a faulty guard is not shown to the client", async () => {
  const problem = await problemOf(
    await guarded(() => "secret name").get("/", () => json(1)).request("/"),
  );
  assertEquals(problem, {
    type: "about:blank",
    title: "Internal Server Error",
    status: 500,
    code: "internal_error",
  });
});

for (const guard of [undefined, null, "text", {}]) {
  Deno.test(`withAuth() with ${JSON.stringify(guard)} as a guard never makes a route public`, async () => {
    let router;
    try {
      router = createRouter({ onError: () => {} }).withAuth({ guard: badly(guard) }).get(
        "/",
        () => json("open"),
      );
    } catch (error) {
      return assert(error instanceof TypeError);
    }
    assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
  });
}

/** Options that `authorize()` of the integration checks. */
const AUTHORIZED = [
  ["authorization", { authorization: { metadata: "m" } }],
  ["authorization", { authorization: "none" }],
  ["scope", { scope: ["notes:read"] }],
  ["scope", { scope: "any" }],
  ["maxAge", { auth: { maxAge: 900 } }],
  ["amr", { auth: { amr: ["mfa"] } }],
  ["acr", { auth: { acr: ["gold"] } }],
] as const;

for (const [option, options] of AUTHORIZED) {
  Deno.test(`a route with ${JSON.stringify(options)} is rejected if nothing authorizes`, () => {
    const router = createRouter().withAuth<Principal>({ guard: () => ADA });
    assertThrows(
      () => router.get("/notes", () => json(1), untyped<{ auth?: true }>(options)),
      TypeError,
      `Cannot add route GET /notes: ${option} needs an integration with authorize()`,
    );
  });
}

for (const result of [false, true, null, "no", {}, new Response(null, { status: 403 })]) {
  Deno.test(`authorize() that returns ${result instanceof Response ? "a response" : JSON.stringify(result)} lets nobody pass`, async () => {
    for (const value of [result, Promise.resolve(result), later(result)]) {
      const { errors, onError } = collectErrors();
      const router = createRouter({ onError })
        .withAuth<Principal>({ guard: () => ADA, authorize: () => untyped<void>(value) })
        .get("/", () => json("secret"));
      assertEquals(await codeOf(router.request("/")), [500, "internal_error"]);
      assertEquals(errors.length, 1);
    }
  });
}

Deno.test("withAuth() rejects an integration whose authorize is not a function", () => {
  for (const authorize of [true, "yes", {}, null]) {
    assertThrows(
      () =>
        createRouter().withAuth(
          untyped<AuthIntegration<Principal>>({ guard: () => ADA, authorize }),
        ),
      TypeError,
      "authorize is not a function",
    );
  }
});

Deno.test("middleware of an integration runs before its guard, only on guarded routes and mounts", async () => {
  const log: string[] = [];
  const router = createRouter()
    .get("/before", () => json(1))
    .withAuth<Principal>({
      use: [(req) => void log.push(`use ${req.path}`)],
      guard: (req) => (log.push(`guard ${req.path}`), ADA),
    })
    .get("/guarded", () => json(1))
    .get("/open", () => json(1), { auth: false })
    .mount("/m", { fetch: () => json(1) });
  for (const path of ["/before", "/guarded", "/open", "/m/x", "/nowhere"]) {
    await (await router.request(path)).body?.cancel();
  }
  assertEquals(log, ["use /guarded", "guard /guarded", "use /m/x", "guard /m/x"]);
  const use = ["no function"] as unknown as Middleware[];
  assertThrows(
    () => createRouter().withAuth({ guard: () => ADA, use }),
    TypeError,
    "not a function",
  );
});

Deno.test("withAuth() copies the middleware of an integration, so that later changes have no effect", async () => {
  const use: Middleware<unknown[]>[] = [() => json("denied", { status: 403 })];
  const router = createRouter().withAuth({ guard: () => ({ sub: "ada" }), use })
    .get("/", () => json("open"));
  use.length = 0;
  assertEquals((await router.request("/")).status, 403);
});
