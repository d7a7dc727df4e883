/**
 * The API: its controllers, and what its OpenAPI document says of it.
 *
 * @module
 */

import {
  type AuthIntegration,
  type Container,
  type OpenApiInfo,
  type Principal,
  type RouterBuilder,
  routerBuilder,
} from "@gatehouse/http/native";
import { AttachmentsController } from "./attachment_controller.ts";
import { NotesController } from "./note_controller.ts";
import { SessionsController } from "./session_controller.ts";

const info: OpenApiInfo = {
  title: "Notes",
  version: "0.1.0",
  description: "Notes with tags and attachments, the example service of Gatehouse. " +
    "Sign in at the start page, and requests that you try out here are yours.",
  license: { name: "MIT", identifier: "MIT" },
  securitySchemes: {
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
        "Accounts and signing in. Ask for a CSRF token first, and send it in the header.",
    },
    { name: "Sessions", description: "Browsers in which you are signed in." },
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
  /** Guards them, and adds the routes of authentication. */
  readonly auth: AuthIntegration<Principal>;
}

/** Records the API. */
export function apiBuilder({ container, auth }: ApiParts): RouterBuilder<Connection, Principal> {
  return routerBuilder<Connection>({ container, info })
    .withAuth(auth)
    .controllers(NotesController, AttachmentsController, SessionsController);
}
