/** The catalogue "Guards, stores, keys": principals of one runtime in routers of another; rows are only added. */

import {
  type AuthRuntime,
  createRouter,
  type FetchHandler,
  getPrincipal,
  getSession,
  getUser,
  json,
  requireAuth,
  requireAuthz,
  requireScope,
  type RouteRequest,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp, ORIGIN } from "../auth/http/_app.ts";
import { keyStrategy, managerOf } from "../auth/_strategies.ts";
import { authorizationAllowed } from "@gatehouse/http";

interface Realms {
  readonly customers: AuthRuntime;
  readonly staff: AuthRuntime;
}

/** Two runtimes with keys in `X-Key` and `X-Staff`, both of the subject `robot`. */
function createRealms(): Realms {
  const authorization = managerOf(() => authorizationAllowed());
  const { runtime: customers } = createTestApp({ strategies: [keyStrategy()], authorization });
  const { runtime: staff } = createTestApp({
    strategies: [keyStrategy({ field: "X-Staff" })],
    authorization,
  });
  return { customers, staff };
}

/** Who the handler sees: by its request, by the standard one, and by the other functions. */
async function show(req: RouteRequest): Promise<Response> {
  const seen = [getPrincipal(req)?.sub, getPrincipal(req.raw)?.sub, getSession(req)?.user.sub];
  return json([
    ...new Set([...seen, (await getUser(req))?.sub].filter((sub) => sub !== undefined)),
  ]);
}

const plain = () => createRouter<unknown[]>();
const guarded = (runtime: AuthRuntime) => withAuthRoutes(plain(), { runtime });
const OPTIONAL = { auth: { mode: "optional" } } as const;
const OPEN = { auth: false } as const;
const ANY = { metadata: 1, allowAnonymous: true };

/** Routers that are mounted in a guarded one of the customers, whose key the request has. */
const INNER: readonly (readonly [
  source: string,
  what: string,
  make: (realms: Realms) => FetchHandler<unknown[]>,
  outcome: readonly [status: number, seen?: readonly string[]],
])[] = [
  ["neighbour", "a router without a runtime", () => plain().get("/x", show), [200, ["robot"]]],
  ["neighbour", "one in another without a runtime", () => {
    return plain().mount("/", plain().get("/x", show));
  }, [200, ["robot"]]],
  ["neighbour", "a public route of a router of the same runtime", ({ customers }) => {
    return guarded(customers).get("/x", show, OPEN);
  }, [200, ["robot"]]],
  ["issue 20", "a public route of another runtime", ({ staff }) => {
    return guarded(staff).get("/x", show, OPEN);
  }, [200, []]],
  ["issue 20", "an optional route of another runtime", ({ staff }) => {
    return guarded(staff).get("/x", show, OPTIONAL);
  }, [200, []]],
  ["issue 20", "a public route of another runtime with requireScope()", ({ staff }) => {
    return guarded(staff).get("/x", show, { ...OPEN, use: [requireScope("a")] });
  }, [401]],
  ["issue 20", "an optional route of another runtime with requireScope()", ({ staff }) => {
    return guarded(staff).get("/x", show, { ...OPTIONAL, use: [requireScope("a")] });
  }, [401]],
  [
    "neighbour",
    "a router without a runtime in one of another, through a public mount",
    ({ staff }) => {
      return guarded(staff).mount("/", plain().get("/x", show), OPEN);
    },
    [200, []],
  ],
  ["neighbour", "middleware of another runtime's router, before its guard", ({ staff }) => {
    const seen: unknown[] = [];
    const middleware = (req: RouteRequest) => void seen.push(getPrincipal(req)?.sub);
    return withAuthRoutes(createRouter<unknown[]>({ before: [middleware] }), { runtime: staff })
      .get("/x", () => json(seen.filter((sub) => sub !== undefined)), OPEN);
  }, [200, []]],
  ["neighbour", "requireAuthz() of another runtime that finds nobody", ({ staff }) => {
    return plain().get("/x", show, { use: [requireAuthz({ runtime: staff, ...ANY })] });
  }, [200, []]],
  [
    "neighbour",
    "requireAuth() of the same runtime in a router of another",
    ({ staff, customers }) => {
      const use = [requireAuth({ runtime: customers })];
      return guarded(staff).get("/x", show, { ...OPEN, use });
    },
    [200, ["robot"]],
  ],
  ["ATTACKS", "a guarded route of another runtime", ({ staff }) => {
    return guarded(staff).get("/x", show);
  }, [401]],
];

for (const [source, what, make, [status, seen]] of INNER) {
  Deno.test(`[${source}] realms: a customer in ${what} → ${seen?.join() ?? status}`, async () => {
    const realms = createRealms();
    const { customers } = realms;
    const apps = [
      guarded(customers).mount("/in", make(realms)),
      guarded(customers).mount("/in", make(realms), OPEN).under(
        "/in",
        requireAuth({ runtime: customers }),
      ),
      plain().under("/in", requireAuth({ runtime: customers })).mount("/in", make(realms)),
    ];
    for (const app of apps) {
      const response = await app.request("/in/x", { headers: { "X-Key": "good" } });
      assertEquals(response.status, status);
      if (seen === undefined) await response.body?.cancel();
      else assertEquals(await response.json(), seen);
    }
  });
}

Deno.test("[neighbour] realms: after a mounted router of another runtime → the outer one sees its own principal", async () => {
  const { customers, staff } = createRealms();
  const seen: unknown[] = [];
  const after = wrap<unknown[]>(async (req, next) => {
    const response = await next();
    seen.push(getPrincipal(req)?.method, getPrincipal(req.raw)?.method);
    return response;
  });
  const admin = guarded(staff).get("/x", (req) => json(getPrincipal(req)?.method));
  const app = withAuthRoutes(createRouter<unknown[]>({ before: [after] }), { runtime: customers })
    .mount("/open", admin, OPEN)
    .mount("/guarded", admin);
  const headers = { "X-Key": "good", "X-Staff": "good" };
  assertEquals((await app.request("/open/x", { headers })).status, 200);
  assertEquals(seen.splice(0), [undefined, undefined], "the guard of the customers did not run");
  assertEquals((await app.request("/guarded/x", { headers })).status, 200);
  assertEquals(seen.splice(0), ["key", "key"]);
  const { "X-Staff": _, ...customer } = headers;
  assertEquals((await app.request("/guarded/x", { headers: customer })).status, 401);
  assertEquals(seen.splice(0), ["key", "key"], "the inner refusal does not concern it");
});

Deno.test("[neighbour] realms: one request to two routers in turn → each sees its own principal", async () => {
  const { customers, staff } = createRealms();
  const request = new Request(`${ORIGIN}/x`, { headers: { "X-Key": "good" } });
  const shop = guarded(customers).get("/x", show);
  const admin = guarded(staff).get("/x", show, OPEN);
  assertEquals(await (await shop.fetch(request)).json(), ["robot"]);
  assertEquals(await (await admin.fetch(request)).json(), []);
  assertEquals(await (await shop.fetch(request)).json(), ["robot"]);
});

Deno.test("[neighbour] realms: a sign-in at one runtime → no principal of another in the same request", async () => {
  const { customers, staff } = createRealms();
  const authentication = await staff.passwords.createUser({
    identifier: "eve@example.org",
    password: "eve has a long password",
  });
  const enter = async (req: RouteRequest) => {
    await staff.signIn(req, authentication);
    return await show(req);
  };
  const router = guarded(customers)
    .get("/enter", enter, OPEN)
    .get("/both", enter)
    .mount("/staff", guarded(staff).get("/enter", enter, OPEN), OPEN);
  assertEquals(await (await router.request("/enter")).json(), []);
  const both = await router.request("/both", { headers: { "X-Key": "good" } });
  assertEquals(await both.json(), ["robot"]);
  assertEquals(await (await router.request("/staff/enter")).json(), [authentication.sub]);
});
