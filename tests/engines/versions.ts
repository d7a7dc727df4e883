/**
 * The one place that pins what `deno task test:engines` downloads. The engines themselves are the machine's.
 *
 * Deno fetches everything its lock file names: so nothing imports these by a literal specifier, and they are locked in
 * `tests/engines/deno.lock` instead of the project's own lock file.
 *
 * @module
 */

/** A client of PostgreSQL: postgres.js. */
export const POSTGRES_JS = "npm:postgres@3.4.9";

/** Another client of PostgreSQL: node-postgres. */
export const NODE_POSTGRES = "npm:pg@8.23.1";

/** A client of Redis: ioredis. */
export const IOREDIS = "npm:ioredis@6.0.0";

/** Another client of Redis: node-redis. */
export const NODE_REDIS = "npm:redis@5.9.0";
