/**
 * The endpoints of the authorization server: one row for each. Routing, methods, CORS and the metadata follow from the rows.
 *
 * @module
 */

import { authorize } from "./authorize/authorize.ts";
import type { Endpoint, ServerContext } from "./core/context.ts";
import { endSession } from "./logout/end_session.ts";
import { DEVICE_CODE } from "./clients/grant_types.ts";
import { answerDevice } from "./device/device.ts";
import { authorizeDevice, DEVICE_PATH } from "./device/device_authorization.ts";
import { serverMetadata } from "./_metadata.ts";
import { PUSH_PATH, pushRequest } from "./authorize/pushed_request.ts";
import { respondToAuthorize } from "./authorize/respond.ts";
import { privateJson } from "./core/responses.ts";
import { respondToUserinfo } from "./_respond.ts";
import { registerClientOf } from "./_register.ts";
import { introspectToken } from "./token/introspect.ts";
import { exchangeTokens, revokeToken, TOKEN_PATH } from "./token/token.ts";
import { userinfo, USERINFO_PATH } from "./_userinfo.ts";

/** The metadata do not contain their own URL: it follows from the issuer. */
const METADATA: Endpoint = {
  path: "/.well-known/openid-configuration",
  methods: ["GET"],
  cors: true,
  handle: (context) => Promise.resolve(metadataResponse(context)),
};

/** All endpoints. */
const ENDPOINTS: readonly Endpoint[] = [
  {
    member: "authorization_endpoint",
    path: "/oauth/authorize",
    methods: ["GET", "POST"],
    cors: false, // RFC 9700 §2.6
    isPage: true,
    isOn: ({ grants }) => grants.includes("authorization_code"),
    handle: async (context, exchange) =>
      await respondToAuthorize(context, exchange, await authorize(context, exchange)),
  },
  {
    member: "pushed_authorization_request_endpoint",
    path: PUSH_PATH,
    methods: ["POST"],
    cors: true,
    isOn: ({ pushedRequests }) => pushedRequests !== false,
    handle: pushRequest,
  },
  {
    member: "token_endpoint",
    path: TOKEN_PATH,
    methods: ["POST"],
    cors: true,
    handle: exchangeTokens,
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
    member: "introspection_endpoint",
    path: "/oauth/introspect",
    methods: ["POST"],
    cors: false, // for servers, which have credentials
    isOn: ({ introspection }) => introspection,
    handle: introspectToken,
  },
  {
    member: "userinfo_endpoint",
    path: USERINFO_PATH,
    methods: ["GET", "POST"],
    cors: true,
    handle: async (context, exchange) =>
      respondToUserinfo(context, await userinfo(context, exchange)),
  },
  {
    member: "end_session_endpoint",
    path: "/oauth/logout",
    methods: ["GET", "POST"],
    cors: false,
    isPage: true,
    isOn: ({ logout }) => logout !== undefined,
    handle: endSession,
  },
  {
    member: "device_authorization_endpoint",
    path: "/oauth/device_authorization",
    methods: ["POST"],
    cors: true,
    isOn: hasDevices,
    handle: async (context, exchange) => privateJson(await authorizeDevice(context, exchange)),
  },
  {
    path: DEVICE_PATH,
    methods: ["GET", "POST"],
    cors: false,
    isPage: true,
    isOn: hasDevices,
    handle: answerDevice,
  },
  {
    member: "registration_endpoint",
    path: "/oauth/register",
    methods: ["POST"],
    cors: true,
    isOn: ({ registration }) => registration !== undefined,
    handle: registerClientOf,
  },
  {
    member: "jwks_uri",
    path: "/.well-known/jwks.json",
    methods: ["GET"],
    cors: true,
    handle: (context, { request }) => context.jwks(request),
  },
  METADATA,
];

function hasDevices({ grants }: ServerContext): boolean {
  return grants.includes(DEVICE_CODE);
}

/** Well-known addresses for issuers with a path are in front of it, RFC 8414 §3.1. */
const METADATA_PATHS = [
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
] as const;

/** Endpoints of a server. */
export function endpointsOf(context: ServerContext): readonly Endpoint[] {
  return ENDPOINTS.filter(({ isOn }) => isOn?.(context) ?? true);
}

/** Full paths of all endpoints, with their rows. */
export function endpointPaths(context: ServerContext): ReadonlyMap<string, Endpoint> {
  const { basePath } = context;
  return new Map([
    ...METADATA_PATHS.map((path) => [path + basePath, METADATA] as const),
    ...endpointsOf(context).map((endpoint) => [basePath + endpoint.path, endpoint] as const),
  ]);
}

function metadataResponse(context: ServerContext): Response {
  const headers = { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" };
  return Response.json(serverMetadata(context, endpointsOf(context)), { headers });
}
