/**
 * Policy agents on free ports, and a router that queries one, for tests.
 *
 * @module
 */

import {
  authenticated,
  type AuthEvent,
  type AuthorizationManager,
  type AuthStrategy,
  createContainer,
  createPrincipal,
  createRouter,
  inMemoryAuthStores,
  json,
  noCredential,
  type PrincipalInit,
  registerAuth,
  type TypedRouter,
  withAuthRoutes,
} from "@gatehouse/http";

/** Handler of an agent. */
export type Answer = (request: Request) => Response | Promise<Response>;

/** Serves an agent while a test runs. */
export async function withAgent(
  answer: Answer,
  test: (url: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, answer);
  try {
    await test(`http://127.0.0.1:${server.addr.port}/v1/data/notes/allow`);
  } finally {
    await server.shutdown();
  }
}

/** Options of {@linkcode guardedRouter}. */
export interface GuardedRouterOptions {
  /** Principal of all requests. @default none */
  readonly principal?: PrincipalInit;
  /** Metadata of the route. @default {{ action: "read" }} */
  readonly metadata?: unknown;
}

/** A router, and the reasons of its denials in events. */
export interface GuardedRouter {
  /** Responds to GET and POST of `/notes/:id`. */
  readonly router: Pick<TypedRouter, "request">;
  /** One for each `authz.denied`. */
  readonly reasons: readonly string[];
}

/** A router that queries a manager for each request. */
export function guardedRouter(
  authorization: AuthorizationManager,
  { principal, metadata = { action: "read" } }: GuardedRouterOptions = {},
): GuardedRouter {
  const reasons: string[] = [];
  const everybody: AuthStrategy = {
    name: "everybody",
    scheme: { type: "header", name: "X-Api-Key" },
    authenticate: () =>
      Promise.resolve(
        principal === undefined ? noCredential() : authenticated(createPrincipal(principal)),
      ),
  };
  const runtime = registerAuth({
    container: createContainer(),
    secret: "a secret that only the tests know, kept",
    stores: inMemoryAuthStores(),
    deployment: "direct",
    strategies: [everybody],
    authorization,
    events(event: AuthEvent) {
      if (event.type === "authz.denied") reasons.push(event.reason);
    },
  });
  const router = createRouter();
  const access = {
    auth: { mode: "optional" },
    authorization: { metadata, allowAnonymous: true },
    scope: "any",
  } as const;
  withAuthRoutes(router, { runtime })
    .get("/notes/:id", () => json("the note"), access)
    .post("/notes/:id", () => json("added"), { ...access, raw: true });
  return { router, reasons };
}

/** All parts of a response that a client receives. */
export async function seen(response: Response): Promise<unknown> {
  return {
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  };
}
