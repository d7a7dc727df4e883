/**
 * What all steps of a client share: the provider, and the dependencies with their defaults.
 *
 * @module
 */

import type { Emit } from "../_emit.ts";
import type { FetchFunction } from "../_fetch_json.ts";
import type { KeyResolver } from "../jwt/types.ts";
import type { CookiePolicy } from "../session/cookie_policy.ts";
import type { StateStore } from "../stores/types.ts";
import type { OAuthProvider, OAuthServerMetadata } from "./provider_types.ts";

/** A server as it is now: its metadata, and the keys of its ID tokens. */
export interface OAuthServer {
  readonly metadata: OAuthServerMetadata;
  /** Absent without `jwks_uri`. */
  readonly keys: KeyResolver | undefined;
}

/** How requests to the provider are sent. */
export interface RequestContext {
  readonly fetch: FetchFunction | undefined;
  readonly insecureLoopback: boolean;
  readonly now: () => number;
  readonly warn: (message: string, error?: unknown) => void;
}

/** The parts of a client. */
export interface ClientContext extends RequestContext {
  readonly provider: OAuthProvider;
  readonly redirectUri: string;
  readonly postLogoutRedirectUri: string | undefined;
  readonly states: StateStore;
  readonly cookies: CookiePolicy;
  readonly lifetime: number;
  readonly clockTolerance: number;
  readonly emit: Emit;
  /** Returns the server; fetches its metadata if they are not known. @throws {AuthError} `service_unavailable` */
  readonly server: () => Promise<OAuthServer>;
}
