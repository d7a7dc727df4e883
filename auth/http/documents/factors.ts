/**
 * The routes of second factors in OpenAPI documents.
 *
 * @module
 */

import type { EndpointMetadata, SchemaObject } from "../../../router/openapi_types.ts";
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
  STRINGS,
  TAGS,
  TIME,
} from "./schemas.ts";

/** A route, by its path. */
export type FactorRouteName =
  | "login/second-factor"
  | "step-up"
  | "second-factors"
  | "second-factors/totp/start"
  | "second-factors/totp/confirm"
  | "second-factors/recovery-codes"
  | "second-factors/remove";

/** Members of a body with a second factor: one of both. */
export const PROOF: Readonly<Record<string, SchemaObject>> = {
  totp: { ...STRING, description: "The code of the authenticator app" },
  recoveryCode: { ...STRING, description: "A recovery code, which is used up" },
};

/** Describes the routes. */
export function describeFactorRoutes(
  { documented, signedIn }: DocumentParts,
): Readonly<Record<FactorRouteName, EndpointMetadata>> {
  const invalid = {
    ...INVALID_JSON,
    422: { description: "The body is invalid, see `violations`" },
  };
  const refused = {
    401: { description: "The code is wrong, or the sign-in has expired", headers: CHALLENGE },
    429: { description: "Too many attempts", headers: RETRY },
  };
  const notRecent = {
    401: {
      description:
        "The request is anonymous, or the sign-in not recent or without the second factor",
      headers: CHALLENGE,
    },
  };
  const codes = object({
    recoveryCodes: { ...STRINGS, description: "To be shown once; none if earlier ones are valid" },
  }, ["recoveryCodes"]);
  const session = content("The session", signedIn);
  const rememberBrowser = {
    type: "boolean",
    description: "Do not ask for it in this browser for 30 days",
    default: false,
  };
  return {
    "login/second-factor": {
      ...documented,
      summary: "Complete a sign-in by the second factor",
      requestBody: body(object({ ...PROOF, rememberBrowser }, [])),
      responses: { 200: session, ...invalid, ...refused, ...FORGED },
    },
    "step-up": {
      ...documented,
      summary: "Add the second factor to the session",
      requestBody: body(object(PROOF, [])),
      responses: { 200: session, ...invalid, ...refused, ...FORGED },
    },
    "second-factors": {
      tags: TAGS,
      summary: "The second factors of the user",
      responses: {
        200: content(
          "The second factors",
          object({
            totp: object({ confirmedAt: TIME }, ["confirmedAt"]),
            recoveryCodes: { type: "integer", description: "How many are left" },
          }, ["recoveryCodes"]),
        ),
        401: { description: "The request is anonymous", headers: CHALLENGE },
      },
    },
    "second-factors/totp/start": {
      ...documented,
      summary: "Begin to set up an authenticator app",
      requestBody: body({ type: "object" }, false),
      responses: {
        200: content(
          "What the app needs",
          object({
            secret: { ...STRING, description: "The secret in base32, for users who type it" },
            uri: { ...STRING, description: "To be shown as a QR code" },
          }, ["secret", "uri"]),
        ),
        ...notRecent,
        ...FORGED,
      },
    },
    "second-factors/totp/confirm": {
      ...documented,
      summary: "Confirm an authenticator app by its first code",
      requestBody: body(object({ code: STRING }, ["code"])),
      responses: {
        200: content("The recovery codes", codes),
        ...invalid,
        ...notRecent,
        ...FORGED,
      },
    },
    "second-factors/recovery-codes": {
      ...documented,
      summary: "Replace all recovery codes",
      requestBody: body({ type: "object" }, false),
      responses: { 200: content("The recovery codes", codes), ...notRecent, ...FORGED },
    },
    "second-factors/remove": {
      ...documented,
      summary: "Remove the second factors",
      requestBody: body({ type: "object" }, false),
      responses: {
        204: { description: "They are removed, with the recovery codes" },
        ...notRecent,
        ...FORGED,
      },
    },
  };
}
