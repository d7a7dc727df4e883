/**
 * Notes ID, an OpenID provider of its own at another port: what "Sign in with Notes ID" leads to. It is the server side of
 * OAuth in few lines; its people, clients and pages are in the files beside it.
 *
 * It runs at localhost only, since its password is public. Its stores are in memory wherever the notes are: after a restart its
 * users sign in and consent once more, and are the same users, by their fixed subject ids.
 *
 * @module
 */

import {
  type AuthEventListener,
  type AuthStores,
  type BuiltRouter,
  createContainer,
  generateSecret,
  type PasswordHasher,
  type Principal,
  registerAuth,
  routerBuilder,
  type StaticAssetOptions,
} from "@gatehouse/http/native";
import { AuthorizationServer, mountOAuthServer, runtimeOptions } from "@gatehouse/http/auth/server";
import type { Connection } from "../api.ts";
import { claimsOf, clientsOf, SCOPES } from "./demo.ts";
import { addIdentityRoutes, askToSignIn } from "./routes.ts";

/** Options of {@linkcode createIdentity}. */
export interface IdentityOptions {
  /** Where it is, which is what tokens name: `http://localhost:8001`. */
  readonly issuer: string;
  /** Secret of the notes service, its client. */
  readonly clientSecret: string;
  /** Origin of the notes service. */
  readonly notesOrigin: string;
  /** Its users, and all else that it keeps: see `demoStores()`. */
  readonly stores: AuthStores;
  /** Where the style sheets are. */
  readonly assets: StaticAssetOptions;
  /** Hashes passwords. @default the library's */
  readonly hasher?: PasswordHasher;
  /** Called for every event. */
  readonly events?: AuthEventListener;
}

/** Creates the provider. */
export function createIdentity(options: IdentityOptions): BuiltRouter<Connection, Principal> {
  const { issuer, stores, assets, hasher, events } = options;
  const clients = clientsOf(options);
  const runtime = registerAuth({
    container: createContainer(),
    secret: generateSecret(), // lasts as long as what the stores hold
    stores,
    deployment: "direct",
    cookie: { name: "id" }, // all ports of localhost share their cookies
    jwt: { issuer, audience: issuer, algorithms: ["ES256"] },
    ...(hasher === undefined ? {} : { hasher }),
    ...(events === undefined ? {} : { events }),
  });
  const server = new AuthorizationServer({
    issuer,
    clients,
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: runtime.tokens.keys,
    idTokenAlgorithm: "ES256", // clients of others may need RS256, whose keys take a second to generate
    scopes: SCOPES,
    claims: claimsOf,
    insecureLoopback: true, // localhost has no https
    ...runtimeOptions(runtime, { signInPath: "/sign-in" }),
  });
  const router = routerBuilder<Connection>()
    .withAuth(runtime.integration({ routes: false, catch: askToSignIn }))
    .static("/assets", assets)
    .build();
  addIdentityRoutes(router, { runtime, server, clients });
  return mountOAuthServer(router, server);
}
