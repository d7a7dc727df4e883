/**
 * The routes of passkeys, which `createAuthRoutes` adds to its own.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import { HttpError } from "../../router/problem.ts";
import { empty, json } from "../../router/response.ts";
import type { Middleware, RouteRequest } from "../../router/types.ts";
import { isJsonObject } from "../_strict_json.ts";
import { AuthError } from "../error.ts";
import { NAME_RULE, parsePasskeyName } from "../webauthn/passkey_info.ts";
import type { CeremonyClient, WebAuthnService } from "../webauthn/service_types.ts";
import { messageContext } from "./_message_context.ts";
import { type BrowserRouteParts, postRoute } from "./_browser_route_parts.ts";
import { invalid, readFlag, readMembers, readString } from "./_route_bodies.ts";
import { keepPrivate } from "./_shared_routes.ts";
import { describePasskeyRoutes, type PasskeyRouteName } from "./documents/webauthn.ts";
import { requireSub, sessionGuard } from "./_session_guard.ts";
import { getPrincipal } from "./get_principal.ts";
import { finalizeResponse } from "./response_headers.ts";
import type { AuthRoute } from "./types.ts";

/** An attestation with certificates has some kilobytes. */
const MAX_BODY_BYTES = 65_536;

/** Creates the routes. Sign-ups need both: open registration, and the option `signUp` of the service. */
export function webAuthnRoutes(
  webauthn: WebAuthnService,
  parts: BrowserRouteParts,
  isOpen: boolean,
): readonly AuthRoute[] {
  const { runtime, tokens, completeSignIn } = parts;
  const documents = describePasskeyRoutes(parts, tokens !== undefined);
  const { maxAge } = webauthn;
  const hasSession = sessionGuard(runtime, { mode: "required" });
  const hasRecentSession = sessionGuard(runtime, { mode: "required", maxAge }, {
    bothFactors: true,
  });
  const mode = isOpen && webauthn.signUp ? "optional" : "required";
  const mayRegister = sessionGuard(runtime, { mode, maxAge }, { bothFactors: true });

  function post(
    name: PasskeyRouteName,
    use: readonly Middleware<unknown[]>[],
    handler: AuthRoute["handler"],
  ): AuthRoute {
    return postRoute(parts, {
      path: `/webauthn/${name}`,
      openapi: documents[name],
      use,
      maxBodyBytes: MAX_BODY_BYTES,
      handler,
    });
  }

  /** Bound to the browser: otherwise an attacker could begin a ceremony and make another browser complete it. */
  async function ceremonyClient(
    req: RouteRequest,
    args: readonly unknown[],
  ): Promise<CeremonyClient> {
    const browser = await runtime.csrf.binding(originalRequest(req));
    if (browser === undefined) throw new AuthError("csrf_failed", { reason: "cookie_missing" });
    return { browser, client: runtime.client(req, ...args) };
  }

  return [
    post("register/options", [mayRegister], async (req, ...args) => {
      const { identifier, conditional } = readMembers(req.content);
      const isConditional = readFlag("conditional", conditional);
      const client = await ceremonyClient(req, args);
      if (identifier === undefined) {
        const options = { ...client, conditional: isConditional };
        return json(await webauthn.registrationOptions(requireSub(req), options));
      }
      if (getPrincipal(req) !== undefined) { // another account than the page shows must not get the passkey
        throw invalid("/identifier", "Expected no identifier, since a user is signed in");
      }
      const given = readString("identifier", identifier);
      await runtime.accounts?.removeExpired(given);
      return json(await webauthn.signUpOptions(given, client));
    }),

    post("register/verify", [mayRegister], async (req, ...args) => {
      const { content } = req;
      const sub = getPrincipal(req)?.sub;
      const name = isJsonObject(content) ? content["name"] : undefined;
      const checked = name === undefined ? undefined : readName(name);
      const options = { ...await ceremonyClient(req, args), sub, name: checked };
      if (sub === undefined) await tokens?.keys.jwks(); // rejects while no key signs, before an account is created
      const { credential, signUp } = await webauthn.verifyRegistration(content, options);
      if (signUp !== undefined) {
        const context = await messageContext(runtime, req, args);
        await runtime.accounts?.welcome(signUp.sub, undefined, context);
      }
      const signedIn = signUp &&
        await completeSignIn(req, signUp, signUp.user, { method: "webauthn" });
      return json({ ...signedIn, credential }, { status: 201 });
    }),

    post("login/options", [], async (req, ...args) => {
      const { identifier } = readMembers(req.content);
      const given = identifier === undefined ? undefined : readString("identifier", identifier);
      const client = await ceremonyClient(req, args);
      return json(await webauthn.authenticationOptions({ ...client, identifier: given }));
    }),

    post("login/verify", [], async (req, ...args) => {
      const { content } = req;
      const remember = readFlag(
        "remember",
        isJsonObject(content) ? content["remember"] : undefined,
      );
      const client = await ceremonyClient(req, args);
      await tokens?.keys.jwks(); // rejects while no key signs, before the challenge is used
      const authentication = await webauthn.verifyAuthentication(content, client);
      const options = { remember, method: "webauthn" };
      return json(await completeSignIn(req, authentication, authentication.user, options));
    }),

    {
      method: "GET",
      path: "/webauthn/credentials",
      options: {
        auth: false,
        use: [finalizeResponse, keepPrivate, hasSession],
        openapi: documents["credentials"],
      },
      handler: async (req) => json(await webauthn.list(requireSub(req))),
    },

    post("credentials/rename", [hasSession], async (req) => {
      const { id, name } = readMembers(req.content);
      const credentialId = readString("id", id);
      const isFound = await webauthn.rename(requireSub(req), credentialId, readName(name));
      if (!isFound) throw new HttpError(404, "not_found");
      return empty();
    }),

    post("credentials/remove", [hasRecentSession], async (req) => {
      const { id } = readMembers(req.content);
      const isFound = await webauthn.remove(requireSub(req), readString("id", id));
      if (!isFound) throw new HttpError(404, "not_found");
      return empty();
    }),
  ];
}

/** The name of a passkey. */
function readName(name: unknown): string {
  const parsed = parsePasskeyName(name);
  if (parsed === undefined) throw invalid("/name", `Expected ${NAME_RULE}`);
  return parsed;
}
