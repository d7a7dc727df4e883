/**
 * The one place that pins what `deno task test:browser` downloads. The browser itself is the machine's.
 *
 * Deno fetches everything its lock file names: so nothing imports this by a literal specifier, and it is locked in
 * `tests/browser/deno.lock` instead of the project's own lock file.
 *
 * @module
 */

/** Drives the browser. */
export const PLAYWRIGHT = "npm:playwright-core@1.65.1";

/** A client for passkeys. */
export const SIMPLEWEBAUTHN_BROWSER = "npm:@simplewebauthn/browser@14.0.0";

/** Reads QR codes. */
export const JSQR = "npm:jsqr@1.4.0";
