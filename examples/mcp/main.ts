/**
 * An MCP server with tools for the notes of whoever is signed in, its authorization server, and a sign-in page.
 *
 * ```sh
 * PASSWORD="lovelace wrote notes" deno run --allow-net --allow-env=PASSWORD examples/mcp/main.ts
 * ```
 *
 * Then add http://127.0.0.1:8000/mcp to an MCP client: it opens the sign-in page, where the user is `ada`.
 *
 * @module
 */

import * as http from "@gatehouse/http";
import * as oauth from "@gatehouse/http/auth/server";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { signIn, signInPage } from "./sign_in.ts";
import { notesServer } from "./tools.ts";

/** What the host passes to it: the address of the client. */
type HostArgs = [Deno.ServeHandlerInfo<Deno.NetAddr>];

interface App {
  fetch(request: Request, ...args: HostArgs): Response | Promise<Response>;
}

/**
 * The server at an origin; in production `https`, and a database in place of the stores.
 *
 * @param options More options of the authorization server.
 */
export async function createApp(
  origin: string,
  password: string,
  options: Partial<oauth.AuthorizationServerOptions> = {},
): Promise<App> {
  const stores = http.inMemoryAuthStores();
  const api = http.protectedResource({
    resource: `${origin}/mcp`,
    authorizationServers: [origin],
    scopes: ["notes"],
    insecureLoopback: true,
  });
  const runtime = http.registerAuth({
    secret: http.generateSecret(), // in production: one fixed value from the environment
    stores,
    deployment: "direct",
    jwt: {
      issuer: origin,
      audience: api.resource,
      algorithms: ["ES256", "RS256"],
      resourceMetadata: api.metadataUrl,
      accept: (...token) => server.accept(...token),
    },
    container: http.createContainer(),
  });
  const server: oauth.AuthorizationServer = new oauth.AuthorizationServer({
    issuer: origin,
    clients: stores.clients,
    codes: stores.authorizations,
    tokens: stores.refreshTokens,
    keyService: runtime.tokens.keys,
    resources: [api.resource],
    scopes: { notes: { description: "Read and add notes" } },
    clientIdMetadata: true,
    registration: { insecureOpen: true },
    insecureLoopback: true,
    ...oauth.runtimeOptions(runtime),
    ...options,
  });
  await runtime.passwords.createUser({ identifier: "ada", password });

  const mcp = createMcpHandler(({ authInfo }) => notesServer(String(authInfo?.extra?.["sub"])));
  const router = http.createRouter<HostArgs>()
    .withAuth(runtime.integration({ routes: false }));
  return oauth.mountOAuthServer(http.mountProtectedResource(router, api), server)
    .all("/mcp", ({ raw, principal: { sub, claims = {}, scope = [] } }) => {
      const clientId = String(claims["client_id"]);
      return mcp.fetch(raw, {
        authInfo: { token: "", clientId, scopes: [...scope], extra: { sub } },
      });
    }, { scope: ["notes"], openapi: false })
    .get("/sign-in", () => signInPage(), { auth: false })
    .post("/sign-in", (req, ...args) => signIn(runtime, req, args), {
      auth: false,
      multipart: true,
    });
}

if (import.meta.main) {
  const app = await createApp("http://127.0.0.1:8000", Deno.env.get("PASSWORD") ?? "");
  Deno.serve({ hostname: "127.0.0.1", port: 8000 }, (request, info) => app.fetch(request, info));
}
