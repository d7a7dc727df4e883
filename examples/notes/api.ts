/**
 * The API: its controllers, and the description in its OpenAPI document.
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
  type RequestEvent,
  type RouterBuilder,
  routerBuilder,
  type TokenRuntime,
} from "@gatehouse/http/native";
import { AccountController } from "./account_controller.ts";
import { ApiKeysController } from "./api_key_controller.ts";
import { AttachmentsController } from "./attachment_controller.ts";
import { ChangesController } from "./change_controller.ts";
import { NotesController } from "./note_controller.ts";
import { ProgramsController } from "./program_controller.ts";
import { askToSignIn } from "./pages/refusal.ts";
import type { Provider } from "./providers.ts";
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
      description: "For API clients: signed-in users create one at /developer.",
    },
    bearer: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "JWT",
      description:
        "For API clients: the accessToken that /tokens/login and /tokens/refresh return.",
    },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "__Host-sid",
      description:
        "Set by a sign-in. Requests that change state also carry the token of /auth/csrf in " +
        "X-CSRF-Token, unless the browser sends the origin of a page of the service.",
    },
  },
  tags: [
    {
      name: "Authentication",
      description:
        "Pages sign in below /auth: request a CSRF token first, and send it in the header. " +
        "API clients sign in below /tokens, without one, and get tokens.",
    },
    { name: "Sessions", description: "Browsers in which you are signed in." },
    { name: "Programs", description: "API clients that you have signed in with your password." },
    {
      name: "ApiKeys",
      description: "For your API clients. Only you can create them in a session.",
    },
    {
      name: "Notes",
      description: "Your notes, newest first. Changes may name the version they are meant for.",
    },
    { name: "Attachments", description: "Files of a note." },
    { name: "Changes", description: "What changes, while it does." },
    { name: "Account", description: "Your account." },
  ],
};

/** Connection info of Deno.serve; absent in tests. */
export type Connection = [info?: Deno.ServeHandlerInfo];

/** Parts of the API. */
export interface ApiParts {
  /** Creates the controllers at their first requests. */
  readonly container: Container;
  /** Guards them, and brings the routes of authentication. */
  readonly runtime: TokenRuntime;
  /** Providers to sign in with. @default none */
  readonly providers?: readonly Provider[];
  /** Called with each request and what it came to. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined;
}

/** Records the API. */
export function apiBuilder(
  { container, runtime, providers = [], onRequest }: ApiParts,
): RouterBuilder<Connection, Principal> {
  const oauth = Object.fromEntries(providers.map(({ name, client }) => [name, client]));
  const withProviders = providers.length === 0 ? {} : { oauth, oauthFailurePath: "/sign-in" };
  const routes = { registration: "open", ...withProviders } as const;
  return routerBuilder<Connection>({ container, info, onRequest })
    .withAuth(runtime.integration({ routes, catch: askToSignIn }))
    .extend((router) => {
      // Below their own path, so that a script in a page never receives a refresh token
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
            304: { description: "The version in `If-None-Match` is the current one" },
          },
        },
      });
    })
    .controllers(
      NotesController,
      AttachmentsController,
      ChangesController,
      SessionsController,
      ProgramsController,
      ApiKeysController,
      AccountController,
    );
}
