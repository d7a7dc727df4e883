/**
 * An application with cookies and tokens, and pages and programs that send requests to it.
 *
 * @module
 */

import { createCookieJar } from "../../../auth/testing/_cookie_jar.ts";
import type { Api } from "../../../openapi/client/runtime.ts";
import { pbkdf2Hasher } from "../../../auth/mod.ts";
import {
  type AuthRuntime,
  createContainer,
  createTokenRoutes,
  generateSecret,
  inMemoryAuthStores,
  json,
  mountAuthRoutes,
  registerAuth,
  routerBuilder,
} from "../../../mod.ts";

/** Where the application is. */
export const ORIGIN = "http://localhost";
/** What clients know of it. */
export const API: Api = { csrf: "/auth/csrf", refresh: "/tokens/refresh", routes: {} };
/** Its user. */
export const ADA = { identifier: "ada@example.org", password: "lovelace wrote notes" };

/** An application with cookies and tokens, and the requests that it got. */
export interface Site {
  readonly runtime: AuthRuntime<never>;
  readonly requests: Request[];
  /** Moves its clock on. */
  wait(seconds: number): void;
  /** Requests to a path. */
  count(path: string): number;
  /** Sends a request as a page does: with cookies, and with where it comes from. */
  page(): (request: Request) => Promise<Response>;
  /** Sends a request without either. */
  readonly program: (request: Request) => Promise<Response>;
}

/** Creates an application. */
export async function site(): Promise<Site> {
  let waited = 0;
  const now = () => 1_800_000_000 + waited;
  const runtime = registerAuth({
    secret: generateSecret(),
    stores: inMemoryAuthStores(),
    hasher: pbkdf2Hasher({ iterations: 1_000 }), // fast: the hash is not under test
    deployment: { clientAddress: () => "192.0.2.1" },
    csrf: "token",
    jwt: { issuer: ORIGIN, audience: ORIGIN },
    container: createContainer(),
    now,
  });
  const router = routerBuilder()
    .withAuth(runtime.integration({ routes: { registration: "open" } }))
    .build()
    .get("/notes", (req) => json({ by: req.principal.sub }))
    .post("/notes", (req) => json({ by: req.principal.sub }, { status: 201 }));
  mountAuthRoutes(router, createTokenRoutes({ runtime }), "/tokens");
  await runtime.passwords.createUser(ADA);
  const requests: Request[] = [];
  const program = async (request: Request) => {
    requests.push(request.clone());
    return await router.fetch(request);
  };
  return {
    runtime,
    requests,
    program,
    wait: (seconds) => void (waited += seconds),
    count: (path) => requests.filter(({ url }) => new URL(url).pathname === path).length,
    page() {
      const jar = createCookieJar(now);
      return async (request) => {
        const url = new URL(request.url);
        const headers = new Headers(request.headers);
        headers.set("Sec-Fetch-Site", "same-origin");
        const cookie = jar.field(url);
        if (cookie !== undefined) headers.set("Cookie", cookie);
        const response = await program(new Request(request, { headers }));
        jar.store(url, response.headers.getSetCookie());
        return response;
      };
    },
  };
}
