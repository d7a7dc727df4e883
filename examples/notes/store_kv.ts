/**
 * Notes in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `["notes", id]` | the note; its versionstamp is the version |
 * | `["attachments", id]` | all attachments of the note, in one record, so that one check covers them |
 * | `["chunks", blob, index]` | up to 60 KiB of an attachment |
 * | `["unlisted", blob]` | chunks that no record names: not yet, or no more |
 * | `["seeded"]` | `true` |
 *
 * @module
 */

import { matchesSearch, type Note, NOTE_ID_REGEXP } from "./note.ts";
import type { ListOptions, NotePage, NoteStore, ReplaceOutcome, VersionedNote } from "./store.ts";
import { attachmentsKey, type KvAttachment, kvAttachments } from "./store_kv_attachments.ts";
import { createBlobs } from "./store_kv_blobs.ts";

/** Options of {@linkcode kvNoteStore}. */
export interface KvNoteStoreOptions {
  /** The clock, in seconds since the Unix epoch. @default the system's */
  now?: () => number;
}

/** A store of notes in Deno KV. */
export interface KvNoteStore extends NoteStore {
  /** Deletes what uploads and deletions left behind when the process ended in the middle of them. */
  sweep(): Promise<void>;
}

/** Keeps notes in a Deno KV database, which stays the caller's to close. */
export function kvNoteStore(kv: Deno.Kv, options: KvNoteStoreOptions = {}): KvNoteStore {
  const { now = () => Math.floor(Date.now() / 1000) } = options;
  const blobs = createBlobs(kv, now);

  async function seed(notes: readonly Note[]): Promise<"seeded" | "seeded_before"> {
    const commit = kv.atomic().check({ key: ["seeded"], versionstamp: null }).set(["seeded"], true);
    for (const note of notes) commit.set(noteKey(note.id), note);
    return (await commit.commit()).ok ? "seeded" : "seeded_before";
  }

  async function add(note: Note): Promise<string> {
    return (await kv.set(noteKey(note.id), note)).versionstamp;
  }

  async function find(id: string): Promise<VersionedNote | undefined> {
    if (!NOTE_ID_REGEXP.test(id)) return undefined;
    const { value, versionstamp } = await kv.get<Note>(noteKey(id));
    return value === null ? undefined : { note: value, version: versionstamp };
  }

  async function list({ search = "", before, limit }: ListOptions): Promise<NotePage> {
    const prefix = { prefix: ["notes"] };
    const selector = before === undefined ? prefix : { ...prefix, end: noteKey(before) };
    const notes: Note[] = [];
    for await (const { value } of kv.list<Note>(selector, { reverse: true })) {
      if (search !== "" && !matchesSearch(value, search)) continue;
      const last = notes.at(-1);
      if (notes.length === limit && last !== undefined) return { notes, next: last.id };
      notes.push(value);
    }
    return { notes };
  }

  async function replace(note: Note, version: string): Promise<ReplaceOutcome> {
    const key = noteKey(note.id);
    const result = await kv.atomic().check({ key, versionstamp: version }).set(key, note).commit();
    return result.ok ? { status: "replaced", version: result.versionstamp } : { status: "lost" };
  }

  async function remove(id: string, version: string): Promise<"removed" | "lost"> {
    const key = noteKey(id);
    for (;;) {
      const attachments = await kv.get<readonly KvAttachment[]>(attachmentsKey(id));
      const orphans = attachments.value ?? [];
      const commit = kv.atomic()
        .check({ key, versionstamp: version })
        .check(attachments)
        .delete(key)
        .delete(attachments.key);
      for (const orphan of orphans) blobs.unlist(commit, orphan);
      if ((await commit.commit()).ok) {
        for (const orphan of orphans) await blobs.remove(orphan);
        return "removed";
      }
      if ((await kv.get(key)).versionstamp !== version) return "lost";
    }
  }

  return {
    seed,
    add,
    find,
    list,
    replace,
    remove,
    ...kvAttachments(kv, blobs),
    sweep: blobs.sweep,
  };
}

function noteKey(id: string): Deno.KvKey {
  return ["notes", id];
}
