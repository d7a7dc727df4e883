/**
 * Pins the packages that `deno task test:engines` downloads. The engines themselves are installed on the machine.
 *
 * They are not imported by literal specifiers, because Deno downloads everything in a lock file: they are locked in
 * `tests/engines/deno.lock` and not in the project's lock file.
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
