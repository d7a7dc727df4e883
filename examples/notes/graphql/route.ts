/**
 * `/graphql`: queries and mutations as JSON, subscriptions as server-sent events.
 *
 * @module
 */

import {
  type BuiltRouter,
  HttpError,
  type Principal,
  type TokenRuntime,
} from "@gatehouse/http/native";
import { createAuthContext } from "@gatehouse/http/auth/graphql";
import { createYoga } from "graphql-yoga";
import type { Connection } from "../api.ts";
import { NOTE_BODY_BYTES } from "../note.ts";
import { createNoteSchema, type NoteSchemaParts } from "./schema.ts";

/** Parts of the route. */
export interface GraphqlRouteParts extends NoteSchemaParts {
  /** Authenticates requests. */
  readonly runtime: TokenRuntime;
}

/** Adds the route. Its guard accepts everyone whose credential is not invalid: the schema says what they may see. */
export function addGraphqlRoute(
  router: BuiltRouter<Connection, Principal>,
  { runtime, ...parts }: GraphqlRouteParts,
): void {
  const contextOf = createAuthContext({ runtime });
  const yoga = createYoga({
    schema: createNoteSchema(parts),
    context: ({ request }) => contextOf(request),
    cors: false, // by default, pages of every origin may read the answers to a user's cookies
    graphiql: false,
    landingPage: false,
    logging: false,
  });
  router.all("/graphql", async (req) => {
    const length = Number(req.headers.get("Content-Length") ?? NaN);
    if (req.method === "POST" && !(length <= NOTE_BODY_BYTES)) {
      throw new HttpError(413, "body_too_large", {
        detail: "Send a smaller body, with its length",
      });
    }
    return await yoga.fetch(req.method === "GET" ? asJson(req.raw) : req.raw);
  }, { auth: { mode: "optional" }, scope: "any", openapi: false });
}

/** A query by a link: a browser that asks for a page gets the JSON. */
function asJson(request: Request): Request {
  if (!request.headers.get("Accept")?.includes("text/html")) return request;
  const headers = new Headers(request.headers);
  headers.set("Accept", "application/json");
  return new Request(request, { headers });
}
