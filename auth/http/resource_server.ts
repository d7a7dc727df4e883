/**
 * `resourceServer`: guards for a service that has no users of its own, and takes the tokens of others.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/container.ts";
import type { AuthIntegration } from "../../router/types.ts";
import { createClock } from "../_clock.ts";
import { registeredManager } from "./_registered_manager.ts";
import { rawOf } from "./_request_state.ts";
import { checkOptionalFunction, rejectUnknownOptions } from "../_options.ts";
import { warnConsole } from "../_report.ts";
import type { AuthorizationManager } from "../authorization.ts";
import { type ClientAddressReader, clientAddressReader } from "../throttle/client_address.ts";
import type { AuthEventListener } from "../events.ts";
import type { RefusalHandler } from "./errors.ts";
import { guardIntegration } from "./integration.ts";
import type { GuardRuntime } from "./runtime.ts";
import type { Principal } from "../principal.ts";
import { type AuthStrategy, chain } from "../strategy.ts";

/** Options of {@linkcode resourceServer}. */
export interface ResourceServerOptions {
  /** How requests say who asks; none of them by what a browser sends by itself. */
  readonly strategies: readonly AuthStrategy[];
  /** Decides who may do what. @default what the container has as {@linkcode AUTHORIZATION_MANAGER} when somebody first asks */
  readonly authorization?: AuthorizationManager | undefined;
  /** Addresses and ranges of the proxies in front of this server; see {@linkcode clientAddressReader}. @default {[]} */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The address of whoever is connected. @default what `Deno.serve` and Bun say */
  readonly clientAddress?: ClientAddressReader | undefined;
  /** Is told of what happens. */
  readonly events?: AuthEventListener | undefined;
  /** Is told of what should not stay as it is. @default console.warn */
  readonly warn?: ((message: string, error?: unknown) => void) | undefined;
  /** The time, in seconds since the epoch. */
  readonly now?: (() => number) | undefined;
  /** Where the authorization manager is looked for. @default {defaultContainer} */
  readonly container?: Container | undefined;
}

/** A service's guards. */
export interface ResourceServer extends GuardRuntime {
  /** Guard and hooks for `withAuth()` of a builder or router. */
  integration(
    options?: { readonly catch?: RefusalHandler | undefined },
  ): AuthIntegration<Principal>;
}

/**
 * Puts guards together for a service that has no users, sessions and secrets, such as an API behind somebody else's sign-in:
 * the resource server of RFC 6749 §1.1. Give it as `runtime` to {@linkcode withAuthRoutes} and {@linkcode requireAuth}, or
 * its `integration()` to a builder.
 *
 * @throws {TypeError} If there is no strategy, one takes a credential that browsers send by themselves (guards say so), or an
 * option is unknown or of a wrong shape.
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
export function resourceServer(options: ResourceServerOptions): ResourceServer {
  rejectUnknownOptions<ResourceServerOptions>(ACTION, options, {
    strategies: true,
    authorization: true,
    trustedProxies: true,
    clientAddress: true,
    events: true,
    warn: true,
    now: true,
    container: true,
  });
  const { strategies, container = defaultContainer, events, warn = warnConsole } = options;
  checkOptionalFunction(ACTION, "events", events);
  checkOptionalFunction(ACTION, "warn", warn);
  const { clientAddress, trustedProxies } = options;
  const addressOf = clientAddressReader({ clientAddress, trustedProxies, warn });
  const server: ResourceServer = Object.freeze<ResourceServer>({
    strategy: chain(strategies),
    csrfRule: "origin",
    authorization: options.authorization ?? registeredManager(container),
    events,
    warn,
    now: createClock(options.now),
    client: (request, ...args) => ({ address: addressOf(rawOf(request), ...args) }),
    integration: ({ catch: handler } = {}) => guardIntegration({ runtime: server, catch: handler }),
  });
  server.integration(); // refuses strategies that need more than there is here
  return server;
}

const ACTION = "Cannot create resource server";
