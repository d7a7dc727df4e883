/**
 * Mounts, builders and declared routers that can serve folders.
 *
 * @module
 */

import { FILES } from "../../static/native_live.ts";
import type { StaticAssetOptions, StaticMount } from "../../static/types.ts";
import {
  type BuilderOptions,
  type RouterBuilder,
  routerBuilder as createBuilder,
} from "./builder.ts";
import type { ControllerDecorator } from "./decorator_types.ts";
import { HttpRouter as decorateRouter, type HttpRouterOptions } from "./http_router.ts";
import { withFiles } from "../internals.ts";
import { createMount } from "../static_mount.ts";

/**
 * Serves a folder or the files of a package: GET and HEAD, entity tags, conditional requests (RFC 9110 §13).
 * There are no listings; byte ranges, index files and more are `features`. A path that is malformed is a 400, one with `..`
 * a 403, another method a 405, and a missing file, a name that starts with a dot or a link out of the folder a 404; with
 * `fallthrough`, all are `undefined`. Files of more than 32 KiB stay open until the response's body is read or cancelled.
 *
 * On Deno it needs permission to read the folder and, if that is a link, its target. Folders that are replaced by links
 * while a file is opened are always detected on Linux with all permissions, elsewhere nearly always. A file that grows or
 * is truncated within ten seconds of a write is sent as it was when opened, or breaks the connection. On case-insensitive
 * file systems a guard of `/private` does not see `/Private`: on Windows and macOS the real name is compared, on Linux it
 * cannot be.
 *
 * @param prefix Path of the files, without parameters.
 * @throws {TypeError} If the prefix or an option is invalid.
 * @throws {Error} If the file of a manifest cannot be read.
 *
 * @example
 * ```ts
 * import { mountStatic } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/app.css`, "body { margin: 0 }");
 *
 * const files = mountStatic("/", { directory });
 * const server = Deno.serve({ port: 0, onListen() {} }, files.fetch);
 * const response = await fetch(`http://localhost:${server.addr.port}/app.css`);
 * assertEquals(await response.text(), "body { margin: 0 }");
 * await server.shutdown();
 * ```
 */
export function mountStatic<Fallthrough extends boolean = false>(
  prefix: string,
  options: StaticAssetOptions & { readonly fallthrough?: Fallthrough },
): StaticMount<true extends Fallthrough ? Response | undefined : Response> {
  return createMount(prefix, options, FILES) as StaticMount<Response>;
}

/**
 * Creates a builder whose `static()` serves folders.
 *
 * @example
 * ```ts
 * import { json, routerBuilder } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/app.css`, "body { margin: 0 }");
 *
 * const router = routerBuilder()
 *   .static("/assets", { directory, cacheControl: "public, max-age=3600" })
 *   .build()
 *   .get("/hello", () => json("hello"));
 *
 * const response = await router.request("/assets/app.css");
 * assertEquals(await response.text(), "body { margin: 0 }");
 * assertEquals(response.headers.get("Cache-Control"), "public, max-age=3600");
 * ```
 */
export function routerBuilder<Args extends unknown[] = []>(
  options: BuilderOptions<Args> = {},
): RouterBuilder<Args> {
  return createBuilder(withFiles(options, FILES));
}

/**
 * Declares a router on a class; its `static` serves folders. It is registered under `HTTP_ROUTER` and built when it is
 * first resolved.
 *
 * @throws {TypeError} When it is applied, if the container has a router.
 *
 * @example
 * ```ts
 * import { createContainer, HTTP_ROUTER, HttpRouter, type TypedRouter } from "@gatehouse/http/native";
 * import { assertEquals } from "@std/assert";
 *
 * const directory = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${directory}/app.css`, "body { margin: 0 }");
 * const container = createContainer();
 *
 * @HttpRouter({ prefix: "/shop", static: { "/assets": { directory } }, container })
 * class Shop {}
 *
 * const router = container.resolve<TypedRouter>(HTTP_ROUTER);
 * const response = await router.request("/shop/assets/app.css");
 * assertEquals(await response.text(), "body { margin: 0 }");
 * ```
 */
export function HttpRouter(options: HttpRouterOptions = {}): ControllerDecorator {
  return decorateRouter(withFiles(options, FILES));
}
