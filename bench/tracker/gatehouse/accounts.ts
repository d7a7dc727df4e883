/**
 * Accounts, their sessions and API keys.
 *
 * @module
 */

import {
  type ApiKeyInfo,
  type ApiKeyService,
  apiKeyService,
  apiKeyStrategy,
  csrfGuard,
  empty,
  getUser,
  inMemoryAuthStores,
  json,
  registerAuth,
  type TokenRuntime,
} from "@gatehouse/http";
import { z } from "zod";
import { type Needs, trackerAccess, type TrackerRoutes } from "./access.ts";
import { answers, answersOrNotFound } from "./documents.ts";
import { Account, Credentials, Key, MadeKey, NewKey } from "./schemas.ts";
import { fail, noSuch, type Store } from "./store.ts";

export interface Accounts {
  readonly runtime: TokenRuntime<Needs>;
  readonly apiKeys: ApiKeyService;
}

/** Sets up authentication. */
export function createAccounts(
  { store, secret, origin }: { store: Store; secret: string; origin: string },
): Accounts {
  const stores = inMemoryAuthStores(); // in production a database
  const apiKeys = apiKeyService({ ...stores, prefix: "tracker" });
  const runtime = registerAuth({
    secret,
    stores,
    deployment: "direct",
    strategies: [apiKeyStrategy({ apiKeys })],
    jwt: { issuer: origin, audience: origin, scope: ["read", "write"] },
    authorization: trackerAccess(store),
    authorizationPolicy: "required",
  });
  return { runtime, apiKeys };
}

/** Registration and sign-in by e-mail address, for the page; API clients have `/tokens`. */
export function addAccounts(routes: TrackerRoutes, { runtime }: Accounts): void {
  routes
    .post("/register", async (req, ...args) => {
      const { email, password } = req.content;
      const client = runtime.client(req, ...args);
      const user = await runtime.passwords.createUser({ identifier: email, password }, { client });
      await runtime.signIn(req, user);
      return json({ id: user.sub, email }, { status: 201 });
    }, {
      auth: false,
      use: [csrfGuard({ csrf: runtime.csrf, mode: "origin" })], // before there is an account
      ...answers(201, "The account"),
      schema: { body: Credentials, response: Account },
    })
    .post("/sign-in", async (req, ...args) => {
      const { email, password } = req.content;
      const client = runtime.client(req, ...args);
      const user = await runtime.passwords.verify({ identifier: email, password }, client);
      await runtime.signIn(req, user);
      return empty();
    }, { auth: false, ...answers(204, "Signed in"), schema: { body: Credentials } })
    .post("/sign-out", async (req) => {
      await runtime.signOut(req);
      return empty();
    }, { authorization: "none", ...answers(204, "Signed out") })
    .get("/me", async (req) => {
      const user = await getUser(req);
      return json({ id: req.principal.sub, email: user?.identifier ?? "" });
    }, { authorization: "none", scope: ["read"], schema: { response: Account } });
}

/** API keys. These routes name no scope: tokens, which have scopes, and keys are refused. */
export function addKeys(routes: TrackerRoutes, { apiKeys }: Accounts): void {
  routes
    .get("/keys", async (req) => {
      return json((await apiKeys.list(req.principal.sub)).map(keyView));
    }, { authorization: "none", schema: { response: z.array(Key) } })
    .post("/keys", async (req) => {
      const { name, scope } = req.content;
      const { key, info } = await apiKeys.create(req.principal.sub, {
        name,
        scope: scope === "write" ? ["read", "write"] : ["read"],
      });
      return json({ ...keyView(info), key }, { status: 201 });
    }, {
      authorization: "none",
      ...answers(201, "The key, shown once"),
      schema: { body: NewKey, response: MadeKey },
    })
    .delete("/keys/:id", async (req) => {
      const revoked = await apiKeys.revoke(req.principal.sub, req.params.id);
      return revoked ? empty() : fail(noSuch("key"));
    }, { authorization: "none", ...answersOrNotFound(204, "Revoked") });
}

function keyView({ id, name = "", scope, createdAt }: ApiKeyInfo): Key {
  return { id, name, scope: scope.includes("write") ? "write" : "read", createdAt };
}
