/**
 * Our side of `guard.ts`: a router without a guard, guarded ones, and the route that signs people in.
 *
 * @module
 */

import {
  type AuthRuntime,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  json,
  type PasswordHasher,
  registerAuth,
  routerBuilder,
  type ThrottleRule,
} from "../mod.ts";
import {
  cookieOf,
  CREDENTIALS,
  type GuardApp,
  type LoginApp,
  ORIGIN,
  post,
  requireStatus,
  SECRET,
} from "./_guard_apps.ts";

/** Name of the router without a guard. */
const BASE = "gatehouse, unguarded";

/** In place of PBKDF2: what is compared is all but the hash. */
const PLAIN: PasswordHasher = {
  id: "plain",
  hash: (password) => Promise.resolve(`$plain$${password}`),
  verify: (password, encoded) => Promise.resolve(encoded === `$plain$${password}`),
  needsRehash: () => false,
};

/** Counts, and refuses nobody. */
const ENDLESS: ThrottleRule = { kind: "window", limit: 1_000_000_000, seconds: 3600 };
const UNTIRING = { browser: ENDLESS, account: ENDLESS, known: ENDLESS, address: ENDLESS };

/** What signs people in hands out, and asks for. */
interface Visitor {
  readonly cookie: string;
  readonly token: string;
}

/** The router without a guard. */
export function base(): GuardApp {
  const sub = "ada";
  const router = createRouter<unknown[]>();
  router.get("/me", () => json({ sub }));
  router.delete("/me", () => json({ sub }));
  return {
    ...{ name: BASE, sub, takes: "both", guards: false, base: undefined, live: {}, ended: {} },
    fetch: (request, ...args) => router.fetch(request, ...args),
  };
}

/** The router, guarded by `runtime.integration()`. */
export async function guarded({ csrf }: { csrf: "origin" | "token" }): Promise<GuardApp> {
  const fetch = createApp(createRuntime({ csrf }));
  const { body, visitor: live } = await signIn(fetch, "/auth/register");
  const { visitor: ended } = await signIn(fetch, "/auth/login");
  const signOut = post("/auth/logout", {}, headersOf(ended));
  requireStatus("logout", await fetch(signOut), 204);
  return {
    ...{ name: nameOf(csrf), sub: body.user.sub, base: BASE, fetch },
    guards: true,
    takes: csrf === "token" ? "writes" : "both",
    live: csrf === "token" ? headersOf(live) : { Cookie: sessionOf(live) },
    ended: { Cookie: sessionOf(ended) },
  };
}

/** Name of the guarded router. */
export function nameOf(csrf: "origin" | "token"): string {
  return csrf === "token" ? "gatehouse, guarded, csrf: token" : "gatehouse, guarded";
}

/** `POST /auth/login` for a browser that was not here before. */
export async function login({ counting }: { counting: boolean }): Promise<LoginApp> {
  const fetch = createApp(createRuntime({ throttle: counting ? UNTIRING : "insecureSkip" }));
  await signIn(fetch, "/auth/register");
  const visitor = await visit(fetch);
  return {
    name: `gatehouse, ${counting ? "attempts counted" : "no throttle"}`,
    fetch,
    login: () => post("/auth/login", CREDENTIALS, headersOf(visitor)),
  };
}

function createRuntime(
  options: Pick<Parameters<typeof registerAuth>[0], "csrf" | "throttle">,
): AuthRuntime {
  return registerAuth({
    ...{ secret: SECRET, stores: inMemoryAuthStores(), container: createContainer() },
    hasher: PLAIN,
    warn: () => {}, // what sets up comes from no address
    ...options,
  });
}

function createApp(runtime: AuthRuntime): (request: Request, ...args: unknown[]) => Answer {
  const router = routerBuilder<unknown[]>().withAuth(
    runtime.integration({ routes: { registration: "open" } }),
  ).build();
  router.get("/me", (req) => json({ sub: req.principal.sub }));
  router.delete("/me", (req) => json({ sub: req.principal.sub }));
  return (request, ...args) => router.fetch(request, ...args);
}

type Answer = Response | Promise<Response>;

/** What a page does that wants to sign somebody in. */
async function visit(fetch: (request: Request) => Answer): Promise<Visitor> {
  const response = await fetch(new Request(`${ORIGIN}/auth/csrf`));
  requireStatus("csrf", response, 200);
  const { csrfToken: token } = await response.json() as { csrfToken: string };
  return { cookie: cookieOf(response), token };
}

async function signIn(
  fetch: (request: Request) => Answer,
  path: "/auth/register" | "/auth/login",
): Promise<{ readonly body: { readonly user: { sub: string } }; readonly visitor: Visitor }> {
  const response = await fetch(post(path, CREDENTIALS, headersOf(await visit(fetch))));
  requireStatus(path, response, path === "/auth/login" ? 200 : 201);
  const body = await response.json() as { user: { sub: string }; csrfToken: string };
  return { body, visitor: { cookie: cookieOf(response), token: body.csrfToken } };
}

function headersOf({ cookie, token }: Visitor): Record<string, string> {
  return { "Cookie": cookie, "X-CSRF-Token": token };
}

/** The session's cookie alone: as many as the others send. */
function sessionOf({ cookie }: Visitor): string {
  return cookie.split("; ").filter((pair) => pair.startsWith("__Host-sid=")).join("; ");
}
