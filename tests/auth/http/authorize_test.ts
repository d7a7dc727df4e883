/** Authorization of guarded routes: its order, what the manager gets, and the policy. */

import {
  authorizationAllowed,
  authorizationDenied,
  type AuthorizationManager,
  createContainer,
  createRouter,
  getPrincipal,
  getSession,
  getUser,
  inMemoryAuthStores,
  json,
  type Middleware,
  registerAuth,
  type RouteOptions,
  type StandardSchemaV1,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { countedStream, untyped } from "../../router/_helpers.ts";
import { SECRET } from "../_services.ts";
import { keyStrategy, managerOf } from "../_strategies.ts";
import { createTestApp, ORIGIN } from "./_app.ts";
import { httpOf } from "../_transport.ts";

/** A schema that records its calls, and rejects what `isValid` does. */
function schemaOf<T>(
  log: string[],
  part: string,
  read: (value: unknown) => T | undefined,
): StandardSchemaV1<unknown, T> {
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate(value) {
        log.push(part);
        const output = read(value);
        return output === undefined ? { issues: [{ message: "Invalid" }] } : { value: output };
      },
    },
  };
}

interface Order {
  readonly status: number;
  readonly log: string;
}

/** What ran for a request to a route that has everything, and the status. */
async function order(path: string, key: string, body = '{"ok":true}'): Promise<Order> {
  const log: string[] = [];
  const strategy = keyStrategy();
  const { runtime } = createTestApp({
    strategies: [{
      ...strategy,
      authenticate: (context) => (log.push("authenticate"), strategy.authenticate(context)),
    }],
    authorization: managerOf((metadata) => {
      log.push("authorize");
      return metadata === "deny" ? authorizationDenied("denied") : authorizationAllowed();
    }),
  });
  const use: Middleware<unknown[]> = () => void log.push("use");
  const options = (metadata: string) => ({
    use: [use],
    schema: {
      params: schemaOf(log, "params", (value) => {
        const { id = "" } = value as { id?: string };
        return /^\d+$/.test(id) ? { id: Number(id) } : undefined;
      }),
      query: schemaOf(log, "query", (value) => "q" in (value as object) ? value : undefined),
      body: schemaOf(log, "body", (value) => "ok" in (value as object) ? value : undefined),
    },
    authorization: { metadata },
  });
  const router = withAuthRoutes(createRouter(), { runtime })
    .post("/allow/:id", () => (log.push("handler"), json(1)), options("allow"))
    .post("/deny/:id", () => (log.push("handler"), json(1)), options("deny"));
  const { stream, pulled } = countedStream(new TextEncoder().encode(body), 1);
  const response = await router.fetch(
    new Request(ORIGIN + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(key === "" ? {} : { "X-Key": key }) },
      body: stream,
      duplex: "half",
    } as RequestInit),
  );
  await response.body?.cancel();
  if (pulled() > 0 && !log.includes("body")) log.push("content");
  return { status: response.status, log: log.join() };
}

const ALL = "authenticate,params,query,authorize,use,body,handler";
const ORDERS: readonly (readonly [
  why: string,
  path: string,
  key: string,
  body: string | undefined,
  status: number,
  log: string,
])[] = [
  ["everything in order", "/allow/1?q=1", "good", undefined, 200, ALL],
  ["an anonymous client, whatever else is wrong", "/deny/x", "", "{}", 401, "authenticate"],
  ["an invalid credential", "/deny/x", "bad", "{}", 401, "authenticate"],
  ["an invalid path, before the manager", "/deny/x?q=1", "good", "{}", 422, "authenticate,params"],
  ["an invalid query", "/deny/1", "good", "{}", 422, "authenticate,params,query"],
  [
    "a denial, before the body",
    "/deny/1?q=1",
    "good",
    "{}",
    403,
    "authenticate,params,query,authorize",
  ],
  ["an invalid body, last", "/allow/1?q=1", "good", "{}", 422, ALL.replace(",handler", "")],
];
for (const [why, path, key, body, status, log] of ORDERS) {
  Deno.test(`a guarded route checks in order: ${why}`, async () => {
    assertEquals(await order(path, key, body), { status, log });
  });
}

Deno.test("AuthorizationManager gets the outputs of the schemas, and the session of the request", async () => {
  const seen: unknown[] = [];
  const app = createTestApp({
    authorization: {
      async authorize(principal, context) {
        const { request, params, query, route } = httpOf(context);
        seen.push({ params, query, route });
        assertEquals(getPrincipal(request), principal);
        assertEquals(getSession(request)?.user.sub, "u1");
        assertEquals((await getUser(request))?.identifier, "ada@example.org");
        return authorizationAllowed();
      },
    },
  });
  const params = schemaOf([], "params", (value) => ({ id: Number((value as { id: string }).id) }));
  const query = schemaOf([], "query", () => ({ page: 1 }));
  app.router
    .get("/validated/:id", (req) => json(req.params.id), {
      schema: { params, query },
      authorization: { metadata: 1 },
    })
    .get("/plain/:id", (req) => json(req.params.id), { authorization: { metadata: 1 } });
  const client = await app.signedIn();
  assertEquals(await (await client.send("/validated/007?page=x")).json(), 7);
  assertEquals(await (await client.send("/plain/a%20b?page=x")).json(), "a b");
  assertEquals(JSON.parse(JSON.stringify(seen)), [
    { params: { id: 7 }, query: { page: 1 }, route: "/validated/:id" },
    { params: { id: "a b" }, query: { page: "x" }, route: "/plain/:id" },
  ]);
});

Deno.test("AuthorizationManager is asked once for each route that has the option", async () => {
  const manager = managerOf(() => authorizationAllowed());
  const app = createTestApp({ authorization: manager });
  app.router
    .get("/asked", () => json(1), { authorization: { metadata: "m" } })
    .get("/none", () => json(1), { authorization: "none" })
    .get("/unsaid", () => json(1));
  const client = await app.signedIn();
  for (const path of ["/asked", "/none", "/unsaid", "/me"]) {
    assertEquals((await client.send(path)).status, 200);
  }
  assertEquals(manager.asked.map(([, { metadata }]) => metadata), ["m"]);
});

Deno.test("AuthorizationManager may throw or return nothing: the response is a 500, and no-store", async () => {
  for (
    const authorize of [
      () => undefined,
      () => null,
      () => Promise.reject(new Error("down")),
      () => true,
    ]
  ) {
    const app = createTestApp({ authorization: untyped<AuthorizationManager>({ authorize }) });
    app.router.get("/asked", () => json("secret"), { authorization: { metadata: 1 } });
    const response = await (await app.signedIn()).send("/asked");
    assertEquals([response.status, response.headers.get("Cache-Control")], [500, "no-store"]);
    assert(!(await response.text()).includes("secret"));
  }
});

/** Options of a guarded route, and whether the policy `required` accepts them. */
const POLICIES: readonly (readonly [
  options: Omit<RouteOptions<unknown[]>, "multipart" | "raw">,
  accepted: boolean,
])[] = [
  [{}, false],
  [{ auth: true }, false],
  [{ auth: { mode: "optional" } }, false],
  [{ scope: ["notes:read"] }, false],
  [{ scope: "any" }, false],
  [{ authorization: { metadata: undefined } }, true],
  [{ authorization: { metadata: 1, allowAnonymous: true }, auth: { mode: "optional" } }, true],
  [{ authorization: "none" }, true],
  [{ authorization: "none", auth: { mode: "optional" } }, true],
  [{ auth: false }, true],
];
for (const [options, accepted] of POLICIES) {
  Deno.test(`authorizationPolicy "required" ${accepted ? "accepts" : "rejects"} ${JSON.stringify(options)}`, () => {
    const { runtime } = createTestApp();
    const strict = { ...runtime, authorizationPolicy: "required" } as const;
    const add = [
      () =>
        withAuthRoutes(createRouter<unknown[]>(), { runtime: strict }).get(
          "/x",
          () => json(1),
          options,
        ),
      ...("auth" in options && typeof options.auth === "object" ? [] : [
        () =>
          withAuthRoutes(createRouter<unknown[]>(), { runtime: strict })
            .mount("/x", createRouter<unknown[]>(), untyped(options)),
      ]),
    ];
    for (const one of add) {
      if (accepted) one();
      else {assertThrows(
          one,
          TypeError,
          'authorization is missing, and authorizationPolicy is "required"',
        );}
      withAuthRoutes(createRouter<unknown[]>(), { runtime }).get("/x", () => json(1), options);
    }
  });
}

Deno.test("registerAuth() passes authorizationPolicy on to routers, whose own routes of authentication are public", async () => {
  const runtime = registerAuth({
    secret: SECRET,
    stores: inMemoryAuthStores(),
    container: createContainer(),
    authorizationPolicy: "required",
  });
  const router = createRouter().withAuth(
    runtime.integration({ routes: { registration: "closed" } }),
  );
  assertThrows(
    () => router.get("/notes", () => json(1)),
    TypeError,
    "Cannot add route GET /notes: authorization is missing",
  );
  router.get("/notes", () => json(1), { authorization: "none" });
  assertEquals((await router.request("/auth/csrf")).status, 200);
  assertEquals((await router.request("/notes")).status, 401);
});
