/**
 * A program that uses types of the package: of the router, of authentication, and of the entries beside them.
 *
 * @module
 */

/** The program. Its one wrong line has to be an error, or the compiler says so. */
export const TYPED_PROGRAM = `import {
  createRouter,
  generateSecret,
  getSession,
  type Handler,
  HttpError,
  inMemoryAuthStores,
  json,
  registerAuth,
  routerBuilder,
  type TypedRouter,
} from "@gatehouse/http";
import { createAuthContext, Authenticated, protectSchema } from "@gatehouse/http/auth/graphql";
import { google, oauthClient } from "@gatehouse/http/auth/oauth";
import { AuthorizationServer, mountOAuthServer, runtimeOptions, staticClients } from "@gatehouse/http/auth/server";
import { authStores, type SessionStore } from "@gatehouse/http/auth";
import { serveEdge } from "@gatehouse/http/edge";
import { routerBuilder as nativeBuilder } from "@gatehouse/http/native";
import { buildSchema } from "graphql";
import { z } from "zod";

const stores = inMemoryAuthStores();
const sessions: SessionStore = stores.sessions;
const issuer = "https://id.example";
const runtime = registerAuth({ secret: generateSecret(), stores, deployment: "direct", jwt: { issuer, audience: issuer } });

const oauth = {
  google: oauthClient(google({ clientId: "id", clientSecret: "secret" }), {
    states: stores.states,
    redirectUri: "https://app.example/callback",
  }),
};

const server: AuthorizationServer = new AuthorizationServer({
  issuer,
  clients: staticClients([{ clientId: "spa", name: "Notes", redirectUris: ["https://app.example/callback"] }]),
  codes: stores.authorizations,
  tokens: stores.refreshTokens,
  keyService: runtime.tokens.keys,
  resources: [issuer],
  ...runtimeOptions(runtime, { signInPath: "/sign-in" }),
});

const guarded = routerBuilder()
  .withAuth(runtime.integration({ routes: { registration: "open", oauth } }))
  .build();

export const router = mountOAuthServer(guarded, server)
  .get("/me", (req) => json({ sub: req.principal.sub, name: getSession(req)?.user.identifier }))
  .post("/orders/:number", (req) => {
    const number: number = req.params.number;
    const title: string = req.content.title;
    if (title === "") throw new HttpError(404, "no_such_order");
    // @ts-expect-error: the path has no such parameter
    req.params.name;
    return json({ number, title });
  }, { schema: { params: z.object({ number: z.coerce.number() }), body: z.object({ title: z.string() }) } });

const schema = buildSchema("type Query { news: String }");
protectSchema(schema, { default: Authenticated() });
export const contextOf = createAuthContext({ runtime });

export const plain: TypedRouter = createRouter().get("/users/:id", (req) => json(req.params.id.length));
export default serveEdge(plain);
export const files = nativeBuilder().static("/assets", { directory: "public" }).build();
export const unused: [SessionStore, typeof authStores, Handler] = [sessions, authStores, () => json(1)];
`;
