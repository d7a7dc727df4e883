/**
 * The authorization manager that an application has registered, whenever it did.
 *
 * @module
 */

import type { Container } from "../../router/container.ts";
import { AUTHORIZATION_MANAGER, type AuthorizationManager } from "../authorization.ts";

/** Asks what the container has as manager when somebody first asks. */
export function registeredManager(container: Container): AuthorizationManager {
  let manager: AuthorizationManager | undefined;
  return {
    authorize(principal, context) {
      if (manager === undefined && !container.has(AUTHORIZATION_MANAGER)) {
        throw new TypeError(
          "Cannot authorize: there is no authorization manager; give registerAuth() the option authorization, or register " +
            "AUTHORIZATION_MANAGER in the container",
        );
      }
      manager ??= container.resolve<AuthorizationManager>(AUTHORIZATION_MANAGER);
      return manager.authorize(principal, context);
    },
  };
}
