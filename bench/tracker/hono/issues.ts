import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import { body, can, type Env, errors, json, may, router } from "./http.ts";
import * as schemas from "./schemas.ts";
import { changes, type Entry, orgOf } from "./store.ts";

const KEEP_ALIVE_MS = 15_000;

export const issues = router();

issues.openapi(
  createRoute({
    method: "get",
    path: "/{org}/issues",
    summary: "List issues, newest first",
    middleware: can({ issue: ["read"] }),
    request: { params: schemas.OrgParams, query: schemas.IssueQuery },
    responses: { 200: json(schemas.IssuePage, "A page of issues"), ...errors(401, 404, 422) },
  }),
  (c) => {
    const { status, q, limit, cursor } = c.req.valid("query");
    const text = q?.toLowerCase();
    const found = [...orgOf(c.req.valid("param").org).entries.values()]
      .map(({ issue }) => issue)
      .reverse()
      .filter((issue) =>
        (!status || issue.status === status) && (!cursor || issue.number < cursor) &&
        (!text || `${issue.title}\n${issue.text}`.toLowerCase().includes(text))
      );
    const page = found.slice(0, limit);
    const next = found.length > limit ? { next: String(page.at(-1)?.number) } : {};
    return c.json({ issues: page, ...next }, 200);
  },
);

issues.openapi(
  createRoute({
    method: "post",
    path: "/{org}/issues",
    summary: "Create an issue",
    middleware: can({ issue: ["write"] }),
    request: { params: schemas.OrgParams, body: body(schemas.NewIssue) },
    responses: { 201: json(schemas.Issue, "The issue"), ...errors(401, 403, 404, 422) },
  }),
  (c) => {
    const { org: orgId } = c.req.valid("param");
    const org = orgOf(orgId);
    const createdAt = new Date().toISOString();
    const issue = {
      id: crypto.randomUUID(),
      number: ++org.count,
      ...c.req.valid("json"),
      status: "open" as const,
      author: c.get("user").id,
      createdAt,
      updatedAt: createdAt,
    };
    org.entries.set(issue.id, { issue, comments: new Map(), attachments: new Map() });
    changes.emit(orgId, "issue", issue);
    c.header("Location", `/orgs/${orgId}/issues/${issue.id}`);
    return c.json(issue, 201);
  },
);

issues.openapi(
  createRoute({
    method: "get",
    path: "/{org}/issues/{id}",
    summary: "Read an issue",
    middleware: can({ issue: ["read"] }),
    request: { params: schemas.IssueParams },
    responses: { 200: json(schemas.Issue, "The issue"), ...errors(401, 404) },
  }),
  (c) => c.json(entryOf(c).issue, 200),
);

issues.openapi(
  createRoute({
    method: "patch",
    path: "/{org}/issues/{id}",
    summary: "Change an issue",
    middleware: can({ issue: ["write"] }),
    request: { params: schemas.IssueParams, body: body(schemas.IssueChange) },
    responses: { 200: json(schemas.Issue, "The issue"), ...errors(401, 403, 404, 422) },
  }),
  (c) => {
    const entry = entryOf(c);
    ownOrModerated(c, entry.issue.author);
    const change = c.req.valid("json");
    entry.issue = { ...entry.issue, ...change, updatedAt: new Date().toISOString() };
    changes.emit(c.req.valid("param").org, "issue", entry.issue);
    return c.json(entry.issue, 200);
  },
);

issues.openapi(
  createRoute({
    method: "delete",
    path: "/{org}/issues/{id}",
    summary: "Delete an issue",
    middleware: can({ issue: ["write"] }),
    request: { params: schemas.IssueParams },
    responses: { 204: { description: "Deleted" }, ...errors(401, 403, 404) },
  }),
  (c) => {
    const { issue } = entryOf(c);
    ownOrModerated(c, issue.author);
    orgOf(c.req.valid("param").org).entries.delete(issue.id);
    return c.body(null, 204);
  },
);

issues.openapi(
  createRoute({
    method: "get",
    path: "/{org}/changes",
    summary: "Follow changes",
    middleware: can({ issue: ["read"] }),
    request: { params: schemas.OrgParams },
    responses: {
      200: {
        description: "`issue` and `comment` events",
        content: { "text/event-stream": { schema: { type: "string" } } },
      },
      ...errors(401, 404),
    },
  }),
  (c) => {
    const { org } = c.req.valid("param");
    return streamSSE(c, async (stream) => {
      const send = (event: string, data: unknown) =>
        void stream.writeSSE({ event, data: JSON.stringify(data) });
      changes.on(org, send);
      stream.onAbort(() => void changes.off(org, send));
      while (!stream.aborted) {
        await stream.write(": keep-alive\n\n");
        await stream.sleep(KEEP_ALIVE_MS);
      }
    });
  },
);

/** @throws {HTTPException} 404 if the organisation has no such issue. */
export function entryOf(c: Context<Env>): Entry {
  const entry = orgOf(c.req.param("org") ?? "").entries.get(c.req.param("id") ?? "");
  if (!entry) throw new HTTPException(404, { message: "No such issue" });
  return entry;
}

/** @throws {HTTPException} 403 if the user is neither the author nor an admin. */
export function ownOrModerated(c: Context<Env>, author: string) {
  if (author === c.get("user").id || may(c, { issue: ["moderate"] })) return;
  throw new HTTPException(403, { message: "Not yours" });
}
