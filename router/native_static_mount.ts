/**
 * Static mounts that can serve a folder.
 *
 * @module
 */

import { createMount } from "./static_mount.ts";
import { FILES } from "../static/native_live.ts";
import type { StaticAssetOptions, StaticMount } from "../static/types.ts";

/**
 * Serves a folder as it is, or the files of a package: GET and HEAD, entity tags, conditional requests (RFC 9110 §13).
 * There are no listings, no index files and no byte ranges. A path that is malformed is a 400, one with `..` a 403,
 * another method a 405, and what is not there, starts with a dot or leads out of the folder a 404; under `fallthrough`,
 * `undefined`. Files of more than 32 KiB stay open until the response's body is read or cancelled.
 *
 * On Deno it needs permission to read the folder, and what it leads to if it is a link; with all permissions, on Linux,
 * folders that are exchanged for links while a file is opened are always noticed, elsewhere nearly always. A file that
 * grows, or is cut short, within ten seconds of being written is sent as it was, or breaks the connection. Where a file
 * system does not tell names apart by case, a guard of `/private` does not see `/Private`: Windows and macOS are asked how
 * a file is really called, Linux cannot be.
 *
 * @param prefix Path that the files are beneath, without parameters.
 * @throws {TypeError} If the prefix or an option cannot work.
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
/** Serves a folder or a package, and leaves what it has not to others. */
export function mountStatic(prefix: string, options: StaticAssetOptions): StaticMount;
export function mountStatic(prefix: string, options: StaticAssetOptions): StaticMount {
  return createMount(prefix, options, FILES);
}
