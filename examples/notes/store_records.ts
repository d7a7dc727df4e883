/**
 * Notes as records of a storage adapter: in Deno KV, PostgreSQL or Redis alike.
 *
 * | collection | key | value |
 * |---|---|---|
 * | `notes` | id of the note, which sorts by time | the note and its owner, by whom it is listed |
 * | `note_seeds` | owner | the first notes while they are being written, and then that they were |
 * | `note_attachments` | id of the note | all attachments of the note |
 * | `note_chunks` | blob and number | up to 45 KiB of an attachment |
 * | `note_work` | random | what an upload or a deletion has begun, see `store_records_work.ts` |
 *
 * The only step that is all or nothing is one record's. What takes several is written in such an order that whoever ends
 * in between leaves nothing half done that anybody sees.
 *
 * @module
 */

import type { StorageAdapter } from "@gatehouse/http/auth";
import { matchesSearch, type Note, NOTE_ID_REGEXP } from "./note.ts";
import { recordsOf } from "./records.ts";
import type {
  ListOptions,
  NotePage,
  NoteStore,
  OwnedNote,
  ReplaceOutcome,
  VersionedNote,
} from "./store.ts";
import { recordAttachments } from "./store_records_attachments.ts";
import { recordWork } from "./store_records_work.ts";

/** Options of {@linkcode recordNoteStore}. */
export interface RecordNoteStoreOptions {
  /** The clock, in seconds since the Unix epoch. @default the system's */
  readonly now?: () => number;
}

/** A store of notes over an adapter. */
export interface RecordNoteStore extends NoteStore {
  /** Deletes what uploads and deletions left behind, more than an hour ago, whose process ended in the middle of them. */
  sweep(): Promise<void>;
}

/** The first notes of an owner: all of them until they stand among the notes. */
interface Seeds {
  readonly notes: readonly Note[];
}

/** Notes that a search reads at once. */
const SEARCH_PAGE = 100;

/** Keeps notes in a database. @throws {TypeError} If it has no compare-and-swap. */
export function recordNoteStore(
  adapter: StorageAdapter,
  options: RecordNoteStoreOptions = {},
): RecordNoteStore {
  const { now = () => Math.floor(Date.now() / 1000) } = options;
  const notes = recordsOf<OwnedNote>(adapter, { collection: "notes", by: ({ owner }) => owner });
  const seeds = recordsOf<Seeds>(adapter, { collection: "note_seeds" });
  const hasNote = async (id: string) => await notes.get(id) !== undefined;
  const work = recordWork(adapter, { now, hasNote });

  async function seed(
    owner: string,
    makeNotes: () => readonly Note[],
  ): Promise<"seeded" | "seeded_before"> {
    const found = await seeds.get(owner);
    if (found?.value.notes.length === 0) return "seeded_before";
    const first = found?.value.notes ?? makeNotes();
    const version = found?.version ?? await seeds.swap(owner, undefined, { notes: first });
    if (version === undefined) return await seed(owner, makeNotes); // somebody else has begun
    // Whoever finds them half written goes on: their ids are the same, so that none is there twice
    for (const note of first) await notes.swap(note.id, undefined, { owner, note });
    const done = await seeds.swap(owner, version, { notes: [] });
    return done === undefined ? "seeded_before" : "seeded";
  }

  async function add(owned: OwnedNote): Promise<string> {
    const version = await notes.swap(owned.note.id, undefined, owned);
    if (version === undefined) throw new Error("Cannot add note: its id is taken");
    return version;
  }

  async function find(id: string): Promise<VersionedNote | undefined> {
    if (!NOTE_ID_REGEXP.test(id)) return undefined;
    const found = await notes.get(id);
    return found && { ...found.value, version: found.version };
  }

  async function list(owner: string, options: ListOptions): Promise<NotePage> {
    const { search = "", before, limit } = options;
    const page = search === "" ? limit + 1 : SEARCH_PAGE;
    const matching: Note[] = [];
    let after = before;
    for (;;) {
      const records = await notes.list(owner, { after, limit: page, reverse: true });
      for (const { value: { note } } of records) {
        if (search !== "" && !matchesSearch(note, search)) continue;
        const last = matching.at(-1);
        if (matching.length === limit && last !== undefined) {
          return { notes: matching, next: last.id };
        }
        matching.push(note);
      }
      if (records.length < page) return { notes: matching };
      after = records.at(-1)?.key;
    }
  }

  async function replace({ owner, version }: VersionedNote, note: Note): Promise<ReplaceOutcome> {
    const next = await notes.swap(note.id, version, { owner, note });
    return next === undefined ? { status: "lost" } : { status: "replaced", version: next };
  }

  function remove({ note: { id }, version }: VersionedNote): Promise<"removed" | "lost"> {
    return work.run({ noteId: id, blobs: [] }, async ({ renew }) => {
      await renew();
      return await notes.remove(id, version) ? "removed" : "lost";
    });
  }

  return {
    seed,
    add,
    find,
    list,
    replace,
    remove,
    ...recordAttachments({ work, hasNote }),
    sweep: work.sweep,
  };
}
