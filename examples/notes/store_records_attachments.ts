/**
 * The attachments part of the store over an adapter.
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
import type { RecordAttachment, Running, Work } from "./store_records_work.ts";

/** The attachments part of a store. */
export type AttachmentStore = Pick<
  NoteStore,
  "addAttachments" | "listAttachments" | "openAttachment" | "removeAttachment"
>;

/** Dependencies of {@linkcode recordAttachments}. */
export interface AttachmentParts {
  /** The records, and changes of several of them. */
  readonly work: Work;
  /** Whether the note exists. */
  hasNote(id: string): Promise<boolean>;
}

/** Creates the attachments part of a store. */
export function recordAttachments({ work, hasNote }: AttachmentParts): AttachmentStore {
  const { attachments, blobs } = work;

  function addAttachments(noteId: string, files: readonly NewAttachment[]): Promise<AddOutcome> {
    const added = files.map((file) => ({ ...file, blob: crypto.randomUUID() }));
    const names = added.map(({ blob, size }) => ({ blob, size }));
    return work.run({ noteId, blobs: names }, async (running) => {
      for (const attachment of added) await blobs.write(attachment, attachment.content);
      return await attach(noteId, added.map(withoutContent), running);
    });
  }

  /** Adds the attachments to the note's record atomically. */
  async function attach(
    noteId: string,
    added: readonly RecordAttachment[],
    running: Running,
  ): Promise<AddOutcome> {
    for (;;) {
      if (!await hasNote(noteId)) return "no_such_note";
      const record = await attachments.get(noteId);
      const known = record?.value ?? [];
      if (known.length + added.length > MAX_ATTACHMENTS) return "too_many";
      if (added.some((one) => known.some((other) => other.name === one.name))) return "name_taken";
      await running.renew();
      const next = await attachments.swap(noteId, record?.version, [...known, ...added]);
      if (next !== undefined) return "added";
    }
  }

  async function listAttachments(noteId: string): Promise<readonly Attachment[]> {
    if (!NOTE_ID_REGEXP.test(noteId)) return [];
    return ((await attachments.get(noteId))?.value ?? []).map(withoutBlob);
  }

  async function openAttachment(noteId: string, name: string): Promise<OpenAttachment | undefined> {
    if (!NOTE_ID_REGEXP.test(noteId)) return undefined;
    const known = (await attachments.get(noteId))?.value ?? [];
    const found = known.find((attachment) => attachment.name === name);
    return found && { attachment: withoutBlob(found), body: blobs.read(found) };
  }

  async function removeAttachment(
    noteId: string,
    name: string,
  ): Promise<"removed" | "no_such_attachment"> {
    if (!NOTE_ID_REGEXP.test(noteId)) return "no_such_attachment";
    for (;;) {
      const record = await attachments.get(noteId);
      const found = record?.value.find((attachment) => attachment.name === name);
      if (record === undefined || found === undefined) return "no_such_attachment";
      const rest = record.value.filter((attachment) => attachment !== found);
      const { blob, size } = found;
      const next = await work.run({ noteId, blobs: [{ blob, size }] }, async ({ renew }) => {
        await renew();
        return await attachments.swap(noteId, record.version, rest);
      });
      if (next !== undefined) return "removed";
    }
  }

  return { addAttachments, listAttachments, openAttachment, removeAttachment };
}

function withoutContent(
  { name, type, size, createdAt, blob }: RecordAttachment,
): RecordAttachment {
  return { name, type, size, createdAt, blob };
}

function withoutBlob({ name, type, size, createdAt }: RecordAttachment): Attachment {
  return { name, type, size, createdAt };
}
