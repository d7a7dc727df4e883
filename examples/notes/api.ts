/**
 * The API: its controllers, and what its OpenAPI document says of it.
 *
 * @module
 */

import {
  type Container,
  createTokenRoutes,
  jwksHandler,
  mountAuthRoutes,
  type OpenApiInfo,
  type Principal,
  type RouterBuilder,
  routerBuilder,
  type TokenRuntime,
} from "@gatehouse/http/native";
import { ApiKeysController } from "./api_key_controller.ts";
import { AttachmentsController } from "./attachment_controller.ts";
import { NotesController } from "./note_controller.ts";
import { ProgramsController } from "./program_controller.ts";
import { askToSignIn } from "./refusal_page.ts";
import { SessionsController } from "./session_controller.ts";

const info: OpenApiInfo = {
  title: "Notes",
  version: "0.1.0",
  description: "Notes with tags and attachments, the example service of Gatehouse. " +
    "Sign in at the start page, and requests that you try out here are yours.",
  license: { name: "MIT", identifier: "MIT" },
  securitySchemes: {
    apiKey: {
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
      description: "For programs: who is signed in makes one at /developer.",
    },
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description: "For programs: the accessToken that /tokens/login and /tokens/refresh answer.",
    },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "__Host-sid",
      description:
        "Who signs in gets it. What changes something also carries the token of /auth/csrf in " +
        "X-CSRF-Token, unless the browser says that it comes from a page of the service.",
    },
  },
  tags: [
    {
      name: "Authentication",
      description:
        "Pages sign in beneath /auth: ask for a CSRF token first, and send it in the header. " +
        "Programs sign in beneath /tokens, without one, and get tokens.",
    },
    { name: "Sessions", description: "Browsers in which you are signed in." },
    { name: "Programs", description: "Programs that you have signed in by your password." },
    {
      name: "ApiKeys",
      description: "For your programs. Only you make them, and no program does.",
    },
    {
      name: "Notes",
      description: "Your notes, newest first. Changes may name the version they are meant for.",
    },
    { name: "Attachments", description: "Files at a note." },
  ],
};

/** What Deno.serve says of the connection; in tests nobody does. */
export type Connection = [info?: Deno.ServeHandlerInfo];

/** What the API is made with. */
export interface ApiParts {
  /** What the controllers are made by, at their first requests. */
  readonly container: Container;
  /** Guards them, and brings the routes of authentication. */
  readonly runtime: TokenRuntime;
}

/** Records the API. */
export function apiBuilder(
  { container, runtime }: ApiParts,
): RouterBuilder<Connection, Principal> {
  return routerBuilder<Connection>({ container, info })
    .withAuth(runtime.integration({ catch: askToSignIn }))
    .extend((router) => {
      // Of their own, so that what runs in a page finds no refresh token that it could take along
      const routes = createTokenRoutes({ runtime, registration: "closed" });
      mountAuthRoutes(router, routes, "/tokens");
      router.get("/.well-known/jwks.json", jwksHandler(runtime.tokens.keys), {
        auth: false,
        openapi: {
          tags: ["Authentication"],
          summary: "The keys that access tokens are signed with",
          responses: {
            200: {
              description: "A JWK Set, RFC 7517 §5",
              content: { "application/jwk-set+json": {} },
            },
            304: { description: "They are as in the version of `If-None-Match`" },
          },
        },
      });
    })
    .controllers(
      NotesController,
      AttachmentsController,
      SessionsController,
      ProgramsController,
      ApiKeysController,
    );
}
