/** Guards of WebSockets: before the connection is opened, and while it is open. */

import {
  authenticated,
  authFailed,
  type AuthStrategy,
  createPrincipal,
  createRouter,
  HttpError,
  type LiveSocket,
  type Middleware,
  noCredential,
  problem,
  requireAuth,
  requireScope,
  requireVerifiedEmail,
  resourceServer,
  websocket,
  type WebSocketHandlers,
  type WebSocketOptions,
  withAuthRoutes,
  wrap,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { z } from "zod";
import { markGuard } from "../../../router/guard.ts";
import { createTestApp, type TestApp } from "../../auth/http/_app.ts";
import { withServer } from "../../attacks/_raw.ts";
import { handshake, open } from "./_client.ts";

const SOON: WebSocketOptions = { recheck: 0.02 };
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Waits for something that happens by a timer, however busy the machine is. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(5);
}

/** A guard whose verdict a test changes. */
function gate(): {
  strategy: AuthStrategy;
  calls: boolean[];
  refuses: "" | "invalid" | "throw" | "503" | "hang" | "slow";
} {
  const state: ReturnType<typeof gate> = {
    refuses: "",
    calls: [],
    strategy: {
      name: "key",
      scheme: { type: "header", name: "X-Key" },
      async authenticate({ request, recheck = false }) {
        state.calls.push(recheck);
        if (!request.headers.has("X-Key")) return noCredential();
        if (state.refuses === "throw") throw new Error("the store is down");
        if (state.refuses === "503") {
          throw new HttpError(503, "unavailable", { detail: "the store is down" });
        }
        if (state.refuses === "slow") await pause(100);
        if (state.refuses === "hang") await new Promise(() => {});
        if (state.refuses === "invalid") return authFailed("key_revoked", "the key was revoked");
        return authenticated(createPrincipal({ sub: `u${state.calls.length}`, method: "key" }));
      },
    },
  };
  return state;
}

/** Knows nobody. */
const NOBODY: AuthStrategy = { ...gate().strategy, authenticate: () => noCredential() };

const KEY = { headers: { "X-Key": "1" } };

Deno.test("websocket() runs guard, schemas, authorization and middleware before it opens a connection", async () => {
  const order: string[] = [];
  const runtime = resourceServer({
    strategies: [{
      name: "key",
      scheme: { type: "header", name: "X-Key" },
      authenticate({ request }) {
        const scope = request.headers.get("X-Key");
        if (scope === null) return noCredential();
        return authenticated(createPrincipal({ sub: "u1", method: "key", scope: [scope] }));
      },
    }],
  });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", (req) =>
    websocket(req, {
      open: (socket) => void socket.send(`${req.principal.sub} in ${req.query.room}`),
    }), {
    scope: ["chat"],
    schema: { query: z.object({ room: z.coerce.number() }) },
    use: [(req) => {
      order.push(req.path);
      return req.headers.has("X-Full") ? problem(503, "room_full") : undefined;
    }],
  });
  await withServer((request) => router.fetch(request), async (port) => {
    const status = async (path: string, headers: Record<string, string>) =>
      (await handshake(port, path, { headers })).status;
    assertEquals(await status("/?room=1", {}), 401);
    assertEquals(await status("/?room=x", { "X-Key": "chat" }), 422);
    assertEquals(await status("/?room=1", { "X-Key": "other" }), 403);
    assertEquals(order, []);
    assertEquals(await status("/?room=1", { "X-Key": "chat", "X-Full": "1" }), 503);
    using client = await open(port, "/?room=1", { headers: { "X-Key": "chat" } });
    assertEquals(await client.next(), "u1 in 1");
  });
});

/** Where a guard is: each router has the WebSocket at `/in/socket`. */
const PLACES: readonly (readonly [
  place: string,
  make: (strategy: AuthStrategy, errors: unknown[]) => { fetch(request: Request): unknown },
])[] = [
  [
    "withAuth()",
    (strategy, errors) =>
      withAuthRoutes(createRouter({ onError: (error) => void errors.push(error) }), {
        runtime: resourceServer({ strategies: [strategy] }),
      }).get("/in/socket", (req) => websocket(req, {}, SOON)),
  ],
  ["requireAuth() of the route", (strategy, errors) => {
    const use = [requireAuth({ runtime: resourceServer({ strategies: [strategy] }) })];
    return createRouter({ onError: (error) => void errors.push(error) })
      .get("/in/socket", (req) => websocket(req, {}, SOON), { use });
  }],
  ["requireAuth() of the router", (strategy, errors) => {
    const before = [requireAuth({ runtime: resourceServer({ strategies: [strategy] }) })];
    return createRouter({ before, onError: (error) => void errors.push(error) })
      .get("/in/socket", (req) => websocket(req, {}, SOON));
  }],
  ["requireAuth() under a path", (strategy, errors) => {
    const runtime = resourceServer({ strategies: [strategy] });
    return createRouter({ onError: (error) => void errors.push(error) })
      .under("/elsewhere", requireAuth({ runtime: resourceServer({ strategies: [NOBODY] }) }))
      .under("/in", requireAuth({ runtime }))
      .get("/in/socket", (req) => websocket(req, {}, SOON));
  }],
  [
    "a mount's guard",
    (strategy, errors) =>
      withAuthRoutes(createRouter(), { runtime: resourceServer({ strategies: [strategy] }) })
        .mount("/in", innerRouter(errors)),
  ],
  [
    "a guard around two mounts",
    (strategy, errors) =>
      withAuthRoutes(createRouter(), { runtime: resourceServer({ strategies: [strategy] }) })
        .mount("/in", createRouter().mount("/", innerRouter(errors))),
  ],
];

function innerRouter(errors: unknown[]) {
  return createRouter({ onError: (error) => void errors.push(error) })
    .get("/socket", (req) => websocket(req, {}, SOON));
}

for (const [place, make] of PLACES) {
  Deno.test(`websocket() runs a guard again and closes with 1008: ${place}`, async () => {
    const errors: unknown[] = [];
    const key = gate();
    const router = make(key.strategy, errors);
    await withServer((request) => router.fetch(request) as Response, async (port) => {
      assertEquals((await handshake(port, "/in/socket")).status, 401);
      key.calls.length = 0;
      using client = await open(port, "/in/socket", KEY);
      await until(() => key.calls.length > 2);
      assertEquals([key.calls[0], ...new Set(key.calls.slice(1))], [false, true]);
      key.refuses = "invalid";
      assertEquals(await client.next(), "close 1008 key_revoked");
      const { length } = key.calls;
      await pause(60);
      assertEquals(key.calls.length, length);
      assertEquals(errors, []);
    });
  });

  Deno.test(`websocket() closes with 1011 if a guard fails or hangs: ${place}`, async () => {
    for (const how of ["throw", "503", "hang"] as const) {
      const errors: unknown[] = [];
      const key = gate();
      const router = make(key.strategy, errors);
      await withServer((request) => router.fetch(request) as Response, async (port) => {
        using client = await open(port, "/in/socket", KEY);
        key.refuses = how;
        assertEquals(await client.next(), "close 1011 internal_error");
        const message = how === "hang" ? "the guards have not answered" : "the store is down";
        assertEquals([errors.length, String(errors[0]).includes(message)], [1, true]);
      });
    }
  });
}

Deno.test("websocket() without a guard checks nothing again, and needs no timer", async () => {
  let calls = 0;
  const { setInterval } = globalThis;
  let timers = 0;
  using _restored = { [Symbol.dispose]: () => void Object.assign(globalThis, { setInterval }) };
  Object.assign(globalThis, { setInterval: () => ++timers });
  const router = createRouter({ before: [() => void calls++] })
    .get("/", (req) => websocket(req, { open: (socket) => socket.recheck() }, SOON));
  await withServer((request) => router.fetch(request), async (port) => {
    using client = await open(port, "/");
    await pause(60);
    assertEquals([calls, timers], [1, 0]);
    await client.leave();
  });
});

Deno.test("websocket() keeps req.principal current, and recheck() checks at once", async () => {
  const key = gate();
  const sockets: LiveSocket[] = [];
  const runtime = resourceServer({ strategies: [key.strategy] });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", (req) =>
    websocket(req, {
      open: (socket) => void sockets.push(socket),
      message: (socket) => void socket.send(req.principal.sub),
    }));
  await withServer((request) => router.fetch(request), async (port) => {
    using client = await open(port, "/", KEY);
    await client.send("who?");
    assertEquals(await client.next(), "u1");
    const [socket] = sockets;
    await Promise.all([socket?.recheck(), socket?.recheck()]);
    await client.send("who?");
    assertEquals(await client.next(), "u2");
    key.refuses = "invalid";
    await socket?.recheck();
    assertEquals(await client.next(), "close 1008 key_revoked");
    await socket?.recheck();
    assertEquals(key.calls.length, 3);
  });
});

Deno.test("recheck() puts off the next run, which does not find it unfinished", async () => {
  const key = gate();
  const runtime = resourceServer({ strategies: [key.strategy] });
  const router = withAuthRoutes(createRouter(), { runtime }).get("/", (req) =>
    websocket(req, {
      async open(socket) {
        await pause(150);
        key.refuses = "slow"; // 100 ms, in which the first run would be due
        await socket.recheck();
        key.refuses = "";
        socket.send(`checked ${key.calls.length - 1} time`);
      },
    }, { recheck: 0.2 }));
  await withServer((request) => router.fetch(request), async (port) => {
    using client = await open(port, "/", KEY);
    assertEquals(await client.next(), "checked 1 time");
    await client.leave();
  });
});

Deno.test("websocket() runs the guards until what a client sent before it left is handled", async () => {
  for (const refuses of ["", "invalid", "throw"] as const) {
    const key = gate();
    const handled: unknown[] = [];
    const errors: unknown[] = [];
    let release = () => {};
    const released = new Promise<void>((resolve) => release = resolve);
    let closes = "";
    const runtime = resourceServer({ strategies: [key.strategy] });
    const router = withAuthRoutes(
      createRouter({ onError: (error) => void errors.push(error) }),
      { runtime },
    ).get("/", (req) =>
      websocket(req, {
        message(_socket, data) {
          handled.push(data);
          return released;
        },
        close: (_socket, code) => void (closes += code),
      }, SOON));
    await withServer((request) => router.fetch(request), async (port) => {
      using client = await open(port, "/", KEY);
      for (const text of ["a", "b", "c"]) await client.send(text);
      await client.leave();
      key.refuses = refuses;
      const { length } = key.calls;
      if (refuses === "") await until(() => key.calls.length > length + 2);
      else await pause(60);
      release();
      await until(() => closes !== "");
      const { length: last } = key.calls;
      await pause(60);
      assertEquals(handled, refuses === "" ? ["a", "b", "c"] : ["a"], refuses);
      assertEquals([closes, errors.length], ["1000", refuses === "throw" ? 1 : 0]);
      assertEquals(key.calls.length, last);
    });
  }
});

Deno.test("websocket() runs authorize() and scope checks again, with the outputs of the schemas", async () => {
  let allowed = true;
  const seen: unknown[] = [];
  const router = createRouter().withAuth({
    guard: () => ({ sub: "u1" }),
    authorize(req) {
      seen.push(req.query, req.params);
      if (!allowed) throw new HttpError(403, "access_denied");
    },
  }).get("/:id", (req) => websocket(req, {}, SOON), {
    schema: {
      query: z.object({ n: z.coerce.number() }),
      params: z.object({ id: z.coerce.number() }),
    },
  });
  await withServer((request) => router.fetch(request), async (port) => {
    using client = await open(port, "/7?n=5");
    await until(() => seen.length >= 4);
    allowed = false;
    assertEquals(await client.next(), "close 1008 access_denied");
    for (let i = 0; i < seen.length; i += 2) {
      assertEquals([seen[i], seen[i + 1]], [{ n: 5 }, { id: 7 }]);
    }
  });
});

Deno.test("requireScope() and requireVerifiedEmail() run again", async () => {
  const key = gate();
  let scope = ["chat"];
  const strategy: AuthStrategy = {
    ...key.strategy,
    authenticate: () => authenticated(createPrincipal({ sub: "u1", method: "key", scope })),
  };
  const runtime = resourceServer({ strategies: [strategy] });
  let isVerified = true;
  const accounts = { hasVerifiedEmail: () => Promise.resolve(isVerified) };
  const verified = requireVerifiedEmail({ runtime: { accounts } as never });
  const router = withAuthRoutes(createRouter(), { runtime })
    .get("/scope", (req) => websocket(req, {}, SOON), { use: [requireScope("chat")] })
    .get("/email", (req) => websocket(req, {}, SOON), { scope: "any", use: [verified] });
  await withServer((request) => router.fetch(request), async (port) => {
    using first = await open(port, "/scope");
    scope = [];
    assertEquals(await first.next(), "close 1008 insufficient_scope");
    using second = await open(port, "/email");
    isVerified = false;
    assertEquals(await second.next(), "close 1008 email_unverified");
  });
});

Deno.test("requireScope() runs again with what its route and the routers around it know", async () => {
  let scope = ["chat"];
  const strategy: AuthStrategy = {
    ...gate().strategy,
    authenticate: () => authenticated(createPrincipal({ sub: "u1", method: "key", scope })),
  };
  const runtime = resourceServer({ strategies: [strategy] });
  let socket: LiveSocket | undefined;
  const handlers = { open: (opened: LiveSocket) => void (socket = opened) };
  const own = createRouter().get("/in/socket", (req) => websocket(req, handlers), {
    use: [requireAuth({ runtime }), requireScope("chat")],
  });
  const inner = createRouter()
    .get("/socket", (req) => websocket(req, handlers), { use: [requireScope("chat")] });
  const around = withAuthRoutes(createRouter(), { runtime }).mount("/in", inner, { scope: "any" });
  for (const router of [own, around]) {
    scope = ["chat"];
    socket = undefined;
    await withServer((request) => router.fetch(request), async (port) => {
      using client = await open(port, "/in/socket");
      await until(() => socket !== undefined);
      await socket?.recheck();
      assertEquals(socket?.send("open"), true);
      assertEquals(await client.next(), "open");
      scope = [];
      await socket?.recheck();
      assertEquals(await client.next(), "close 1008 insufficient_scope");
    });
  }
});

Deno.test("websocket() closes with 1011 if a guard answers itself, which it did not before", async () => {
  let isOpen = false;
  const guards = [
    markGuard<Middleware>(() => isOpen ? problem(403, "late") : undefined),
    markGuard<Middleware>(wrap((_req, next) => isOpen ? problem(403, "late") : next())),
  ];
  for (const guard of guards) {
    isOpen = false;
    const errors: unknown[] = [];
    const router = createRouter({ onError: (error) => void errors.push(error) })
      .get("/", (req) => websocket(req, {}, SOON), { use: [guard] });
    await withServer((request) => router.fetch(request), async (port) => {
      using client = await open(port, "/");
      await pause(60);
      isOpen = true;
      assertEquals(await client.next(), "close 1011 internal_error");
      assertEquals(errors.length, 1);
    });
  }
});

/** What ends a session, and the reason that the client gets. */
const ENDS: readonly (readonly [
  why: string,
  end: (app: TestApp, send: (path: string) => Promise<unknown>) => unknown,
])[] = [
  ["the user signs out", (_app, send) => send("/auth/logout")],
  ["the session is revoked", (app) => app.runtime.sessions.revokeAll("u1")],
  ["the user is disabled", (app) => app.runtime.users.disable("u1")],
  [
    "the password is changed",
    (app) => app.runtime.passwords.reset("u1", "a password of another kind"),
  ],
  ["the absolute limit", (app) => app.clock.now += 86_400 * 40],
  ["nothing but messages for the inactivity limit", (app) => app.clock.now += 3_600 * 24],
];

for (const [why, end] of ENDS) {
  Deno.test(`websocket() closes with 1008 when a session ends: ${why}`, async () => {
    const app = createTestApp();
    let socket: LiveSocket | undefined;
    const handlers: WebSocketHandlers = {
      open: (opened) => void (socket = opened),
      message: (opened, text) => void opened.send(text),
    };
    app.router.get("/socket", (req) => websocket(req, handlers));
    const browser = await app.signedIn();
    await withServer((request, info) => app.router.fetch(request, info), async (port) => {
      const Origin = `http://127.0.0.1:${port}`;
      using client = await open(port, "/socket", {
        headers: { Cookie: browser.jar.field(), Origin },
      });
      await client.send("hello");
      assertEquals(await client.next(), "hello");
      await socket?.recheck();
      await end(app, (path) => browser.post(path));
      await socket?.recheck();
      assertEquals(await client.next(), "close 1008 session_expired");
      assertEquals(app.errors, []);
    });
  });
}

Deno.test("websocket() does not record checks of a session as its use", async () => {
  const app = createTestApp();
  let socket: LiveSocket | undefined;
  app.router.get(
    "/socket",
    (req) => websocket(req, { open: (opened) => void (socket = opened) }),
  );
  const browser = await app.signedIn();
  await withServer((request, info) => app.router.fetch(request, info), async (port) => {
    const Origin = `http://127.0.0.1:${port}`;
    using client = await open(port, "/socket", {
      headers: { Cookie: browser.jar.field(), Origin },
    });
    const before = (await app.runtime.sessions.list("u1"))[0]?.activeAt;
    app.clock.now += 600;
    await until(() => socket !== undefined);
    await socket?.recheck();
    assertEquals((await app.runtime.sessions.list("u1"))[0]?.activeAt, before);
    assertEquals((await browser.send("/me")).status, 200);
    assertEquals((await app.runtime.sessions.list("u1"))[0]?.activeAt, app.clock.now);
    await client.leave();
  });
});

Deno.test("websocket() warns of nothing and emits one event when a session has ended", async () => {
  const app = createTestApp();
  app.router.get("/socket", (req) => websocket(req, {}, { recheck: 0.1 }));
  const browser = await app.signedIn();
  await withServer((request, info) => app.router.fetch(request, info), async (port) => {
    const Origin = `http://127.0.0.1:${port}`;
    using client = await open(port, "/socket", {
      headers: { Cookie: browser.jar.field(), Origin },
    });
    await app.runtime.sessions.revokeAll("u1");
    assertEquals(await client.next(), "close 1008 session_expired");
    await pause(50);
    const refused = app.events.filter(({ type }) => type === "credential.refused");
    assertEquals(refused.length, 1);
    assertEquals(app.warnings, []);
  });
});

/** Header fields of a handshake that is sent to the port of this machine, and whether it opens a connection. */
const ORIGINS: readonly (readonly [
  why: string,
  headers: (port: number) => Readonly<Record<string, string | undefined>>,
  opens: boolean,
])[] = [
  ["no origin, as programs", () => ({}), true],
  ["its own", (port) => ({ Origin: `http://127.0.0.1:${port}` }), true],
  ["a listed one", () => ({ Origin: "https://app.example" }), true],
  ["its own by Fetch Metadata, behind a proxy that changes Host", () => ({
    Origin: "https://elsewhere.example",
    "Sec-Fetch-Site": "same-origin",
  }), true],
  ["its own over https, which a proxy may end", (port) => ({
    Origin: `https://127.0.0.1:${port}`,
  }), true],
  ["another site", () => ({ Origin: "https://evil.example" }), false],
  ["a sandboxed page, RFC 6454 §7.3", () => ({ Origin: "null" }), false],
  ["an empty field", () => ({ Origin: "" }), false],
  ["another port", (port) => ({ Origin: `http://127.0.0.1:${port + 1}` }), false],
  ["no port", () => ({ Origin: "http://127.0.0.1" }), false],
  ["a name of the same machine", (port) => ({ Origin: `http://localhost:${port}` }), false],
  ["a trailing dot", (port) => ({ Origin: `http://127.0.0.1.:${port}` }), false],
  ["a path", (port) => ({ Origin: `http://127.0.0.1:${port}/` }), false],
  ["user information", (port) => ({ Origin: `http://a@127.0.0.1:${port}` }), false],
  ["a listed one with a suffix", () => ({ Origin: "https://app.example.evil.example" }), false],
  ["a listed one without its scheme", () => ({ Origin: "http://app.example" }), false],
  ["a listed one in capitals", () => ({ Origin: "https://APP.example" }), false],
  ["a listed one with a trailing dot", () => ({ Origin: "https://app.example." }), false],
  ["two", (port) => ({ Origin: `http://127.0.0.1:${port}, https://evil.example` }), false],
  ["an extension's", () => ({ Origin: "chrome-extension://abcdef" }), false],
  ["a sibling by Fetch Metadata", (port) => ({
    Origin: `http://127.0.0.1:${port}`,
    "Sec-Fetch-Site": "same-site",
  }), false],
  ["its own without Host, which is unknown then", (port) => ({
    Origin: `http://127.0.0.1:${port}`,
    Host: undefined,
  }), false],
  ["another site without Host", () => ({ Origin: "https://evil.example", Host: undefined }), false],
  ["the Host that the client made up", () => ({
    Origin: "https://evil.example",
    Host: "evil.example", // a browser cannot: with another Host it is another site's server
  }), true],
];

Deno.test("websocket() checks the origin of public routes, too", async () => {
  const router = createRouter()
    .get("/", (req) => websocket(req, {}, { origins: ["https://app.example"] }));
  await withServer((request) => router.fetch(request), async (port) => {
    for (const [why, headers, opens] of ORIGINS) {
      const { status, client } = await handshake(port, "/", { headers: headers(port) });
      assertEquals(status, opens ? 101 : 403, why);
      if (opens) await client.leave();
    }
  });
});
