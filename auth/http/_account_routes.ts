/**
 * The routes of accounts by e-mail, which `createAuthRoutes` adds to its own. A GET changes nothing: programs that scan mail
 * follow links.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import { empty, json } from "../../router/response.ts";
import type { RouteRequest } from "../../router/types.ts";
import type { AccountService, MailSignIn } from "../accounts/account_types.ts";
import { type AccountRouteName, describeAccountRoutes } from "./documents/accounts.ts";
import { type BrowserRouteParts, type PostRoute, postRoute } from "./_browser_route_parts.ts";
import { messageContext } from "./_message_context.ts";
import { readFlag, readMembers, readString } from "./_route_bodies.ts";
import { requireSub, sessionGuard } from "./_session_guard.ts";
import type { AuthRoute } from "./types.ts";

/** Seconds since the sign-in, at most, to change the address. */
const MAX_AGE = 900;

/** Creates the routes of the flows that are on. */
export function accountRoutes(
  accounts: AccountService,
  parts: BrowserRouteParts,
): readonly AuthRoute[] {
  const { runtime, tokens, completeSignIn } = parts;
  const { flows } = accounts;
  const documents = describeAccountRoutes(parts);
  const hasSession = sessionGuard(runtime, { mode: "required" });
  const recent = { mode: "required", maxAge: MAX_AGE } as const;
  const hasBoth = sessionGuard(runtime, recent, { bothFactors: true });

  function post(
    isOn: boolean,
    name: AccountRouteName,
    handler: AuthRoute["handler"],
    more: Pick<PostRoute, "use" | "raw"> = {},
  ): readonly AuthRoute[] {
    const route = { path: `/${name}`, openapi: documents[name], handler, ...more };
    return isOn ? [postRoute(parts, route)] : [];
  }

  /** Sends what signs in. */
  function sendSignIn(send: AccountService["sendSignInLink"]): AuthRoute["handler"] {
    return async (req, ...args) => {
      const { email, remember } = readMembers(req.content);
      const options = { remember: readFlag("remember", remember) };
      const context = await messageContext(runtime, req, args);
      await send(readString("email", email), { ...context, ...options });
      return empty(202);
    };
  }

  async function complete(req: RouteRequest, signIn: () => Promise<MailSignIn>): Promise<Response> {
    await tokens?.keys.jwks(); // rejects while no key signs, before the link is used
    const { authentication, user, remember } = await signIn();
    const options = { remember, method: "email" };
    return json(await completeSignIn(req, authentication, user, options));
  }

  return [
    ...post(flows.verifyEmail, "email/verify/start", async (req, ...args) => {
      await accounts.sendVerification(requireSub(req), await messageContext(runtime, req, args));
      return empty(202);
    }, { use: [hasSession], raw: true }),
    ...post(flows.verifyEmail || flows.changeEmail, "email/verify/finish", async (req, ...args) => {
      const { token } = readMembers(req.content);
      const given = readString("token", token);
      const context = await messageContext(runtime, req, args);
      const { email } = await accounts.verifyEmail(given, requireSub(req), context);
      return json({ email });
    }, { use: [hasSession] }),
    ...post(flows.changeEmail, "email/change", async (req, ...args) => {
      const { email } = readMembers(req.content);
      const context = await messageContext(runtime, req, args);
      await accounts.changeEmail(requireSub(req), readString("email", email), context);
      return empty(202);
    }, { use: [hasBoth] }),

    ...post(flows.resetPassword, "password/forgot", async (req, ...args) => {
      const { identifier } = readMembers(req.content);
      const given = readString("identifier", identifier);
      await accounts.forgotPassword(given, await messageContext(runtime, req, args));
      return empty(202);
    }),
    ...post(flows.resetPassword, "password/reset", async (req) => {
      const { token, newPassword } = readMembers(req.content);
      const password = readString("newPassword", newPassword);
      await accounts.resetPassword(readString("token", token), password);
      return empty();
    }),

    ...post(flows.signInLink, "link/start", sendSignIn(accounts.sendSignInLink)),
    ...post(flows.signInLink, "link/finish", async (req) => {
      const token = readString("token", readMembers(req.content)["token"]);
      const browser = await runtime.csrf.binding(originalRequest(req));
      return await complete(req, () => accounts.signInByLink(token, browser));
    }),

    ...post(flows.signInCode, "code/start", sendSignIn(accounts.sendSignInCode)),
    ...post(flows.signInCode, "code/finish", async (req, ...args) => {
      const { email, code } = readMembers(req.content);
      const [address, digits] = [readString("email", email), readString("code", code)];
      const context = await messageContext(runtime, req, args);
      return await complete(req, () => accounts.signInByCode(address, digits, context));
    }),
  ];
}
