/**
 * The routes of sign-in with OAuth providers, which `createAuthRoutes` adds to its own.
 *
 * @module
 */

import { originalRequest } from "../../router/original_request.ts";
import { errorResponse, HttpError } from "../../router/problem.ts";
import { empty, json, redirect } from "../../router/response.ts";
import type { Middleware, RouteRequest } from "../../router/types.ts";
import { AuthError } from "../error.ts";
import type { OAuthClient } from "../oauth/client_types.ts";
import type { IdentityService } from "../oauth/identity_types.ts";
import { safeRedirectPath } from "../redirect_target.ts";
import { type BrowserRouteParts, type PostRoute, postRoute } from "./_browser_route_parts.ts";
import { describeOAuthRoutes, type OAuthRouteName } from "./documents/oauth.ts";
import { queueCookies, stateOf } from "./_request_state.ts";
import { readMembers, readString } from "./_route_bodies.ts";
import { requireSub, sessionGuard } from "./_session_guard.ts";
import { keepPrivate } from "./_shared_routes.ts";
import { getPrincipal, getSession } from "./get_principal.ts";
import { finalizeResponse } from "./response_headers.ts";
import type { AuthRoute } from "./types.ts";

/** Options of the routes. */
export interface OAuthRoutesOptions {
  readonly clients: Readonly<Record<string, OAuthClient>>;
  readonly identities: IdentityService;
  /** Where the browser goes after a failure; `undefined` for a problem. */
  readonly failurePath: string | undefined;
  /** Whether a first sign-in creates an account, unless the service says it. */
  readonly isOpen: boolean;
}

/** A form has an error description and Apple's `user` beside the code. */
const MAX_FORM_BYTES = 65_536;

/** Seconds since the sign-in within which identities may be linked and removed. */
const MAX_AGE = 900;

const MAX_AGE_REGEXP = /^\d{1,7}$/;

/** Creates the routes. */
export function oauthRoutes(
  { clients, identities, failurePath, isOpen }: OAuthRoutesOptions,
  parts: BrowserRouteParts,
): readonly AuthRoute[] {
  const { runtime } = parts;
  const documents = describeOAuthRoutes(parts, Object.keys(clients));
  const reads = { auth: false, use: [finalizeResponse, keepPrivate] } as const;
  const mayHaveSession = sessionGuard(runtime, { mode: "optional" });
  const hasSession = sessionGuard(runtime, { mode: "required" });
  const hasRecentSession = sessionGuard(
    runtime,
    { mode: "required", maxAge: MAX_AGE },
    { bothFactors: true },
  );

  function post(
    name: OAuthRouteName,
    use: readonly Middleware<unknown[]>[],
    handler: AuthRoute["handler"],
    more: Pick<PostRoute, "raw"> = {},
  ): AuthRoute {
    return postRoute(parts, { path: `/${name}`, openapi: documents[name], use, handler, ...more });
  }

  function clientOf({ params }: RouteRequest): OAuthClient {
    const { provider = "" } = params as Readonly<Record<string, string>>;
    const client = Object.hasOwn(clients, provider) ? clients[provider] : undefined;
    if (client === undefined) throw new HttpError(404, "not_found");
    return client;
  }

  async function start(req: RouteRequest, args: readonly unknown[]): Promise<Response> {
    const client = clientOf(req);
    const { searchParams } = new URL(req.url);
    const maxAge = searchParams.get("max_age");
    if (maxAge !== null && !MAX_AGE_REGEXP.test(maxAge)) {
      throw new HttpError(422, "validation_failed", {
        violations: [{ in: "query", pointer: "/max_age", message: "Expected seconds" }],
      });
    }
    await runtime.throttle?.challenge(runtime.client(req, ...args)); // it stores a transaction
    const { url, cookies } = await client.start(originalRequest(req), {
      redirectTo: readTarget(searchParams.get("redirect_to")),
      remember: searchParams.get("remember") === "true",
      ...(maxAge === null ? {} : { maxAge: Number(maxAge) }),
    });
    queueCookies(stateOf(req), cookies);
    return leave(url);
  }

  /** The provider's response: an account, then a session, or the identity in the account that began the link. */
  async function complete(req: RouteRequest): Promise<Response> {
    const client = clientOf(req);
    const result = await client.callback(req.raw);
    queueCookies(stateOf(req), result.cookies);
    const registration = isOpen ? "open" : "closed";
    const { email = "", emailVerified } = result.profile;
    if (isOpen && emailVerified) await runtime.accounts?.removeExpired(email);
    const { authentication, account } = await identities.resolve(result, { registration });
    if (account !== "linked") {
      const { remember } = result;
      await runtime.signIn(req, authentication, { method: "oauth", remember });
    }
    return leave(result.redirectTo);
  }

  /** With the ID token if it is kept: otherwise the provider asks the user. */
  async function endSessionUrl(
    client: OAuthClient,
    sub: string | undefined,
  ): Promise<string | undefined> {
    try {
      const kept = sub === undefined ? undefined : await identities.tokens(client, sub);
      return await client.endSessionUrl({ idToken: kept?.idToken });
    } catch (error) {
      if (error instanceof AuthError) return undefined; // the provider does not answer
      throw error;
    }
  }

  async function callback(req: RouteRequest): Promise<Response> {
    try {
      return await complete(req);
    } catch (error) {
      if (!(error instanceof AuthError)) throw error;
      if (failurePath !== undefined) return leave(failureTarget(failurePath, error.code));
      if (error.status >= 500) throw error;
      return withoutReferrer(errorResponse(error));
    }
  }

  const hasForm = Object.values(clients).some(({ provider }) =>
    provider.responseMode === "form_post"
  );
  const posted: AuthRoute = {
    method: "POST",
    path: "/oauth/:provider/callback",
    options: {
      ...reads,
      raw: true,
      maxBodyBytes: MAX_FORM_BYTES,
      openapi: documents["oauth/:provider/callback"],
    },
    handler: callback,
  };

  return [
    {
      method: "GET",
      path: "/oauth/:provider/start",
      options: { ...reads, openapi: documents["oauth/:provider/start"] },
      handler: (req, ...args) => start(req, args),
    },
    {
      method: "GET",
      path: "/oauth/:provider/callback",
      options: { ...reads, openapi: documents["oauth/:provider/callback"] },
      handler: callback,
    },
    ...(hasForm ? [posted] : []),

    post("oauth/:provider/link", [hasRecentSession], async (req) => {
      const client = clientOf(req);
      const { redirectTo } = readMembers(req.content);
      const target = redirectTo === undefined ? undefined : readString("redirectTo", redirectTo);
      const { url, cookies } = await client.start(originalRequest(req), {
        redirectTo: readTarget(target ?? null),
        link: { sub: requireSub(req), sessionId: getSession(req)?.session.id ?? "" },
      });
      queueCookies(stateOf(req), cookies);
      return json({ url });
    }),

    post("oauth/:provider/logout", [mayHaveSession], async (req) => {
      const client = clientOf(req);
      const principal = getPrincipal(req);
      await runtime.signOut(req); // whether or not the provider answers
      const url = await endSessionUrl(client, principal?.sub);
      return json(url === undefined ? {} : { url });
    }, { raw: true }),

    {
      method: "POST",
      path: "/oauth/:provider/backchannel-logout",
      options: {
        ...reads,
        raw: true,
        maxBodyBytes: MAX_FORM_BYTES,
        openapi: documents["oauth/:provider/backchannel-logout"],
      },
      async handler(req) { // by the provider's server: no cookie, so no CSRF
        const client = clientOf(req);
        const token = await readLogoutToken(req);
        if (token === undefined) {
          throw new AuthError("oauth_failed", { reason: "logout_token_refused" });
        }
        await identities.endSessions(await client.verifyLogoutToken(token));
        return empty(200);
      },
    },

    {
      method: "GET",
      path: "/identities",
      options: {
        ...reads,
        use: [...reads.use, hasSession],
        openapi: documents["identities"],
      },
      handler: async (req) =>
        json({
          identities: await identities.list(requireSub(req)),
          providers: Object.keys(clients),
        }),
    },

    post("identities/unlink", [hasRecentSession], async (req) => {
      const { id } = readMembers(req.content);
      const isFound = await identities.unlink(requireSub(req), readString("id", id));
      if (!isFound) throw new HttpError(404, "not_found");
      return empty();
    }),
  ];
}

const FORM_TYPE_REGEXP = /^application\/x-www-form-urlencoded *(?:;|$)/i;

/** The one `logout_token` of a form, Back-Channel Logout §2.5. */
async function readLogoutToken(req: RouteRequest): Promise<string | undefined> {
  if (!FORM_TYPE_REGEXP.test(req.headers.get("Content-Type") ?? "")) return undefined;
  const [token, ...more] = new URLSearchParams(await req.text()).getAll("logout_token");
  return more.length === 0 ? token : undefined;
}

/** A path of this service; `undefined` if none was given. */
function readTarget(value: string | null): string | undefined {
  if (value === null) return undefined;
  const target = safeRedirectPath(value, "");
  if (target === "") {
    throw new HttpError(400, "invalid_redirect", {
      detail: "The target must be a path of this service",
    });
  }
  return target;
}

function failureTarget(path: string, code: string): string {
  return `${path}${path.includes("?") ? "&" : "?"}error=${encodeURIComponent(code)}`;
}

/** By GET, whatever the method of this request: RFC 9700 §4.12. */
function leave(url: string): Response {
  return withoutReferrer(redirect(url, 303));
}

/** The URL of the callback contains the code, RFC 9700 §4.2. */
function withoutReferrer(response: Response): Response {
  response.headers.set("Referrer-Policy", "no-referrer");
  return response;
}
