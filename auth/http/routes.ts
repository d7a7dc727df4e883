/**
 * The mountable routes of authentication: register, login, logout, refresh, session, csrf.
 *
 * @module
 */

import type { EndpointMetadata } from "../../router/openapi_types.ts";
import { joinPaths } from "../../router/path.ts";
import { empty, json } from "../../router/response.ts";
import type { RouteOptions, RouteRequest, RouteSource, RouteTarget } from "../../router/types.ts";
import {
  readCredentials,
  readRefreshToken,
  readRemember,
  toPrincipalInfo,
} from "./_route_bodies.ts";
import { routeDocs } from "./_route_docs.ts";
import { cookieMode, keepPrivate, tokenMode } from "./_sign_in_modes.ts";
import { queueCookies, stateOf } from "./_request_state.ts";
import { rejectUnknownOptions } from "../_options.ts";
import { getPrincipal, getSession } from "./guard.ts";
import { finalizeResponse } from "./response_headers.ts";
import { requireAuth } from "./require.ts";
import { type AuthRuntime, getAuthRuntime } from "./runtime.ts";
import type { TokenService } from "../tokens/token_types.ts";

/** Options of {@linkcode createAuthRoutes}. */
export interface AuthRoutesOptions {
  /** Authentication. @default what `registerAuth()` put into the default container, looked up when this is called */
  readonly runtime?: AuthRuntime | undefined;
  /** Whether people may create accounts themselves; `closed` leaves `/register` out. @default {"open"} */
  readonly registration?: "open" | "closed" | undefined;
  /**
   * Whether a sign-in also hands out an access token and a refresh token, for programs that keep them themselves, and
   * `/refresh` exchanges the latter; `only` begins no session and sets no cookie, and so asks for no CSRF token either. Needs
   * the option `jwt` of {@linkcode registerAuth}.
   *
   * @default {false}
   */
  readonly tokens?: boolean | "only" | undefined;
}

/** A route of authentication, as data. */
export interface AuthRoute {
  /** Method. */
  readonly method: "GET" | "POST";
  /** Path beneath the base path. */
  readonly path: string;
  /** Answers. */
  readonly handler: (req: RouteRequest, ...args: unknown[]) => Promise<Response>;
  /** Options: public, since these routes check for themselves. */
  readonly options: RouteOptions<unknown[]> & { readonly auth: false };
}

/** Most bytes of a body. */
const MAX_BODY_BYTES = 16_384;

/**
 * Creates the routes of authentication; {@linkcode mountAuthRoutes} adds them to a router. Bodies are JSON of up to 16 KiB,
 * answers are `no-store`, refusals are problems. What changes something wants the token of `GET /csrf` in the header
 * field that the same answer names, and the cookies that came with it.
 *
 * | route | body | answer |
 * | --- | --- | --- |
 * | `POST /register` | `{ identifier, password }` | 201 `{ principal, session, user, csrfToken }`, cookies |
 * | `POST /login` | `{ identifier, password, remember? }` | 200, the same |
 * | `POST /logout` | none | 204, whatever the session's state |
 * | `GET /session` | | 200 `{ principal, session?, user? }`; 401 |
 * | `GET /csrf` | | 200 `{ csrfToken, header }`, cookies |
 *
 * With `tokens`, sign-ins also answer `{ accessToken, tokenType, expiresIn, refreshToken, scope? }`, and:
 *
 * | route | body | answer |
 * | --- | --- | --- |
 * | `POST /refresh` | `{ refreshToken }` | 200 `{ accessToken, tokenType, expiresIn, refreshToken, scope? }`; 401, the same for every reason; no CSRF token, since nothing comes along by itself |
 * | `POST /logout` | `{ refreshToken }`, or none | 204; ends that token, too |
 *
 * With `tokens: "only"` they are for programs alone, beneath a path of their own: `/login` and `/register` answer
 * `{ user, accessToken, … }` without a session, nothing asks for a CSRF token, and there is no `/csrf`.
 *
 * @throws {TypeError} If there is no runtime, `registration` is neither of the two, `tokens` is asked for and there are
 * none, or an option is unknown.
 */
export function createAuthRoutes(options: AuthRoutesOptions = {}): readonly AuthRoute[] {
  rejectUnknownOptions<AuthRoutesOptions>("Cannot create routes", options, {
    runtime: true,
    registration: true,
    tokens: true,
  });
  const { runtime = getAuthRuntime(), registration = "open" } = options;
  if (registration !== "open" && registration !== "closed") {
    throw new TypeError("Cannot create routes: registration is neither open nor closed");
  }
  if (![undefined, true, false, "only"].includes(options.tokens)) {
    throw new TypeError("Cannot create routes: tokens is none of true, false and only");
  }
  const { passwords, csrf } = runtime;
  const tokens = options.tokens ? tokensOf(runtime) : undefined;
  const forPrograms = options.tokens === "only";
  const way = tokens !== undefined && forPrograms ? tokenMode(tokens) : cookieMode(runtime, tokens);
  const docs = routeDocs({ header: csrf.header, tokens: options.tokens ?? false });
  const writes = { auth: false, use: way.use, maxBodyBytes: MAX_BODY_BYTES } as const;

  const register: AuthRoute = {
    method: "POST",
    path: "/register",
    options: { ...writes, openapi: docs.register },
    async handler(req, ...args) {
      const { identifier, password } = readCredentials(req.content);
      const client = runtime.client(req, ...args);
      await way.ready();
      const authentication = await passwords.createUser({ identifier, password }, { client });
      return json(await way.begin(req, authentication), { status: 201 });
    },
  };

  const csrfRoute: AuthRoute = {
    method: "GET",
    path: "/csrf",
    options: { auth: false, use: [finalizeResponse, keepPrivate], openapi: docs.csrf },
    async handler(req) {
      const { token, cookies } = await csrf.issue(req.raw);
      queueCookies(stateOf(req), cookies);
      return json({ csrfToken: token, header: csrf.header });
    },
  };

  const routes: readonly AuthRoute[] = [
    ...(registration === "open" ? [register] : []),
    {
      method: "POST",
      path: "/login",
      options: { ...writes, openapi: docs.login },
      async handler(req, ...args) {
        const { identifier, password, remember } = readCredentials(req.content);
        const isLasting = readRemember(remember);
        const client = runtime.client(req, ...args);
        await way.ready();
        const authentication = await passwords.verify({ identifier, password }, client);
        return json(await way.begin(req, authentication, isLasting));
      },
    },
    {
      method: "POST",
      path: "/logout",
      options: { ...writes, raw: true, openapi: docs.logout },
      async handler(req) {
        await way.end(req);
        return empty();
      },
    },
    ...(tokens === undefined ? [] : [refreshRoute(tokens, docs.refresh)]),
    {
      method: "GET",
      path: "/session",
      options: {
        auth: false,
        use: [finalizeResponse, keepPrivate, requireAuth({ runtime })],
        openapi: docs.session,
      },
      // deno-lint-ignore require-await -- what it throws is a refusal
      async handler(req) {
        const principal = getPrincipal(req);
        if (principal === undefined) throw new TypeError("Cannot answer: the guard did not run");
        const active = getSession(req);
        if (active === undefined) return json({ principal: toPrincipalInfo(principal) });
        const { session, user: { sub, identifier } } = active;
        return json({ principal: toPrincipalInfo(principal), session, user: { sub, identifier } });
      },
    },
    ...(forPrograms ? [] : [csrfRoute]),
  ];
  for (const route of routes) {
    Object.freeze(route.options.use);
    Object.freeze(Object.freeze(route).options);
  }
  return Object.freeze(routes);
}

function tokensOf({ tokens }: AuthRuntime): TokenService {
  if (tokens !== undefined) return tokens;
  throw new TypeError("Cannot create routes: tokens needs the option jwt of registerAuth()");
}

/** Nothing comes along with it by itself, so that nobody can forge it. */
function refreshRoute(tokens: TokenService, openapi: EndpointMetadata): AuthRoute {
  return {
    method: "POST",
    path: "/refresh",
    options: {
      auth: false,
      use: [finalizeResponse, (req) => void (stateOf(req).isPrivate = true)],
      maxBodyBytes: MAX_BODY_BYTES,
      openapi,
    },
    handler: async (req) => json(await tokens.refresh(readRefreshToken(req.content))),
  };
}

/**
 * Adds routes of authentication to a router, guarded or not.
 *
 * @param basePath Path that they are beneath, behind the router's prefix.
 * @returns The same router.
 * @throws {TypeError} If the path is none, the router has such a route, or it has begun to answer.
 *
 * @example
 * ```ts
 * import {
 *   createAuthRoutes,
 *   createContainer,
 *   createRouter,
 *   inMemoryAuthStores,
 *   mountAuthRoutes,
 *   registerAuth,
 * } from "@gatehouse/http";
 * import { assertEquals } from "@std/assert";
 *
 * const runtime = registerAuth({
 *   secret: "a secret of at least 32 bytes, kept",
 *   stores: inMemoryAuthStores(),
 *   container: createContainer(),
 * });
 * const router = mountAuthRoutes(createRouter(), createAuthRoutes({ runtime }), "/auth");
 * const { header } = await (await router.request("/auth/csrf")).json();
 * assertEquals(header, "X-CSRF-Token");
 * ```
 */
export function mountAuthRoutes<R extends RouteSource | RouteTarget>(
  router: R,
  routes: readonly AuthRoute[],
  basePath: string = "/auth",
): R {
  const target = router as unknown as RouteTarget;
  for (const { method, path, handler, options } of routes) {
    const add = method === "GET" ? target.get : target.post;
    add(joinPaths(basePath, path), handler, options);
  }
  return router;
}
