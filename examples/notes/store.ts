/**
 * The interface of the note store. `store_records.ts` implements it over any storage adapter.
 *
 * @module
 */

import type { Note } from "./note.ts";

/** A note and its owner. */
export interface OwnedNote {
  /** Subject id of the user who wrote it. */
  readonly owner: string;
  /** The note. */
  readonly note: Note;
}

/** A note and its version, which a change must name. */
export interface VersionedNote extends OwnedNote {
  /** Changes with every change of the note. 1 to 64 of `[0-9A-Za-z_-]`. */
  readonly version: string;
}

/** Options of {@linkcode NoteStore.list}. */
export interface ListOptions {
  /** Words to search for, see `matchesSearch()`. @default {""} all notes */
  readonly search?: string;
  /** Only notes older than the one with this id, which may have been deleted. */
  readonly before?: string;
  /** Most notes on the page. */
  readonly limit: number;
}

/** One page of notes, newest first. */
export interface NotePage {
  /** The notes. */
  readonly notes: readonly Note[];
  /** `before` of the next page; absent on the last. */
  readonly next?: string;
}

/** A file attached to a note. */
export interface Attachment {
  /** Name, unique within its note. */
  readonly name: string;
  /** Media type to serve it with. */
  readonly type: string;
  /** Size in bytes. @type integer */
  readonly size: number;
  /** Seconds since the Unix epoch. @type integer */
  readonly createdAt: number;
}

/** A file to attach. */
export interface NewAttachment extends Attachment {
  /** Its `size` bytes. */
  readonly content: Blob;
}

/** An attachment that is being read. */
export interface OpenAttachment {
  /** The attachment. */
  readonly attachment: Attachment;
  /** Its bytes; read or cancel it. It fails if the attachment is deleted while it is read. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Outcome of an upload. Unless `added`, nothing was stored. */
export type AddOutcome = "added" | "no_such_note" | "name_taken" | "too_many";

/** Outcome of {@linkcode NoteStore.replace}. */
export type ReplaceOutcome =
  | { readonly status: "replaced"; readonly version: string }
  | { readonly status: "lost" };

/**
 * Persists notes and their attachments. It lists a user's own notes but finds any user's note: the caller must check access.
 */
export interface NoteStore {
  /** Adds a user's first notes, unless that was done before. */
  seed(owner: string, makeNotes: () => readonly Note[]): Promise<"seeded" | "seeded_before">;
  /** Adds a note. @returns Its version. */
  add(owned: OwnedNote): Promise<string>;
  /** Finds a note of any owner. */
  find(id: string): Promise<VersionedNote | undefined>;
  /** Lists a user's notes, newest first. */
  list(owner: string, options: ListOptions): Promise<NotePage>;
  /** Replaces a note that was found, if that is still the current version. */
  replace(found: VersionedNote, note: Note): Promise<ReplaceOutcome>;
  /** Deletes a note that was found and its attachments, if that is still the current version. */
  remove(found: VersionedNote): Promise<"removed" | "lost">;
  /** Adds attachments, all or none. Their names must differ. */
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
