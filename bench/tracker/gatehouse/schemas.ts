/**
 * What clients send and get.
 *
 * @module
 */

import { z } from "zod";

export type Role = "viewer" | "member" | "admin" | "owner";

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly scope: "read" | "write";
  /** Seconds since the epoch. */
  readonly createdAt: number;
}

export interface Organisation {
  readonly id: string;
  readonly name: string;
  /** The caller's. */
  readonly role: Role;
}

export interface Member {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
}

export interface Issue {
  readonly id: string;
  readonly number: number;
  readonly title: string;
  readonly text: string;
  readonly labels: readonly string[];
  readonly status: "open" | "closed";
  readonly author: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type NewIssue = Pick<Issue, "title" | "text" | "labels">;
export type IssueChange = Partial<NewIssue & Pick<Issue, "status">>;

export interface IssueQuery {
  readonly status?: Issue["status"] | undefined;
  readonly q: string;
  readonly limit: number;
  /** The number of the last issue of the page before. */
  readonly cursor?: number | undefined;
}

export interface IssuePage {
  readonly issues: readonly Issue[];
  readonly next?: string;
}

export interface Comment {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  readonly createdAt: string;
}

const id = z.string();
const time = z.iso.datetime();
const role = z.enum(["viewer", "member", "admin", "owner"]);
const scope = z.enum(["read", "write"]);
const key = { id, name: z.string(), scope, createdAt: z.int() };
const status = z.enum(["open", "closed"]);
const issueText = {
  title: z.string().min(1).max(200),
  text: z.string().max(20_000),
  labels: z.array(z.string().min(1).max(40)).max(10),
};

export const Credentials: z.ZodType<{ email: string; password: string }> = z
  .object({ email: z.email(), password: z.string() }).meta({ id: "Credentials" });
export const Account: z.ZodType<{ id: string; email: string }> = z.object({ id, email: z.string() })
  .meta({ id: "Account" });

export const NewKey: z.ZodType<Pick<Key, "name" | "scope">> = z
  .object({ name: z.string().min(1).max(100), scope }).meta({ id: "NewKey" });
export const Key: z.ZodType<Key> = z.object(key).meta({ id: "Key" });
export const MadeKey: z.ZodType<Key & { key: string }> = z.object({ ...key, key: z.string() })
  .meta({ id: "MadeKey" });

export const NewOrganisation: z.ZodType<{ name: string }> = z
  .object({ name: z.string().min(1).max(100) }).meta({ id: "NewOrganisation" });
export const Organisation: z.ZodType<Organisation> = z.object({ id, name: z.string(), role })
  .meta({ id: "Organisation" });
export const NewMember: z.ZodType<{ email: string; role: Role }> = z
  .object({ email: z.email(), role }).meta({ id: "NewMember" });
export const MemberChange: z.ZodType<{ role: Role }> = z.object({ role })
  .meta({ id: "MemberChange" });
export const Member: z.ZodType<Member> = z.object({ id, email: z.string(), role })
  .meta({ id: "Member" });

export const NewIssue: z.ZodType<NewIssue> = z.strictObject({
  title: issueText.title,
  text: issueText.text.default(""),
  labels: issueText.labels.default([]),
}).meta({ id: "NewIssue" });
export const IssueChange: z.ZodType<IssueChange> = z.strictObject({
  title: issueText.title.exactOptional(),
  text: issueText.text.exactOptional(),
  labels: issueText.labels.exactOptional(),
  status: status.exactOptional(),
}).meta({ id: "IssueChange" });
export const IssueQuery: z.ZodType<IssueQuery> = z.object({
  status: status.optional(),
  q: z.string().default(""),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.coerce.number().int().min(1).optional(),
});
export const Issue: z.ZodType<Issue> = z.object({
  ...issueText,
  id,
  number: z.int(),
  status,
  author: id,
  createdAt: time,
  updatedAt: time,
}).meta({ id: "Issue" });
export const IssuePage: z.ZodType<IssuePage> = z
  .object({ issues: z.array(Issue), next: z.string().exactOptional() }).meta({ id: "IssuePage" });

export const NewComment: z.ZodType<{ text: string }> = z
  .object({ text: z.string().min(1).max(5000) }).meta({ id: "NewComment" });
export const Comment: z.ZodType<Comment> = z
  .object({ id, text: z.string(), author: id, createdAt: time }).meta({ id: "Comment" });

export const Attachment: z.ZodType<{ id: string; name: string; type: string; size: number }> = z
  .object({ id, name: z.string(), type: z.string(), size: z.int() }).meta({ id: "Attachment" });
