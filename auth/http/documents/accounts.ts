/**
 * The routes of accounts by e-mail in OpenAPI documents.
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
} from "./schemas.ts";

/** A route, by its path. */
export type AccountRouteName =
  | "email/verify/start"
  | "email/verify/finish"
  | "email/change"
  | "password/forgot"
  | "password/reset"
  | "link/start"
  | "link/finish"
  | "code/start"
  | "code/finish";

/** Describes the routes. */
export function describeAccountRoutes(
  { documented, signedIn }: DocumentParts,
): Readonly<Record<AccountRouteName, EndpointMetadata>> {
  const sent = {
    202: { description: "A message is sent if there is an account; the response does not tell" },
  };
  const invalid = {
    ...INVALID_JSON,
    422: { description: "The body is invalid, see `violations`" },
  };
  const throttled = { 429: { description: "Too many messages", headers: RETRY } };
  const anonymous = { 401: { description: "The request is anonymous", headers: CHALLENGE } };
  const badLink = { 400: { description: "The link was used, has expired, or is invalid" } };
  const taken = { 409: { description: "Another account has verified the address" } };
  const token = { ...STRING, description: "The token in the query of the link" };
  const email = { ...STRING, format: "email", maxLength: 254 };
  const remember = { type: "boolean", description: "Keep signed in", default: false };
  const mailed = body(object({ email, remember }, ["email"]));
  const session = content("The session", signedIn);
  return {
    "email/verify/start": {
      ...documented,
      summary: "Send a link that verifies the e-mail address",
      requestBody: body({ type: "object" }, false),
      responses: {
        202: { description: "A link is sent, unless the address is verified" },
        ...anonymous,
        ...FORGED,
        409: { description: "The account has no e-mail address" },
        ...throttled,
      },
    },
    "email/verify/finish": {
      ...documented,
      summary: "Verify an e-mail address by its link",
      requestBody: body(object({ token }, ["token"])),
      responses: {
        200: content("The address", object({ email }, ["email"])),
        ...invalid,
        ...anonymous,
        ...badLink,
        ...FORGED,
        ...taken,
      },
    },
    "email/change": {
      ...documented,
      summary: "Send a link to a new e-mail address",
      requestBody: body(object({ email }, ["email"])),
      responses: { ...sent, ...invalid, ...anonymous, ...FORGED, ...throttled },
    },
    "password/forgot": {
      ...documented,
      summary: "Send a link for a new password",
      requestBody: body(object({ identifier: { ...STRING, maxLength: 254 } }, ["identifier"])),
      responses: { ...sent, ...invalid, ...FORGED, ...throttled },
    },
    "password/reset": {
      ...documented,
      summary: "Set a new password by its link",
      requestBody: body(
        object({ token, newPassword: { type: "string", format: "password" } }, [
          "token",
          "newPassword",
        ]),
      ),
      responses: {
        204: { description: "The password is set, and all sessions have ended" },
        ...invalid,
        ...badLink,
        ...FORGED,
        422: { description: "The password is too weak, see `violations`" },
      },
    },
    "link/start": {
      ...documented,
      summary: "Send a link that signs in",
      requestBody: mailed,
      responses: { ...sent, ...invalid, ...FORGED, ...throttled },
    },
    "link/finish": {
      ...documented,
      summary: "Sign in by a link",
      requestBody: body(object({ token }, ["token"])),
      responses: { 200: session, ...invalid, ...badLink, ...FORGED },
    },
    "code/start": {
      ...documented,
      summary: "Send a code that signs in",
      requestBody: mailed,
      responses: { ...sent, ...invalid, ...FORGED, ...throttled },
    },
    "code/finish": {
      ...documented,
      summary: "Sign in by a code",
      requestBody: body(object({ email, code: { ...STRING, pattern: "^\\d{6}$" } }, [
        "email",
        "code",
      ])),
      responses: {
        200: session,
        ...invalid,
        401: { description: "The code is wrong or has expired", headers: CHALLENGE },
        ...FORGED,
        ...throttled,
      },
    },
  };
}
