/** The catalogue "Guards, stores, keys": scopes of API keys and tokens; rows are only added. */

import {
  apiKeyService,
  apiKeyStrategy,
  applyAuthHeaders,
  authenticated,
  authorizationAllowed,
  type AuthStrategy,
  bearerTokenStrategy,
  createPrincipal,
  createRouter,
  generateJwk,
  inMemoryAuthStores,
  json,
  noCredential,
  publicJwk,
  requireAuth,
  requireAuthz,
  requireScope,
  resourceServer,
  routerBuilder,
  signJwt,
  type TypedRouter,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { createTestApp } from "../auth/http/_app.ts";
import { managerOf } from "../auth/_strategies.ts";
import { codeOf, untyped } from "../router/_helpers.ts";

const JWT = { issuer: "https://example.com", audience: "notes" };
const REFUSED = [403, "insufficient_scope"] as const;

/** An application that accepts sessions, its own tokens and API keys, and the credentials of its one user. */
async function createScopeApp(jwt: { readonly scope?: readonly string[] } = {}) {
  const stores = inMemoryAuthStores({ now: () => 0 });
  const clock = { now: 1_800_000_000 };
  const apiKeys = apiKeyService({ ...stores, now: () => clock.now });
  const app = createTestApp({
    stores,
    clock,
    jwt: { ...JWT, ...jwt },
    strategies: [apiKeyStrategy({ apiKeys })],
    authorization: managerOf(() => authorizationAllowed()),
    throttle: "insecureSkip",
  });
  const { jar } = await app.signedIn();
  const { runtime, router } = app;
  const authentication = await runtime.passwords.createUser({
    identifier: "eve@example.org",
    password: "eve has a long password",
  });
  const deleted: string[] = [];
  const plain = createRouter<unknown[]>({ finally: [applyAuthHeaders] })
    .get("/auth", () => json(1), { use: [requireAuth({ runtime })] })
    .get("/authz", () => json(1), { use: [requireAuthz({ runtime, metadata: 1 })] })
    .get("/auth-any", () => json(1), { use: [requireAuth({ runtime, scope: "any" })] })
    .get("/auth-read", () => json(1), { use: [requireAuth({ runtime, scope: ["notes:read"] })] })
    .get("/auth-then-read", () => json(1), {
      use: [requireAuth({ runtime }), requireScope("notes:read")],
    })
    .under("/under", requireAuth({ runtime }))
    .get("/under/read", () => json(1), { use: [requireScope("notes:read")] });
  const inner = () => createRouter<unknown[]>().get("/x", () => json(1));
  router
    .delete("/account", (req) => (deleted.push(req.principal.sub), json("gone")))
    .get("/account", () => json(1))
    .get("/optional", () => json(1), { auth: { mode: "optional" } })
    .get("/asked", () => json(1), { authorization: { metadata: 1 } })
    .get("/none", () => json(1), { authorization: "none" })
    .get("/any", () => json(1), { scope: "any" })
    .get("/read", () => json(1), { scope: ["notes:read"] })
    .get("/used", () => json(1), { use: [requireScope("notes:read")] })
    .get("/both", () => json(1), { scope: ["a"], use: [requireScope("notes:read")] })
    .get("/any-used", () => json(1), { scope: "any", use: [requireScope("notes:read")] })
    .mount("/inner", inner())
    .mount("/inner-any", inner(), { scope: "any" })
    .mount("/inner-read", inner(), { scope: ["notes:read"] });
  const bearer = async (scope?: readonly string[]) => {
    const { accessToken } = await runtime.tokens?.issue(authentication, { scope }) ?? {};
    return { Authorization: `Bearer ${accessToken}` };
  };
  const key = async (scope?: readonly string[]) => {
    const made = await apiKeys.create("u1", { scope });
    return { "X-API-Key": made.key };
  };
  const session = { Cookie: jar.field(), "Sec-Fetch-Site": "same-origin" };
  return { ...app, plain, deleted, bearer, key, session };
}

/** Routes that name no scope, in a guarded router and by middleware. */
const UNNAMED: readonly string[] = [
  "/account",
  "/optional",
  "/asked",
  "/none",
  "/inner/x",
  "plain /auth",
  "plain /authz",
  "plain /under/read",
];
/** Routes that name `notes:read`. */
const READ: readonly string[] = [
  "/read",
  "/used",
  "/any-used",
  "/inner-read/x",
  "plain /auth-read",
  "plain /auth-then-read",
];
/** Routes that name `any`. */
const ANY: readonly string[] = ["/any", "/inner-any/x", "plain /auth-any", "/me", "/maybe"];

type ScopeApp = Awaited<ReturnType<typeof createScopeApp>>;

function ask(app: ScopeApp, path: string, headers: Record<string, string>) {
  const router: TypedRouter<unknown[]> = path.startsWith("plain ")
    ? app.plain
    : untyped(app.router);
  return router.request(path.replace("plain ", ""), { headers });
}

/** Principals with a scope. */
const SCOPED: readonly (readonly [
  source: string,
  what: string,
  scope: readonly string[] | undefined,
  present: (app: ScopeApp) => Promise<Record<string, string>>,
])[] = [
  ["issue 20", "a key without scopes", [], (app) => app.key()],
  ["issue 20", "a key with an empty scope", [], (app) => app.key([])],
  ["neighbour", "a key with another scope", ["notes:write"], (app) => app.key(["notes:write"])],
  [
    "neighbour",
    "a key whose scope begins alike",
    ["notes:reader"],
    (app) => app.key(["notes:reader"]),
  ],
  ["neighbour", "a key with a scope called any", ["any"], (app) => app.key(["any"])],
  ["neighbour", "a key with the scope", ["notes:read"], (app) => app.key(["notes:read"])],
  ["neighbour", "a token with an empty scope", [], (app) => app.bearer([])],
  ["neighbour", "a token with the scope", ["notes:read"], (app) => app.bearer(["notes:read"])],
];

for (const [source, what, scope = [], present] of SCOPED) {
  Deno.test(`[${source}] scope: ${what} → only routes that name what it has`, async () => {
    const app = await createScopeApp();
    const headers = await present(app);
    for (const path of UNNAMED) assertEquals(await codeOf(ask(app, path, headers)), REFUSED, path);
    for (const path of READ) {
      const response = await ask(app, path, headers);
      if (scope.includes("notes:read")) assertEquals(response.status, 200, path);
      else assertEquals(await codeOf(response), REFUSED, path);
    }
    for (const path of ANY) assertEquals((await ask(app, path, headers)).status, 200, path);
    assertEquals(await codeOf(ask(app, "/both", headers)), REFUSED, "needs both");
    const refused = app.router.request("/account", { method: "DELETE", headers });
    assertEquals(await codeOf(refused), REFUSED);
    assertEquals(app.deleted, []);
  });
}

Deno.test("[issue 20] scope: sessions, and own tokens without a scope → not limited", async () => {
  const app = await createScopeApp();
  for (const headers of [app.session, await app.bearer()]) {
    for (const path of [...UNNAMED, ...READ, ...ANY, "/both"]) {
      assertEquals((await ask(app, path, headers)).status, 200, path);
    }
  }
  const headers = await app.bearer();
  assertEquals((await app.router.request("/account", { method: "DELETE", headers })).status, 200);
});

Deno.test("[neighbour] scope: own tokens of a service with default scopes → limited", async () => {
  for (const scope of [[], ["notes:write"]]) {
    const app = await createScopeApp({ scope });
    const headers = await app.bearer();
    for (const path of [...UNNAMED, ...READ]) {
      assertEquals(await codeOf(ask(app, path, headers)), REFUSED, path);
    }
    assertEquals((await ask(app, "/any", headers)).status, 200);
  }
});

Deno.test("[issue 20] scope: a token of another issuer without the claim → as with an empty scope", async () => {
  const key = await generateJwk("ES256");
  const parties = { issuer: "https://issuer.example", audience: "https://reports.example" };
  const bearer = bearerTokenStrategy({ algorithms: ["ES256"], keys: publicJwk(key), ...parties });
  const runtime = resourceServer({ strategies: [bearer] });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/reports", () => json(1))
    .get("/read", () => json(1), { scope: ["read"] })
    .get("/any", () => json(1), { scope: "any" });
  const statuses = async (claims: Record<string, unknown>) => {
    const token = await signJwt(
      { iss: parties.issuer, aud: parties.audience, sub: "u1", ...claims },
      { algorithms: ["ES256"], key, header: { typ: "at+jwt" }, expiresIn: 60 },
    );
    const headers = { Authorization: `Bearer ${token}` };
    const ask = async (path: string) => (await router.request(path, { headers })).status;
    return await Promise.all(["/reports", "/read", "/any"].map(ask));
  };
  assertEquals(await statuses({}), [403, 403, 200]);
  assertEquals(await statuses({ scope: "" }), [403, 403, 200]);
  assertEquals(await statuses({ scp: ["read"] }), [403, 403, 200], "another claim");
  assertEquals(await statuses({ scope: "read" }), [403, 200, 200]);
});

Deno.test("[neighbour] scope: a route that passes to one without a scope → 403", async () => {
  const app = await createScopeApp();
  app.router
    .get("/passed", () => untyped(undefined), { scope: "any" })
    .get("/passed", () => json("secret"));
  app.plain
    .get("/passed", () => untyped(undefined), {
      use: [requireAuth({ runtime: app.runtime }), requireScope("a")],
    })
    .get("/passed", () => json("secret"), { use: [requireAuth({ runtime: app.runtime })] });
  const headers = await app.key(["a"]);
  for (const path of ["/passed", "plain /passed"]) {
    assertEquals(await codeOf(ask(app, path, headers)), REFUSED, path);
  }
});

Deno.test("[neighbour] scope: a refusal names the scope to tokens, and nothing but the code to keys", async () => {
  const app = await createScopeApp();
  for (const [path, needed] of [["/read", ', scope="notes:read"'], ["/account", ""]] as const) {
    const token = await ask(app, path, await app.bearer(["x"]));
    assertEquals(
      token.headers.get("WWW-Authenticate"),
      `Bearer error="insufficient_scope"${needed}`,
    );
    const key = await ask(app, path, await app.key(["x"]));
    assertEquals(key.headers.get("WWW-Authenticate"), null);
    const text = await key.text();
    assertEquals(await token.text(), text);
    assertEquals(text.includes("notes"), false);
  }
  assertEquals(
    app.events.flatMap((event) =>
      event.type === "authz.denied" ? [[event.reason, event.route]] : []
    ),
    [
      ["needs notes:read", "/read"],
      ["needs notes:read", "/read"],
      ["the route names no scope", "/account"],
      ["the route names no scope", "/account"],
    ],
  );
});

Deno.test("[neighbour] scope: a scope that a strategy gives as another type → 500, never unlimited", async () => {
  for (const scope of [null, "notes:read", { 0: "notes:read" }, 0, false]) {
    const strategy: AuthStrategy = {
      name: "odd",
      scheme: { type: "header", name: "X-Odd" },
      authenticate: ({ request }) =>
        request.headers.has("X-Odd")
          ? authenticated(untyped({ ...createPrincipal({ sub: "u1", method: "odd" }), scope }))
          : noCredential(),
    };
    const app = createTestApp({ strategies: [strategy] });
    app.router.get("/account", () => json("secret"));
    const response = await app.router.request("/account", { headers: { "X-Odd": "1" } });
    assertEquals(response.status, 500);
    assert(app.errors.length === 1);
  }
});

Deno.test("[neighbour] scope: what is no scope, as an option of a route or a mount → rejected when it is added", () => {
  const { runtime } = createTestApp();
  const router = () => withAuthRoutes(createRouter(), { runtime });
  for (
    const scope of [[], "notes:read", "Any", "", ["a b"], ['a"'], ["a\n"], [1], [""], {}, null]
  ) {
    const options = untyped<{ scope: "any" }>({ scope });
    for (
      const add of [
        () => router().get("/x", () => json(1), options),
        () => router().mount("/x", createRouter(), options),
      ]
    ) {
      assertThrows(add, TypeError, "scope must be a non-empty array");
    }
  }
});

Deno.test("[neighbour] scope: files behind a guard, which name none → 403", async () => {
  const app = await createScopeApp();
  const built = routerBuilder<unknown[]>()
    .withAuth(app.runtime.integration({ routes: false }))
    .build()
    .static("/files", { directory: "none", package: { version: 1, entries: {} } });
  const key = await app.key(["notes:read"]);
  assertEquals(await codeOf(built.request("/files/a.txt", { headers: key })), REFUSED);
  assertEquals((await built.request("/files/a.txt", { headers: app.session })).status, 404);
});
