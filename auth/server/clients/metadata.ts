/**
 * Client metadata, RFC 7591 §2, of clients that register themselves or publish a document: what of it this server supports.
 *
 * @module
 */

import { CANNOT_REGISTER, type ClientDescription, describeClient } from "./_rules.ts";
import { isUserGrantType } from "./grant_types.ts";
import type { JwkSet } from "../../jwt/types.ts";
import { isPublicName } from "./public_host.ts";
import { redirectHost, redirectUriViolation } from "./redirect_uri.ts";
import type { ClientAuthenticationMethod, RegisteredClient } from "../../stores/server_types.ts";

/** Why metadata are refused, RFC 7591 §3.2.2. The description contains nothing of them. */
export interface MetadataFailure {
  readonly error: "invalid_redirect_uri" | "invalid_client_metadata";
  readonly description: string;
}

/** What the server decides about such clients. */
export interface MetadataRules {
  /** Supported ways to authenticate. */
  readonly methods: readonly ClientAuthenticationMethod[];
  /** The one of clients that name none. */
  readonly defaultMethod: ClientAuthenticationMethod;
  /** Scopes that they may request. @default all scopes of the server */
  readonly scope?: readonly string[] | undefined;
  /** Name of clients without `client_name`. @default the host of the first redirect URI */
  readonly defaultName?: string | undefined;
}

/** Most redirect URIs of one client. */
const MAX_REDIRECT_URIS = 16;

/**
 * Reads metadata. Members that are not supported are ignored, RFC 7591 §2, and so is what would give privileges: `client_id`,
 * secrets, scopes. Who uses the loopback interface or a private-use scheme is a native application, whatever it says, and has no
 * secret.
 */
export function readClientMetadata(
  metadata: Readonly<Record<string, unknown>>,
  { methods, defaultMethod, scope, defaultName }: MetadataRules,
): ClientDescription | MetadataFailure {
  const { redirect_uris, client_name, client_uri, response_types = ["code"] } = metadata;
  const { application_type, grant_types = ["authorization_code"] } = metadata;
  const { post_logout_redirect_uris = [], backchannel_logout_uri: logoutUri } = metadata;
  const { dpop_bound_access_tokens } = metadata;
  const { require_pushed_authorization_requests: pushed } = metadata;

  // Redirect URIs, and what kind of application has such
  if (!isStrings(redirect_uris) || redirect_uris.length === 0) {
    return badRedirect("redirect_uris must be a non-empty array of strings");
  }
  const redirectUris = [...new Set(redirect_uris)];
  if (redirectUris.length > MAX_REDIRECT_URIS) {
    return badRedirect(`redirect_uris must not have more than ${MAX_REDIRECT_URIS} URIs`);
  }
  const isOnDevice = redirectUris.some((uri) => !uri.startsWith("https:"));
  const type: RegisteredClient["type"] = isOnDevice || application_type === "native"
    ? "native"
    : "web";
  if (
    !isStrings(post_logout_redirect_uris) || post_logout_redirect_uris.length > MAX_REDIRECT_URIS
  ) {
    return badRedirect(
      `post_logout_redirect_uris must be an array of at most ${MAX_REDIRECT_URIS} strings`,
    );
  }
  const postLogoutRedirectUris = [...new Set(post_logout_redirect_uris)];
  for (const uri of [...redirectUris, ...postLogoutRedirectUris]) {
    const violation = redirectUriViolation(uri, type);
    if (violation !== undefined) return badRedirect(`a redirect URI ${violation}`);
  }

  // The server sends requests there
  if (logoutUri !== undefined && !isPublicUri(logoutUri)) {
    return badMetadata("backchannel_logout_uri must be an https URL with a public host name");
  }

  // The flow: there is only one
  if (!isStrings(response_types) || !response_types.includes("code")) {
    return badMetadata("response_types must include code");
  }
  if (!isStrings(grant_types) || !grant_types.includes("authorization_code")) {
    return badMetadata("grant_types must include authorization_code");
  }
  const method = readMethod(metadata, { type, methods, defaultMethod });
  if (method === undefined) {
    return badMetadata(`token_endpoint_auth_method must be one of ${methods.join(", ")}`);
  }
  const { jwks_uri } = metadata;
  const isFetchable = jwks_uri === undefined ||
    (isPublicUri(jwks_uri) && new URL(jwks_uri).port === "");
  if (method === "private_key_jwt" && !isFetchable) {
    return badMetadata("jwks_uri must be an https URL of a public name");
  }

  const [first = ""] = redirectUris;
  try {
    return describeClient({
      name: client_name === undefined ? defaultName ?? redirectHost(first) : client_name as string,
      type,
      redirectUris,
      ...(postLogoutRedirectUris.length === 0 ? {} : { postLogoutRedirectUris }),
      ...(logoutUri === undefined ? {} : { backchannelLogoutUri: logoutUri }),
      authentication: method,
      ...(method === "private_key_jwt" ? keysOf(metadata) : {}),
      grants: [...new Set(grant_types)].filter(isUserGrantType),
      ...(scope === undefined ? {} : { scope }),
      ...(client_uri === undefined ? {} : { clientUri: client_uri as string }),
      ...(dpop_bound_access_tokens === undefined
        ? {}
        : { dpopBound: dpop_bound_access_tokens as boolean }),
      ...(pushed === undefined ? {} : { requirePushedRequests: pushed as boolean }),
    }, defaultMethod);
  } catch (error) {
    if (!(error instanceof TypeError) && !(error instanceof RangeError)) throw error;
    return badMetadata(
      error.message.slice(`${CANNOT_REGISTER}: `.length).replace(NAMES_REGEXP, rename),
    );
  }
}

/** Whether the metadata were refused. */
export function isMetadataFailure(
  outcome: ClientDescription | MetadataFailure,
): outcome is MetadataFailure {
  return "error" in outcome;
}

/**
 * The method that a client prefers or, if the server does not have it, another one that the client supports: OpenID Connect Relying
 * Party Metadata Choices 1.0. A native application cannot keep a secret, RFC 8252 §8.5, and is told so.
 */
function readMethod(
  { token_endpoint_auth_method: given, ...metadata }: Readonly<Record<string, unknown>>,
  { type, methods, defaultMethod }: Pick<MetadataRules, "methods" | "defaultMethod"> & {
    readonly type: RegisteredClient["type"];
  },
): ClientAuthenticationMethod | undefined {
  const { token_endpoint_auth_methods_supported: supported } = metadata;
  const names = given === undefined
    ? [defaultMethod]
    : [given, ...isStrings(supported) ? supported : []];
  const [method] = names.flatMap((name) => methods.find((one) => one === name) ?? []);
  if (type !== "native" || method === undefined) return method;
  return methods.find((one) => one === "none"); // a profile may have no public clients
}

/** Whether it is an `https` URL that may be registered, and leads out of the server's own network. */
function isPublicUri(uri: unknown): uri is string {
  return typeof uri === "string" && uri.startsWith("https:") &&
    redirectUriViolation(uri, "web") === undefined && isPublicName(new URL(uri).hostname);
}

/** Where the keys of a client are that the server's owner does not know. */
function keysOf({ jwks, jwks_uri }: Readonly<Record<string, unknown>>) {
  return {
    ...(jwks === undefined ? {} : { jwks: jwks as JwkSet }),
    ...(jwks_uri === undefined ? {} : { jwksUri: jwks_uri as string }),
  };
}

/** Messages name members as RFC 7591 does. */
const NAMES: Readonly<Record<string, string>> = {
  authentication: "token_endpoint_auth_method",
  clientUri: "client_uri",
  dpopBound: "dpop_bound_access_tokens",
  jwksUri: "jwks_uri",
  name: "client_name",
  requirePushedRequests: "require_pushed_authorization_requests",
};

const NAMES_REGEXP =
  /\b(?:authentication|clientUri|dpopBound|jwksUri|requirePushedRequests)\b|^name\b/g;

function rename(name: string): string {
  return NAMES[name] ?? name;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function badRedirect(description: string): MetadataFailure {
  return { error: "invalid_redirect_uri", description };
}

function badMetadata(description: string): MetadataFailure {
  return { error: "invalid_client_metadata", description };
}
