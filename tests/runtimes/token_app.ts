/**
 * An application that hands out tokens, and another one that takes them by the keys which the first publishes.
 *
 * @module
 */

import {
  type ApiKeyService,
  apiKeyService,
  apiKeyStrategy,
  type AuthRuntime,
  type AuthStores,
  bearerTokenStrategy,
  createContainer,
  createRouter,
  inMemoryAuthStores,
  json,
  jwksHandler,
  pbkdf2Hasher,
  registerAuth,
  remoteJwks,
  requireScope,
  withAuthRoutes,
} from "../../mod.ts";
import { ISSUER } from "./token_program.ts";

export const AUDIENCE = "https://api.example.com";

/** Both applications. */
export interface TokenApp {
  readonly runtime: AuthRuntime;
  readonly apiKeys: ApiKeyService;
  /** How often the other one has fetched the keys. */
  readonly fetched: { count: number };
  /** Answers: what begins with `/elsewhere` is the other one's. */
  fetch(request: Request): Promise<Response>;
}

/** Options of {@linkcode createTokenApp}. */
export interface TokenAppOptions {
  /** The time. @default the system's */
  readonly now?: () => number;
  /** Where it keeps everything. @default in memory */
  readonly stores?: AuthStores;
  /** What stores in memory and the connection between the two take. @default no time */
  readonly delay?: () => Promise<unknown>;
}

/** Makes both. */
export function createTokenApp(options: TokenAppOptions = {}): TokenApp {
  const { now, delay } = options;
  const clock = now === undefined ? {} : { now };
  const memory = inMemoryAuthStores(clock);
  const stores = options.stores ?? (delay === undefined ? memory : slowStores(memory, delay));
  const apiKeys = apiKeyService({ ...stores, ...clock });
  const runtime = registerAuth({
    secret: "a secret that only the tests know, kept",
    stores,
    strategies: [apiKeyStrategy({ apiKeys, ...clock })],
    jwt: { issuer: ISSUER, audience: AUDIENCE, scope: ["notes:read"] },
    hasher: pbkdf2Hasher({ iterations: 1000 }),
    deployment: { clientAddress: () => "192.0.2.1" },
    container: createContainer(),
    ...clock,
  });
  const { tokens } = runtime;
  if (tokens === undefined) throw new Error("there are no tokens");
  const own = createRouter({ onError: () => {} })
    .withAuth(runtime.integration({ routes: { registration: "open", tokens: true } }))
    .get("/me", ({ principal: { sub, method, scope, amr } }) => json({ sub, method, scope, amr }), {
      scope: "any",
    })
    .get("/notes", () => json([]), { use: [requireScope("notes:read")] })
    .post("/notes", () => json("written"), { use: [requireScope("notes:write")] })
    .get("/.well-known/jwks.json", jwksHandler(tokens.keys), { auth: false });

  const fetched = { count: 0 };
  const keys = remoteJwks(`${ISSUER}/.well-known/jwks.json`, {
    async fetch(url, init) {
      fetched.count++;
      await delay?.();
      return await own.fetch(new Request(url, init));
    },
    ...clock,
  });
  const strategy = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys,
    issuer: ISSUER,
    audience: AUDIENCE,
    ...clock,
  });
  const elsewhere = withAuthRoutes(createRouter({ onError: () => {} }), { runtime, strategy })
    .get("/elsewhere", (req) => json(req.principal.sub), { scope: "any" });

  return {
    runtime,
    apiKeys,
    fetched,
    async fetch(request) {
      const isOther = new URL(request.url).pathname.startsWith("/elsewhere");
      return await (isOther ? elsewhere : own).fetch(request);
    },
  };
}

/** Stores that take their time for each call, as databases do. */
function slowStores(stores: AuthStores, delay: () => Promise<unknown>): AuthStores {
  const slow = Object.entries(stores).map(([name, store]) => [name, slowStore(store, delay)]);
  return Object.fromEntries(slow);
}

function slowStore(store: object, delay: () => Promise<unknown>): object {
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    async (...args: unknown[]) => {
      await delay();
      return await method.apply(store, args);
    },
  ]);
  return Object.fromEntries(methods);
}
