/**
 * Organisations with all that is in them, in memory. Each method is one step that no other interrupts.
 *
 * @module
 */

import { HttpError } from "@gatehouse/http";
import type {
  Comment,
  Issue,
  IssueChange,
  IssueQuery,
  NewIssue,
  Organisation,
  Role,
} from "./schemas.ts";

/** An issue with what belongs to it. */
export interface Thread {
  issue: Issue;
  readonly comments: Map<string, Comment>;
  readonly attachments: Map<string, File>;
}

interface Stored {
  readonly name: string;
  readonly roles: Map<string, Role>;
  /** Oldest first. */
  readonly threads: Map<string, Thread>;
  lastNumber: number;
}

export class Store {
  readonly #orgs = new Map<string, Stored>();

  create(name: string, owner: string): Organisation {
    const id = crypto.randomUUID();
    const roles = new Map<string, Role>([[owner, "owner"]]);
    this.#orgs.set(id, { name, roles, threads: new Map(), lastNumber: 0 });
    return { id, name, role: "owner" };
  }

  delete(org: string): void {
    this.#orgs.delete(org);
  }

  orgsOf(sub: string): Organisation[] {
    return [...this.#orgs].flatMap(([id, { name, roles }]) => {
      const role = roles.get(sub);
      return role === undefined ? [] : [{ id, name, role }];
    });
  }

  roleOf(org: string, sub: string): Role | undefined {
    return this.#orgs.get(org)?.roles.get(sub);
  }

  members(org: string): [sub: string, role: Role][] {
    return [...this.#org(org).roles];
  }

  /** Gives a member a role, or removes it. @throws {HttpError} 409 `last_owner`. */
  setRole(org: string, sub: string, role: Role | undefined): void {
    const { roles } = this.#org(org);
    const owners = [...roles.values()].filter((role) => role === "owner").length;
    if (roles.get(sub) === "owner" && role !== "owner" && owners === 1) {
      throw new HttpError(409, "last_owner", { detail: "An organisation keeps one owner" });
    }
    if (role === undefined) roles.delete(sub);
    else roles.set(sub, role);
  }

  /** Who wrote the comment or the issue of a path. */
  authorOf(
    org: string,
    { id = "", comment }: { id?: string | undefined; comment?: string | undefined },
  ): string | undefined {
    const thread = this.#orgs.get(org)?.threads.get(id);
    return comment === undefined ? thread?.issue.author : thread?.comments.get(comment)?.author;
  }

  /** Newest first, one more than the limit if there are more. */
  issues(org: string, { status, q, limit, cursor = Infinity }: IssueQuery): Issue[] {
    const text = q.toLowerCase();
    return [...this.#org(org).threads.values()].reverse().map(({ issue }) => issue)
      .filter((issue) =>
        issue.number < cursor && (status === undefined || issue.status === status) &&
        `${issue.title}\n${issue.text}`.toLowerCase().includes(text)
      )
      .slice(0, limit + 1);
  }

  addIssue(org: string, author: string, content: NewIssue): Issue {
    const stored = this.#org(org);
    const createdAt = new Date().toISOString();
    const issue: Issue = {
      ...content,
      id: crypto.randomUUID(),
      number: ++stored.lastNumber,
      status: "open",
      author,
      createdAt,
      updatedAt: createdAt,
    };
    stored.threads.set(issue.id, { issue, comments: new Map(), attachments: new Map() });
    return issue;
  }

  changeIssue(org: string, id: string, change: IssueChange): Issue {
    const thread = this.thread(org, id);
    thread.issue = { ...thread.issue, ...change, updatedAt: new Date().toISOString() };
    return thread.issue;
  }

  deleteIssue(org: string, id: string): void {
    if (!this.#org(org).threads.delete(id)) throw noSuch("issue");
  }

  /** Found by the organisation and the id together. @throws {HttpError} 404 `no_such_issue`. */
  thread(org: string, id: string): Thread {
    return this.#org(org).threads.get(id) ?? fail(noSuch("issue"));
  }

  #org(id: string): Stored {
    return this.#orgs.get(id) ?? fail(noSuchOrganisation());
  }
}

export function noSuchOrganisation(): HttpError {
  return noSuch("organisation");
}

export function noSuch(what: string): HttpError {
  return new HttpError(404, `no_such_${what}`, { detail: `The ${what} does not exist` });
}

export function fail(error: HttpError): never {
  throw error;
}
