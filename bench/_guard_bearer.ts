/**
 * The bearer rows of `guard.ts`: `bearerTokenStrategy` behind our guard, Hono's `jwk()` and `jwt()`, Hono with jose, and Web
 * Crypto alone.
 *
 * @module
 */

import { Hono } from "hono";
import { jwk } from "hono/jwk";
import { jwt } from "hono/jwt";
import {
  bearerTokenStrategy,
  createContainer,
  inMemoryAuthStores,
  json,
  registerAuth,
  routerBuilder,
} from "../mod.ts";
import type { App } from "./_apps.ts";
import { ORIGIN, requireStatus, SECRET } from "./_guard_apps.ts";
import { base } from "./_guard_ours.ts";
import { honoBase } from "./_guard_peers.ts";
import type { Entry } from "./_guard_time.ts";
import { joseOptions, loadJose } from "./_jwt_contestants.ts";
import {
  badTokens,
  createIssuer,
  EXPECTED,
  inTurn,
  type Issuer,
  PARAMS,
  type Signed,
} from "./_jwt_tokens.ts";

const ALG = "ES256";

/** Web Crypto alone: no request is read, and no answer made. */
export const BARE = "crypto.subtle.verify() alone";

/** Ours. */
const BEARER = "gatehouse, bearerTokenStrategy";

/** What is timed; those that only look at a signature have no request. */
export async function bearerEntries(): Promise<
  readonly (Entry & { readonly base: string | undefined })[]
> {
  const issuer = await createIssuer(ALG);
  const [bases, apps] = [[base(), honoBase()], await guardedApps(issuer)];
  for (const { app } of apps) await checkBearer(app, issuer);
  return [
    { app: verifyAlone(issuer), base: undefined, prepare: () => new Request(ORIGIN) },
    ...[...bases.map((app) => ({ app, base: undefined })), ...apps].map((entry) => {
      const next = inTurn(issuer);
      return { ...entry, prepare: () => requestOf(next().token) };
    }),
  ];
}

async function guardedApps(issuer: Issuer): Promise<readonly { app: App; base: string }[]> {
  const [ours, hono] = [base().name, honoBase().name];
  return [
    { app: gatehouse(issuer), base: ours },
    { app: honoKeys(issuer), base: hono },
    { app: honoKey(issuer), base: hono },
    { app: await honoJose(issuer), base: hono },
  ];
}

function verifyAlone(issuer: Issuer): App {
  const next = inTurn(issuer);
  const answer = new Response();
  async function fetch(): Promise<Response> {
    const { data, signature }: Signed = next();
    if (await crypto.subtle.verify(PARAMS[ALG], issuer.publicKey, signature, data)) return answer;
    throw new Error("A signature is wrong");
  }
  return { name: BARE, fetch };
}

function gatehouse({ keys }: Issuer): App {
  const runtime = registerAuth({
    ...{ secret: SECRET, stores: inMemoryAuthStores(), container: createContainer() },
    deployment: "direct",
    strategies: [bearerTokenStrategy({ ...EXPECTED, algorithms: [ALG], keys })],
  });
  const router = routerBuilder<unknown[]>().withAuth(runtime.integration({ routes: false }))
    .build();
  router.get("/me", (req) => json({ sub: req.principal.sub }), { scope: "any" });
  return { name: BEARER, fetch: (request, ...args) => router.fetch(request, ...args) };
}

const VERIFICATION = { iss: EXPECTED.issuer, aud: EXPECTED.audience, typ: EXPECTED.typ };

/** Finds the key by its `kid`, and imports it for each request. */
function honoKeys({ keys }: Issuer): App {
  const list = "keys" in keys && Array.isArray(keys.keys) ? keys.keys : [keys];
  const guard = jwk({ keys: list, alg: [ALG], verification: VERIFICATION });
  return honoApp("hono + jwk()", guard);
}

/** One key of the runtime, which an application has imported when it started. */
function honoKey({ publicKey }: Issuer): App {
  const guard = jwt({ secret: publicKey, alg: ALG, verification: VERIFICATION });
  return honoApp("hono + jwt(), one CryptoKey", guard);
}

function honoApp(name: string, guard: ReturnType<typeof jwt>): App {
  const app = new Hono<{ Variables: { jwtPayload: { sub: string } } }>();
  app.get("/me", guard, (c) => c.json({ sub: c.get("jwtPayload").sub }));
  return { name, fetch: (request) => app.fetch(request) };
}

/** As jose's documentation verifies, in a middleware as Hono's has them. */
async function honoJose({ keys }: Issuer): Promise<App> {
  const { createLocalJWKSet, jwtVerify } = await loadJose();
  const options = joseOptions(ALG);
  const set = createLocalJWKSet(keys);
  const app = new Hono<{ Variables: { sub: string | undefined } }>();
  app.use("/me", async (c, next) => {
    const token = /^Bearer ([^ ]+)$/.exec(c.req.header("Authorization") ?? "")?.[1];
    const found = await jwtVerify(token ?? "", set, options).catch(() => undefined);
    if (found === undefined) {
      return c.json({ error: "invalid_token" }, 401, { "WWW-Authenticate": "Bearer" });
    }
    c.set("sub", found.payload.sub);
    return await next();
  });
  app.get("/me", (c) => c.json({ sub: c.get("sub") }));
  return { name: "hono + jose", fetch: (request) => app.fetch(request) };
}

/** @throws {Error} If an application refuses a good token, or takes a bad one or none. */
async function checkBearer({ name, fetch }: App, issuer: Issuer): Promise<void> {
  for (const { token } of issuer.tokens) {
    const response = requireStatus(name, await fetch(requestOf(token)), 200);
    const { sub } = await response.json() as { sub: unknown };
    if (sub !== subjectOf(token)) throw new Error(`${name}: another subject`);
  }
  const bad = [...await badTokens(issuer), ["there is none", undefined] as const];
  for (const [why, token] of bad) {
    const response = requireStatus(`${name}, ${why}`, await fetch(requestOf(token)), 401);
    await response.text();
  }
}

function requestOf(token: string | undefined): Request {
  const headers: HeadersInit = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  return new Request(`${ORIGIN}/me`, { headers });
}

function subjectOf(token: string): unknown {
  const bytes = Uint8Array.fromBase64(token.split(".")[1] ?? "", { alphabet: "base64url" });
  return JSON.parse(new TextDecoder().decode(bytes)).sub;
}
