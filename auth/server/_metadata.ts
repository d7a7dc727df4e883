/**
 * Metadata of the server, RFC 8414 and OpenID Connect Discovery, made of the tables that its behaviour is made of.
 *
 * @module
 */

import { PROMPTS, RESPONSE_MODES } from "./authorize/authorization_request.ts";
import { authenticationMethods } from "./clients/authentication.ts";
import { DPOP_ALGORITHMS } from "../dpop/proof.ts";
import type { Endpoint, ServerContext } from "./core/context.ts";
import { claimNames } from "./core/scopes.ts";

/** The metadata. */
export function serverMetadata(
  context: ServerContext,
  endpoints: readonly Endpoint[],
): Readonly<Record<string, unknown>> {
  const { issuer, scopes, acrValues, idTokenAlgorithm, hasDocuments, grants } = context;
  const { dpop, introspection, logout, pushedRequests } = context;
  const urls = endpoints.flatMap(({ member, path }) =>
    member === undefined ? [] : [[member, issuer + path] as const]
  );
  return {
    issuer,
    ...Object.fromEntries(urls),
    scopes_supported: [...scopes.keys()],
    response_types_supported: ["code"],
    response_modes_supported: RESPONSE_MODES,
    grant_types_supported: grants,
    prompt_values_supported: PROMPTS,
    code_challenge_methods_supported: ["S256"],
    ...authenticationAt("token", context),
    ...authenticationAt("revocation", context),
    ...(introspection ? authenticationAt("introspection", context) : {}),
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [idTokenAlgorithm],
    claims_supported: [
      ...["iss", "sub", "aud", "exp", "iat", "auth_time", "acr", "amr", "nonce", "at_hash", "sid"],
      ...claimNames(scopes),
    ],
    ...(acrValues.length === 0 ? {} : { acr_values_supported: acrValues }),
    claims_parameter_supported: true,
    ...(pushedRequests === "required" ? { require_pushed_authorization_requests: true } : {}),
    request_parameter_supported: false,
    request_uri_parameter_supported: false, // its default is true
    authorization_response_iss_parameter_supported: true,
    ...(dpop === undefined ? {} : { dpop_signing_alg_values_supported: DPOP_ALGORITHMS }),
    ...(logout === undefined ? {} : {
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    }),
    ...(hasDocuments ? { client_id_metadata_document_supported: true } : {}),
  };
}

/** How clients authenticate at an endpoint, RFC 8414 §2. */
function authenticationAt(
  endpoint: "token" | "revocation" | "introspection",
  context: ServerContext,
): Readonly<Record<string, readonly string[]>> {
  const start = `${endpoint}_endpoint_auth`;
  const { assertions } = context;
  return {
    [`${start}_methods_supported`]: authenticationMethods(context)
      .filter((method) => method !== "none" || endpoint !== "introspection"),
    ...(assertions === undefined
      ? {}
      : { [`${start}_signing_alg_values_supported`]: assertions.algorithms }),
  };
}
