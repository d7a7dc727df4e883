/**
 * Gatehouse where there is a file system: all of `@gatehouse/http`, with `routerBuilder`, `HttpRouter` and `mountStatic`
 * that serve folders, and what packages folders for where there is none.
 *
 * It runs on Deno, Bun and Node.
 *
 * @example
 * ```ts ignore
 * import { json, routerBuilder } from "@gatehouse/http/native";
 *
 * const router = routerBuilder()
 *   .static("/assets", { directory: "public" })
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * Deno.serve(router.fetch);
 * ```
 *
 * @module
 */

export * from "./mod.ts";
export { HttpRouter, routerBuilder } from "./openapi/native_routers.ts";
export { mountStatic } from "./static/native_mount.ts";
export { packageStaticAssets } from "./static/native_package.ts";
export type {
  PackageFormat,
  PackageProgress,
  PackageStaticAssetsOptions,
  PackageSummary,
} from "./static/native_package.ts";
