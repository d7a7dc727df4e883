/** What an application's own hooks see of the routes of authentication, and what a full queue of hashes answers. */

import {
  applyAuthHeaders,
  AuthError,
  type AuthEvent,
  type AuthRuntime,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  type LoginThrottle,
  mountAuthRoutes,
  type PasswordHasher,
  redirect,
  registerAuth,
  withAuthRoutes,
} from "@gatehouse/http";
import { assertEquals, assertInstanceOf } from "@std/assert";
import { createTestApp, ORIGIN, type TestBrowser } from "./_app.ts";
import { createBrowser } from "../_browser.ts";
import { assertRefused, FAULT } from "./_routes.ts";
import { ADA, cheapHasher, EVE_PASSWORD, SECRET, START } from "../_services.ts";

/** Every refusal of the routes, and how to get it. */
const REFUSALS:
  readonly (readonly [code: string, ask: (page: TestBrowser) => Promise<Response>])[] = [
    ["csrf_failed", (page) => page.post("/auth/login", ADA, { token: "" })],
    ["csrf_failed", (page) => page.post("/auth/logout", undefined, { token: "" })],
    ["invalid_credentials", (page) => page.login({ ...ADA, password: EVE_PASSWORD })],
    ["invalid_identifier", (page) => page.login({ ...ADA, identifier: "" })],
    ["identifier_unavailable", (page) => page.register()],
    ["weak_password", (page) => page.register({ identifier: "eve", password: "eve" })],
    ["unauthenticated", (page) => page.send("/auth/session")],
    ["session_expired", (page) => {
      page.jar.set("__Host-sid", "A".repeat(43));
      return page.send("/auth/session");
    }],
    ["throttled", async (page) => {
      for (let i = 0; i < 6; i++) await page.login({ ...ADA, password: EVE_PASSWORD });
      return await page.login();
    }],
  ];

/** What Deno.serve says of a connection. */
const HOST = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1" } };

/** A browser of a router that a test made, with the runtime of an application in which Ada has an account. */
async function pageOf(
  make: (
    runtime: AuthRuntime,
  ) => { fetch(request: Request, ...args: unknown[]): Response | Promise<Response> },
): Promise<TestBrowser> {
  const app = createTestApp();
  await app.signedIn();
  const router = make(app.runtime);
  return createBrowser({
    origin: ORIGIN,
    now: () => app.clock.now,
    fetch: async (request) => await router.fetch(request, HOST),
  });
}

/** What an application answers a refusal with, and which ones it was shown. */
function answering(): { seen: unknown[]; handler: (error: unknown) => Response } {
  const seen: unknown[] = [];
  return {
    seen,
    handler(error) {
      seen.push(error);
      return redirect("/sign-in", 303);
    },
  };
}

async function assertSeen(seen: readonly unknown[], code: string, response: Response) {
  const error = seen.at(-1);
  assertInstanceOf(error, AuthError);
  assertEquals(error.code, code);
  assertEquals(response.headers.get("Location"), "/sign-in");
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(response.headers.get("Vary"), "Cookie");
  const gone = response.headers.getSetCookie().filter((one) => one.startsWith("__Host-sid=;"));
  assertEquals(gone.length, code === "session_expired" ? 1 : 0);
  await response.body?.cancel();
}

for (const [code, ask] of REFUSALS) {
  Deno.test(`integration() shows ${code} to its catch handler, whose answer is private`, async () => {
    const { seen, handler } = answering();
    const page = await pageOf((runtime) =>
      createRouter<unknown[]>().withAuth(runtime.integration({ catch: handler }))
    );
    await assertSeen(seen, code, await ask(page));
  });

  Deno.test(`mountAuthRoutes() shows ${code} to the router's catch handler, whose answer is private`, async () => {
    const { seen, handler } = answering();
    const page = await pageOf((runtime) =>
      mountAuthRoutes(createRouter<unknown[]>({ catch: handler }), runtime.routes())
    );
    await assertSeen(seen, code, await ask(page));
  });

  Deno.test(`integration() answers ${code} itself, so that the router's catch handler need not know it`, async () => {
    const { seen, handler } = answering();
    const page = await pageOf((runtime) =>
      createRouter<unknown[]>({ catch: handler }).withAuth(runtime.integration())
    );
    const response = await ask(page);
    assertEquals((await response.json()).code, code);
    assertEquals(seen, []);
  });
}

Deno.test("integration() has a catch handler that throws answer 500, without the refusal's text", async () => {
  const errors: unknown[] = [];
  const page = await pageOf((runtime) =>
    createRouter<unknown[]>({ onError: (error) => void errors.push(error) }).withAuth(
      runtime.integration({
        catch() {
          throw new Error("no page for it");
        },
      }),
    )
  );
  await assertRefused(await page.send("/auth/session"), FAULT);
  assertEquals(`${errors}`, "Error: no page for it");
});

Deno.test("createAuthRoutes() has set its cookies when an application's finally hook sees the response", async () => {
  const seen: number[] = [];
  const page = await pageOf((runtime) =>
    mountAuthRoutes(
      createRouter<unknown[]>({
        finally: [(response) => {
          seen.push(response.headers.getSetCookie().length);
        }],
      }),
      runtime.routes(),
    )
  );
  assertEquals((await page.login()).status, 200);
  assertEquals(seen, [2, 3]);
});

Deno.test("createAuthRoutes() sets each cookie once, however many routers have the hook", async () => {
  const page = await pageOf((runtime) => {
    const routes = runtime.routes();
    const inner = withAuthRoutes(mountAuthRoutes(createRouter<unknown[]>(), routes, "/"), {
      runtime,
    });
    return withAuthRoutes(createRouter<unknown[]>({ finally: [applyAuthHeaders] }), { runtime })
      .mount("/auth", inner, { auth: false });
  });
  const response = await page.login();
  assertEquals(response.headers.getSetCookie().length, 3);
  assertEquals(response.headers.get("Vary"), "Cookie");
  assertEquals((await page.send("/auth/session")).status, 200);
  assertEquals((await page.logout()).headers.getSetCookie().length, 3);
});

/** A hasher that answers when it is told to. */
function slowHasher(): { hasher: PasswordHasher; calls: () => number; finish: () => void } {
  const fast = cheapHasher();
  const { promise, resolve } = Promise.withResolvers<void>();
  let calls = 0;
  return {
    calls: () => calls,
    finish: resolve,
    hasher: {
      ...fast,
      async hash(password) {
        calls++;
        await promise;
        return await fast.hash(password);
      },
    },
  };
}

Deno.test("createAuthRoutes() answers 503 where too many passwords are being hashed, and counts nothing", async () => {
  const { hasher, calls, finish } = slowHasher();
  const clock = { now: START };
  const events: AuthEvent[] = [];
  const stores = inMemoryAuthStores({ now: () => 0 });
  let counted = 0;
  let addressed = 0;
  const throttle: LoginThrottle = {
    ...stores.throttle,
    reserve(...args) {
      counted++;
      return stores.throttle.reserve(...args);
    },
  };
  const runtime = registerAuth({
    secret: SECRET,
    stores: { ...stores, throttle },
    hasher,
    hashing: { running: 1, waiting: 1 },
    now: () => clock.now,
    events: (event) => void events.push(event),
    clientAddress: () => (addressed++, "192.0.2.1"),
    container: createContainer(),
  });
  const router = mountAuthRoutes(createRouter<unknown[]>(), runtime.routes());
  const open = async () => {
    const fetch = async (request: Request) => await router.fetch(request);
    const page = createBrowser({ origin: ORIGIN, now: () => clock.now, fetch });
    await page.token();
    return page;
  };
  const [one, two, three] = [await open(), await open(), await open()];
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  const begun = [one.register()];
  await until(() => calls() === 1);
  const before = addressed;
  begun.push(two.login());
  await until(() => addressed > before); // the login waits, and is counted when it runs
  for (let i = 0; i < 30; i++) {
    const busy = { status: 503, code: "service_unavailable", headers: { "retry-after": "5" } };
    await assertRefused(await three.login(), busy);
  }
  assertEquals([calls(), counted, events], [1, 1, []]);
  finish();
  const statuses = (await Promise.all(begun)).map(({ status }) => status);
  assertEquals(statuses, [201, 200]); // the login runs after the registration
  assertEquals((await three.login()).status, 200);
});
