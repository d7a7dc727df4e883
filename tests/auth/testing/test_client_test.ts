import {
  type AuthRuntime,
  createContainer,
  createRouter,
  csrfGuard,
  generateSecret,
  inMemoryAuthStores,
  json,
  type PasswordHasher,
  registerAuth,
  routerBuilder,
} from "@gatehouse/http";
import { testClient, type TestClientOptions } from "@gatehouse/http/testing";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";

/** Fails a test that hashes. */
const NO_HASHER: PasswordHasher = {
  id: "none",
  hash: () => Promise.reject(new Error("hashed")),
  verify: () => Promise.reject(new Error("hashed")),
} as unknown as PasswordHasher;

const clock = { now: 1_700_000_000 };

/** An application whose every change needs a token. */
function createApp(cookie: { readonly domain?: string } = {}) {
  const stores = inMemoryAuthStores({ now: () => clock.now });
  const runtime = registerAuth({
    secret: generateSecret(),
    stores,
    deployment: "direct",
    csrf: "token",
    cookie,
    warn() {}, // of cookies for a domain
    hasher: NO_HASHER,
    now: () => clock.now,
    container: createContainer(),
  });
  const router = routerBuilder<unknown[]>()
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .build()
    .get("/me", (req) => json(req.principal.sub))
    .get("/recent", (req) => json(req.principal.authTime), { auth: { maxAge: 60 } })
    .post("/notes", (req) => json(req.content, { status: 201 }))
    .delete("/notes/:id", (req) => json(req.params.id))
    .get("/args", (_req, ...args) => json(args), { auth: false })
    .post("/open", () => json(1), { auth: false, use: [csrfGuard({ csrf: runtime.csrf })] });
  return { runtime, router, stores };
}

async function answerOf(response: Response | Promise<Response>): Promise<readonly unknown[]> {
  const { status, headers } = await response;
  const isJson = headers.get("Content-Type")?.includes("json");
  const body = isJson ? await (await response).json() : await (await response).text();
  return [status, body?.code ?? body];
}

Deno.test("testClient().signIn() creates a user once, without a hash, and opens a real session", async () => {
  const { runtime, router } = createApp();
  const client = testClient(router, { runtime });
  assertEquals(await answerOf(client.get("/me")), [401, "unauthenticated"]);
  const user = await client.signIn("Ada@Example.org");
  assertEquals(user.identifier, "ada@example.org");
  assertEquals(await answerOf(client.get("/me")), [200, user.sub]);
  assertEquals(await answerOf(client.get("/recent")), [200, clock.now]);

  const other = testClient(router, { runtime });
  assertEquals(await other.signIn("ada@example.org"), user);
  assertEquals((await runtime.sessions.list(user.sub)).length, 2);
  await runtime.sessions.revokeAll(user.sub);
  assertEquals(await answerOf(client.get("/me")), [401, "session_expired"]);
});

Deno.test("testClient().signIn() signs in as somebody else afterwards", async () => {
  const { runtime, router } = createApp();
  const client = testClient(router, { runtime });
  await client.signIn("ada");
  const { sub } = await client.signIn("eve");
  assertEquals(await answerOf(client.get("/me")), [200, sub]);
});

Deno.test("testClient().signIn() does not open a disabled account", async () => {
  const { runtime, router } = createApp();
  const client = testClient(router, { runtime });
  const { sub } = await client.signIn("ada");
  await runtime.users.disable(sub);
  await client.signIn("ada");
  assertEquals(await answerOf(client.get("/me")), [401, "session_expired"]);
});

Deno.test("testClient().signIn() creates one user for many clients at once", async () => {
  const { runtime, router } = createApp();
  const users = await Promise.all(
    Array.from({ length: 8 }, () => testClient(router, { runtime }).signIn("ada")),
  );
  assertEquals(new Set(users.map(({ sub }) => sub)).size, 1);
});

Deno.test("testClient() sends tokens before and after a sign-in, and out of the way of its own", async () => {
  const { runtime, router } = createApp();
  const client = testClient(router, { runtime });
  assertEquals(await answerOf(client.post("/open", {})), [200, 1]);
  await client.signIn("ada");
  assertEquals(await answerOf(client.post("/open", {})), [200, 1]);
  assertEquals(await answerOf(client.post("/notes", { a: 1 })), [201, { a: 1 }]);
  assertEquals(await answerOf(client.request("/notes/7", { method: "DELETE" })), [200, "7"]);
  const forged = { method: "DELETE", headers: { "X-CSRF-Token": "" } };
  assertEquals(await answerOf(client.request("/notes/7", forged)), [403, "csrf_failed"]);
  const foreign = { method: "DELETE", headers: { "Sec-Fetch-Site": "cross-site" } };
  assertEquals(await answerOf(client.request("/notes/7", foreign)), [403, "csrf_failed"]);
  assertEquals(await answerOf(client.post("/auth/logout")), [204, ""]);
  assertEquals(await answerOf(client.get("/me")), [401, "unauthenticated"]);
});

Deno.test("testClient() gets tokens from a route where there is no runtime", async () => {
  const { router } = createApp();
  assertEquals(await answerOf(testClient(router).post("/open", {})), [403, "csrf_failed"]);
  const client = testClient(router, { csrf: "/auth/csrf" });
  assertEquals(await answerOf(client.post("/open", {})), [200, 1]);
  const lost = testClient(router, { csrf: "/csrf" });
  await assertRejects(() => lost.post("/open", {}), TypeError, "/csrf responded with 404");
});

Deno.test("testClient() works over the wire, where redirects are not followed either", async () => {
  const { runtime, router } = createApp();
  router.get("/away", () => new Response(null, { status: 303, headers: { Location: "/" } }), {
    auth: false,
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, router.fetch);
  try {
    const client = testClient(`http://127.0.0.1:${server.addr.port}`, { runtime });
    const { sub } = await client.signIn("ada");
    assertEquals(await answerOf(client.get("/me")), [200, sub]);
    assertEquals(await answerOf(client.post("/notes", { a: 1 })), [201, { a: 1 }]);
    assertEquals(await answerOf(client.get("/away")), [303, ""]);
  } finally {
    await server.shutdown();
  }
});

Deno.test("testClient() passes the host's arguments on", async () => {
  const { router } = createApp();
  assertEquals(await answerOf(testClient(router, { args: [{ a: 1 }] }).get("/args")), [200, [{
    a: 1,
  }]]);
});

/** Fields that a response sets for `/a/b` of a host, and what the next requests have. */
const COOKIES: readonly {
  readonly why: string;
  readonly set: readonly string[];
  /** What `/a/b` gets afterwards. */
  readonly sent: string | null;
  /** What `/` gets. @default the same */
  readonly root?: string | null;
  readonly origin?: string;
}[] = [
  { why: "a cookie with a path", set: ["a=1; Path=/"], sent: "a=1" },
  { why: "a cookie below the path of its response", set: ["a=1"], sent: "a=1", root: null },
  { why: "a cookie of a path, but of no neighbor", set: ["a=1; Path=/a/b/"], sent: null },
  { why: "no cookie of half a segment", set: ["a=1; Path=/a/bc"], sent: null },
  {
    why: "longer paths first",
    set: ["a=1; Path=/", "b=2; Path=/a"],
    sent: "b=2; a=1",
    root: "a=1",
  },
  { why: "the last value", set: ["a=1; Path=/", "a=2; Path=/"], sent: "a=2" },
  { why: "a value with =", set: ["a=b=c; Path=/"], sent: "a=b=c" },
  { why: "no deleted cookie", set: ["a=1; Path=/", "a=; Path=/; Max-Age=0"], sent: null },
  {
    why: "no cookie that expired",
    set: ["a=1; Path=/", "a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
    sent: null,
  },
  {
    why: "Max-Age before Expires",
    set: ["a=1; Path=/; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
    sent: "a=1",
  },
  { why: "Secure on this machine", set: ["a=1; Path=/; Secure"], sent: "a=1" },
  { why: "Secure by TLS", set: ["a=1; Path=/; Secure"], sent: "a=1", origin: "https://a.example" },
  {
    why: "no Secure without TLS",
    set: ["a=1; Path=/; Secure"],
    sent: null,
    origin: "http://a.example",
  },
  { why: "__Host- as it must be", set: ["__Host-a=1; Path=/; Secure"], sent: "__Host-a=1" },
  { why: "no __Host- of a path", set: ["__Host-a=1; Path=/a; Secure"], sent: null },
  { why: "no __Host- without Secure", set: ["__Host-a=1; Path=/"], sent: null },
  { why: "no __Secure- without Secure", set: ["__secure-a=1; Path=/"], sent: null },
  {
    why: "no __Host- of a domain",
    set: ["__Host-a=1; Path=/; Secure; Domain=a.example"],
    sent: null,
    origin: "https://a.example",
  },
  {
    why: "a domain above",
    set: ["a=1; Path=/; Domain=.example"],
    sent: "a=1",
    origin: "https://a.example",
  },
  {
    why: "no other domain",
    set: ["a=1; Path=/; Domain=b.example"],
    sent: null,
    origin: "https://a.example",
  },
  { why: "no cookie without a name", set: ["=1; Path=/", "1; Path=/x"], sent: null },
];
for (const { why, set, sent, root = sent, origin } of COOKIES) {
  Deno.test(`testClient() keeps cookies as browsers do: ${why}`, async () => {
    const app = createRouter()
      .get("/a/b", (req) => {
        const headers = set.map((cookie): [string, string] => ["Set-Cookie", cookie]);
        return json(req.headers.get("Cookie"), { headers });
      })
      .get("/", (req) => json(req.headers.get("Cookie")));
    const client = testClient(app, origin === undefined ? {} : { origin });
    assertEquals(await answerOf(client.get("/a/b")), [200, null]);
    assertEquals(await answerOf(client.get("/a/b")), [200, sent]);
    assertEquals(await answerOf(client.get("/")), [200, root]);
  });
}

Deno.test("testClient() drops cookies by the clock of its runtime", async () => {
  const { runtime, router } = createApp();
  router.get("/set", () => json(1, { headers: { "Set-Cookie": "a=1; Path=/; Max-Age=60" } }), {
    auth: false,
  }).get("/sent", (req) => json(req.headers.get("Cookie")), { auth: false });
  const client = testClient(router, { runtime });
  await client.get("/set");
  clock.now += 59;
  assertEquals(await answerOf(client.get("/sent")), [200, "a=1"]);
  clock.now += 1;
  assertEquals(await answerOf(client.get("/sent")), [200, null]);
});

Deno.test("testClient() keeps the cookies of two clients apart", async () => {
  const { runtime, router } = createApp();
  await testClient(router, { runtime }).signIn("ada");
  assertEquals(await answerOf(testClient(router, { runtime }).get("/me")), [
    401,
    "unauthenticated",
  ]);
});

Deno.test("testClient() refuses what would surprise", async () => {
  const { runtime, router } = createApp();
  assertThrows(
    () => testClient(router, { runtme: runtime } as TestClientOptions),
    TypeError,
    "unknown option runtme",
  );
  assertThrows(() => testClient("localhost"), TypeError);
  await assertRejects(
    () => testClient(router).signIn("ada"),
    TypeError,
    "needs the option runtime",
  );
  await assertRejects(
    () => testClient(router).get("https://other.example/"),
    TypeError,
    "another origin",
  );
  await assertRejects(
    () => testClient(router).get("//other.example/"),
    TypeError,
    "another origin",
  );
  const plain = testClient(router, { runtime, origin: "http://app.example" });
  await assertRejects(
    () => plain.signIn("ada"),
    TypeError,
    "no session cookie of http://app.example",
  );
  const shared = createApp({ domain: "example.com" });
  const elsewhere = testClient(shared.router, { runtime: shared.runtime });
  await assertRejects(() => elsewhere.signIn("ada"), TypeError, "no session cookie");
  const foreign = { ...runtime } as AuthRuntime;
  await assertRejects(
    () => testClient(router, { runtime: foreign }).signIn("ada"),
    TypeError,
    "not created by registerAuth()",
  );
});
