/** The catalogue "Routing and content" against the routes of authentication: no spelling of a path bypasses their checks. */

import {
  createRouter,
  json,
  mountAuthRoutes,
  type RouteTarget,
  withAuthRoutes,
} from "@gatehouse/http";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { createTestApp, type TestApp } from "../auth/http/_app.ts";
import { ADA, EVE_PASSWORD, PASSWORD } from "../auth/_services.ts";
import { rawFetch, withServer } from "./_raw.ts";

/** [request target, whether it still matches the route] */
const TARGETS: readonly (readonly [target: string, same: boolean])[] = [
  ["/auth/login", true],
  ["/auth/%6Cogin", true],
  ["/%61%75%74%68/%6c%6f%67%69%6e", true],
  ["/auth/login?x", true],
  ["/auth/login#x", true],
  ["//auth/login", false],
  ["/auth//login", false],
  ["///auth/login", false],
  ["/auth/login/", false],
  ["/auth/login//", false],
  ["/AUTH/login", false],
  ["/auth/LOGIN", false],
  ["/x/../auth/login", false],
  ["/x/%2e%2e/auth/login", false],
  ["/./auth/login", false],
  ["/auth/./login", false],
  ["/auth/x/../login", false],
  ["/auth%2flogin", false],
  ["/auth%5clogin", false],
  ["/auth\\login", false],
  ["/auth/login%00", false],
  ["/auth/login%20", false],
  ["/auth/login;x=1", false],
  ["/auth;x=1/login", false],
  ["/auth/login.json", false],
  ["/auth/%256Cogin", false],
  ["/auth/l%C3%B6gin", false],
  ["/auth/%E0%A4%A", false],
];

const BODY = JSON.stringify(ADA);
const TYPE = "Content-Type: application/json";

/** Applications that contain the routes. */
const APPLICATIONS: readonly (readonly [
  what: string,
  make: (
    app: TestApp,
  ) => { fetch(request: Request, ...args: unknown[]): Response | Promise<Response> },
])[] = [
  ["a guarded router", ({ router }) => router],
  [
    "a router without a guard",
    ({ runtime }) => mountAuthRoutes(createRouter<unknown[]>(), runtime.routes()),
  ],
  ["a mounted router", ({ runtime }) => {
    const inner = mountAuthRoutes(createRouter<unknown[]>(), runtime.routes(), "");
    return createRouter<unknown[]>().mount("/auth", inner);
  }],
  ["a guarded router with a mounted one", ({ runtime }) => {
    const inner = mountAuthRoutes(createRouter<unknown[]>(), runtime.routes(), "/");
    const outer = withAuthRoutes(createRouter<unknown[]>(), { runtime });
    return outer.mount("/auth", inner, { auth: false });
  }],
];

for (const [what, make] of APPLICATIONS) {
  Deno.test(`/auth/login of ${what} rejects requests without a token, whatever the path's spelling`, async () => {
    const app = createTestApp();
    await app.signedIn();
    const { fetch } = make(app);
    await withServer((request, info) => fetch(request, info), async (port) => {
      for (const [target, same] of TARGETS) {
        const absolute = `http://localhost:${port}${target}`;
        for (const line of [target, absolute]) {
          const { status, headers } = await rawFetch(port, line, {
            method: "POST",
            headers: [TYPE, `Content-Length: ${BODY.length}`, "Sec-Fetch-Site: same-origin"],
            body: BODY,
          });
          assert(same ? status === 403 : status === 404 || status === 400, `${line}: ${status}`);
          assertEquals(headers.getSetCookie(), [], line);
        }
      }
    });
    assertEquals(app.hasher.calls, []);
  });

  Deno.test(`/auth/login of ${what} counts all spellings of the path together`, async () => {
    const app = createTestApp();
    await app.signedIn();
    const { fetch } = make(app);
    const page = app.browser();
    const token = await page.token();
    const fields = [
      TYPE,
      "Sec-Fetch-Site: same-origin",
      `X-CSRF-Token: ${token}`,
      `Cookie: ${page.jar.field()}`,
    ];
    await withServer((request, info) => fetch(request, info), async (port) => {
      const login = async (target: string, password: string) => {
        const body = JSON.stringify({ ...ADA, password });
        const headers = [...fields, `Content-Length: ${body.length}`];
        return (await rawFetch(port, target, { method: "POST", headers, body })).status;
      };
      const statuses: number[] = [];
      for (const [target, same] of TARGETS) {
        if (same) statuses.push(await login(target, EVE_PASSWORD));
      }
      assertEquals(statuses, [401, 401, 401, 401, 401]);
      for (const [target, same] of TARGETS) {
        const status = await login(target, PASSWORD);
        assert(same ? status === 429 : status === 404 || status === 400, `${target}: ${status}`);
      }
    });
  });
}

Deno.test("/auth/* of a guarded router makes no other route public", async () => {
  const { router, browser } = createTestApp();
  router.get("/auth/admin", (req) => json(req.principal.sub));
  for (const path of ["/auth/admin", "/auth/%61dmin"]) {
    assertEquals((await browser().send(path)).status, 401);
  }
});

Deno.test("/auth/* after a parameter responds the same for every value of the parameter", async () => {
  const { runtime, signedIn } = createTestApp();
  const page = await signedIn();
  const router = createRouter<unknown[]>();
  mountAuthRoutes<RouteTarget>(router as unknown as RouteTarget, runtime.routes(), "/:tenant/auth");
  for (const tenant of ["acme", "..%2f", "%2e%2e", "__proto__"]) {
    const headers = { Cookie: page.jar.field() };
    const { status } = await router.request(`/${tenant}/auth/session`, { headers });
    assertEquals(status, tenant === "%2e%2e" ? 404 : 200, tenant);
  }
});

Deno.test("/auth/logout rejects GET, however the path is spelled", async () => {
  const { signedIn, runtime } = createTestApp();
  const page = await signedIn();
  const sid = page.jar.get("__Host-sid") ?? "";
  const token = await page.token();
  for (const method of ["GET", "HEAD"]) {
    for (const path of ["/auth/logout", "/auth/logout?_method=POST"]) {
      const headers = { "X-HTTP-Method-Override": "POST", "X-Method-Override": "POST" };
      const response = await page.send(path, { method, token, headers });
      assertEquals([response.status, response.headers.get("Allow")], [405, "POST, OPTIONS"]);
      await response.body?.cancel();
    }
  }
  assertFalse(await runtime.sessions.verify(sid) === undefined);
});
