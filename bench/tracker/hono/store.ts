import { EventEmitter } from "node:events";
import type { z } from "zod";
import type { Comment, Issue } from "./schemas.ts";

export type IssueData = z.infer<typeof Issue>;
export type CommentData = z.infer<typeof Comment>;

export interface Entry {
  issue: IssueData;
  comments: Map<string, CommentData>;
  attachments: Map<string, File>;
}

interface Org {
  count: number;
  entries: Map<string, Entry>;
}

const orgs = new Map<string, Org>();

export function orgOf(id: string): Org {
  let org = orgs.get(id);
  if (!org) orgs.set(id, org = { count: 0, entries: new Map() });
  return org;
}

export function forgetOrg(id: string) {
  orgs.delete(id);
}

/** Emits `[event, data]` under the organisation's id. */
export const changes = new EventEmitter<Record<string, ["issue" | "comment", unknown]>>()
  .setMaxListeners(0);
