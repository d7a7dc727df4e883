import {
  authenticated,
  type AuthStrategy,
  createPrincipal,
  createRouter,
  json,
  type Principal,
  type PrincipalInit,
  requireScope,
} from "@gatehouse/http";
import { assertEquals, assertThrows } from "@std/assert";
import { codeOf, untyped } from "../../router/_helpers.ts";
import { createTestApp } from "./_app.ts";

const NEEDED = ["notes:read", "notes:write"] as const;

/** An application where everybody is somebody. */
function createApp(init: Partial<PrincipalInit>) {
  const principal: Principal = createPrincipal({ sub: "u1", method: "bearer", ...init });
  const strategy: AuthStrategy = {
    name: "anybody",
    scheme: { type: "bearer" },
    authenticate: () => authenticated(principal),
  };
  const app = createTestApp({ strategies: [strategy] });
  app.router.get("/notes", () => json("notes"), { use: [requireScope(...NEEDED)] });
  return app;
}

const OUTCOMES: readonly (readonly [
  why: string,
  init: Partial<PrincipalInit>,
  status: number,
])[] = [
  ["all of it", { scope: ["notes:read", "notes:write"] }, 200],
  ["more than it", { scope: ["a", "notes:write", "b", "notes:read"] }, 200],
  ["none said, which is no limit", {}, 200],
  ["no scope at all", { scope: [] }, 403],
  ["one of two", { scope: ["notes:read"] }, 403],
  ["both in one word", { scope: ["notes:read notes:write"] }, 403],
  ["a longer word", { scope: ["notes:read", "notes:write2"] }, 403],
  ["other case", { scope: ["NOTES:READ", "NOTES:WRITE"] }, 403],
  ["none, by an API key", { scope: [], method: "api-key" }, 403],
];

for (const [why, init, status] of OUTCOMES) {
  Deno.test(`requireScope() answers ${status} where the principal has ${why}`, async () => {
    assertEquals((await createApp(init).router.request("/notes")).status, status);
  });
}

Deno.test("requireScope() says which scope a bearer token lacks, RFC 6750 §3.1", async () => {
  const response = await createApp({ scope: ["notes:read"] }).router.request("/notes");
  assertEquals(
    response.headers.get("WWW-Authenticate"),
    'Bearer error="insufficient_scope", scope="notes:read notes:write"',
  );
  assertEquals(response.headers.get("Cache-Control"), "no-store");
  assertEquals(await response.json(), {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    code: "insufficient_scope",
  });
});

Deno.test("requireScope() has no challenge for what is no bearer token", async () => {
  const response = await createApp({ scope: [], method: "api-key" }).router.request("/notes");
  assertEquals(response.headers.get("WWW-Authenticate"), null);
});

Deno.test("requireScope() lets nobody in where no guard has found anybody", async () => {
  const router = createRouter().get("/", () => json("in"), { use: [requireScope("a")] });
  assertEquals(await codeOf(router.request("/")), [401, "unauthenticated"]);
  const app = createTestApp();
  app.router.get("/maybe-notes", () => json("in"), {
    auth: { mode: "optional" },
    use: [requireScope("a")],
  });
  const response = await app.router.request("/maybe-notes");
  assertEquals(response.headers.get("WWW-Authenticate"), "Session"); // as the guard says it
  assertEquals(await codeOf(response), [401, "unauthenticated"]);
});

Deno.test("requireScope() does not limit a session", async () => {
  const app = createTestApp();
  app.router.get("/notes", () => json("notes"), { use: [requireScope("notes:read")] });
  assertEquals((await (await app.signedIn()).send("/notes")).status, 200);
});

Deno.test("requireScope() refuses what is no scope", () => {
  assertThrows(() => requireScope(), TypeError, "no scope is given");
  for (const scope of ["", "a b", 'a"b', "a\\b", "ä", "a\nb", "x".repeat(201)]) {
    assertThrows(() => requireScope(scope), RangeError, "Cannot require scope");
  }
  assertThrows(() => requireScope("a", "a"), RangeError);
  assertThrows(() => requireScope(untyped(["a"])), TypeError);
  assertThrows(() => requireScope(untyped(undefined)), TypeError);
});
