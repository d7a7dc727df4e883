import { createRoute, z } from "@hono/zod-openapi";
import { HTTPException } from "hono/http-exception";
import { body, can, errors, json, router } from "./http.ts";
import { entryOf, ownOrModerated } from "./issues.ts";
import * as schemas from "./schemas.ts";
import { changes } from "./store.ts";

export const comments = router();

comments.openapi(
  createRoute({
    method: "get",
    path: "/{org}/issues/{id}/comments",
    summary: "List the comments of an issue",
    middleware: can({ issue: ["read"] }),
    request: { params: schemas.IssueParams },
    responses: { 200: json(z.array(schemas.Comment), "The comments"), ...errors(401, 404) },
  }),
  (c) => c.json([...entryOf(c).comments.values()], 200),
);

comments.openapi(
  createRoute({
    method: "post",
    path: "/{org}/issues/{id}/comments",
    summary: "Comment on an issue",
    middleware: can({ issue: ["write"] }),
    request: { params: schemas.IssueParams, body: body(schemas.NewComment) },
    responses: { 201: json(schemas.Comment, "The comment"), ...errors(401, 403, 404, 422) },
  }),
  (c) => {
    const { issue, comments } = entryOf(c);
    const comment = {
      id: crypto.randomUUID(),
      issue: issue.id,
      ...c.req.valid("json"),
      author: c.get("user").id,
      createdAt: new Date().toISOString(),
    };
    comments.set(comment.id, comment);
    changes.emit(c.req.valid("param").org, "comment", comment);
    return c.json(comment, 201);
  },
);

comments.openapi(
  createRoute({
    method: "delete",
    path: "/{org}/issues/{id}/comments/{comment}",
    summary: "Delete a comment",
    middleware: can({ issue: ["write"] }),
    request: { params: schemas.CommentParams },
    responses: { 204: { description: "Deleted" }, ...errors(401, 403, 404) },
  }),
  (c) => {
    const { comments } = entryOf(c);
    const comment = comments.get(c.req.valid("param").comment);
    if (!comment) throw new HTTPException(404, { message: "No such comment" });
    ownOrModerated(c, comment.author);
    comments.delete(comment.id);
    return c.body(null, 204);
  },
);
