/**
 * What the notes service asks of a database. `store_records.ts` does it over every storage adapter.
 *
 * @module
 */

import type { Note } from "./note.ts";

/** A note and whose it is. */
export interface OwnedNote {
  /** Subject id of the user who wrote it. */
  readonly owner: string;
  /** The note. */
  readonly note: Note;
}

/** A note and the version that a later change has to name. */
export interface VersionedNote extends OwnedNote {
  /** Changes with every change of the note. 1 to 64 of `[0-9A-Za-z_-]`. */
  readonly version: string;
}

/** What to list. */
export interface ListOptions {
  /** Words that the notes have, see `matchesSearch()`. @default {""} all notes */
  readonly search?: string;
  /** Only notes older than the one with this id, which need not exist any more. */
  readonly before?: string;
  /** Most notes of the page. */
  readonly limit: number;
}

/** One page of notes, newest first. */
export interface NotePage {
  /** The notes. */
  readonly notes: readonly Note[];
  /** `before` of the next page; absent on the last. */
  readonly next?: string;
}

/** A file at a note. */
export interface Attachment {
  /** Name, unique at its note. */
  readonly name: string;
  /** Media type to serve it with. */
  readonly type: string;
  /** Size in bytes. @type integer */
  readonly size: number;
  /** Seconds since the Unix epoch. @type integer */
  readonly createdAt: number;
}

/** A file on its way into the store. */
export interface NewAttachment extends Attachment {
  /** Its `size` bytes. */
  readonly content: Blob;
}

/** An attachment that is being read. */
export interface OpenAttachment {
  /** The attachment. */
  readonly attachment: Attachment;
  /** Its bytes; read or cancel it. It fails if the attachment is deleted meanwhile. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Outcome of an upload. Unless `added`, nothing of it was kept. */
export type AddOutcome = "added" | "no_such_note" | "name_taken" | "too_many";

/** Outcome of {@linkcode NoteStore.replace}. */
export type ReplaceOutcome =
  | { readonly status: "replaced"; readonly version: string }
  | { readonly status: "lost" };

/**
 * Keeps notes and their attachments. It lists a user's own notes and finds anybody's: who may have what it found is for
 * the caller to decide.
 */
export interface NoteStore {
  /** Adds a user's first notes, unless the user was given some before. */
  seed(owner: string, makeNotes: () => readonly Note[]): Promise<"seeded" | "seeded_before">;
  /** Adds a note and gives its version. */
  add(owned: OwnedNote): Promise<string>;
  /** Finds a note, whoever owns it. */
  find(id: string): Promise<VersionedNote | undefined>;
  /** Lists a user's notes, newest first. */
  list(owner: string, options: ListOptions): Promise<NotePage>;
  /** Puts a note in the place of one that was found, if that is still the current version. */
  replace(found: VersionedNote, note: Note): Promise<ReplaceOutcome>;
  /** Deletes a note that was found and its attachments, if that is still the current version. */
  remove(found: VersionedNote): Promise<"removed" | "lost">;
  /** Adds attachments, all or none. Their names differ from each other. */
  addAttachments(noteId: string, files: readonly NewAttachment[]): Promise<AddOutcome>;
  /** Lists attachments, oldest first. */
  listAttachments(noteId: string): Promise<readonly Attachment[]>;
  /** Opens an attachment. */
  openAttachment(noteId: string, name: string): Promise<OpenAttachment | undefined>;
  /** Deletes an attachment. */
  removeAttachment(noteId: string, name: string): Promise<"removed" | "no_such_attachment">;
}

/** Most attachments of a note. */
export const MAX_ATTACHMENTS = 50;
