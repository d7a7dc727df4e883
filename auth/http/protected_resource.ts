/**
 * `protectedResource`: metadata of an API for OAuth clients, RFC 9728: which authorization servers issue tokens for it.
 *
 * @module
 */

import type { RouteSource, RouteTarget } from "../../router/types.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { parseIdentifier } from "../_origin.ts";
import { readScope } from "../_scope.ts";
import { DPOP_ALGORITHMS } from "../dpop/proof.ts";

/** Options of {@linkcode protectedResource}. */
export interface ProtectedResourceOptions {
  /**
   * Resource identifier, RFC 9728 §1.2: the API's `https` URL without query and fragment, as clients call it. It is the `aud` of its
   * tokens: one of `resources` of the authorization server, and the `audience` of the guard.
   */
  readonly resource: string;
  /** Issuers whose tokens the API accepts, at least one. */
  readonly authorizationServers: readonly string[];
  /** Scopes that clients should request; those that they need for nothing else, such as `offline_access`, do not belong here. */
  readonly scopes?: readonly string[] | undefined;
  /** Its name, for users. */
  readonly name?: string | undefined;
  /** Whether it accepts tokens that are bound to a key, or no others: as {@linkcode dpopTokenStrategy} does. @default {false} */
  readonly dpop?: boolean | "required" | undefined;
  /** Allows `http` on this machine: for development. @default {false} */
  readonly insecureLoopback?: boolean | undefined;
}

/** An API whose metadata clients can find. */
export interface ProtectedResource {
  /** Resource identifier. */
  readonly resource: string;
  /** Path of the metadata, RFC 9728 §3.1: `/.well-known/oauth-protected-resource`, and then the path of the API. */
  readonly path: string;
  /** URL of the metadata: `resourceMetadata` of {@linkcode bearerTokenStrategy}, or of the option `jwt` of `registerAuth()`. */
  readonly metadataUrl: string;
  /** The metadata, RFC 9728 §2. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Answers requests to the path: GET, HEAD, and the preflights of browsers. */
  readonly handler: (request: Request) => Response;
}

/**
 * Describes an API to clients that do not know it, as those of the Model Context Protocol: a 401 names the URL of the metadata, and
 * these name the authorization server. {@linkcode mountProtectedResource} adds the metadata to a router.
 *
 * @throws {TypeError | RangeError} If an option is missing, unknown, or of a wrong shape.
 *
 * @example
 * ```ts
 * import {
 *   bearerTokenStrategy,
 *   createRouter,
 *   json,
 *   mountProtectedResource,
 *   protectedResource,
 *   remoteJwks,
 *   resourceServer,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const issuer = "https://id.example";
 * const notes = protectedResource({
 *   resource: "https://api.example/notes",
 *   authorizationServers: [issuer],
 *   scopes: ["notes:read"],
 * });
 * const bearer = bearerTokenStrategy({
 *   algorithms: ["ES256"],
 *   keys: remoteJwks(`${issuer}/.well-known/jwks.json`),
 *   issuer,
 *   audience: notes.resource,
 *   resourceMetadata: notes.metadataUrl,
 * });
 * const runtime = resourceServer({ strategies: [bearer] });
 * const router = mountProtectedResource(createRouter().withAuth(runtime.integration()), notes)
 *   .get("/notes", (req) => json(req.principal.sub), { scope: ["notes:read"] });
 *
 * const { headers } = await router.request("/notes");
 * const metadataUrl = "https://api.example/.well-known/oauth-protected-resource/notes";
 * assertEquals(
 *   headers.get("WWW-Authenticate"),
 *   `Bearer realm="api", resource_metadata="${metadataUrl}", scope="notes:read"`,
 * );
 * const metadata = await (await router.request("/.well-known/oauth-protected-resource/notes")).json();
 * assertEquals(metadata.authorization_servers, [issuer]);
 * ```
 */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  rejectUnknownOptions(ACTION, options, NAMES);
  const { resource, authorizationServers, scopes, name, insecureLoopback = false } = options;
  const { dpop = false } = options;
  const { origin, pathname } = readIdentifier("resource", resource, insecureLoopback);
  if (!Array.isArray(authorizationServers) || authorizationServers.length === 0) {
    throw new TypeError(`${ACTION}: authorizationServers must be a non-empty array of strings`);
  }
  for (const issuer of authorizationServers) {
    readIdentifier("an authorization server", issuer, insecureLoopback);
  }
  if (name !== undefined && (typeof name !== "string" || name === "")) {
    throw new TypeError(`${ACTION}: name must be a non-empty string`);
  }
  if (typeof dpop !== "boolean" && dpop !== "required") {
    throw new TypeError(`${ACTION}: dpop must be a boolean or "required"`);
  }
  const supported = readScope(ACTION, scopes);
  const metadata = Object.freeze({
    resource,
    authorization_servers: Object.freeze([...authorizationServers]),
    ...(supported === undefined ? {} : { scopes_supported: supported }),
    bearer_methods_supported: Object.freeze(["header"]),
    ...(name === undefined ? {} : { resource_name: name }),
    ...(dpop === false ? {} : { dpop_signing_alg_values_supported: DPOP_ALGORITHMS }),
    ...(dpop === "required" ? { dpop_bound_access_tokens_required: true } : {}),
  });
  const path = WELL_KNOWN + (pathname === "/" ? "" : pathname);
  return Object.freeze({
    resource,
    path,
    metadataUrl: origin + path,
    metadata,
    handler: (request: Request) => respond(request, metadata),
  });
}

/**
 * Adds the metadata of an API to a router without a prefix, guarded or not. They are public.
 *
 * @returns The same router.
 * @throws {TypeError} If the router has begun to answer.
 */
export function mountProtectedResource<R extends RouteSource | RouteTarget>(
  router: R,
  { path, handler }: ProtectedResource,
): R {
  const target = router as unknown as RouteTarget;
  target.all(path, (req) => handler(req.raw), { auth: false, openapi: false });
  return router;
}

const ACTION = "Cannot create protected resource";

const WELL_KNOWN = "/.well-known/oauth-protected-resource";

const NAMES: OptionNames<ProtectedResourceOptions> = {
  resource: true,
  authorizationServers: true,
  scopes: true,
  name: true,
  dpop: true,
  insecureLoopback: true,
};

/** The characters of a path that routers and header fields need no encoding for. */
const PATH_REGEXP = /^[\w.~!$&'()+,;=@/-]*$/;

function readIdentifier(what: string, text: string, insecureLoopback: boolean): URL {
  const url = parseIdentifier(text, insecureLoopback);
  if (url !== undefined && PATH_REGEXP.test(url.pathname)) return url;
  throw new TypeError(`${ACTION}: ${what} must be an https URL without query and fragment`);
}

/** Browsers' clients are on any origin. The names of their header fields, such as `MCP-Protocol-Version`, are not known here. */
const CORS = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
  "Access-Control-Allow-Headers": "*, Authorization",
} as const;

function respond({ method }: Request, metadata: Readonly<Record<string, unknown>>): Response {
  switch (method) {
    case "GET":
    case "HEAD": {
      const headers = {
        ...CORS,
        "Content-Type": "application/json",
        "Cache-Control": "public, max-age=300",
      };
      const response = Response.json(metadata, { headers });
      return method === "HEAD" ? new Response(null, response) : response;
    }
    case "OPTIONS":
      return new Response(null, {
        status: 204,
        headers: { ...CORS, "Access-Control-Max-Age": "7200" },
      });
    default:
      return new Response(null, { status: 405, headers: { ...CORS, Allow: "GET, HEAD, OPTIONS" } });
  }
}
