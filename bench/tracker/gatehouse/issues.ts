/**
 * Issues, their comments and live changes.
 *
 * @module
 */

import { empty, json, sse } from "@gatehouse/http";
import { z } from "zod";
import { changes as changing, READS, type TrackerRoutes } from "./access.ts";
import type { Changes } from "./changes.ts";
import { answersOrNotFound } from "./documents.ts";
import {
  Comment,
  Issue,
  IssueChange,
  IssuePage,
  IssueQuery,
  NewComment,
  NewIssue,
} from "./schemas.ts";
import { noSuch, type Store } from "./store.ts";

/** What the routes work with. */
export interface IssueOptions {
  readonly store: Store;
  readonly changes: Changes;
  /** Whether the credential of a request is still valid. */
  readonly isSignedIn: (request: Request) => Promise<boolean>;
}

export function addIssues(routes: TrackerRoutes, { store, changes }: IssueOptions): void {
  routes
    .get("/orgs/:org/issues", (req) => {
      const { params: { org }, query } = req;
      const found = store.issues(org, query);
      const issues = found.slice(0, query.limit);
      const last = issues.at(-1);
      return json(
        found.length > issues.length && last !== undefined
          ? { issues, next: String(last.number) }
          : { issues },
      );
    }, {
      ...READS,
      ...answersOrNotFound(200, "A page of issues"),
      schema: { query: IssueQuery, response: IssuePage },
    })
    .post("/orgs/:org/issues", (req) => {
      const { params: { org }, principal, content } = req;
      const issue = store.addIssue(org, principal.sub, content);
      changes.publish(org, { event: "issue", data: issue });
      const headers = { Location: `/orgs/${org}/issues/${issue.id}` };
      return json(issue, { status: 201, headers });
    }, {
      ...changing("write"),
      ...answersOrNotFound(201, "The issue"),
      schema: { body: NewIssue, response: Issue },
    })
    .get("/orgs/:org/issues/:id", (req) => {
      return json(store.thread(req.params.org, req.params.id).issue);
    }, { ...READS, ...answersOrNotFound(200, "The issue"), schema: { response: Issue } })
    .patch("/orgs/:org/issues/:id", (req) => {
      const { org, id } = req.params;
      const issue = store.changeIssue(org, id, req.content);
      changes.publish(org, { event: "issue", data: issue });
      return json(issue);
    }, {
      ...changing("moderate", "write"),
      ...answersOrNotFound(200, "The issue"),
      schema: { body: IssueChange, response: Issue },
    })
    .delete("/orgs/:org/issues/:id", (req) => {
      store.deleteIssue(req.params.org, req.params.id);
      return empty();
    }, { ...changing("moderate", "write"), ...answersOrNotFound(204, "Deleted") });
}

export function addComments(routes: TrackerRoutes, { store, changes }: IssueOptions): void {
  routes
    .get("/orgs/:org/issues/:id/comments", (req) => {
      return json([...store.thread(req.params.org, req.params.id).comments.values()]);
    }, {
      ...READS,
      ...answersOrNotFound(200, "The comments"),
      schema: { response: z.array(Comment) },
    })
    .post("/orgs/:org/issues/:id/comments", (req) => {
      const { params: { org, id }, principal, content: { text } } = req;
      const comment: Comment = {
        id: crypto.randomUUID(),
        text,
        author: principal.sub,
        createdAt: new Date().toISOString(),
      };
      store.thread(org, id).comments.set(comment.id, comment);
      changes.publish(org, { event: "comment", data: comment });
      return json(comment, { status: 201 });
    }, {
      ...changing("write"),
      ...answersOrNotFound(201, "The comment"),
      schema: { body: NewComment, response: Comment },
    })
    .delete("/orgs/:org/issues/:id/comments/:comment", (req) => {
      const { org, id, comment } = req.params;
      if (!store.thread(org, id).comments.delete(comment)) throw noSuch("comment");
      return empty();
    }, { ...changing("moderate", "write"), ...answersOrNotFound(204, "Deleted") });
}

export function addChanges(routes: TrackerRoutes, options: IssueOptions): void {
  const { store, changes, isSignedIn } = options;
  routes.get("/orgs/:org/changes", (req) => {
    const { params: { org }, principal } = req;
    return sse(req, async function* ({ signal }) {
      for await (const change of changes.of(org, signal)) {
        if (store.roleOf(org, principal.sub) === undefined || !await isSignedIn(req.raw)) return;
        yield change;
      }
    });
  }, {
    ...READS,
    schema: { response: z.union([Issue, Comment]) },
    openapi: {
      responses: {
        ...answersOrNotFound(200, "Changes").openapi.responses,
        200: { description: "Changes", content: { "text/event-stream": {} } },
      },
    },
  });
}
