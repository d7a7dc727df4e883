/**
 * `resourceServer`: guards for a service without users, which accepts the tokens of an authorization server.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/builder/container.ts";
import type { AuthIntegration, RegisteredRules } from "../../router/types.ts";
import { createClock } from "../_clock.ts";
import { originalRequest } from "../../router/original_request.ts";
import { checkOptionalFunction } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import type { AuthorizationManager } from "../authorization.ts";
import { clientAddressReader, type Deployment } from "../throttle/client_address.ts";
import type { AuthEventListener } from "../events.ts";
import { originCheck } from "../session/origin_check.ts";
import { guardIntegration } from "./integration.ts";
import { registeredManager } from "./runtime.ts";
import type { GuardRules, GuardRuntime, RefusalHandler } from "./types.ts";
import type { Principal } from "../principal.ts";
import { type AuthStrategy, chain } from "../strategy.ts";

/** Options of {@linkcode resourceServer}. */
export interface ResourceServerOptions<Metadata = RegisteredRules["metadata"]> {
  /** Authenticate requests. Credentials that browsers attach automatically, such as cookies, need the option `csrf`. */
  readonly strategies: readonly AuthStrategy[];
  /**
   * The check of unsafe requests whose credential browsers attach automatically: they must come from a page of this server, or of
   * `trustedOrigins`. Those that say no origin are refused, since there are no tokens here.
   *
   * @default none: strategies with such credentials are rejected
   */
  readonly csrf?: "origin" | undefined;
  /** Other origins whose pages may act for the user: `https://app.example.com`. @default {[]} */
  readonly trustedOrigins?: readonly string[] | undefined;
  /** Decides who may do what. @default what the container has as {@linkcode AUTHORIZATION_MANAGER} at the first decision */
  readonly authorization?: AuthorizationManager<Metadata> | undefined;
  /** What is between this server and its clients, whose addresses events report. @default {"direct"} */
  readonly deployment?: Deployment | undefined;
  /** Called for every event. */
  readonly events?: AuthEventListener | undefined;
  /** Called with warnings. @default {console.warn} */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Container of the authorization manager. @default {defaultContainer} */
  readonly container?: Container | undefined;
}

/** Guards of a resource server. */
export interface ResourceServer<in Metadata = RegisteredRules["metadata"]>
  extends GuardRuntime<Metadata> {
  /** Guard and hooks for `withAuth()` of a builder or router. */
  integration(
    options?: { readonly catch?: RefusalHandler | undefined },
  ): AuthIntegration<Principal, unknown[], GuardRules<Metadata>>;
}

/**
 * Creates guards for a service without users, sessions and secrets, such as an API that accepts the tokens of an
 * authorization server: the resource server of RFC 6749 §1.1. Pass it as `runtime` to {@linkcode withAuthRoutes} and
 * {@linkcode requireAuth}, or its `integration()` to a builder.
 *
 * @throws {TypeError} If there is no strategy, one accepts a credential that browsers attach automatically and `csrf` is missing,
 * or an option has a wrong shape.
 *
 * @example
 * ```ts
 * import {
 *   bearerTokenStrategy,
 *   createRouter,
 *   json,
 *   remoteJwks,
 *   requireScope,
 *   resourceServer,
 *   withAuthRoutes,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const bearer = bearerTokenStrategy({
 *   algorithms: ["RS256"],
 *   keys: remoteJwks("https://issuer.example/.well-known/jwks.json"),
 *   issuer: "https://issuer.example",
 *   audience: "https://reports.example",
 * });
 * const runtime = resourceServer({ strategies: [bearer] });
 * const router = withAuthRoutes(createRouter(), { runtime })
 *   .get("/reports", (req) => json(req.principal.sub), { use: [requireScope("reports:read")] });
 *
 * const response = await router.request("/reports");
 * assertEquals(response.headers.get("WWW-Authenticate"), 'Bearer realm="api"');
 * ```
 */
export function resourceServer<Metadata = RegisteredRules["metadata"]>(
  options: ResourceServerOptions<Metadata>,
): ResourceServer<Metadata> {
  const { strategies, container = defaultContainer, events, warn = warnConsole } = options;
  checkOptionalFunction(ACTION, "events", events);
  checkOptionalFunction(ACTION, "warn", warn);
  if (options.csrf !== undefined && options.csrf !== "origin") {
    throw new TypeError(`${ACTION}: csrf must be "origin"`);
  }
  const addressOf = clientAddressReader({ deployment: options.deployment, warn });
  const now = createClock(options.now);
  const { trustedOrigins } = options;
  const checkOrigin = options.csrf && originCheck({ trustedOrigins, now, events, warn }).check;
  const server: ResourceServer<Metadata> = Object.freeze<ResourceServer<Metadata>>({
    strategy: chain(strategies),
    csrfRule: "origin",
    ...(checkOrigin === undefined ? {} : { checkOrigin }),
    authorization: options.authorization ?? registeredManager(container),
    events,
    warn,
    now,
    client: (request, ...args) => ({ address: addressOf(originalRequest(request), ...args) }),
    integration: ({ catch: handler } = {}) => guardIntegration({ runtime: server, catch: handler }),
  });
  server.integration(); // throws if a strategy needs a CSRF check
  return server;
}

const ACTION = "Cannot create resource server";
