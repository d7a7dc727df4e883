import { z } from "@hono/zod-openapi";

export const OrgRole = z.enum(["viewer", "member", "admin", "owner"]);
export const NewOrg = z.object({ name: z.string().trim().min(1).max(100) });
export const Org = z.object({ id: z.string(), name: z.string(), role: OrgRole }).openapi("Org");
export const NewMember = z.object({ email: z.email(), role: OrgRole });
export const MemberRole = z.object({ role: OrgRole });
export const Member = z.object({ user: z.string(), email: z.string(), role: OrgRole })
  .openapi("Member");

export const Scope = z.enum(["read", "write"]);
export const NewKey = z.object({ name: z.string().min(1).max(32), scope: Scope });
export const Key = z.object({ id: z.string(), name: z.string(), scope: Scope }).openapi("Key");
export const CreatedKey = Key.extend({ key: z.string() }).openapi("CreatedKey");

const Status = z.enum(["open", "closed"]);
export const NewIssue = z.strictObject({
  title: z.string().min(1).max(200),
  text: z.string().max(20_000).default(""),
  labels: z.array(z.string().min(1).max(40)).max(10).default([]),
});
export const IssueChange = z.strictObject({
  title: z.string().min(1).max(200),
  text: z.string().max(20_000),
  labels: z.array(z.string().min(1).max(40)).max(10),
  status: Status,
}).partial();
export const Issue = z.object({
  id: z.string(),
  number: z.int(),
  title: z.string(),
  text: z.string(),
  labels: z.array(z.string()),
  status: Status,
  author: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
}).openapi("Issue");
export const IssueQuery = z.object({
  status: Status.optional(),
  q: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z.coerce.number().int().positive().optional(),
});
export const IssuePage = z.object({
  issues: z.array(Issue),
  next: z.string().optional(),
}).openapi("IssuePage");

export const NewComment = z.strictObject({ text: z.string().min(1).max(5000) });
export const Comment = z.object({
  id: z.string(),
  issue: z.string(),
  text: z.string(),
  author: z.string(),
  createdAt: z.iso.datetime(),
}).openapi("Comment");

export const Upload = z.object({
  file: z.file().openapi({ type: "string", format: "binary" }),
});
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  size: z.int(),
}).openapi("Attachment");

export const OrgParams = z.object({ org: z.string() });
export const UserParams = OrgParams.extend({ user: z.string() });
export const IssueParams = OrgParams.extend({ id: z.string() });
export const CommentParams = IssueParams.extend({ comment: z.string() });
export const AttachmentParams = IssueParams.extend({ attachment: z.string() });
