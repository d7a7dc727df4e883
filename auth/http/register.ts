/**
 * `registerAuth`: authentication for an application, in one call.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/builder/container.ts";
import type { ControllerDecorator } from "../../router/builder/decorator_types.ts";
import { checkClass } from "../../router/builder/decorators.ts";
import type { RegisteredRules } from "../../router/types.ts";
import { originalRequest } from "../../router/original_request.ts";
import { type OptionNames, rejectUnknownOptions } from "../_options.ts";
import { AUTHORIZATION_MANAGER, type AuthorizationManager } from "../authorization.ts";
import type { WebAuthnConfig } from "../webauthn/types.ts";
import { csrfCheck } from "./csrf_guard.ts";
import { authIntegration } from "./integration.ts";
import { createAuthRoutes } from "./routes.ts";
import { AUTH_RUNTIME, registeredManager, setUserStore } from "./runtime.ts";
import { createServices } from "./_services.ts";
import { type BrowserRouteParts, setFeatureRoutes } from "./_browser_route_parts.ts";
import type { AuthFeature } from "./feature_types.ts";
import type { JwtOptions, ServiceOptions } from "./service_options.ts";
import { signIn, signOut } from "./sign_in.ts";
import type {
  AuthorizationPolicy,
  AuthRoute,
  AuthRuntime,
  CsrfRule,
  PasskeyRuntime,
  TokenRuntime,
} from "./types.ts";

/** Options of {@linkcode registerAuth}. */
export interface AuthOptions<Metadata = RegisteredRules["metadata"]> extends ServiceOptions {
  /** Decides who may do what. @default what the container has as {@linkcode AUTHORIZATION_MANAGER} at the first decision */
  readonly authorization?: AuthorizationManager<Metadata> | undefined;
  /**
   * Whether a guarded route or mount must have the option `authorization`: with `required`, one that has neither that, which may
   * be `"none"`, nor `auth: false` is rejected when it is added.
   *
   * @default {"optional"}
   */
  readonly authorizationPolicy?: AuthorizationPolicy | undefined;
  /**
   * The CSRF check of guards, for requests that change state and whose credential a browser may have attached automatically:
   * they must come from the application's own pages or trusted origins (`origin`), and carry a token only where the browser
   * does not send the origin; or carry a `token` in every case.
   *
   * @default {"origin"}
   */
  readonly csrf?: CsrfRule | undefined;
  /** Where the runtime is registered. @default {defaultContainer} */
  readonly container?: Container | undefined;
}

/**
 * Creates the services of authentication, and registers them in a container for guards and routes: as
 * {@linkcode AUTH_RUNTIME}, and `authorization` as {@linkcode AUTHORIZATION_MANAGER}.
 *
 * @throws {TypeError} If an option is missing, unknown or of a wrong shape, or the container has authentication already.
 * @throws {RangeError} If the secret is shorter than 32 bytes or not random, or a number is out of bounds.
 *
 * @example
 * ```ts
 * import {
 *   createContainer,
 *   generateSecret,
 *   inMemoryAuthStores,
 *   json,
 *   registerAuth,
 *   routerBuilder,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: generateSecret(), // from the environment, the same at each start
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   container: createContainer(), // an application leaves it out
 * });
 * const router = routerBuilder().withAuth(runtime.integration({ routes: { registration: "open" } })).build()
 *   .get("/me", (req) => json(req.principal.sub));
 *
 * assertEquals((await router.request("/me")).status, 401);
 * assertEquals((await router.request("/auth/csrf")).status, 200);
 * ```
 */
export function registerAuth<Metadata = RegisteredRules["metadata"]>(
  options: AuthOptions<Metadata> & { readonly jwt: JwtOptions; readonly webauthn: WebAuthnConfig },
): TokenRuntime<Metadata> & PasskeyRuntime<Metadata>;
/** With `jwt` the runtime has tokens. */
export function registerAuth<Metadata = RegisteredRules["metadata"]>(
  options: AuthOptions<Metadata> & { readonly jwt: JwtOptions },
): TokenRuntime<Metadata>;
/** With `webauthn` the runtime has passkeys. */
export function registerAuth<Metadata = RegisteredRules["metadata"]>(
  options: AuthOptions<Metadata> & { readonly webauthn: WebAuthnConfig },
): PasskeyRuntime<Metadata>;
/** Without both it has neither. */
export function registerAuth<Metadata = RegisteredRules["metadata"]>(
  options: AuthOptions<Metadata>,
): AuthRuntime<Metadata>;
export function registerAuth<Metadata>(options: AuthOptions<Metadata>): AuthRuntime<Metadata> {
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
 * {@linkcode registerAuth} as a class decorator, run when the class is defined.
 *
 * @example
 * ```ts
 * import {
 *   Auth,
 *   createContainer,
 *   generateSecret,
 *   getAuthRuntime,
 *   inMemoryAuthStores,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const container = createContainer(); // an application leaves it out
 *
 * @Auth({
 *   secret: generateSecret(),
 *   stores: inMemoryAuthStores(),
 *   deployment: "direct",
 *   container,
 * })
 * class Application {}
 *
 * assertEquals(getAuthRuntime(container).csrf.header, "X-CSRF-Token");
 * ```
 */
export function Auth<Metadata>(options: AuthOptions<Metadata>): ControllerDecorator {
  return (target, context) => {
    checkClass(target, context, "Auth");
    registerAuth(options);
  };
}

function createRuntime<Metadata>(
  options: AuthOptions<Metadata>,
  container: Container,
): AuthRuntime<Metadata> {
  const services = createServices(options);
  const { clientAddress, ...shared } = services;
  const { cookies, csrf } = shared;
  const { csrf: csrfRule = "origin", authorizationPolicy = "optional" } = options;
  if (authorizationPolicy !== "optional" && authorizationPolicy !== "required") {
    throw new TypeError(`${ACTION}: authorizationPolicy must be "optional" or "required"`);
  }
  csrfCheck(`${ACTION}: csrf`, csrf, csrfRule); // throws if the rule is unknown
  const runtime: AuthRuntime<Metadata> = Object.freeze<AuthRuntime<Metadata>>({
    ...shared,
    csrfRule,
    authorization: options.authorization ?? registeredManager(container),
    authorizationPolicy,
    client(request, ...args) {
      const original = originalRequest(request);
      const device = cookies.read(original, "dev");
      const known = device.status === "found" ? { device: device.value } : {};
      return { address: clientAddress(original, ...args), ...known };
    },
    signIn: (request, authentication, options = {}) =>
      signIn(services, request, authentication, options),
    signOut: (request) => signOut(services, request),
    routes(options) {
      // A spread loses inherited ones: closed would be open
      const { registration, tokens, oauth, oauthFailurePath } = options ?? {};
      const known = { registration, tokens, oauth, oauthFailurePath };
      return createAuthRoutes({ ...options, ...known, runtime });
    },
    integration: (options) => authIntegration(runtime, options),
  });
  setUserStore(runtime, options.stores.users);
  setFeatureRoutes(runtime, (parts) => [
    ...routesOf(options.accounts, services.accounts, parts),
    ...routesOf(options.secondFactors, services.secondFactors, parts),
  ]);
  return runtime;
}

function routesOf<Service>(
  feature: AuthFeature<Service> | undefined,
  service: Service | undefined,
  parts: BrowserRouteParts,
): readonly AuthRoute[] {
  return feature === undefined || service === undefined ? [] : feature.routes(service, parts);
}

const ACTION = "Cannot set up authentication";

/** All options. A misspelt one must not count as omitted. */
const NAMES: OptionNames<AuthOptions> = {
  accounts: true,
  authorization: true,
  authorizationPolicy: true,
  container: true,
  cookie: true,
  csrf: true,
  csrfHeader: true,
  deployment: true,
  events: true,
  hasher: true,
  hashing: true,
  identities: true,
  jwt: true,
  now: true,
  passwordPolicy: true,
  secondFactors: true,
  secret: true,
  session: true,
  stores: true,
  strategies: true,
  throttle: true,
  trustedOrigins: true,
  warn: true,
  webauthn: true,
};

function checkContainer(
  container: Container,
  manager: AuthorizationManager<never> | undefined,
): void {
  if (typeof container?.has !== "function" || typeof container.register !== "function") {
    throw new TypeError(`${ACTION}: the container has no has() or no register()`);
  }
  if (container.has(AUTH_RUNTIME)) {
    throw new TypeError(
      `${ACTION}: the container has it already`,
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
      `${ACTION}: both the container and the options have an authorization manager`,
    );
  }
}
