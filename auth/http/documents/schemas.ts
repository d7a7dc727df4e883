/**
 * Schemas and responses that the OpenAPI documents of several routes share. Calls are marked as pure and nothing is spread
 * here, so that bundles of applications without these routes leave them out.
 *
 * @module
 */

import type { EndpointMetadata, SchemaObject } from "../../../router/openapi_types.ts";

type Responses = NonNullable<EndpointMetadata["responses"]>;

/** What the documents of the routes for browsers share. */
export interface DocumentParts {
  /** Members of the documents of routes that change state. */
  readonly documented: Pick<EndpointMetadata, "tags" | "parameters">;
  /** Schema of the response of all sign-ins. */
  readonly signedIn: SchemaObject;
}

export const TAGS: string[] = ["Authentication"];
export const STRING: SchemaObject = { type: "string" };
export const STRINGS: SchemaObject = { type: "array", items: STRING };
export const TIME: SchemaObject = { type: "number", description: "Seconds since the Unix epoch" };

export const PRINCIPAL: SchemaObject = /* @__PURE__ */ object({
  sub: { type: "string", description: "Stable subject id" },
  method: { type: "string", description: "How the subject proved its identity on this request" },
  amr: { type: "array", items: STRING, description: "Authentication methods, RFC 8176" },
  acr: { type: "string", description: "Authentication context class" },
  authTime: TIME,
  scope: { type: "array", items: STRING, description: "Granted scopes" },
  sessionId: { type: "string", description: "The session's public identifier" },
}, ["sub", "method", "authTime"]);

export const SESSION: SchemaObject = /* @__PURE__ */ object({
  id: { type: "string", description: "Public identifier" },
  sub: STRING,
  createdAt: TIME,
  activeAt: TIME,
  expiresAt: TIME,
  persistent: { type: "boolean", description: "Whether it outlives the browser's window" },
  authTime: TIME,
  amr: STRINGS,
  acr: STRING,
  userAgent: STRING,
  provider: { type: "string", description: "Name of the OAuth provider, if it was used" },
}, ["id", "sub", "createdAt", "activeAt", "expiresAt", "authTime", "amr"]);

export const USER: SchemaObject = /* @__PURE__ */ object({
  sub: STRING,
  identifier: { type: "string", description: "The identifier that the user signs in with" },
}, ["sub", "identifier"]);

/** Members of a response with tokens. */
export const TOKENS: Readonly<Record<string, SchemaObject>> = {
  accessToken: { type: "string", description: "For `Authorization: Bearer`, RFC 6750" },
  tokenType: { type: "string", const: "Bearer" },
  expiresIn: { type: "number", description: "Lifetime of the access token in seconds" },
  refreshToken: { type: "string", description: "For the next access token, single use" },
  scope: { type: "array", items: STRING, description: "Granted scopes" },
};

/** Members that are always present. */
export const TOKEN_NAMES: readonly string[] = [
  "accessToken",
  "tokenType",
  "expiresIn",
  "refreshToken",
];

export const CREDENTIALS: Readonly<Record<string, SchemaObject>> = {
  identifier: { type: "string", description: "An e-mail address or a name", maxLength: 254 },
  password: { type: "string", format: "password" },
};

/** Members of a registration. */
export function registrationOf(hasEmail: boolean): Readonly<Record<string, SchemaObject>> {
  const description = "The e-mail address, if that is not the identifier";
  const email = { type: "string", format: "email", description, maxLength: 254 };
  return hasEmail ? { ...CREDENTIALS, email } : CREDENTIALS;
}

export const REFRESH_TOKEN: SchemaObject = { type: "string", description: "The refresh token" };

export const CHALLENGE = {
  "WWW-Authenticate": { description: "The accepted authentication schemes" },
};
export const RETRY = { "Retry-After": { description: "Seconds until another attempt is allowed" } };

export const INVALID_JSON = { 400: { description: "The body is not valid JSON" } };
/** Of routes that read an optional body themselves. */
export const TOO_LARGE = { 413: { description: "The body is too large" } };
export const FORGED = { 403: { description: "The request is forged, or has no valid CSRF token" } };

export const REGISTER_REFUSALS: Responses = /* @__PURE__ */ signInRefusals({
  409: { description: "Another account has the identifier" },
  422: { description: "The password is too weak, see `violations`, or the body not an object" },
});

export const LOGIN_REFUSALS: Responses = /* @__PURE__ */ signInRefusals({
  401: {
    description:
      "The account does not exist, the password is wrong, or the second factor is missing: `mfa_required`",
    headers: CHALLENGE,
  },
  422: { description: "The body is not an object, or `remember` not a boolean" },
});

function signInRefusals(own: Responses): Responses {
  return {
    400: {
      description: "The body is not valid JSON, or the identifier not an e-mail address or name",
    },
    429: { description: "Too many attempts", headers: RETRY },
    503: {
      description: "Too many passwords are being hashed, or no signing key is available",
      headers: RETRY,
    },
    ...own,
  };
}

/** Schema of an object. */
export function object(
  properties: Readonly<Record<string, SchemaObject>>,
  required: readonly string[],
): SchemaObject {
  return { type: "object", properties, required };
}

/** A JSON request body. */
export function body(
  schema: SchemaObject,
  required = true,
): NonNullable<EndpointMetadata["requestBody"]> {
  return { required, content: { "application/json": { schema } } };
}

/** A JSON response. */
export function content(description: string, schema: SchemaObject): Responses[string] {
  return { description, content: { "application/json": { schema } } };
}
