/** `getUser()`, by the credential of the request. */

import {
  apiKeyService,
  apiKeyStrategy,
  bearerTokenStrategy,
  createRouter,
  generateJwk,
  getUser,
  inMemoryAuthStores,
  json,
  publicJwk,
  requireAuth,
  signJwt,
} from "@gatehouse/http";
import { assertEquals } from "@std/assert";
import { ADA, setDisabled, START } from "../_services.ts";
import { keyStrategy } from "../_strategies.ts";
import { createTestApp, type TestApp } from "./_app.ts";

const JWT = { issuer: "https://example.com", audience: "notes" };
const FOREIGN = { issuer: "https://issuer.example", audience: "notes" };

/** An application with every kind of credential, and how often the store of users was asked for Ada. */
async function createUserApp({ accept }: { readonly accept?: "insecureSkip" } = {}) {
  const kept = inMemoryAuthStores({ now: () => 0 });
  const lookups = { count: 0, fail: false };
  const users = {
    ...kept.users,
    findBySub(sub: string) {
      lookups.count++;
      return lookups.fail ? Promise.reject(new Error("down")) : kept.users.findBySub(sub);
    },
  };
  const stores = { ...kept, users };
  const apiKeys = apiKeyService({ ...stores, now: () => START });
  const key = await generateJwk("ES256");
  const foreign = bearerTokenStrategy({
    algorithms: ["ES256"],
    keys: publicJwk(key),
    ...FOREIGN,
    now: () => START,
  });
  // Its tokens are in a header of their own, since one strategy reads `Authorization`
  const inOwnHeader = {
    ...foreign,
    name: "foreign",
    scheme: { type: "header", name: "X-Token" } as const,
    authenticate: ({ request }: { readonly request: Request }) => {
      const token = request.headers.get("X-Token");
      const headers: [string, string][] = token === null ? [] : [["Authorization", token]];
      return foreign.authenticate({ request: new Request(request.url, { headers }) });
    },
  };
  const app = createTestApp({
    stores,
    jwt: { ...JWT, accept },
    strategies: [apiKeyStrategy({ apiKeys, now: () => START }), keyStrategy(), inOwnHeader],
  });
  const { jar } = await app.signedIn();
  const authentication = await app.runtime.passwords.verify({ ...ADA }, { address: undefined });
  const { accessToken } = await app.runtime.tokens?.issue(authentication) ?? {};
  const made = await apiKeys.create("u1");
  const token = await signJwt({ iss: FOREIGN.issuer, aud: FOREIGN.audience, sub: "u1" }, {
    algorithms: ["ES256"],
    key,
    header: { typ: "at+jwt" },
    expiresIn: 60,
    now: () => START,
  });
  app.router.get("/user", async (req) => {
    const before = lookups.count;
    const found = await Promise.all([getUser(req), getUser(req.raw), getUser(req)]);
    assertEquals(new Set(found.map((one) => JSON.stringify(one))).size, 1);
    return json({ user: found[0] ?? null, lookups: lookups.count - before });
  }, { auth: { mode: "optional" }, scope: "any" });
  const credentials: Record<string, Record<string, string>> = {
    "a session": { Cookie: jar.field() },
    "an API key": { "X-API-Key": made.key },
    "an access token": { Authorization: `Bearer ${accessToken}` },
    "a token of another issuer": { "X-Token": `Bearer ${token}` },
    "a strategy of the application": { "X-Key": "good" },
    "no credential": {},
  };
  return { ...app, lookups, credentials };
}

const USER = { sub: "u1", identifier: ADA.identifier, createdAt: START };

const FOUND: readonly (readonly [what: string, user: typeof USER | null, lookups: number])[] = [
  ["a session", USER, 0],
  ["an API key", USER, 0],
  ["an access token", USER, 0],
  ["a token of another issuer", null, 0],
  ["a strategy of the application", null, 0],
  ["no credential", null, 0],
];
for (const [what, user, lookups] of FOUND) {
  Deno.test(`getUser() of ${what} ${user === null ? "is undefined" : "is the user"} after ${lookups} lookups`, async () => {
    const { router, credentials } = await createUserApp();
    const headers = credentials[what] ?? {};
    const response = await router.request("/user", { headers });
    assertEquals(await response.json(), { user, lookups });
  });
}

Deno.test("getUser() of an access token that is accepted without its user looks it up once for each request", async () => {
  const { router, credentials } = await createUserApp({ accept: "insecureSkip" });
  const headers = credentials["an access token"] ?? {};
  for (let i = 0; i < 2; i++) {
    assertEquals(await (await router.request("/user", { headers })).json(), {
      user: USER,
      lookups: 1,
    });
  }
});

const GONE: readonly (readonly [why: string, end: (app: TestApp) => Promise<unknown>])[] = [
  ["disabled", ({ stores }) => setDisabled(stores)],
  ["deleted", ({ stores }) => stores.users.delete("u1")],
];
for (const [why, end] of GONE) {
  Deno.test(`getUser() of such a token is undefined if the user is ${why}`, async () => {
    const app = await createUserApp({ accept: "insecureSkip" });
    await end(app);
    const headers = app.credentials["an access token"] ?? {};
    const response = await app.router.request("/user", { headers });
    assertEquals(await response.json(), { user: null, lookups: 1 });
  });
}

Deno.test("getUser() rejects if the store fails, and the response is a 500", async () => {
  const app = await createUserApp({ accept: "insecureSkip" });
  app.lookups.fail = true;
  const headers = app.credentials["an access token"] ?? {};
  assertEquals((await app.router.request("/user", { headers })).status, 500);
});

Deno.test("getUser() works behind requireAuth(), and is undefined without a guard", async () => {
  const { runtime, credentials } = await createUserApp();
  const router = createRouter()
    .get("/used", async (req) => json((await getUser(req))?.sub ?? null), {
      use: [requireAuth({ runtime })],
    })
    .get("/none", async (req) => json(await getUser(req) ?? null));
  const headers = credentials["a session"] ?? {};
  assertEquals(await (await router.request("/used", { headers })).json(), "u1");
  assertEquals(await (await router.request("/none", { headers })).json(), null);
});
