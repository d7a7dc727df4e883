/**
 * The mountable routes of authentication: register, login, logout, session, csrf.
 *
 * @module
 */

import { joinPaths } from "../router/path.ts";
import { HttpError } from "../router/problem.ts";
import { empty, json } from "../router/response.ts";
import type { RouteOptions, RouteRequest, RouteSource, RouteTarget } from "../router/types.ts";
import { routeDocs } from "./_http_route_docs.ts";
import { dependOn, queueCookies, stateOf } from "./_http_state.ts";
import { checkNames } from "./_options.ts";
import { csrfGuard } from "./http_csrf.ts";
import { getPrincipal, getSession } from "./http_guard.ts";
import { sealAnswer } from "./http_headers.ts";
import { requireAuth } from "./http_require.ts";
import { type AuthRuntime, getAuthRuntime } from "./http_runtime.ts";
import type { PasswordCredentials } from "./passwords.ts";
import type { PasswordAuthentication, Principal } from "./principal.ts";

/** Options of {@linkcode createAuthRoutes}. */
export interface AuthRoutesOptions {
  /** Authentication. @default what `registerAuth()` put into the default container, looked up when this is called */
  readonly runtime?: AuthRuntime | undefined;
  /** Whether people may create accounts themselves; `closed` leaves `/register` out. @default {"open"} */
  readonly registration?: "open" | "closed" | undefined;
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
 * @throws {TypeError} If there is no runtime, `registration` is neither of the two, or an option is unknown.
 */
export function createAuthRoutes(options: AuthRoutesOptions = {}): readonly AuthRoute[] {
  checkNames("Cannot create routes", options, { runtime: true, registration: true });
  const { runtime = getAuthRuntime(), registration = "open" } = options;
  if (registration !== "open" && registration !== "closed") {
    throw new TypeError("Cannot create routes: registration is neither open nor closed");
  }
  const { passwords, csrf } = runtime;
  const docs = routeDocs(csrf.header);
  const writes = {
    auth: false,
    use: [sealAnswer, keepPrivate, csrfGuard({ csrf })],
    maxBodyBytes: MAX_BODY_BYTES,
  } as const;

  async function begin(
    req: RouteRequest,
    authentication: PasswordAuthentication,
    remember?: boolean,
  ): Promise<object> {
    const { principal, session, csrfToken } = await runtime.signIn(req, authentication, {
      remember,
    });
    const { sub, identifier } = authentication;
    return { principal: shown(principal), session, user: { sub, identifier }, csrfToken };
  }

  const register: AuthRoute = {
    method: "POST",
    path: "/register",
    options: { ...writes, openapi: docs.register },
    async handler(req, ...args) {
      const { identifier, password } = readCredentials(req.content);
      const client = runtime.client(req, ...args);
      const authentication = await passwords.createUser({ identifier, password }, { client });
      return json(await begin(req, authentication), { status: 201 });
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
        const authentication = await passwords.verify({ identifier, password }, client);
        return json(await begin(req, authentication, isLasting));
      },
    },
    {
      method: "POST",
      path: "/logout",
      options: { ...writes, raw: true, openapi: docs.logout },
      async handler(req) {
        await runtime.signOut(req);
        return empty();
      },
    },
    {
      method: "GET",
      path: "/session",
      options: {
        auth: false,
        use: [sealAnswer, keepPrivate, requireAuth({ runtime })],
        openapi: docs.session,
      },
      // deno-lint-ignore require-await -- what it throws is a refusal
      async handler(req) {
        const principal = getPrincipal(req);
        if (principal === undefined) throw new TypeError("Cannot answer: the guard did not run");
        const active = getSession(req);
        if (active === undefined) return json({ principal: shown(principal) });
        const { session, user: { sub, identifier } } = active;
        return json({ principal: shown(principal), session, user: { sub, identifier } });
      },
    },
    {
      method: "GET",
      path: "/csrf",
      options: { auth: false, use: [sealAnswer, keepPrivate], openapi: docs.csrf },
      async handler(req) {
        const { token, cookies } = await csrf.issue(req.raw);
        queueCookies(stateOf(req), cookies);
        return json({ csrfToken: token, header: csrf.header });
      },
    },
  ];
  for (const route of routes) {
    Object.freeze(route.options.use);
    Object.freeze(Object.freeze(route).options);
  }
  return Object.freeze(routes);
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

/** What these routes answer depends on the browser, and is for it alone. */
function keepPrivate(req: RouteRequest): void {
  const state = stateOf(req);
  dependOn(state, ["Cookie"]);
  state.isPrivate = true;
}

/** Member by member: nobody has checked whether its owner may know the claims, and whatever else a strategy put there. */
function shown(principal: Principal): Omit<Principal, "claims"> {
  const { sub, method, amr, acr, authTime, scope, sessionId } = principal;
  return {
    sub,
    method,
    ...(amr === undefined ? {} : { amr }),
    ...(acr === undefined ? {} : { acr }),
    authTime,
    ...(scope === undefined ? {} : { scope }),
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** What of a body is no text is for the services to refuse, as they refuse what is no identifier or no password. */
function readCredentials(content: unknown): PasswordCredentials & { remember: unknown } {
  if (typeof content !== "object" || content === null || Array.isArray(content)) {
    throw invalid("", "Expected an object");
  }
  const { identifier, password, remember } = content as Record<string, unknown>;
  return { identifier: identifier as string, password: password as string, remember };
}

function readRemember(remember: unknown): boolean {
  if (remember === undefined || typeof remember === "boolean") return remember === true;
  throw invalid("/remember", "Expected true or false");
}

function invalid(pointer: string, message: string): HttpError {
  return new HttpError(422, "validation_failed", {
    violations: [{ in: "body", pointer, message }],
  });
}
