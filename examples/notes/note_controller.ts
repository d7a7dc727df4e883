/**
 * `/notes` and `/notes/:id`.
 *
 * @module
 */

import {
  type ConditionalRequest,
  Controller,
  Delete,
  empty,
  Get,
  inject,
  type Json,
  json,
  Patch,
  type PathParams,
  Post,
  type Principal,
  Put,
  type QueryParams,
  type RequestSpec,
  type TypedRequest,
  type TypedResponse,
} from "@gatehouse/http";
import { z } from "zod";
import { OWN_NOTE, READS, WRITES } from "./access.ts";
import { checkVersion, etag } from "./etag.ts";
import { findNote } from "./find_note.ts";
import {
  applyPatch,
  type Note,
  NOTE_BODY_BYTES,
  NOTE_ID_REGEXP,
  type NoteInput,
  noteInputSchema,
  type NotePatch,
  notePatchSchema,
  replaceContent,
} from "./note.ts";
import { CLOCK, NOTE_FACTORY, NOTE_STORE } from "./tokens.ts";

/** The query of the list. */
interface ListQuery {
  /** Words that the notes contain. */
  readonly q?: string | undefined;
  /** Most notes of the page. */
  readonly limit: number;
  /** Where the page starts. */
  readonly cursor?: string | undefined;
}

/** A page of notes. */
interface NotePage {
  /** The notes. */
  readonly notes: readonly Note[];
  /** Reference of the next page; absent on the last. */
  readonly next?: string | undefined;
}

const listQuerySchema: z.ZodType<ListQuery> = z.strictObject({
  q: z.string().max(200).trim().optional().describe("Words that the notes have"),
  limit: z.preprocess(readCount, z.int().min(1).max(100).default(20))
    .describe("Most notes of the page, up to 100"),
  cursor: z.string().regex(NOTE_ID_REGEXP).optional().describe("The `cursor` in a page's `next`"),
});

type NoteId = PathParams<{ readonly id: string }>;

const OUT_OF_SCOPE = { 403: { description: "The key or token lacks the required scope" } };
const NO_SUCH_NOTE = { 404: { description: "The note does not exist" } };
const IF_MATCH = {
  parameters: [{
    name: "If-Match",
    in: "header",
    description: "Versions of the note to change, as in its `ETag`",
  }],
} as const;
const VERSION = { ETag: { description: "Version of the note" } };
const CHANGED = { ...NO_SUCH_NOTE, 412: { description: "The note has a newer version" } };

/** A string of up to three digits as a number. Other values are kept, and rejected by the schema. */
function readCount(text: unknown): unknown {
  return typeof text === "string" && /^\d{1,3}$/.test(text) ? Number(text) : text;
}

/** What every change of a note is read from. */
interface ChangeRequest extends ConditionalRequest {
  readonly params: { readonly id: string };
}

/** Handles notes. For paths with `:id`, the authorization manager has checked who owns the note. */
@Controller("/notes")
export class NotesController {
  readonly #store = inject(NOTE_STORE);
  readonly #makeNote = inject(NOTE_FACTORY);
  readonly #now = inject(CLOCK);

  @Get("/", {
    ...READS,
    summary: "List your notes, newest first",
    schema: { query: listQuerySchema },
    responses: {
      200: {
        description: "A page of notes",
        headers: { Link: { description: "The next page, RFC 8288" } },
      },
      ...OUT_OF_SCOPE,
    },
  })
  async list(
    req: TypedRequest<RequestSpec<QueryParams<ListQuery>>, Principal>,
  ): Promise<TypedResponse<NotePage>> {
    const { q = "", limit, cursor } = req.query;
    const page = await this.#store.list(req.principal.sub, {
      search: q,
      limit,
      ...(cursor === undefined ? {} : { before: cursor }),
    });
    if (page.next === undefined) return json({ notes: page.notes });
    const query = new URLSearchParams({ limit: String(limit), cursor: page.next });
    if (q !== "") query.set("q", q);
    const next = `/notes?${query}`;
    return json({ notes: page.notes, next }, { headers: { Link: `<${next}>; rel="next"` } });
  }

  @Post("/", {
    ...WRITES,
    summary: "Create a note",
    schema: { body: noteInputSchema },
    maxBodyBytes: NOTE_BODY_BYTES,
    responses: {
      201: {
        description: "The note",
        headers: {
          ...VERSION,
          Location: { description: "Its address" },
        },
      },
      ...OUT_OF_SCOPE,
    },
  })
  async create(
    req: TypedRequest<RequestSpec<Json<NoteInput>>, Principal>,
  ): Promise<TypedResponse<Note>> {
    const note = this.#makeNote(req.content);
    const version = await this.#store.add({ owner: req.principal.sub, note });
    return noteResponse(note, version, {
      status: 201,
      headers: { Location: `/notes/${note.id}` },
    });
  }

  @Get("/:id", {
    ...READS,
    ...OWN_NOTE,
    summary: "Read a note",
    parameters: [{
      name: "If-None-Match",
      in: "header",
      description: "Versions that the client has",
    }],
    responses: {
      200: {
        description: "The note",
        headers: VERSION,
      },
      304: {
        description: "The version in `If-None-Match` is the current one",
        headers: VERSION,
      },
      ...NO_SUCH_NOTE,
    },
  })
  async read(req: TypedRequest<RequestSpec<NoteId>>): Promise<TypedResponse<Note>> {
    const { note, version } = await findNote(this.#store, req.params.id);
    return checkVersion(req, version) ?? noteResponse(note, version);
  }

  @Put("/:id", {
    ...WRITES,
    ...OWN_NOTE,
    summary: "Replace a note",
    schema: { body: noteInputSchema },
    maxBodyBytes: NOTE_BODY_BYTES,
    ...IF_MATCH,
    responses: { 200: { description: "The note", headers: VERSION }, ...CHANGED },
  })
  replace(req: TypedRequest<RequestSpec<Json<NoteInput>, NoteId>>): Promise<TypedResponse<Note>> {
    return this.#change(req, (note) => replaceContent(note, req.content, this.#now()));
  }

  @Patch("/:id", {
    ...WRITES,
    ...OWN_NOTE,
    summary: "Change a note",
    description: "A merge patch, RFC 7396: omitted members are unchanged, `null` removes one.",
    schema: { body: notePatchSchema },
    maxBodyBytes: NOTE_BODY_BYTES,
    ...IF_MATCH,
    requestBody: { content: { "application/merge-patch+json": {}, "application/json": {} } },
    responses: { 200: { description: "The note", headers: VERSION }, ...CHANGED },
  })
  patch(req: TypedRequest<RequestSpec<Json<NotePatch>, NoteId>>): Promise<TypedResponse<Note>> {
    return this.#change(req, (note) => applyPatch(note, req.content, this.#now()));
  }

  @Delete("/:id", {
    ...WRITES,
    ...OWN_NOTE,
    summary: "Delete a note",
    ...IF_MATCH,
    responses: { 204: { description: "The note is deleted" }, ...CHANGED },
  })
  async remove(req: TypedRequest<RequestSpec<NoteId>>): Promise<TypedResponse<never>> {
    for (;;) {
      const found = await findNote(this.#store, req.params.id);
      checkVersion(req, found.version);
      if (await this.#store.remove(found) === "removed") return empty();
    }
  }

  async #change(
    req: ChangeRequest,
    edit: (note: Note) => Note,
  ): Promise<TypedResponse<Note>> {
    for (;;) {
      const found = await findNote(this.#store, req.params.id);
      checkVersion(req, found.version);
      const changed = edit(found.note);
      const outcome = await this.#store.replace(found, changed);
      if (outcome.status === "replaced") return noteResponse(changed, outcome.version);
    }
  }
}

function noteResponse(
  note: Note,
  version: string,
  init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): TypedResponse<Note> {
  return json(note, { ...init, headers: { ...init.headers, ETag: etag(version) } });
}
