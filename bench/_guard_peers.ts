/**
 * Better Auth on Hono, as both document it, with the options that make it comparable.
 *
 * @module
 */

import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { VERSIONS } from "./_apps.ts";
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

/** What was measured. */
export const BETTER_AUTH = "better-auth@1.7.25";

/** Options of all of them, which are printed. */
const SHARED = {
  baseURL: ORIGIN,
  emailAndPassword: {
    enabled: true,
    autoSignIn: false,
    password: { // in place of scrypt: what is compared is all but the hash
      hash: (password: string): Promise<string> => Promise.resolve(password),
      verify: ({ hash, password }: { hash: string; password: string }): Promise<boolean> =>
        Promise.resolve(hash === password),
    },
  },
  rateLimit: { enabled: false }, // it counts every request of its own routes; ours counts sign-ins alone
  telemetry: { enabled: false },
  logger: { disabled: true },
  session: { expiresIn: 604_800, updateAge: 86_400 }, // the defaults: nothing is written within a day
};

/** Counts attempts as ours does, and refuses none of them. */
const COUNTING = {
  enabled: true,
  storage: "memory",
  customRules: { "/sign-in/email": { window: 3600, max: 1_000_000_000 } },
};

/** How Better Auth keeps sessions. */
export interface PeerStore {
  /** In the tables. */
  readonly name: string;
  /** Options beside `SHARED`, made anew for each application. */
  options(): Record<string, unknown>;
  /** Whether a session counts on after its end. */
  readonly outlivesEnd?: boolean;
}

/** Its own adapter: arrays that are searched from the beginning, with one row each here. */
export const MEMORY: PeerStore = {
  name: "hono + Better Auth, memory adapter",
  options: () => ({}),
};

/** Look-ups in a Map by key in place of searches: what costs Better Auth least, of all that look into a store. */
export const IN_MAP: PeerStore = {
  name: "hono + Better Auth, sessions in a Map",
  options() {
    const entries = new Map<string, string>();
    return {
      secondaryStorage: {
        get: (key: string) => entries.get(key) ?? null,
        set: (key: string, value: string) => void entries.set(key, value),
        delete: (key: string) => void entries.delete(key),
      },
    };
  },
};

/** Believes a signed copy of the session in a cookie, and does not look into the store. */
export const COOKIE_CACHE: PeerStore = {
  name: "hono + Better Auth, cookieCache (not equal)",
  options: () => ({ session: { ...SHARED.session, cookieCache: { enabled: true, maxAge: 3600 } } }),
  outlivesEnd: true,
};

/** Names of {@linkcode honoBase} and of the applications over it. */
const HONO = "hono, unguarded";

/** What Better Auth was given, for the reader. */
export function peerOptions(): string {
  const rows = [
    ["in all, beside secret and memoryAdapter", SHARED],
    ...[MEMORY, IN_MAP, COOKIE_CACHE].map(({ name, options }) => [name, options()]),
    ["sign-in, attempts counted", { rateLimit: COUNTING }],
  ];
  const lines = rows.map(([name, options]) => `- ${name}: ${JSON.stringify(options, shown)}`);
  return [`${BETTER_AUTH} on hono@${VERSIONS.hono}:`, ...lines].join("\n");
}

function shown(_key: string, value: unknown): unknown {
  return typeof value === "function" ? "a function" : value;
}

interface BetterAuth {
  handler(request: Request): Promise<Response>;
  readonly api: {
    getSession(options: { headers: Headers }): Promise<{ user: { id: string } } | null>;
  };
}

/** Hono without a guard. */
export function honoBase(): GuardApp {
  const sub = "ada";
  const app = new Hono();
  app.get("/me", (c) => c.json({ sub }));
  app.delete("/me", (c) => c.json({ sub }));
  return {
    ...{ name: HONO, sub, takes: "both", guards: false, base: undefined, live: {}, ended: {} },
    fetch: (request) => app.fetch(request),
  };
}

/** Hono, guarded by Better Auth's session check, and by Hono's `csrf()` where a request writes. */
export async function honoGuarded(store: PeerStore): Promise<GuardApp> {
  const auth = await createAuth(store.options());
  const app = new Hono<{ Variables: { sub: string } }>();
  app.on(["GET", "POST"], "/api/auth/*", (c) => auth.handler(c.req.raw));
  app.use("/me", csrf(), async (c, next) => {
    const session = await auth.api.getSession({ headers: c.req.raw.headers });
    if (session === null) return c.json({ error: "unauthenticated" }, 401);
    c.set("sub", session.user.id);
    return await next();
  });
  app.get("/me", (c) => c.json({ sub: c.get("sub") }));
  app.delete("/me", (c) => c.json({ sub: c.get("sub") }));

  const fetch = async (request: Request): Promise<Response> => await app.fetch(request);
  const { sub } = await signUp(fetch);
  const live = cookieOf(await fetch(signIn()));
  const ended = cookieOf(await fetch(signIn()));
  const signOut = await fetch(post("/api/auth/sign-out", {}, { Cookie: ended }));
  requireStatus("sign-out", signOut, 200);
  return {
    ...{ name: store.name, sub, base: HONO, outlivesEnd: store.outlivesEnd ?? false },
    guards: true,
    takes: "both",
    fetch: (request) => app.fetch(request),
    live: { Cookie: live },
    ended: { Cookie: ended },
  };
}

/** Better Auth's sign-in, by its own handler on Hono. */
export async function honoLogin({ counting }: { counting: boolean }): Promise<LoginApp> {
  const auth = await createAuth(counting ? { rateLimit: COUNTING } : {});
  const app = new Hono();
  app.on(["GET", "POST"], "/api/auth/*", (c) => auth.handler(c.req.raw));
  const fetch = async (request: Request): Promise<Response> => await app.fetch(request);
  await signUp(fetch);
  return {
    name: `Better Auth, ${counting ? "attempts counted" : "rate limit off"}`,
    fetch: (request) => app.fetch(request),
    login: signIn,
  };
}

async function createAuth(options: Record<string, unknown>): Promise<BetterAuth> {
  const { betterAuth } = await import(`npm:${BETTER_AUTH}`);
  const { memoryAdapter } = await import(`npm:${BETTER_AUTH}/adapters/memory`);
  return betterAuth({
    ...SHARED,
    secret: SECRET,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    ...options,
  });
}

async function signUp(
  fetch: (request: Request) => Promise<Response>,
): Promise<{ readonly sub: string }> {
  const { identifier: email, password } = CREDENTIALS;
  const response = await fetch(post("/api/auth/sign-up/email", { name: "Ada", email, password }));
  requireStatus("sign-up", response, 200);
  const { user } = await response.json() as { user: { id: string } };
  return { sub: user.id };
}

function signIn(): Request {
  const { identifier: email, password } = CREDENTIALS;
  const headers = { "X-Forwarded-For": "192.0.2.1" };
  return post("/api/auth/sign-in/email", { email, password }, headers);
}
