/**
 * What a container holds of authentication: the runtime, and the authorization manager.
 *
 * @module
 */

import { type Container, defaultContainer } from "../../router/builder/container.ts";
import { AUTHORIZATION_MANAGER, type AuthorizationManager } from "../authorization.ts";
import type { UserStore } from "../stores/types.ts";
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

const USERS: WeakMap<AuthRuntime<never>, UserStore> = /* @__PURE__ */ new WeakMap();

/** Records the store of a runtime's users. */
export function setUserStore(runtime: AuthRuntime<never>, users: UserStore): void {
  USERS.set(runtime, users);
}

/** The store of a runtime's users. @throws {TypeError} If it was not created by {@linkcode registerAuth}. */
export function userStoreOf(runtime: AuthRuntime<never>): UserStore {
  const users = USERS.get(runtime);
  if (users !== undefined) return users;
  throw new TypeError("Cannot find users: the runtime was not created by registerAuth()");
}

/** The manager that the container has when it is first asked, so that it may be registered after the guards are created. */
export function registeredManager(container: Container): AuthorizationManager {
  let manager: AuthorizationManager | undefined;
  return {
    authorize(principal, context) {
      if (manager === undefined && !container.has(AUTHORIZATION_MANAGER)) {
        throw new TypeError(
          "Cannot authorize: there is no authorization manager; pass one, or register AUTHORIZATION_MANAGER",
        );
      }
      manager ??= container.resolve<AuthorizationManager>(AUTHORIZATION_MANAGER);
      return manager.authorize(principal, context);
    },
  };
}
