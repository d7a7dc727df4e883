/**
 * The one place that pins what `deno task test:runtimes` downloads.
 *
 * These packages are large, and Deno fetches everything its lock file names: so nothing imports
 * them by a literal specifier, and they are locked in `tests/runtimes/deno.lock` instead of the
 * project's own lock file.
 *
 * @module
 */

/** Makes one bundle of the cases. */
export const ESBUILD = "npm:esbuild@0.28.2";

/** Runs a Worker in workerd; the version names the day that workerd was built. */
export const MINIFLARE = "npm:miniflare@4.20260730.0";

/** What the Worker asks workerd to be compatible with: no newer than that day. */
export const COMPATIBILITY_DATE = "2026-07-30";

/** The Bun that npx fetches. */
export const BUN = "bun@1.4.5";

/** Serves what has `fetch` on Node. */
export const NODE_SERVER = "npm:@hono/node-server@2.1.8";

/** Frames WebSockets on Node; miniflare brings this version. */
export const WS = "npm:ws@8.21.0";

/** Signs and verifies tokens, for ours to be read by others and the reverse. */
export const JOSE = "npm:jose@6.2.17";

/** Make a component of an application, and serve it. componentize-js from 0.20 on builds one that stops when it imports a key. */
export const WASI_PACKAGES = {
  "@bytecodealliance/componentize-js": "0.19.3",
  "@bytecodealliance/jco": "1.35.0",
  "@bytecodealliance/preview2-shim": "0.25.0", // componentize-js needs it, and does not say so
} as const;

/** The WASI that componentize-js is made for. */
export const WASI_VERSION = "0.2.3";
