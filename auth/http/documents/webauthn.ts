/**
 * The routes of passkeys in OpenAPI documents.
 *
 * @module
 */

import type { EndpointMetadata } from "../../../router/openapi_types.ts";
import {
  body,
  CHALLENGE,
  content,
  type DocumentParts,
  FORGED,
  INVALID_JSON,
  object,
  RETRY,
  STRING,
  TAGS,
} from "./schemas.ts";
import {
  AUTHENTICATION_RESPONSE,
  CREATION_OPTIONS,
  PASSKEY,
  PASSKEY_NAME,
  PASSKEYS,
  REGISTRATION_RESPONSE,
  REQUEST_OPTIONS,
} from "./_webauthn_schemas.ts";

/** A route, by its path below `/webauthn/`. */
export type PasskeyRouteName =
  | "register/options"
  | "register/verify"
  | "login/options"
  | "login/verify"
  | "credentials"
  | "credentials/rename"
  | "credentials/remove";

/** Describes the routes. */
export function describePasskeyRoutes(
  { documented, signedIn }: DocumentParts,
  hasTokens: boolean,
): Readonly<Record<PasskeyRouteName, EndpointMetadata>> {
  const invalidBody = { description: "The body is invalid, see `violations`" };
  const notFound = { description: "The user has no such passkey" };
  const anonymous = { description: "The request is anonymous", headers: CHALLENGE };
  const notRecent = {
    description: "The request is anonymous, not by a session, or the sign-in not recent",
    headers: CHALLENGE,
  };
  const conflict = {
    description: "The user has too many passkeys, or another account the identifier",
  };
  const noIdentifier = { description: "The body is not valid JSON, or the identifier is invalid" };
  const throttled = { description: "Too many attempts", headers: RETRY };
  const noKey = hasTokens
    ? { 503: { description: "No signing key is available", headers: RETRY } }
    : {};
  const id = { ...STRING, description: "Credential id of the passkey" };
  const identifier = { ...STRING, maxLength: 254 };
  const { properties } = signedIn as { properties: Parameters<typeof object>[0] };
  return {
    "register/options": {
      ...documented,
      summary: "Begin to register a passkey",
      requestBody: body(object({
        conditional: {
          type: "boolean",
          description: 'For `mediation: "conditional"`, of a user who is signed in',
          default: false,
        },
        identifier: { ...identifier, description: "Of an account to create, without a session" },
      }, [])),
      responses: {
        200: content(
          "Options for `PublicKeyCredential.parseCreationOptionsFromJSON()`",
          CREATION_OPTIONS,
        ),
        400: noIdentifier,
        401: notRecent,
        ...FORGED,
        409: conflict,
        422: invalidBody,
        429: throttled,
      },
    },
    "register/verify": {
      ...documented,
      summary: "Register a passkey",
      requestBody: body(REGISTRATION_RESPONSE),
      responses: {
        201: content(
          "The passkey, and the session if an account was created",
          object({ ...properties, credential: PASSKEY }, ["credential"]),
        ),
        400: { description: "The body is not valid JSON, or the registration failed" },
        401: notRecent,
        ...FORGED,
        409: conflict,
        422: invalidBody,
        ...noKey,
      },
    },
    "login/options": {
      ...documented,
      summary: "Begin to sign in with a passkey",
      requestBody: body(object({
        identifier: { ...identifier, description: "Whose passkeys are asked for" },
      }, [])),
      responses: {
        200: content(
          "Options for `PublicKeyCredential.parseRequestOptionsFromJSON()`",
          REQUEST_OPTIONS,
        ),
        400: noIdentifier,
        ...FORGED,
        422: invalidBody,
        429: throttled,
      },
    },
    "login/verify": {
      ...documented,
      summary: "Sign in with a passkey",
      requestBody: body(AUTHENTICATION_RESPONSE),
      responses: {
        200: content("The session", signedIn),
        400: { description: "The body is not valid JSON, or the challenge is invalid" },
        401: { description: "The passkey is unknown, or the sign-in failed", headers: CHALLENGE },
        ...FORGED,
        422: invalidBody,
        ...noKey,
      },
    },
    credentials: {
      tags: TAGS,
      summary: "The user's passkeys",
      responses: { 200: content("The passkeys", PASSKEYS), 401: anonymous },
    },
    "credentials/rename": {
      ...documented,
      summary: "Rename a passkey",
      requestBody: body(object({ id, name: PASSKEY_NAME }, ["id", "name"])),
      responses: {
        204: { description: "The passkey is renamed" },
        ...INVALID_JSON,
        401: anonymous,
        ...FORGED,
        404: notFound,
        422: invalidBody,
      },
    },
    "credentials/remove": {
      ...documented,
      summary: "Remove a passkey",
      requestBody: body(object({ id }, ["id"])),
      responses: {
        204: { description: "The passkey is removed" },
        ...INVALID_JSON,
        401: notRecent,
        ...FORGED,
        404: notFound,
        409: { description: "Without the passkey the user could not sign in" },
        422: invalidBody,
      },
    },
  };
}
