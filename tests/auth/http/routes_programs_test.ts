/** Routes for API clients. */

import {
  createRouter,
  createTokenRoutes,
  generateOpenAPI,
  mountAuthRoutes,
  type TypedRouter,
} from "@gatehouse/http";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { untyped } from "../../router/_helpers.ts";
import { createTestApp, type TestApp } from "./_app.ts";
import { seen } from "./_routes.ts";
import { ADA, EVE_PASSWORD, PASSWORD, types } from "../_services.ts";
import { ask, JWT } from "./_token_routes.ts";

interface Programs extends TestApp {
  readonly programs: TypedRouter;
}

/** Pages sign in beneath /auth, and get no tokens; programs beneath /cli, and get nothing else. */
async function createApp(): Promise<Programs> {
  const app = createTestApp({ jwt: JWT });
  await app.signedIn();
  const programs = mountAuthRoutes(
    createRouter(),
    createTokenRoutes({ runtime: app.runtime }),
    "/cli",
  );
  return { ...app, programs };
}

/** As a program does: no cookie, and no word of where it comes from. */
async function post({ programs }: Programs, path: string, body?: unknown): Promise<Response> {
  const json = { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return await programs.request(`/cli${path}`, {
    method: "POST",
    ...(body === undefined ? {} : json),
  });
}

Deno.test("POST /login for programs hands out tokens, and neither a session nor a cookie", async () => {
  const app = await createApp();
  const before = await app.runtime.sessions.list("u1");
  const response = await post(app, "/login", ADA);
  assertEquals([response.status, response.headers.getSetCookie()], [200, []]);
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  const { accessToken, refreshToken, ...rest } = await response.json();
  assertEquals(rest, {
    user: { sub: "u1", identifier: ADA.identifier },
    tokenType: "Bearer",
    expiresIn: 600,
  });
  assertEquals(await app.runtime.sessions.list("u1"), before);
  assertEquals((await ask(app, accessToken)).status, 200);
  assertEquals((await post(app, "/refresh", { refreshToken })).status, 200);
  assertEquals(types(app.events), ["key.rotated", "login.succeeded", "refresh.rotated"]);
});

Deno.test("POST /register for programs makes the account and hands out tokens", async () => {
  const app = await createApp();
  const response = await post(app, "/register", { identifier: "eve", password: EVE_PASSWORD });
  const { user, accessToken } = await response.json();
  assertEquals([response.status, user.identifier], [201, "eve"]);
  assertEquals((await ask(app, accessToken)).status, 200);
  const closed = createTokenRoutes({ runtime: app.runtime, registration: "closed" });
  assertEquals(closed.map(({ path }) => path), ["/login", "/logout", "/refresh", "/session"]);
});

Deno.test("POST /logout for programs ends the refresh token, whatever it is", async () => {
  const app = await createApp();
  const { refreshToken } = await (await post(app, "/login", ADA)).json();
  for (const body of [undefined, {}, { refreshToken: "made-up" }, { refreshToken: 5 }]) {
    assertEquals((await post(app, "/logout", body)).status, 204);
  }
  const response = await post(app, "/logout", { refreshToken });
  assertEquals([response.status, response.headers.getSetCookie()], [204, []]);
  assertEquals((await post(app, "/refresh", { refreshToken })).status, 401);
});

Deno.test("POST /logout for programs leaves a page's session alone", async () => {
  const app = await createApp();
  const page = await app.signedIn();
  const headers = { Cookie: page.jar.field() };
  assertEquals(
    (await app.programs.request("/cli/logout", { method: "POST", headers })).status,
    204,
  );
  assertEquals((await page.send("/me")).status, 200);
});

const REFUSED: readonly (readonly [why: string, body: unknown, status: number, code: string])[] = [
  ["a wrong password", { ...ADA, password: EVE_PASSWORD }, 401, "invalid_credentials"],
  ["an unknown user", { identifier: "eve", password: PASSWORD }, 401, "invalid_credentials"],
  ["a list", [], 422, "validation_failed"],
  ["nothing of use", {}, 400, "invalid_identifier"],
];

for (const [why, body, status, code] of REFUSED) {
  Deno.test(`POST /login for programs refuses ${why} as it does a page`, async () => {
    const app = await createApp();
    const program = await seen(await post(app, "/login", body));
    const page = await seen(await app.browser().post("/auth/login", body));
    assertEquals(program, page);
    assertEquals([program.status, JSON.parse(program.body).code], [status, code]);
  });
}

Deno.test("POST /login for programs counts attempts with those of pages", async () => {
  const app = await createApp();
  const wrong = { ...ADA, password: EVE_PASSWORD };
  const remoteAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 };
  for (let i = 0; i < 5; i++) await app.browser().login(wrong);
  const request = new Request("https://example.com/cli/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(ADA),
  });
  const fetch = untyped<(request: Request, info: object) => Promise<Response>>(app.programs.fetch);
  assertEquals((await fetch(request, { remoteAddr })).status, 429);
});

Deno.test("POST /login for programs cannot be sent by another site's form", async () => {
  const { programs } = await createApp();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    const headers = { "Content-Type": type, "Sec-Fetch-Site": "cross-site" };
    const init = { method: "POST", headers, body: JSON.stringify(ADA) };
    assertEquals((await programs.request("/cli/login", init)).status, 415);
  }
});

Deno.test("GET /session for programs says who asks, by the token", async () => {
  const app = await createApp();
  const { accessToken } = await (await post(app, "/login", ADA)).json();
  const headers = { Authorization: `Bearer ${accessToken}` };
  const { principal, session } = await (await app.programs.request("/cli/session", { headers }))
    .json();
  assertEquals([principal.sub, principal.method, session], ["u1", "bearer", undefined]);
});

Deno.test("generateOpenAPI() asks for no CSRF token where programs sign in", async () => {
  const { programs } = await createApp();
  const { paths } = generateOpenAPI({ title: "Test", version: "1" }, programs);
  const names = ["/cli/login", "/cli/logout", "/cli/refresh", "/cli/register", "/cli/session"];
  assertEquals(Object.keys(paths).sort(), names);
  assert(!JSON.stringify(paths).includes("CSRF"));
});

Deno.test("createAuthRoutes() rejects tokens that are not a boolean", async () => {
  const { runtime } = await createApp();
  for (const tokens of ["only", "yes", "true", 1, null, {}]) {
    assertThrows(
      () => runtime.routes({ tokens: untyped(tokens) }),
      TypeError,
      "tokens must be a boolean",
    );
  }
});
