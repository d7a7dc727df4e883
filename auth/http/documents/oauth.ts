/**
 * The routes of sign-in with OAuth providers in OpenAPI documents.
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
export type OAuthRouteName =
  | "oauth/:provider/start"
  | "oauth/:provider/callback"
  | "oauth/:provider/link"
  | "oauth/:provider/logout"
  | "oauth/:provider/backchannel-logout"
  | "identities"
  | "identities/unlink";

/** Describes the routes. */
export function describeOAuthRoutes(
  { documented }: Pick<DocumentParts, "documented">,
  providers: readonly string[],
): Readonly<Record<OAuthRouteName, EndpointMetadata>> {
  const { parameters: csrf = [] } = documented;
  const provider = {
    name: "provider",
    in: "path",
    required: true,
    schema: { type: "string", enum: [...providers] },
  } as const;
  const query = (name: string, description: string, schema: SchemaObject = STRING) =>
    ({ name, in: "query", description, schema }) as const;
  const unknown = { 404: { description: "There is no such provider" } };
  const unavailable = { 503: { description: "The provider does not answer" } };
  const invalidBody = { 422: { description: "The body is invalid, see `violations`" } };
  const location = { Location: { description: "Where the browser goes" } };
  const leaves = { description: "The browser goes on", headers: location };
  const notRecent = {
    401: {
      description: "The request is anonymous, not by a session, or the sign-in not recent",
      headers: CHALLENGE,
    },
  };
  const identity = object({
    id: STRING,
    provider: STRING,
    issuer: STRING,
    linkedAt: TIME,
    usedAt: TIME,
    label: { ...STRING, description: "An e-mail address or a name" },
  }, ["id", "provider", "issuer", "linkedAt", "usedAt"]);
  return {
    "oauth/:provider/start": {
      tags: TAGS,
      summary: "Begin to sign in with a provider",
      parameters: [
        provider,
        query("redirect_to", "Where to go afterwards: a path of this service"),
        query("remember", "`true` to keep signed in"),
        query("max_age", "Seconds within which the user must have authenticated", {
          type: "integer",
        }),
      ],
      responses: {
        303: leaves,
        400: { description: "The target is not a path of this service" },
        ...unknown,
        422: { description: "`max_age` is invalid" },
        429: { description: "Too many attempts", headers: RETRY },
        ...unavailable,
      },
    },
    "oauth/:provider/callback": {
      tags: TAGS,
      summary: "Complete a sign-in with a provider",
      parameters: [provider],
      responses: {
        303: leaves,
        400: { description: "The provider's response is invalid" },
        403: { description: "The user refused, or gets no account" },
        ...unknown,
        409: { description: "Another account has the identity, or its e-mail address" },
        ...unavailable,
      },
    },
    "oauth/:provider/link": {
      ...documented,
      summary: "Begin to link an identity to the account",
      parameters: [provider, ...csrf],
      requestBody: body(object({ redirectTo: STRING }, [])),
      responses: {
        200: content("Where the browser goes", object({ url: STRING }, ["url"])),
        400: { description: "The body is not valid JSON, or the target not a path" },
        ...notRecent,
        ...FORGED,
        ...unknown,
        ...invalidBody,
        ...unavailable,
      },
    },
    "oauth/:provider/logout": {
      ...documented,
      summary: "Sign out here, and at the provider",
      parameters: [provider, ...csrf],
      responses: {
        200: content(
          "Where the browser goes, if the provider has such a page",
          object({ url: STRING }, []),
        ),
        ...FORGED,
        ...unknown,
        ...unavailable,
      },
    },
    "oauth/:provider/backchannel-logout": {
      tags: TAGS,
      summary: "Receive a logout token, OpenID Connect Back-Channel Logout",
      parameters: [provider],
      requestBody: {
        required: true,
        content: {
          "application/x-www-form-urlencoded": {
            schema: object({ logout_token: STRING }, ["logout_token"]),
          },
        },
      },
      responses: {
        200: { description: "The sessions are revoked" },
        400: { description: "The token is invalid" },
        ...unknown,
        ...unavailable,
      },
    },
    identities: {
      tags: TAGS,
      summary: "The user's identities at providers",
      responses: {
        200: content(
          "The identities, and the providers that can be linked",
          object({ identities: { type: "array", items: identity }, providers: STRINGS }, [
            "identities",
            "providers",
          ]),
        ),
        401: { description: "The request is anonymous", headers: CHALLENGE },
      },
    },
    "identities/unlink": {
      ...documented,
      summary: "Remove an identity",
      requestBody: body(object({ id: STRING }, ["id"])),
      responses: {
        204: { description: "The identity is removed" },
        ...INVALID_JSON,
        ...notRecent,
        ...FORGED,
        404: { description: "The user has no such identity" },
        409: { description: "Without the identity the user could not sign in" },
        ...invalidBody,
      },
    },
  };
}
