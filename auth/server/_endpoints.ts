/**
 * The endpoints of the authorization server: one row for each. Routing, methods, CORS and the metadata follow from the rows.
 *
 * @module
 */

import { jwksHandler } from "../http/jwks_handler.ts";
import { authorize } from "./_authorize.ts";
import type { Endpoint, ServerContext } from "./_context.ts";
import { serverMetadata } from "./_metadata.ts";
import { privateJson, respondToAuthorize, respondToUserinfo } from "./_respond.ts";
import { exchangeTokens, revokeToken } from "./_token.ts";
import { userinfo } from "./_userinfo.ts";

/** All endpoints. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    member: "authorization_endpoint",
    path: "/oauth/authorize",
    methods: ["GET", "POST"],
    cors: false, // RFC 9700 §2.6
    isPage: true,
    handle: async (context, exchange) =>
      await respondToAuthorize(context, exchange, await authorize(context, exchange)),
  },
  {
    member: "token_endpoint",
    path: "/oauth/token",
    methods: ["POST"],
    cors: true,
    handle: async (context, exchange) => privateJson(await exchangeTokens(context, exchange)),
  },
  {
    member: "revocation_endpoint",
    path: "/oauth/revoke",
    methods: ["POST"],
    cors: true,
    async handle(context, exchange) {
      await revokeToken(context, exchange);
      return privateJson({});
    },
  },
  {
    member: "userinfo_endpoint",
    path: "/oauth/userinfo",
    methods: ["GET", "POST"],
    cors: true,
    handle: async (context, exchange) =>
      respondToUserinfo(context, await userinfo(context, exchange)),
  },
  {
    member: "jwks_uri",
    path: "/.well-known/jwks.json",
    methods: ["GET"],
    cors: true,
    handle: async (context, { request }) => await jwksHandlerOf(context)(request),
  },
  {
    path: "/.well-known/openid-configuration",
    methods: ["GET"],
    cors: true,
    handle: (context) => Promise.resolve(metadataResponse(context)),
  },
];

/** Well-known addresses for issuers with a path are in front of it, RFC 8414 §3.1: aliases of the last row. */
const ALIASES = [
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
] as const;

/** Full paths of all endpoints, with their rows. */
export function endpointPaths(basePath: string): ReadonlyMap<string, Endpoint> {
  const metadata = ENDPOINTS.find(({ path }) => path.endsWith("/openid-configuration"));
  return new Map([
    ...(metadata === undefined ? [] : ALIASES.map((path) => [path + basePath, metadata] as const)),
    ...ENDPOINTS.map((endpoint) => [basePath + endpoint.path, endpoint] as const),
  ]);
}

const JWKS: WeakMap<ServerContext, ReturnType<typeof jwksHandler>> = /* @__PURE__ */ new WeakMap();

function jwksHandlerOf(context: ServerContext): ReturnType<typeof jwksHandler> {
  const handler = JWKS.get(context) ?? jwksHandler(context.keys);
  JWKS.set(context, handler);
  return handler;
}

function metadataResponse(context: ServerContext): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" };
  return Response.json(serverMetadata(context, ENDPOINTS), { headers });
}
