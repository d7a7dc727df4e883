/**
 * `runtimeOptions`: an authorization server whose users sign in by `registerAuth()`.
 *
 * @module
 */

import { userStoreOf } from "../http/runtime.ts";
import type { AuthRuntime } from "../http/types.ts";
import { securityStampOf } from "../session/session_service.ts";
import { signInAt } from "./_options.ts";
import type { AuthorizationServerOptions } from "./core/types.ts";

/** Options of {@linkcode runtimeOptions}. */
export interface RuntimeServerOptions {
  /**
   * Path of the application's sign-in page. It is called with `next`, the path to return to, `reason`, and perhaps `login_hint`,
   * `acr_values` and `ui_locales`. With a `reason` other than `signed_out` the user may be signed in, and has to sign in again: by
   * returning at once, the page would be called forever.
   *
   * @default {"/sign-in"}
   */
  readonly signInPath?: string | undefined;
}

/**
 * Options of an {@linkcode AuthorizationServer} whose users are those of a runtime, and sign in by its sessions. It shares the
 * throttle, the events and the clock.
 *
 * @throws {TypeError} If the runtime was not created by `registerAuth()`.
 *
 * @example
 * ```ts
 * import { createContainer, generateSecret, inMemoryAuthStores, registerAuth } from "@gatehouse/http";
 * import { AuthorizationServer, runtimeOptions, staticClients } from "@gatehouse/http/auth/server";
 * import { assertEquals } from "@std/assert";
 *
 * const issuer = "https://id.example";
 * const stores = inMemoryAuthStores();
 * const runtime = registerAuth({
 *   secret: generateSecret(),
 *   stores,
 *   deployment: "direct",
 *   jwt: { issuer, audience: issuer, algorithms: ["ES256", "RS256"] },
 *   container: createContainer(), // an application leaves it out
 * });
 * const server = new AuthorizationServer({
 *   issuer,
 *   clients: staticClients([]),
 *   codes: stores.authorizations,
 *   tokens: stores.refreshTokens,
 *   keyService: runtime.tokens.keys,
 *   ...runtimeOptions(runtime, { signInPath: "/sign-in" }),
 * });
 * assertEquals(await server.listGrants("u1"), []);
 * ```
 */
export function runtimeOptions(
  runtime: AuthRuntime<never>,
  { signInPath = "/sign-in" }: RuntimeServerOptions = {},
): Pick<
  AuthorizationServerOptions,
  | "authenticate"
  | "signOut"
  | "login"
  | "users"
  | "throttle"
  | "clientAddress"
  | "events"
  | "warn"
  | "now"
> {
  const { cookies, sessions, throttle, events, warn, now } = runtime;
  return {
    async authenticate(request) {
      const cookie = cookies.read(request, "sid");
      const active = cookie.status === "found" ? await sessions.verify(cookie.value) : undefined;
      const securityStamp = active && securityStampOf(active);
      if (active === undefined || securityStamp === undefined) return undefined;
      const { id: sessionId, sub, authTime, amr, acr } = active.session;
      return {
        sub,
        securityStamp,
        authTime,
        amr,
        sessionId,
        ...(acr === undefined ? {} : { acr }),
      };
    },
    async signOut(request) {
      await runtime.signOut(request); // queues all cookies for a router with authentication
      return [cookies.clear("sid")];
    },
    login: signInAt(signInPath),
    users: userStoreOf(runtime),
    throttle,
    clientAddress: (request, ...args) => runtime.client(request, ...args).address,
    events,
    warn,
    now,
  };
}
