/**
 * Gatehouse for runtimes with a file system: all of `@gatehouse/http`, with `routerBuilder`, `HttpRouter` and `mountStatic`
 * that serve folders, and `packageStaticAssets` for runtimes without one.
 *
 * It runs on Deno, Bun and Node.
 *
 * @example
 * ```ts
 * import { json, routerBuilder } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const router = routerBuilder()
 *   .static("/assets", { directory: "public" })
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * assertEquals((await router.request("/assets/..%2Fsecret.txt")).status, 403);
 * ```
 *
 * @module
 */

export * from "./mod.ts";
export { HttpRouter, mountStatic, routerBuilder } from "./router/builder/native_static.ts";
export { packageStaticAssets } from "./static/native_package.ts";
export type {
  PackageFormat,
  PackageProgress,
  PackageStaticAssetsOptions,
  PackageSummary,
} from "./static/native_package.ts";
