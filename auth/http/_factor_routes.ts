/**
 * The routes of second factors, which `createAuthRoutes` adds to its own.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import { empty, json } from "../../router/response.ts";
import type { Middleware } from "../../router/types.ts";
import { AuthError } from "../error.ts";
import type { SecondFactors } from "../factors/sign_in_types.ts";
import { authenticationOf } from "../session/session_service.ts";
import type { UserInfo } from "../users/user_info.ts";
import { type BrowserRouteParts, type PostRoute, postRoute } from "./_browser_route_parts.ts";
import { queueCookies, stateOf } from "./_request_state.ts";
import { readFlag, readMembers, readString } from "./_route_bodies.ts";
import { readProof } from "./_second_factor.ts";
import { requireSub, sessionGuard } from "./_session_guard.ts";
import { keepPrivate } from "./_shared_routes.ts";
import { describeFactorRoutes, type FactorRouteName } from "./documents/factors.ts";
import { getSession } from "./get_principal.ts";
import { finalizeResponse } from "./response_headers.ts";
import type { AuthRoute } from "./types.ts";

/** Seconds since the sign-in, at most, to change second factors. */
const MAX_AGE = 900;

/** Creates the routes. */
export function factorRoutes(
  factors: SecondFactors,
  parts: BrowserRouteParts,
): readonly AuthRoute[] {
  const { runtime, tokens, completeSignIn } = parts;
  const { cookies } = runtime;
  const documents = describeFactorRoutes(parts);
  const hasSession = sessionGuard(runtime, { mode: "required" });
  /** The second factor must not be replaced with the password alone. */
  const maySetUp = sessionGuard(runtime, { mode: "required", maxAge: MAX_AGE }, {
    bothFactors: true,
  });
  const hasBoth = sessionGuard(runtime, { mode: "required", maxAge: MAX_AGE, amr: ["mfa"] });

  function post(
    name: FactorRouteName,
    use: readonly Middleware<unknown[]>[],
    handler: AuthRoute["handler"],
    more: Pick<PostRoute, "raw"> = {},
  ): AuthRoute {
    return postRoute(parts, { path: `/${name}`, openapi: documents[name], use, handler, ...more });
  }

  async function requireUser(sub: string): Promise<UserInfo> {
    const user = await runtime.users.find(sub);
    if (user === undefined) throw new AuthError("unauthenticated");
    return user;
  }

  return [
    post("login/second-factor", [], async (req, ...args) => {
      const members = readMembers(req.content);
      const proof = readProof(members);
      const isRemembered = readFlag("rememberBrowser", members["rememberBrowser"]);
      const ticket = cookies.read(originalRequest(req), "mfa");
      if (ticket.status !== "found") {
        throw new AuthError("mfa_expired", { detail: "Sign in again" });
      }
      await tokens?.keys.jwks(); // rejects while no key signs, before the ticket is used
      const client = runtime.client(req, ...args);
      const { authentication, ...signIn } = await factors.complete(ticket.value, proof, client);
      const user = await requireUser(authentication.sub);
      const response = await completeSignIn(req, authentication, user, signIn);
      const remembered = isRemembered ? await factors.rememberBrowser(authentication) : undefined;
      queueCookies(stateOf(req), [
        cookies.clear("mfa"),
        ...(remembered === undefined
          ? []
          : [cookies.set("mfadev", remembered.cookie, { maxAge: remembered.maxAge })]),
      ]);
      return json(response);
    }),

    post("step-up", [hasSession], async (req, ...args) => {
      const proof = readProof(readMembers(req.content));
      const active = getSession(req);
      const first = active && authenticationOf(active); // with its stamp: a new password ends the next session, too
      if (active === undefined || first === undefined) throw new AuthError("unauthenticated");
      await tokens?.keys.jwks();
      const client = runtime.client(req, ...args);
      const both = await factors.stepUp(first, proof, client);
      const { session: { persistent: remember }, user } = active;
      return json(await completeSignIn(req, both, user, { remember, method: "session" }));
    }),

    {
      method: "GET",
      path: "/second-factors",
      options: {
        auth: false,
        use: [finalizeResponse, keepPrivate, hasSession],
        openapi: documents["second-factors"],
      },
      handler: async (req) => json(await factors.list(requireSub(req))),
    },

    post("second-factors/totp/start", [maySetUp], async (req) => {
      const { sub, identifier } = await requireUser(requireSub(req));
      return json(await factors.enrolTotp(sub, identifier));
    }, { raw: true }),
    post("second-factors/totp/confirm", [maySetUp], async (req) => {
      const { code } = readMembers(req.content);
      return json(await factors.confirmTotp(requireSub(req), readString("code", code)));
    }),
    post("second-factors/recovery-codes", [hasBoth], async (req) => {
      const recoveryCodes = await factors.regenerateRecoveryCodes(requireSub(req));
      return json({ recoveryCodes });
    }, { raw: true }),
    post("second-factors/remove", [hasBoth], async (req) => {
      await factors.remove(requireSub(req));
      return empty();
    }, { raw: true }),
  ];
}
