import { assertEquals } from "@std/assert";
import { findViolations, readImportGraph } from "../../dev/import_rules.ts";

/** Why the import is right, who imports, what. */
const ALLOWED: readonly (readonly [why: string, importer: string, target: string])[] = [
  ["the portable entry is made of the folders", "mod.ts", "router/mod.ts"],
  ["the native entry adds to the portable one", "native.ts", "mod.ts"],
  ["the native entry adds native modules", "native.ts", "static/native_live.ts"],
  ["a folder's own internal modules", "router/router.ts", "router/_engine.ts"],
  ["the engine wraps Hono's routers", "router/_engine.ts", "hono/router/reg-exp-router"],
  ["the bridge runs Hono's middleware", "router/hono.ts", "hono"],
  ["the builder mounts static assets", "router/builder.ts", "router/static_mount.ts"],
  ["static files answer with problems", "router/static_mount.ts", "router/problem.ts"],
  ["live files are read from a disk", "static/native_live.ts", "@std/path"],
  ["live files are read from a disk", "static/native_live.ts", "node:fs"],
  ["the generator reads what decorators said", "openapi/generator.ts", "router/registry.ts"],
  ["types are read with the compiler", "openapi/compiler/_types.ts", "typescript"],
  ["the HTTP family knows the router", "auth/http/guard.ts", "router/types.ts"],
  ["GraphQL guards are decorators", "auth/graphql_decorators.ts", "router/container.ts"],
];

/** Why the import is wrong, who imports, what. */
const FORBIDDEN: readonly (readonly [why: string, importer: string, target: string])[] = [
  ["portable entries stay portable", "mod.ts", "static/native_live.ts"],
  ["portable entries stay portable", "edge.ts", "native.ts"],
  ["internal modules stay in their folder", "mod.ts", "router/_engine.ts"],
  ["internal modules stay in their folder", "auth/http/guard.ts", "router/_problem.ts"],
  ["a portable module stays portable", "router/static_mount.ts", "static/native_live.ts"],
  ["Hono is fenced in two modules", "router/router.ts", "hono"],
  ["Hono is fenced in two modules", "router/mod.ts", "hono/router/trie-router"],
  ["the engine needs Hono alone", "router/_engine.ts", "npm:hono@4"],
  ["the router does not know auth", "router/guard.ts", "auth/principal.ts"],
  ["the router does not know OpenAPI", "router/decorators.ts", "openapi/registry.ts"],
  ["only the builder knows static", "router/router.ts", "router/static_mount.ts"],
  ["static knows two router modules", "router/static_mount.ts", "router/router.ts"],
  ["only native modules read a disk", "router/static_mount.ts", "node:fs"],
  ["only native modules use packages", "router/static_mount.ts", "@std/path"],
  ["the compiler is pinned", "openapi/compiler/_types.ts", "npm:typescript@7"],
  ["auth has no dependency", "auth/jwt/jwt.ts", "npm:jose@6"],
  ["auth has no dependency", "auth/jwt/jwt.ts", "@std/encoding"],
  ["auth has no dependency", "auth/jwt/jwt.ts", "node:crypto"],
  ["only the HTTP family knows the router", "auth/session/session_service.ts", "router/types.ts"],
  ["the HTTP family knows four modules", "auth/http/guard.ts", "router/router.ts"],
  ["auth does not know static", "auth/http/guard.ts", "router/static_mount.ts"],
  ["a new folder needs a row first", "queue/mod.ts", "router/mod.ts"],
];

for (const [why, importer, target] of ALLOWED) {
  Deno.test(`findViolations() lets ${importer} import ${target}: ${why}`, () => {
    assertEquals(findViolations(new Map([[importer, [target]]])), []);
  });
}

for (const [why, importer, target] of FORBIDDEN) {
  Deno.test(`findViolations() forbids ${importer} to import ${target}: ${why}`, () => {
    const violations = findViolations(new Map([[importer, [target]]]));
    assertEquals(
      violations.some((line) => line.startsWith(`${importer} imports ${target}: `)),
      true,
    );
  });
}

Deno.test("findViolations() finds the Hono bridge behind the portable entry, near or far", () => {
  const graph = new Map([
    ["mod.ts", ["router/mod.ts"]],
    ["router/mod.ts", ["router/builder.ts", "router/mod.ts"]],
    ["router/builder.ts", ["router/hono.ts"]],
    ["router/hono.ts", ["hono"]],
  ]);
  assertEquals(findViolations(graph), [
    "mod.ts reaches router/hono.ts: mod.ts -> router/mod.ts -> router/builder.ts -> router/hono.ts",
  ]);
});

Deno.test("findViolations() has nothing against the package", async () => {
  assertEquals(findViolations(await readImportGraph()), []);
});
