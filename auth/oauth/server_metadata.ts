/**
 * Metadata of providers: static, or fetched by OpenID Connect Discovery 1.0.
 *
 * @module
 */

import { fetchJson } from "../_fetch_json.ts";
import { publicUrl } from "../_public_url.ts";
import { isJsonObject } from "../_strict_json.ts";
import { isWorkerd } from "../_workerd.ts";
import { remoteJwks } from "../jwt/remote_jwks.ts";
import type { KeyResolver } from "../jwt/types.ts";
import type { OAuthServer, RequestContext } from "./_context.ts";
import { oauthError } from "./_failure.ts";
import type { OAuthProvider, OAuthServerMetadata } from "./provider_types.ts";

/** Returns the server as it is now. @throws {AuthError} `service_unavailable`, if its metadata cannot be fetched. */
export type ServerSource = () => Promise<OAuthServer>;

/** Fetched metadata. */
interface KnownServer {
  readonly server: OAuthServer;
  readonly fetchedAt: number;
  readonly freshFor: number;
}

const ACTION = "Cannot create OAuth client";

const MAX_BYTES = 65_536;
const TIMEOUT_MS = 5_000;

/** Seconds: for how long metadata are fresh, between two requests at least, and used while fetching fails. */
const CACHE_AGE = 3_600;
const COOLDOWN = 60;
const STALE_AGE = 86_400;

/** Endpoints: whether one is required. */
const ENDPOINTS = {
  authorization_endpoint: true,
  token_endpoint: true,
  userinfo_endpoint: false,
  jwks_uri: false,
  end_session_endpoint: false,
  revocation_endpoint: false,
} as const;

/** Other members, and their types. */
const STRING_ARRAYS = [
  "id_token_signing_alg_values_supported",
  "token_endpoint_auth_methods_supported",
] as const;
const BOOLEAN = "authorization_response_iss_parameter_supported";

/**
 * Creates the source of a provider's metadata. Fetched metadata are cached for an hour, and used for a day while the server
 * does not answer.
 *
 * @throws {TypeError} If a URL is not https to a public host, or static metadata lack a member.
 */
export function serverSource(provider: OAuthProvider, context: RequestContext): ServerSource {
  const { server } = provider;
  if ("discover" in server) return discoverySource(server.discover, context);
  const metadata = readMetadata(server, server.issuer, context);
  if (typeof metadata === "string") throw new TypeError(`${ACTION}: ${metadata}`);
  const found: OAuthServer = Object.freeze({ metadata, keys: keysOf(metadata, context) });
  return () => Promise.resolve(found);
}

function discoverySource(issuer: string, context: RequestContext): ServerSource {
  const { fetch, now, warn } = context;
  const url = discoveryUrl(issuer, context);
  let known: KnownServer | undefined;
  let triedAt = -Infinity;
  let failure: unknown;
  let inFlight: Promise<void> | undefined;

  /** Whether metadata are known that were fresh less than so many seconds ago. */
  function isKnownWithin(stale: number): boolean {
    if (known === undefined) return false;
    const age = now() - known.fetchedAt;
    return age >= 0 && age < known.freshFor + stale;
  }

  async function fetchServer(): Promise<void> {
    const startedAt = triedAt = now();
    try {
      const options = { accept: "application/json", maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS };
      const { value, maxAge = CACHE_AGE } = await fetchJson(url, { ...options, fetch });
      const metadata = readMetadata(value, issuer, context);
      if (typeof metadata === "string") throw new Error(`Cannot use metadata: ${metadata}`);
      const keys = metadata.jwks_uri === known?.server.metadata.jwks_uri
        ? known?.server.keys
        : keysOf(metadata, context);
      const freshFor = Math.max(COOLDOWN, Math.min(CACHE_AGE, maxAge));
      known = { server: Object.freeze({ metadata, keys }), fetchedAt: startedAt, freshFor };
      failure = undefined;
    } catch (error) {
      if (failure === undefined) warn(`Cannot fetch metadata of ${issuer}`, error);
      failure = error;
    }
  }

  /** Fetches, or waits for the fetch in flight, unless one has failed within the cooldown. */
  async function refresh(): Promise<void> {
    if (inFlight !== undefined) return await inFlight;
    const sinceTry = now() - triedAt;
    if (failure !== undefined && sinceTry >= 0 && sinceTry < COOLDOWN) return;
    if (isWorkerd()) return await fetchServer();
    inFlight = fetchServer().finally(() => inFlight = undefined);
    await inFlight;
  }

  return async () => {
    if (!isKnownWithin(0)) await refresh();
    if (known !== undefined && isKnownWithin(STALE_AGE)) return known.server;
    throw oauthError("provider_unreachable", { cause: failure });
  };
}

/** Discovery §4.1. @throws {TypeError} If the issuer is not an https URL to a public host, or has a query or fragment. */
function discoveryUrl(issuer: string, { insecureLoopback }: RequestContext): string {
  publicUrl(`${ACTION}: issuer`, issuer, { insecureLoopback });
  if (/[?#]/.test(issuer)) { // the URL parser does not tell an empty query from none
    throw new TypeError(`${ACTION}: issuer must not have a query or fragment`);
  }
  return `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
}

/** The members that are used; a string is why the metadata are refused. */
function readMetadata(
  document: unknown,
  issuer: string,
  context: RequestContext,
): OAuthServerMetadata | string {
  if (!isJsonObject(document)) return "the metadata are not an object";
  if (document["issuer"] !== issuer) return "the metadata are of another issuer"; // §4.3, exactly
  const members: Record<string, unknown> = { issuer };
  for (const [name, isRequired] of Object.entries(ENDPOINTS)) {
    const value = document[name];
    if (value === undefined && !isRequired) continue;
    if (typeof value !== "string" || !isAllowedUrl(value, context)) {
      return `${name} must be an https URL to a public host`;
    }
    members[name] = value;
  }
  for (const name of STRING_ARRAYS) {
    const value = document[name];
    if (value === undefined) continue;
    if (!isStringArray(value)) return `${name} must be an array of strings`;
    members[name] = Object.freeze([...value]);
  }
  const hasIss = document[BOOLEAN] ?? false;
  if (typeof hasIss !== "boolean") return `${BOOLEAN} must be a boolean`;
  members[BOOLEAN] = hasIss;
  return Object.freeze(members) as unknown as OAuthServerMetadata;
}

function isStringArray(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isAllowedUrl(url: string, { insecureLoopback }: RequestContext): boolean {
  try {
    publicUrl(ACTION, url, { insecureLoopback });
    return true;
  } catch {
    return false;
  }
}

function keysOf(
  { jwks_uri }: OAuthServerMetadata,
  { fetch, insecureLoopback, now, warn }: RequestContext,
): KeyResolver | undefined {
  if (jwks_uri === undefined) return undefined;
  return remoteJwks(jwks_uri, { fetch, insecureLoopback, now, warn });
}
