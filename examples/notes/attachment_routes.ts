/**
 * `/notes/:id/attachments` and what is beneath.
 *
 * @module
 */

import { empty, HttpError, json, type TypedRouter } from "@gatehouse/http";
import { z } from "zod";
import {
  cleanFileName,
  contentDisposition,
  filesOf,
  harmlessType,
  uploadSchema,
} from "./attachment.ts";
import { findNote, noSuchNote } from "./note_routes.ts";
import {
  type AddOutcome,
  type Attachment,
  MAX_ATTACHMENTS,
  type NewAttachment,
  type NoteStore,
} from "./store.ts";

/** What the attachment routes work with. */
export interface AttachmentRoutesOptions {
  /** Where the attachments are. */
  readonly store: NoteStore;
  /** The clock, in seconds since the Unix epoch. */
  readonly now: () => number;
}

const attachmentSchema = z.object({
  name: z.string(),
  type: z.string(),
  /** In bytes. */
  size: z.number(),
  createdAt: z.number(),
  url: z.string(),
});

const attachmentsSchema = z.object({ attachments: z.array(attachmentSchema) });

/** Adds the routes. */
export function addAttachmentRoutes(router: TypedRouter, options: AttachmentRoutesOptions): void {
  const { store, now } = options;

  router
    .post("/notes/:id/attachments", async (req) => {
      const { id } = req.params;
      const files = filesOf(req.content).map((file) => newAttachment(file, now()));
      const outcome = await store.addAttachments(id, files);
      if (outcome !== "added") throw addError(outcome);
      const attachments = files.map((file) => attachmentView(id, file));
      const [first] = attachments;
      const location = first !== undefined && attachments.length === 1
        ? first.url
        : `/notes/${id}/attachments`;
      return json({ attachments }, { status: 201, headers: { Location: location } });
    }, {
      multipart: true,
      use: [async ({ params: { id = "" } }) => void await findNote(store, id)], // before 10 MiB are read for nothing
      schema: { body: uploadSchema, response: attachmentsSchema },
    })
    .get("/notes/:id/attachments", async (req) => {
      const { note: { id } } = await findNote(store, req.params.id);
      const attachments = await store.listAttachments(id);
      return json({ attachments: attachments.map((attachment) => attachmentView(id, attachment)) });
    }, { schema: { response: attachmentsSchema } })
    .get("/notes/:id/attachments/:name", async (req) => {
      const { note } = await findNote(store, req.params.id);
      const opened = await store.openAttachment(note.id, req.params.name);
      if (opened === undefined) throw noSuchAttachment();
      return downloadResponse(opened.attachment, opened.body);
    })
    .delete("/notes/:id/attachments/:name", async (req) => {
      const { note } = await findNote(store, req.params.id);
      const outcome = await store.removeAttachment(note.id, req.params.name);
      if (outcome === "no_such_attachment") throw noSuchAttachment();
      return empty();
    });
}

function newAttachment(file: File, now: number): NewAttachment {
  const name = cleanFileName(file.name);
  if (name === undefined) throw new TypeError("Cannot take the file: its name was not checked");
  return { name, type: harmlessType(file.type), size: file.size, createdAt: now, content: file };
}

function attachmentView(
  noteId: string,
  { name, type, size, createdAt }: Attachment,
): z.infer<typeof attachmentSchema> {
  const url = `/notes/${noteId}/attachments/${encodeURIComponent(name)}`;
  return { name, type, size, createdAt, url };
}

/** A download that no browser shows as a page of this site, whatever is in it. */
function downloadResponse({ name, type, size }: Attachment, body: ReadableStream): Response {
  return new Response(body, {
    headers: {
      "Content-Type": type,
      "Content-Length": String(size),
      "Content-Disposition": contentDisposition(name),
      "Content-Security-Policy": "sandbox; default-src 'none'",
    },
  });
}

function addError(outcome: Exclude<AddOutcome, "added">): HttpError {
  switch (outcome) {
    case "no_such_note":
      return noSuchNote();
    case "name_taken":
      return new HttpError(409, "attachment_exists", {
        detail: "The note has an attachment of this name",
      });
    case "too_many":
      return new HttpError(409, "too_many_attachments", {
        detail: `A note has ${MAX_ATTACHMENTS} attachments at most`,
      });
  }
}

function noSuchAttachment(): HttpError {
  return new HttpError(404, "no_such_attachment", {
    detail: "The note has no attachment of this name",
  });
}
