/**
 * `handleOAuthServerRequest`: requests to an authorization server.
 *
 * @module
 */

import type { Endpoint, Exchange, ServerContext } from "./core/context.ts";
import { respondToError } from "./_respond.ts";
import { type AuthorizationServer, partsOf } from "./server.ts";

/**
 * Answers a request to the server's endpoints: `/oauth/authorize`, `/oauth/token`, `/oauth/revoke`, `/oauth/userinfo`,
 * `/.well-known/jwks.json` and `/.well-known/openid-configuration` below the issuer, and `/.well-known/oauth-authorization-server`
 * (RFC 8414). Everything else is a 404. It never rejects; unexpected errors are passed to `warn`.
 *
 * @param args What the host passed to `fetch` after the request, for the option `clientAddress`.
 *
 * @example
 * ```ts
 * import { inMemoryAuthStores, keyService } from "@gatehouse/http/auth";
 * import { AuthorizationServer, handleOAuthServerRequest, staticClients } from "@gatehouse/http/auth/server";
 * import { assertEquals } from "@std/assert";
 *
 * const { authorizations: codes, refreshTokens: tokens, keys } = inMemoryAuthStores();
 * const server = new AuthorizationServer({
 *   issuer: "https://id.example",
 *   clients: staticClients([]),
 *   codes,
 *   tokens,
 *   keyService: keyService({ store: keys, algorithms: ["RS256"] }),
 * });
 *
 * const request = new Request("https://id.example/oauth/token", { method: "POST" });
 * const response = await handleOAuthServerRequest(server, request);
 * assertEquals([response.status, await response.json()], [400, { error: "invalid_request" }]);
 * ```
 */
export async function handleOAuthServerRequest(
  server: AuthorizationServer,
  request: Request,
  ...args: unknown[]
): Promise<Response> {
  const { context, endpoints } = partsOf(server);
  const endpoint = endpoints.get(new URL(request.url).pathname);
  if (endpoint === undefined) return new Response(null, { status: 404 });
  return await answer(context, endpoint, request, args);
}

/** Answers a request to an endpoint. */
export async function answer(
  context: ServerContext,
  endpoint: Endpoint,
  request: Request,
  args: readonly unknown[],
): Promise<Response> {
  const response = await dispatch(context, endpoint, request, args);
  if (!endpoint.cors) return response;
  // Without credentials: a page of another origin gets what a program would get
  response.headers.set("Access-Control-Allow-Origin", "*");
  response.headers.set(
    "Access-Control-Expose-Headers",
    "Retry-After, WWW-Authenticate, DPoP-Nonce",
  );
  return response;
}

async function dispatch(
  context: ServerContext,
  endpoint: Endpoint,
  request: Request,
  args: readonly unknown[],
): Promise<Response> {
  const { methods, cors, isPage = false } = endpoint;
  const method = request.method === "HEAD" && !isPage ? "GET" : request.method;
  if (cors && method === "OPTIONS") return preflight(endpoint);
  if (!methods.some((one) => one === method)) {
    return new Response(null, { status: 405, headers: { Allow: allowed(endpoint) } });
  }
  let exchange: Exchange = { request, address: undefined };
  try {
    exchange = { request, address: context.clientAddress?.(request, ...args) };
    const response = await endpoint.handle(context, exchange);
    return request.method === "HEAD" ? new Response(null, response) : response;
  } catch (error) {
    return respondToError(context, exchange, { error, isPage });
  }
}

/** WHATWG Fetch §3.2.3. */
function preflight(endpoint: Endpoint): Response {
  const headers = {
    "Access-Control-Allow-Methods": allowed(endpoint),
    "Access-Control-Allow-Headers": "*, Authorization", // MCP-Protocol-Version, and whatever else clients send
    "Access-Control-Max-Age": "7200",
  };
  return new Response(null, { status: 204, headers });
}

/** An authorization request has effects, so HEAD does not do what GET does. */
function allowed({ methods, cors, isPage }: Endpoint): string {
  const all = methods.flatMap((method) => method === "GET" && !isPage ? ["GET", "HEAD"] : [method]);
  return [...all, ...(cors ? ["OPTIONS"] : [])].join(", ");
}
