/**
 * Options of routers, routes, mounts and decorators, read once. A misspelt name is an error: taken for an omitted option, it
 * could open a route.
 *
 * @module
 */

import type { Method } from "./_engine.ts";
import { middlewareStep } from "./_step.ts";
import { type AuthOption, readStepUp, type RequiredAuth } from "./access.ts";
import { CONTENT_METHODS } from "./content_type.ts";
import type { MountOptions, RouteOptions } from "./handler.ts";
import type { EndpointMetadata } from "./openapi_types.ts";
import type { RouteSchema, RouteValidators, SchemaPart } from "./schema.ts";
import type { RouterOptions } from "./types.ts";

/** All option names of an interface. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/** Options of `createRouter`. */
export const ROUTER_OPTIONS: OptionNames<RouterOptions> = {
  prefix: true,
  before: true,
  catch: true,
  finally: true,
  maxBodyBytes: true,
  bodyTimeout: true,
  onError: true,
  onRequest: true,
  info: true,
  validators: true,
};

const ROUTE_OPTIONS: OptionNames<RouteOptions> = {
  use: true,
  schema: true,
  maxBodyBytes: true,
  auth: true,
  authorization: true,
  scope: true,
  multipart: true,
  raw: true,
  openapi: true,
};

const MOUNT_OPTIONS: OptionNames<MountOptions> = {
  auth: true,
  authorization: true,
  scope: true,
  insecureEncodedSlashes: true,
};

const AUTH: OptionNames<RequiredAuth> = { mode: true, amr: true, acr: true, maxAge: true };

const REQUEST_PARTS: OptionNames<Pick<RouteSchema, SchemaPart>> = {
  body: true,
  params: true,
  query: true,
};

const SCHEMA_PARTS: OptionNames<RouteSchema> = { ...REQUEST_PARTS, response: true };

/** Fields of metadata, besides the extensions `x-…`. */
const METADATA: OptionNames<EndpointMetadata> = {
  summary: true,
  description: true,
  operationId: true,
  tags: true,
  deprecated: true,
  externalDocs: true,
  parameters: true,
  requestBody: true,
  responses: true,
  security: true,
};

/**
 * Rejects unknown options, inherited ones included. The folder of authentication has its own check: neither imports the other.
 *
 * @param cannot Start of the message: `Cannot add route GET /`.
 * @throws {TypeError} If `options` is not an object, or has an unknown name.
 */
export function rejectUnknownOptions(
  cannot: string,
  options: unknown,
  ...tables: readonly Readonly<Record<string, unknown>>[]
): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${cannot}: options must be an object`);
  }
  for (const name in options) {
    const extension = tables.includes(METADATA) && name.startsWith("x-");
    if (extension || tables.some((names) => Object.hasOwn(names, name))) continue;
    throw new TypeError(`${cannot}: unknown option ${name}`);
  }
}

/** Copies the named options, inherited ones and getters too, which a spread would lose. */
export function pick<Options extends object>(
  given: Options,
  names: Readonly<Record<string, true>>,
): Partial<Options> {
  const values = given as Readonly<Record<string, unknown>>;
  const entries = Object.keys(names).map((name) => [name, values[name]] as const);
  return Object.fromEntries(
    entries.filter(([, value]) => value !== undefined),
  ) as Partial<Options>;
}

/**
 * Reads and checks the options of a route. The copy is frozen, so that later changes have no effect.
 *
 * @throws {TypeError | RangeError} If they are unknown, invalid or contradict each other.
 */
export function readOptions(
  method: Method,
  given: RouteOptions<unknown[]>,
  where: string,
): RouteOptions<unknown[]> {
  const cannot = `Cannot add ${where}`;
  rejectUnknownOptions(cannot, given, ROUTE_OPTIONS);
  const options = pick(given, ROUTE_OPTIONS);
  const { use, schema, scope, openapi } = options;
  if (openapi) rejectUnknownOptions(`${cannot}: openapi`, openapi, METADATA);
  const parts = schema === undefined ? undefined : readSchema(`${cannot}: schema`, schema);
  const auth = readAuth(cannot, options.auth);
  checkOptions(method, { ...options, ...(parts && { schema: parts }) }, where);
  return Object.freeze({
    ...options,
    ...(auth !== undefined && { auth }),
    ...(use && { use: Object.freeze([...use]) }),
    ...(parts && { schema: Object.freeze(parts) }),
    ...(typeof scope === "object" && { scope: Object.freeze([...scope]) }),
  });
}

/** Reads `auth`, so that a misspelt value is not mistaken for another. */
function readAuth(cannot: string, auth: unknown): AuthOption | undefined {
  if (auth === undefined || typeof auth === "boolean") return auth;
  if (typeof auth !== "object" || auth === null) throw invalidAuth(cannot);
  rejectUnknownOptions(`${cannot}: auth`, auth, AUTH);
  const { mode, ...asked } = pick<{ readonly [Name in keyof RequiredAuth]?: unknown }>(auth, AUTH);
  const stepUp = readStepUp(`${cannot}: auth`, asked);
  const isStepUp = Object.keys(stepUp).length > 0;
  if (mode === "optional" && isStepUp) {
    throw new TypeError(
      `${cannot}: step-up needs a principal, and auth.mode is "optional"`,
    );
  }
  if (mode === "optional") return Object.freeze({ mode });
  if (mode === "required" || (mode === undefined && isStepUp)) {
    return Object.freeze({ mode: "required", ...stepUp });
  }
  throw invalidAuth(cannot);
}

function invalidAuth(cannot: string): TypeError {
  return new TypeError(
    `${cannot}: auth must be true, false, { mode: "optional" } or step-up options`,
  );
}

function readSchema(
  cannot: string,
  given: RouteSchema,
  names: Readonly<Record<string, true>> = SCHEMA_PARTS,
): RouteSchema {
  rejectUnknownOptions(cannot, given, names);
  return pick(given, names);
}

/** Reads validators of routes. @throws {TypeError} If they are not objects of validators by part. */
export function readValidators(given: RouteValidators = {}): RouteValidators {
  const cannot = "Cannot create router: validators";
  rejectUnknownOptions(cannot, given, given); // all keys but inherited ones
  return Object.fromEntries(
    Object.entries(given).map(([key, one]) => {
      const parts = readSchema(`${cannot}["${key}"]`, one, REQUEST_PARTS);
      checkValidators(parts, `validator ${key}`, "");
      return [key, parts];
    }),
  );
}

/** Reads the options of a mount. @throws {TypeError} If one is unknown. */
export function readMountOptions(given: MountOptions, where: string): MountOptions {
  rejectUnknownOptions(`Cannot add ${where}`, given, MOUNT_OPTIONS);
  return pick(given, MOUNT_OPTIONS);
}

/** Reads the argument of a decorator that adds a route: its options, and OpenAPI metadata. @throws {TypeError} If one is unknown. */
export function readDecoratorOptions(
  cannot: string,
  given: RouteOptions<never[]> & EndpointMetadata,
): { readonly options: RouteOptions<never[]>; readonly metadata: EndpointMetadata } {
  rejectUnknownOptions(cannot, given, ROUTE_OPTIONS, METADATA);
  return {
    options: pick<RouteOptions<never[]>>(given, ROUTE_OPTIONS),
    metadata: pickMetadata(given),
  };
}

/** Reads OpenAPI metadata. @throws {TypeError} If a field is unknown. */
export function readMetadata(cannot: string, given: EndpointMetadata): EndpointMetadata {
  rejectUnknownOptions(cannot, given, METADATA);
  return pickMetadata(given);
}

function pickMetadata(given: EndpointMetadata): EndpointMetadata {
  const extensions = Object.entries(given).filter(([name]) => name.startsWith("x-"));
  return { ...pick<EndpointMetadata>(given, METADATA), ...Object.fromEntries(extensions) };
}

/** @throws {TypeError | RangeError} If options are invalid or contradict each other. */
function checkOptions(
  method: Method,
  options: RouteOptions<unknown[]>,
  where: string,
): void {
  const { multipart, raw, schema, auth, authorization, scope, maxBodyBytes, use = [] } = options;
  if (!CONTENT_METHODS.has(method) && (multipart || raw || schema?.body !== undefined)) {
    throw new TypeError(`Cannot add ${where}: only POST, PUT and PATCH have content`);
  }
  if (raw && (multipart || schema?.body !== undefined)) {
    throw new TypeError(`Cannot add ${where}: raw content is neither multipart nor validated`);
  }
  if (auth === false && (authorization !== undefined || scope !== undefined)) {
    const option = scope === undefined ? "authorization" : "scope";
    throw new TypeError(`Cannot add ${where}: ${option} needs authentication, and auth is false`);
  }
  checkAuthorization(authorization, where);
  checkScope(scope, where);
  if (!Array.isArray(use)) throw new TypeError(`Cannot add ${where}: use must be an array`);
  use.forEach((middleware) => middlewareStep(middleware)); // rejects what is not a function
  checkValidators(schema ?? {}, where, "schema.");
  checkLimit(maxBodyBytes, where);
}

/** Checks that what is given for a part is a validator. */
function checkValidators(parts: RouteSchema, where: string, name: string): void {
  for (const [part, one] of Object.entries(parts)) {
    if (one !== undefined) {
      checkFunction(one?.["~standard"]?.validate, where, `${name}${part}["~standard"].validate`);
    }
  }
}

/** Checks the option `authorization`, so that nothing else is mistaken for `none`. */
function checkAuthorization(authorization: unknown, where: string): void {
  if (authorization === undefined || authorization === "none") return;
  if (Object.hasOwn(Object(authorization), "metadata")) return;
  throw new TypeError(`Cannot add ${where}: authorization must be { metadata } or "none"`);
}

/** Checks the option `scope`. An empty list would let every limited principal pass, as a misspelt `any` would. */
function checkScope(scope: unknown, where: string): void {
  if (scope === undefined || scope === "any") return;
  const isScope = (one: unknown) => typeof one === "string" && SCOPE_REGEXP.test(one);
  if (Array.isArray(scope) && scope.length > 0 && scope.every(isScope)) return;
  throw new TypeError(
    `Cannot add ${where}: scope must be a non-empty array of strings without spaces and quotes, or "any"`,
  );
}

/** RFC 6749 §3.3, as authentication reads them: visible ASCII without quotes and backslashes. */
const SCOPE_REGEXP = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Checks that a value is a function, or absent if optional. @throws {TypeError} If it is not. */
export function checkFunction(value: unknown, where: string, part: string, optional = false): void {
  if (typeof value === "function" || (optional && value === undefined)) return;
  throw new TypeError(`Cannot add ${where}: ${part} is not a function`);
}

/** Checks a limit in bytes. @throws {RangeError} If it is not a non-negative integer. */
export function checkLimit(limit: number | undefined, where: string): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) {
    throw new RangeError(`Cannot add ${where}: maxBodyBytes must be a non-negative integer`);
  }
}

/** The most that a timer can wait: 2³¹ - 1 ms. */
const MAX_TIMEOUT = 2_147_483;

/** Checks a time to wait. @throws {RangeError} If it is not a number of seconds that a timer can wait. */
export function checkTimeout(seconds: number, where: string, name: string): void {
  if (!(typeof seconds === "number" && seconds > 0 && seconds <= MAX_TIMEOUT)) {
    throw new RangeError(
      `Cannot ${where}: ${name} must be a positive number of seconds, at most ${MAX_TIMEOUT}`,
    );
  }
}
