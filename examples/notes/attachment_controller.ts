/**
 * `/notes/:id/attachments` and the paths below it.
 *
 * @module
 */

import {
  Controller,
  Delete,
  empty,
  Get,
  HttpError,
  inject,
  json,
  type Multipart,
  type PathParams,
  Post,
  type RequestSpec,
  type TypedRequest,
  type TypedResponse,
} from "@gatehouse/http";
import { OWN_NOTE, READS, WRITES } from "./access.ts";
import {
  cleanFileName,
  contentDisposition,
  filesOf,
  harmlessType,
  uploadSchema,
} from "./attachment.ts";
import { noSuchNote } from "./find_note.ts";
import { type AddOutcome, type Attachment, MAX_ATTACHMENTS, type NewAttachment } from "./store.ts";
import { CLOCK, NOTE_STORE } from "./tokens.ts";

/** An attachment, as clients see it. */
interface AttachmentView extends Attachment {
  /** Where it is. */
  readonly url: string;
}

/** Attachments, as clients see them. */
interface Attachments {
  /** The attachments. */
  readonly attachments: AttachmentView[];
}

type NoteId = PathParams<{ readonly id: string }>;
type AttachmentName = PathParams<{ readonly id: string; readonly name: string }>;
/** The form of an upload. */
interface Upload {
  /** The files. @minItems 1 @maxItems 20 */
  readonly file: readonly File[];
}

const GONE = { 404: { description: "There is no such note, or it has no such attachment" } };

/** Handles the attachments of a note. The authorization manager has checked that the note exists and who owns it. */
@Controller("/notes/:id/attachments")
export class AttachmentsController {
  readonly #store = inject(NOTE_STORE);
  readonly #now = inject(CLOCK);

  @Post("/", {
    ...WRITES,
    ...OWN_NOTE,
    summary: "Attach files to a note",
    multipart: true,
    schema: { body: uploadSchema },
    responses: {
      201: {
        description: "The attachments",
        headers: { Location: { description: "The address of the attachments" } },
      },
      ...GONE,
      409: { description: "The note has an attachment of such a name, or too many" },
    },
  })
  async add(
    req: TypedRequest<RequestSpec<Multipart<Upload>, NoteId>>,
  ): Promise<TypedResponse<Attachments>> {
    const { id } = req.params;
    const files = filesOf(req.content).map((file) => newAttachment(file, this.#now()));
    const outcome = await this.#store.addAttachments(id, files);
    if (outcome !== "added") throw addError(outcome);
    const attachments = files.map((file) => attachmentView(id, file));
    const [first] = attachments;
    const location = first !== undefined && attachments.length === 1
      ? first.url
      : `/notes/${id}/attachments`;
    return json({ attachments }, { status: 201, headers: { Location: location } });
  }

  @Get("/", {
    ...READS,
    ...OWN_NOTE,
    summary: "List the attachments of a note",
    responses: { 200: { description: "The attachments" }, ...GONE },
  })
  async list(req: TypedRequest<RequestSpec<NoteId>>): Promise<TypedResponse<Attachments>> {
    const { id } = req.params;
    const attachments = await this.#store.listAttachments(id);
    return json({ attachments: attachments.map((attachment) => attachmentView(id, attachment)) });
  }

  @Get("/:name", {
    ...READS,
    ...OWN_NOTE,
    summary: "Download an attachment",
    responses: {
      200: { description: "The content, with its media type", content: { "*/*": {} } },
      ...GONE,
    },
  })
  async download(req: TypedRequest<RequestSpec<AttachmentName>>): Promise<Response> {
    const opened = await this.#store.openAttachment(req.params.id, req.params.name);
    if (opened === undefined) throw noSuchAttachment();
    return downloadResponse(opened.attachment, opened.body);
  }

  @Delete("/:name", {
    ...WRITES,
    ...OWN_NOTE,
    summary: "Delete an attachment",
    responses: { 204: { description: "The attachment is deleted" }, ...GONE },
  })
  async remove(req: TypedRequest<RequestSpec<AttachmentName>>): Promise<TypedResponse<never>> {
    const outcome = await this.#store.removeAttachment(req.params.id, req.params.name);
    if (outcome === "no_such_attachment") throw noSuchAttachment();
    return empty();
  }
}

function newAttachment(file: File, now: number): NewAttachment {
  const name = cleanFileName(file.name);
  if (name === undefined) throw new TypeError("Cannot store the file: its name was not validated");
  return { name, type: harmlessType(file.type), size: file.size, createdAt: now, content: file };
}

function attachmentView(
  noteId: string,
  { name, type, size, createdAt }: Attachment,
): AttachmentView {
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
