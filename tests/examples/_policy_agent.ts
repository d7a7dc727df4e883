/**
 * Policy agents on ports of their own, and a router that asks one, for tests.
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

/** How an agent answers. */
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

/** What {@linkcode guardedRouter} is made of. */
export interface GuardedRouterOptions {
  /** Who everybody is. @default nobody */
  readonly principal?: PrincipalInit;
  /** What the route says of itself. @default {{ action: "read" }} */
  readonly metadata?: unknown;
}

/** A router, and the reasons that its denials gave to events. */
export interface GuardedRouter {
  /** Answers `/notes/:id` under GET and POST. */
  readonly router: Pick<TypedRouter, "request">;
  /** One for each `authz.denied`. */
  readonly reasons: readonly string[];
}

/** A router that asks a manager about each request. */
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
    secret: "a secret of at least 32 bytes, kept",
    stores: inMemoryAuthStores(),
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
  } as const;
  withAuthRoutes(router, { runtime })
    .get("/notes/:id", () => json("the note"), access)
    .post("/notes/:id", () => json("added"), { ...access, raw: true });
  return { router, reasons };
}

/** Everything of a response that a client sees. */
export async function seen(response: Response): Promise<unknown> {
  return {
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  };
}
