/**
 * The tools that the server has for a user.
 *
 * @module
 */

import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Notes by the subject id of their owner. */
const notes = new Map<string, string[]>();

/** The tools of one user. */
export function notesServer(sub: string): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const textOf = () => [{ type: "text" as const, text: (notes.get(sub) ?? []).join("\n") }];
  server.registerTool("list_notes", { description: "Your notes" }, () => ({ content: textOf() }));
  const inputSchema = z.object({ text: z.string().min(1).max(1_000) });
  server.registerTool("add_note", { description: "Add a note", inputSchema }, ({ text }) => {
    notes.set(sub, [...notes.get(sub) ?? [], text]);
    return { content: textOf() };
  });
  return server;
}
