/**
 * The attachments part of the KV store.
 *
 * @module
 */

import { NOTE_ID_REGEXP } from "./note.ts";
import {
  type AddOutcome,
  type Attachment,
  MAX_ATTACHMENTS,
  type NewAttachment,
  type NoteStore,
  type OpenAttachment,
} from "./store.ts";
import type { Blobref, Blobs } from "./store_kv_blobs.ts";

/** An attachment in the record of its note. */
export interface KvAttachment extends Attachment, Blobref {}

/** The attachments part of a store. */
export type AttachmentStore = Pick<
  NoteStore,
  "addAttachments" | "listAttachments" | "openAttachment" | "removeAttachment"
>;

/** Key of the record with all attachments of a note. */
export function attachmentsKey(noteId: string): Deno.KvKey {
  return ["attachments", noteId];
}

/** Key of what says who owns a note. It is there as long as the note is. */
export function ownerKey(noteId: string): Deno.KvKey {
  return ["owners", noteId];
}

/** Keeps attachments in a database. */
export function kvAttachments(kv: Deno.Kv, blobs: Blobs): AttachmentStore {
  function read(noteId: string): Promise<Deno.KvEntryMaybe<readonly KvAttachment[]>> {
    return kv.get<readonly KvAttachment[]>(attachmentsKey(noteId));
  }

  async function find(noteId: string, name: string): Promise<KvAttachment | undefined> {
    if (!NOTE_ID_REGEXP.test(noteId)) return undefined;
    return (await read(noteId)).value?.find((attachment) => attachment.name === name);
  }

  async function addAttachments(
    noteId: string,
    files: readonly NewAttachment[],
  ): Promise<AddOutcome> {
    const written: KvAttachment[] = [];
    let outcome: AddOutcome | undefined;
    try {
      for (const { name, type, size, createdAt, content } of files) {
        const attachment = { name, type, size, createdAt, blob: crypto.randomUUID() };
        await blobs.write(attachment, content);
        written.push(attachment);
      }
      outcome = await attach(noteId, written);
      return outcome;
    } finally {
      if (outcome !== "added") {
        for (const attachment of written) await blobs.remove(attachment);
      }
    }
  }

  /** Makes the note's record name the attachments, in one commit. */
  async function attach(noteId: string, added: readonly KvAttachment[]): Promise<AddOutcome> {
    for (;;) {
      const owner = await kv.get(ownerKey(noteId));
      if (owner.value === null) return "no_such_note";
      const record = await read(noteId);
      const known = record.value ?? [];
      if (known.length + added.length > MAX_ATTACHMENTS) return "too_many";
      if (added.some((one) => known.some((other) => other.name === one.name))) return "name_taken";
      const commit = kv.atomic().check(owner).check(record).set(record.key, [...known, ...added]);
      for (const attachment of added) blobs.list(commit, attachment);
      if ((await commit.commit()).ok) return "added";
    }
  }

  async function listAttachments(noteId: string): Promise<readonly Attachment[]> {
    if (!NOTE_ID_REGEXP.test(noteId)) return [];
    return ((await read(noteId)).value ?? []).map(withoutBlob);
  }

  async function openAttachment(noteId: string, name: string): Promise<OpenAttachment | undefined> {
    const found = await find(noteId, name);
    return found && { attachment: withoutBlob(found), body: blobs.read(found) };
  }

  async function removeAttachment(
    noteId: string,
    name: string,
  ): Promise<"removed" | "no_such_attachment"> {
    if (!NOTE_ID_REGEXP.test(noteId)) return "no_such_attachment";
    for (;;) {
      const record = await read(noteId);
      const known = record.value ?? [];
      const found = known.find((attachment) => attachment.name === name);
      if (found === undefined) return "no_such_attachment";
      const rest = known.filter((attachment) => attachment !== found);
      const commit = kv.atomic().check(record).set(record.key, rest);
      blobs.unlist(commit, found);
      if (!(await commit.commit()).ok) continue;
      await blobs.remove(found);
      return "removed";
    }
  }

  return { addAttachments, listAttachments, openAttachment, removeAttachment };
}

function withoutBlob({ name, type, size, createdAt }: KvAttachment): Attachment {
  return { name, type, size, createdAt };
}
