/**
 * Notes in Deno KV.
 *
 * | key | value |
 * |---|---|
 * | `["notes", owner, id]` | the note; its versionstamp is the version |
 * | `["owners", id]` | who owns the note |
 * | `["attachments", id]` | all attachments of the note, in one record, so that one check covers them |
 * | `["chunks", blob, index]` | up to 60 KiB of an attachment |
 * | `["unlisted", blob]` | chunks that no record names: not yet, or no more |
 * | `["seeded", owner]` | `true` |
 *
 * Before there were accounts, notes stood at `["notes", id]` and `["seeded"]` said that the database had begun. No key of
 * now is one of those: what nobody owned is found and listed for nobody.
 *
 * @module
 */

import { matchesSearch, type Note, NOTE_ID_REGEXP } from "./note.ts";
import type {
  ListOptions,
  NotePage,
  NoteStore,
  OwnedNote,
  ReplaceOutcome,
  VersionedNote,
} from "./store.ts";
import {
  attachmentsKey,
  type KvAttachment,
  kvAttachments,
  ownerKey,
} from "./store_kv_attachments.ts";
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
  /** Counts the notes from before there were accounts, once: from the second call on there are none to tell of. */
  countOwnerless(): Promise<number>;
}

/** Keeps notes in a Deno KV database, which stays the caller's to close. */
export function kvNoteStore(kv: Deno.Kv, options: KvNoteStoreOptions = {}): KvNoteStore {
  const { now = () => Math.floor(Date.now() / 1000) } = options;
  const blobs = createBlobs(kv, now);

  async function seed(
    owner: string,
    makeNotes: () => readonly Note[],
  ): Promise<"seeded" | "seeded_before"> {
    const marker = await kv.get<true>(["seeded", owner]);
    if (marker.value !== null) return "seeded_before";
    const commit = kv.atomic().check(marker).set(marker.key, true);
    for (const note of makeNotes()) setNew(commit, { owner, note });
    return (await commit.commit()).ok ? "seeded" : "seeded_before";
  }

  async function add(owned: OwnedNote): Promise<string> {
    const result = await setNew(kv.atomic(), owned).commit();
    if (!result.ok) throw new Error("Cannot add note: its commit had nothing to check");
    return result.versionstamp;
  }

  async function find(id: string): Promise<VersionedNote | undefined> {
    if (!NOTE_ID_REGEXP.test(id)) return undefined;
    const { value: owner } = await kv.get<string>(ownerKey(id));
    if (owner === null) return undefined;
    const { value: note, versionstamp } = await kv.get<Note>(noteKey(owner, id));
    return note === null ? undefined : { owner, note, version: versionstamp };
  }

  async function list(owner: string, options: ListOptions): Promise<NotePage> {
    const { search = "", before, limit } = options;
    const prefix = { prefix: ["notes", owner] };
    const selector = before === undefined ? prefix : { ...prefix, end: noteKey(owner, before) };
    const notes: Note[] = [];
    for await (const { value } of kv.list<Note>(selector, { reverse: true })) {
      if (search !== "" && !matchesSearch(value, search)) continue;
      const last = notes.at(-1);
      if (notes.length === limit && last !== undefined) return { notes, next: last.id };
      notes.push(value);
    }
    return { notes };
  }

  async function replace(
    { owner, version }: VersionedNote,
    note: Note,
  ): Promise<ReplaceOutcome> {
    const key = noteKey(owner, note.id);
    const result = await kv.atomic().check({ key, versionstamp: version }).set(key, note).commit();
    return result.ok ? { status: "replaced", version: result.versionstamp } : { status: "lost" };
  }

  async function remove(
    { owner, note: { id }, version }: VersionedNote,
  ): Promise<"removed" | "lost"> {
    const key = noteKey(owner, id);
    for (;;) {
      const attachments = await kv.get<readonly KvAttachment[]>(attachmentsKey(id));
      const orphans = attachments.value ?? [];
      const commit = kv.atomic()
        .check({ key, versionstamp: version })
        .check(attachments)
        .delete(key)
        .delete(ownerKey(id))
        .delete(attachments.key);
      for (const orphan of orphans) blobs.unlist(commit, orphan);
      if ((await commit.commit()).ok) {
        for (const orphan of orphans) await blobs.remove(orphan);
        return "removed";
      }
      if ((await kv.get(key)).versionstamp !== version) return "lost";
    }
  }

  async function countOwnerless(): Promise<number> {
    const begun = ["seeded"];
    if ((await kv.get(begun)).value === null) return 0;
    let count = 0;
    for await (const { key } of kv.list({ prefix: ["notes"] })) {
      if (key.length === 2) count++;
    }
    await kv.delete(begun);
    return count;
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
    countOwnerless,
  };
}

function setNew(commit: Deno.AtomicOperation, { owner, note }: OwnedNote): Deno.AtomicOperation {
  return commit.set(noteKey(owner, note.id), note).set(ownerKey(note.id), owner);
}

function noteKey(owner: string, id: string): Deno.KvKey {
  return ["notes", owner, id];
}
