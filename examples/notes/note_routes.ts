/**
 * `/notes` and `/notes/:id`.
 *
 * @module
 */

import { empty, HttpError, json, type TypedResponse, type TypedRouter } from "@gatehouse/http";
import { z } from "zod";
import { checkIfMatch, etag, isUnchanged } from "./etag.ts";
import {
  applyPatch,
  type Note,
  NOTE_BODY_BYTES,
  NOTE_ID_REGEXP,
  type NoteInput,
  noteInputSchema,
  notePatchSchema,
  noteSchema,
  replaceContent,
} from "./note.ts";
import type { NoteStore, VersionedNote } from "./store.ts";

/** What the note routes work with. */
export interface NoteRoutesOptions {
  /** Where the notes are. */
  readonly store: NoteStore;
  /** Makes a note. */
  readonly makeNote: (input: NoteInput) => Note;
  /** The clock, in seconds since the Unix epoch. */
  readonly now: () => number;
}

const listQuerySchema = z.strictObject({
  q: z.string().trim().max(200).optional(),
  limit: z.string().regex(/^\d{1,3}$/).transform(Number).pipe(z.int().min(1).max(100)).default(20),
  cursor: z.string().regex(NOTE_ID_REGEXP).optional(),
});

const listSchema = z.object({
  notes: z.array(noteSchema).readonly(),
  /** Reference of the next page; absent on the last. */
  next: z.string().optional(),
});

/** Adds the routes. */
export function addNoteRoutes(router: TypedRouter, options: NoteRoutesOptions): void {
  const { store, makeNote, now } = options;

  async function change(
    id: string,
    headers: Headers,
    edit: (note: Note) => Note,
  ): Promise<TypedResponse<Note>> {
    for (;;) {
      const { note, version } = await findNote(store, id);
      checkIfMatch(headers, version);
      const changed = edit(note);
      const outcome = await store.replace(changed, version);
      if (outcome.status === "replaced") return noteResponse(changed, outcome.version);
    }
  }

  router
    .get("/notes", async (req) => {
      const { q = "", limit, cursor } = req.query;
      const page = await store.list({
        search: q,
        limit,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      if (page.next === undefined) return json({ notes: page.notes });
      const query = new URLSearchParams({ limit: String(limit), cursor: page.next });
      if (q !== "") query.set("q", q);
      const next = `/notes?${query}`;
      return json({ notes: page.notes, next }, { headers: { Link: `<${next}>; rel="next"` } });
    }, { schema: { query: listQuerySchema, response: listSchema } })
    .post("/notes", async (req) => {
      const note = makeNote(req.content);
      const version = await store.add(note);
      return noteResponse(note, version, {
        status: 201,
        headers: { Location: `/notes/${note.id}` },
      });
    }, {
      schema: { body: noteInputSchema, response: noteSchema },
      maxBodyBytes: NOTE_BODY_BYTES,
    })
    .get("/notes/:id", async (req) => {
      const { note, version } = await findNote(store, req.params.id);
      if (isUnchanged(req.headers, version)) {
        return empty(304, { headers: { ETag: etag(version) } });
      }
      return noteResponse(note, version);
    }, { schema: { response: noteSchema } })
    .put(
      "/notes/:id",
      (req) =>
        change(req.params.id, req.headers, (note) => replaceContent(note, req.content, now())),
      { schema: { body: noteInputSchema, response: noteSchema }, maxBodyBytes: NOTE_BODY_BYTES },
    )
    .patch(
      "/notes/:id",
      (req) => change(req.params.id, req.headers, (note) => applyPatch(note, req.content, now())),
      { schema: { body: notePatchSchema, response: noteSchema }, maxBodyBytes: NOTE_BODY_BYTES },
    )
    .delete("/notes/:id", async (req) => {
      for (;;) {
        const { version } = await findNote(store, req.params.id);
        checkIfMatch(req.headers, version);
        if (await store.remove(req.params.id, version) === "removed") return empty();
      }
    });
}

/** Finds a note. @throws {HttpError} 404 `no_such_note` */
export async function findNote(store: NoteStore, id: string): Promise<VersionedNote> {
  const found = await store.find(id);
  if (found === undefined) throw noSuchNote();
  return found;
}

/** The refusal of a request for a note that is not there. */
export function noSuchNote(): HttpError {
  return new HttpError(404, "no_such_note", { detail: "There is no note of this id" });
}

function noteResponse(
  note: Note,
  version: string,
  init: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): TypedResponse<Note> {
  return json(note, { ...init, headers: { ...init.headers, ETag: etag(version) } });
}
