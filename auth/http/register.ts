/**
 * `registerAuth`: authentication for an application, in one call.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/container.ts";
import type { ControllerDecorator } from "../../router/decorator_types.ts";
import { checkClass } from "../../router/decorators.ts";
import type { JwtOptions } from "./_create_tokens.ts";
import { registeredManager } from "./_registered_manager.ts";
import { rawOf } from "./_request_state.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { AUTHORIZATION_MANAGER, type AuthorizationManager } from "../authorization.ts";
import { csrfCheck } from "./csrf_guard.ts";
import { authIntegration } from "./integration.ts";
import { createAuthRoutes } from "./routes.ts";
import { AUTH_RUNTIME, type AuthRuntime, type CsrfRule, type TokenRuntime } from "./runtime.ts";
import { createServices, type ServiceOptions } from "./_services.ts";
import { signIn, signOut } from "./sign_in.ts";

/** Options of {@linkcode registerAuth}. */
export interface AuthOptions extends ServiceOptions {
  /** Decides who may do what. @default what the container has as {@linkcode AUTHORIZATION_MANAGER} when somebody first asks */
  readonly authorization?: AuthorizationManager | undefined;
  /**
   * What guards ask of requests that change something and whose credential the browser may have sent by itself: that
   * they come from the application's own pages or trusted origins (`origin`), and where no browser says so, a token; or
   * a `token` in every case.
   *
   * @default {"origin"}
   */
  readonly csrf?: CsrfRule | undefined;
  /** Where the runtime is registered. @default {defaultContainer} */
  readonly container?: Container | undefined;
}

/**
 * Puts authentication together, and registers it in a container for guards and routes to find: as
 * {@linkcode AUTH_RUNTIME}, and `authorization` as {@linkcode AUTHORIZATION_MANAGER}.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape, or the container has authentication.
 * @throws {RangeError} If the secret is shorter than 32 bytes, or a number is out of bounds.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   routerBuilder,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: "a secret of at least 32 bytes, kept", // from the environment, the same at each start
 *   stores: inMemoryAuthStores(),
 *   container: createContainer(), // an application leaves it out
 * });
 * const router = routerBuilder().withAuth(runtime.integration()).build()
 *   .get("/me", (req) => json(req.principal.sub));
 *
 * assertEquals((await router.request("/me")).status, 401);
 * assertEquals((await router.request("/auth/csrf")).status, 200);
 * ```
 */
export function registerAuth(options: AuthOptions & { readonly jwt: JwtOptions }): TokenRuntime;
/** Without `jwt` there are no tokens. */
export function registerAuth(options: AuthOptions): AuthRuntime;
export function registerAuth(options: AuthOptions): AuthRuntime {
  rejectUnknownOptions(ACTION, options, NAMES);
  const { container = defaultContainer, authorization } = options;
  checkContainer(container, authorization);
  const runtime = createRuntime(options, container);
  container.register(AUTH_RUNTIME, { useValue: runtime });
  if (authorization !== undefined) {
    container.register(AUTHORIZATION_MANAGER, { useValue: authorization });
  }
  return runtime;
}

/**
 * {@linkcode registerAuth} as a decorator of a class, when the class is defined.
 *
 * @example
 * ```ts
 * import { Auth, createContainer, getAuthRuntime, inMemoryAuthStores } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const container = createContainer(); // an application leaves it out
 *
 * @Auth({
 *   secret: "a secret of at least 32 bytes, kept",
 *   stores: inMemoryAuthStores(),
 *   container,
 * })
 * class Application {}
 *
 * assertEquals(getAuthRuntime(container).csrf.header, "X-CSRF-Token");
 * ```
 */
export function Auth(options: AuthOptions): ControllerDecorator {
  return (target, context) => {
    checkClass(target, context, "Auth");
    registerAuth(options);
  };
}

function createRuntime(options: AuthOptions, container: Container): AuthRuntime {
  const services = createServices(options);
  const { clientAddress, ...shared } = services;
  const { cookies, csrf } = shared;
  const { csrf: csrfRule = "origin" } = options;
  csrfCheck(`${ACTION}: csrf`, csrf, csrfRule); // refuses what is no rule
  const runtime: AuthRuntime = Object.freeze<AuthRuntime>({
    ...shared,
    csrfRule,
    authorization: options.authorization ?? registeredManager(container),
    client(request, ...args) {
      const raw = rawOf(request);
      const device = cookies.read(raw, "dev");
      const known = device.status === "found" ? { device: device.value } : {};
      return { address: clientAddress(raw, ...args), ...known };
    },
    signIn: (request, authentication, options = {}) =>
      signIn(services, request, authentication, options),
    signOut: (request) => signOut(services, request),
    routes: (options) => createAuthRoutes({ ...options, runtime }),
    integration: (options = {}) => authIntegration(runtime, options),
  });
  return runtime;
}

const ACTION = "Cannot set up authentication";

/** All options. A misspelt one must not pass for one that was left out. */
const NAMES: OptionNames<AuthOptions> = {
  authorization: true,
  clientAddress: true,
  container: true,
  cookie: true,
  csrf: true,
  csrfHeader: true,
  events: true,
  hasher: true,
  hashing: true,
  jwt: true,
  now: true,
  passwordPolicy: true,
  secret: true,
  session: true,
  stores: true,
  strategies: true,
  throttle: true,
  trustedOrigins: true,
  trustedProxies: true,
  warn: true,
};

function checkContainer(container: Container, manager: AuthorizationManager | undefined): void {
  if (typeof container?.has !== "function" || typeof container.register !== "function") {
    throw new TypeError(`${ACTION}: the container has no has() or no register()`);
  }
  if (container.has(AUTH_RUNTIME)) {
    throw new TypeError(
      `${ACTION}: the container has it; give each application a container of its own`,
    );
  }
  if (manager === undefined) return;
  if (typeof manager?.authorize !== "function") {
    throw new TypeError(
      `${ACTION}: the authorization manager has no authorize()`,
    );
  }
  if (container.has(AUTHORIZATION_MANAGER)) {
    throw new TypeError(
      `${ACTION}: the container has an authorization manager, and so have the options`,
    );
  }
}
