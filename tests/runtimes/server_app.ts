/**
 * An application with an authorization server of its own.
 *
 * @module
 */

import {
  createContainer,
  createRouter,
  inMemoryAuthStores,
  json,
  pbkdf2Hasher,
  registerAuth,
} from "../../mod.ts";
import {
  AuthorizationServer,
  mountOAuthServer,
  runtimeOptions,
  staticClients,
} from "../../auth/server/mod.ts";
import { ISSUER, REDIRECT_URI, START } from "./server_site.ts";

/** An application whose routes accept the tokens of its own server. */
export interface OwnApp {
  /** The cookie of somebody who is signed in. */
  readonly cookie: readonly [name: string, value: string];
  fetch(request: Request): Promise<Response>;
}

/** Creates an application with a server for one client of its own: `/notes` needs a scope that it may have, `/admin` another. */
export async function createOwnApp(): Promise<OwnApp> {
  const stores = inMemoryAuthStores({ now: () => START });
  const runtime = registerAuth({
    secret: "a secret that only the tests know, kept",
    stores,
    hasher: pbkdf2Hasher({ iterations: 1000 }),
    deployment: { clientAddress: () => "192.0.2.1" },
    container: createContainer(),
    jwt: {
      issuer: ISSUER,
      audience: ISSUER,
      algorithms: ["ES256"],
      accept: (principal, claims) => server.accept(principal, claims),
    },
    now: () => START,
  });
  const server: AuthorizationServer = new AuthorizationServer({
    issuer: ISSUER,
    clients: staticClients([
      { clientId: "spa", name: "Notes", redirectUris: [REDIRECT_URI], firstParty: true },
    ]),
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: runtime.tokens.keys,
    idTokenAlgorithm: "ES256",
    scopes: { "notes:read": { description: "Read your notes" } },
    ...runtimeOptions(runtime),
  });
  const router = createRouter({ onError: () => {} }).withAuth(
    runtime.integration({ routes: false }),
  )
    .get("/notes", (req) => json(req.principal.method), { scope: ["notes:read"] })
    .get("/admin", () => json("secrets"), { scope: ["admin"] });
  mountOAuthServer(router, server);
  const ada = { identifier: "ada@example.org", password: "lovelace wrote the notes" };
  const { token } = await runtime.sessions.create(await runtime.passwords.createUser(ada));
  const [pair = ""] = runtime.cookies.set("sid", token).split(";");
  const [name = "", value = ""] = pair.split("=");
  return { cookie: [name, value], fetch: async (request) => await router.fetch(request) };
}
