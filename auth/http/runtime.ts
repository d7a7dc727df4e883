/**
 * What a container holds of authentication: the runtime, and the authorization manager.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/container.ts";
import { AUTHORIZATION_MANAGER, type AuthorizationManager } from "../authorization.ts";
import type { AuthRuntime } from "./types.ts";

/** Name of the runtime in a container. */
export const AUTH_RUNTIME = "auth.Runtime" as const;

/**
 * Returns what {@linkcode registerAuth} registered. The type of its metadata is that of the application's `Register`.
 *
 * @param container Where it was registered. @default {defaultContainer}
 * @throws {TypeError} If nothing was registered.
 */
export function getAuthRuntime(
  container: Container = defaultContainer,
): AuthRuntime {
  if (!container.has(AUTH_RUNTIME)) {
    throw new TypeError(
      "Cannot find authentication: call registerAuth() first, or pass the option runtime",
    );
  }
  return container.resolve<AuthRuntime>(AUTH_RUNTIME);
}

/** The manager that the container has when it is first asked, so that it may be registered after the guards are created. */
export function registeredManager(container: Container): AuthorizationManager {
  let manager: AuthorizationManager | undefined;
  return {
    authorize(principal, context) {
      if (manager === undefined && !container.has(AUTHORIZATION_MANAGER)) {
        throw new TypeError(
          "Cannot authorize: there is no authorization manager; pass the option authorization to registerAuth(), or " +
            "register AUTHORIZATION_MANAGER in the container",
        );
      }
      manager ??= container.resolve<AuthorizationManager>(AUTHORIZATION_MANAGER);
      return manager.authorize(principal, context);
    },
  };
}
