/** What refusals for want of a scope say to clients, and to the application. */

import { type AuthError, json, requireScope } from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { createTestApp } from "./_app.ts";
import { createIssuer } from "../tokens/_bearer.ts";

Deno.test("requireScope() names all ways in that the guard before it knows", async () => {
  const { strategy } = await createIssuer({ realm: "notes" });
  const app = createTestApp({ strategies: [strategy] });
  const options = { auth: { mode: "optional" }, use: [requireScope("a")] } as const;
  app.router.get("/notes", () => json("in"), options);
  const response = await app.router.request("/notes");
  assertEquals(response.status, 401);
  assertEquals(response.headers.get("WWW-Authenticate"), 'Bearer realm="notes", Session');
});

Deno.test("requireScope() tells the application what was needed, and the client's problem no more than the code", async () => {
  const { strategy, token } = await createIssuer();
  const refusals: AuthError[] = [];
  const app = createTestApp({
    strategies: [strategy],
    integration: { catch: (error) => void refusals.push(error) },
  });
  app.router.get("/notes", () => json("in"), { use: [requireScope("notes:read", "b")] });
  const headers = { Authorization: `Bearer ${await token({ scope: "b" })}` };
  const response = await app.router.request("/notes", { headers });
  assertEquals(refusals.map(({ code, reason }) => [code, reason]), [
    ["insufficient_scope", "needs notes:read b"],
  ]);
  const { code, detail } = await response.json();
  assertEquals([code, detail], ["insufficient_scope", undefined]);
});

const LENGTHS: readonly (readonly [length: number, isScope: boolean])[] = [
  [1, true],
  [200, true],
  [201, false],
];

for (const [length, isScope] of LENGTHS) {
  Deno.test(`requireScope() ${isScope ? "takes" : "refuses"} a scope of ${length} characters`, () => {
    let made = true;
    try {
      requireScope("~".repeat(length));
    } catch {
      made = false;
    }
    assertEquals(made, isScope);
  });
}
