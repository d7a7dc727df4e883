/**
 * Validation of a mount's options.
 *
 * @module
 */

import type { StaticAssetOptions } from "./types.ts";

/** Literal segments; the root is `/`. */
// deno-lint-ignore no-control-regex -- these are rejected
const PREFIX_REGEXP = /^\/$|^(?:\/(?!\.{1,2}(?:\/|$))[^/:*?#{}%\\\x00-\x20\x7f]+)+\/?$/;
/** A field value, RFC 9110 §5.5. */
const FIELD_REGEXP = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

const OPTIONS: Readonly<Record<keyof StaticAssetOptions, true>> = {
  directory: true,
  fallthrough: true,
  cacheControl: true,
  manifest: true,
  package: true,
  live: true,
  features: true,
};

/**
 * Rejects unknown options, inherited ones included. The router has its own check, which comes with types of Hono: the entries
 * `./static` and `./docs` do without.
 *
 * @param cannot Start of the message.
 * @throws {TypeError} If `options` is not an object, or has an unknown name.
 */
export function checkNames(
  cannot: string,
  options: unknown,
  names: Readonly<Record<string, unknown>>,
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${cannot}: options must be an object`);
  }
  for (const name in options) {
    if (!Object.hasOwn(names, name)) throw new TypeError(`${cannot}: unknown option ${name}`);
  }
}

/** Validates options. @throws {TypeError} If the prefix or an option is invalid, or an option unknown. */
export function checkOptions(prefix: string, options: StaticAssetOptions): void {
  checkNames("Cannot mount static assets", options, OPTIONS);
  const { directory, cacheControl, fallthrough = false, live = false } = options;
  if (!PREFIX_REGEXP.test(prefix)) {
    throw new TypeError(
      `Cannot mount static assets at ${
        JSON.stringify(prefix)
      }: it must be a path of literal segments`,
    );
  }
  if (typeof directory !== "string" || directory === "") {
    throw new TypeError(
      "Cannot mount static assets: directory must be a non-empty string",
    );
  }
  if (
    cacheControl !== undefined &&
    !(typeof cacheControl === "string" && FIELD_REGEXP.test(cacheControl))
  ) {
    throw new TypeError(
      "Cannot mount static assets: cacheControl must be a valid header field value",
    );
  }
  for (const [name, flag] of Object.entries({ fallthrough, live })) {
    if (typeof flag !== "boolean") {
      throw new TypeError(`Cannot mount static assets: ${name} must be a boolean`);
    }
  }
}
