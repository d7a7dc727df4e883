/**
 * Static mounts that can serve a folder.
 *
 * @module
 */

import { createMount } from "./static_mount.ts";
import { FILES } from "../static/native_live.ts";
import type { StaticAssetOptions, StaticMount } from "../static/types.ts";

/**
 * Serves a folder or the files of a package: GET and HEAD, entity tags, conditional requests (RFC 9110 §13).
 * There are no listings, no index files and no byte ranges. A path that is malformed is a 400, one with `..` a 403,
 * another method a 405, and a missing file, a name that starts with a dot or a link out of the folder a 404; with
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
export function mountStatic(
  prefix: string,
  options: StaticAssetOptions & { fallthrough?: false },
): StaticMount<Response>;
/** Serves a folder or a package; with `fallthrough`, other requests are `undefined`. */
export function mountStatic(prefix: string, options: StaticAssetOptions): StaticMount;
export function mountStatic(prefix: string, options: StaticAssetOptions): StaticMount {
  return createMount(prefix, options, FILES);
}
