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
  ["the builder mounts static assets", "router/builder/builder.ts", "router/static_mount.ts"],
  ["a mount answers with problems", "router/static_mount.ts", "router/problem.ts"],
  ["a mount serves what static finds", "router/static_mount.ts", "static/key.ts"],
  ["a room speaks the language of auth", "auth/session/csrf.ts", "auth/_bytes.ts"],
  ["a room uses the rooms below it", "auth/tokens/token_service.ts", "auth/jwt/jwt.ts"],
  ["live files are read from a disk", "static/native_live.ts", "@std/path"],
  ["live files are read from a disk", "static/native_live.ts", "node:fs"],
  [
    "the generator reads what decorators said",
    "openapi/generator.ts",
    "router/builder/registry.ts",
  ],
  ["only serve/ has servers of Node", "serve/native_node.ts", "node:http"],
  ["auth/http knows the router", "auth/http/guard.ts", "router/types.ts"],
];

/** Why the import is wrong, who imports, what. */
const FORBIDDEN: readonly (readonly [why: string, importer: string, target: string])[] = [
  ["portable entries stay portable", "mod.ts", "static/native_live.ts"],
  ["internal modules stay in their folder", "mod.ts", "router/_engine.ts"],
  ["internal modules stay in their folder", "auth/http/guard.ts", "router/_problem.ts"],
  ["internal modules stay in their room", "auth/http/guard.ts", "auth/session/_limits.ts"],
  ["internal modules stay in their room", "auth/tokens/api_key_service.ts", "auth/jwt/_claims.ts"],
  ["internal modules stay in their room", "openapi/cli/main.ts", "openapi/compiler/_x.ts"],
  ["a room does not know the rooms above it", "auth/jwt/jwt.ts", "auth/keys/key_service.ts"],
  ["a room does not know the rooms above it", "auth/stores/repo.ts", "auth/session/csrf.ts"],
  ["the language of auth knows no room", "auth/principal.ts", "auth/session/types.ts"],
  ["a new room needs a row first", "auth/queue/queue.ts", "auth/principal.ts"],
  ["a portable module stays portable", "router/static_mount.ts", "static/native_live.ts"],
  ["Hono is fenced in two modules", "router/router.ts", "hono"],
  ["Hono is fenced in two modules", "router/mod.ts", "hono/router/trie-router"],
  ["the engine needs Hono alone", "router/_engine.ts", "npm:hono@4"],
  ["the router does not know auth", "router/guard.ts", "auth/principal.ts"],
  ["the router does not know OpenAPI", "router/builder/decorators.ts", "openapi/registry.ts"],
  ["only the builder and the mount know static", "router/router.ts", "static/source.ts"],
  ["static does not know the router", "static/packaged.ts", "router/problem.ts"],
  ["only native modules read a disk", "static/packaged.ts", "node:fs"],
  ["only native modules use packages", "static/packaged.ts", "@std/path"],
  ["no installation brings the compiler", "openapi/compiler/_types.ts", "typescript"],
  ["auth has no dependency", "auth/jwt/jwt.ts", "npm:jose@6"],
  ["auth has no dependency", "auth/jwt/jwt.ts", "@std/encoding"],
  ["auth has no dependency", "auth/jwt/jwt.ts", "node:crypto"],
  ["only auth/http knows the router", "auth/session/session_service.ts", "router/types.ts"],
  ["auth/http knows some modules of it", "auth/http/guard.ts", "router/router.ts"],
  ["auth does not know static", "auth/http/guard.ts", "static/mod.ts"],
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
    ["router/mod.ts", ["router/builder/builder.ts"]],
    ["router/builder/builder.ts", ["router/hono.ts"]],
    ["router/hono.ts", ["hono"]],
  ]);
  assertEquals(findViolations(graph), [
    "mod.ts reaches router/hono.ts: mod.ts -> router/mod.ts -> router/builder/builder.ts -> router/hono.ts",
  ]);
});

Deno.test("findViolations() finds circles of files, each once", () => {
  const graph = new Map([
    ["auth/jwt/jwt.ts", ["auth/jwt/jws.ts"]],
    ["auth/jwt/jws.ts", ["auth/jwt/types.ts"]],
    ["auth/jwt/types.ts", ["auth/jwt/jwt.ts"]],
  ]);
  assertEquals(findViolations(graph), [
    "circle: auth/jwt/jwt.ts -> auth/jwt/jws.ts -> auth/jwt/types.ts -> auth/jwt/jwt.ts",
  ]);
});

Deno.test("findViolations() finds circles of folders whose files have none", () => {
  const graph = new Map([
    ["router/internals.ts", ["static/types.ts"]],
    ["static/types.ts", []],
    ["static/mod.ts", ["router/static_mount.ts"]], // An entry is in no circle
    ["static/native_open.ts", ["router/problem.ts"]],
    ["router/problem.ts", []],
    ["router/static_mount.ts", []],
  ]);
  assertEquals(findViolations(graph).filter((line) => line.startsWith("circle")), [
    "circle: router -> static -> router",
  ]);
});

Deno.test("findViolations() has nothing against the package", async () => {
  assertEquals(findViolations(await readImportGraph()), []);
});
