/**
 * A note store over a storage adapter: Deno KV, PostgreSQL or Redis.
 *
 * | collection | key | value |
 * |---|---|---|
 * | `notes` | id of the note, which sorts by time | the note and its owner, the indexed value |
 * | `note_seeds` | owner | the first notes until they are written, then an empty array |
 * | `note_attachments` | id of the note | all attachments of the note |
 * | `note_chunks` | blob and number | up to 45 KiB of an attachment |
 * | `note_work` | random | an upload or deletion in progress, see `store_records_work.ts` |
 *
 * Only the change of one record is atomic. A change of several records is ordered so that a process that ends in between
 * leaves nothing incomplete visible.
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
  /** The clock, in seconds since the Unix epoch. @default the system clock */
  readonly now?: () => number;
}

/** A store of notes over an adapter. */
export interface RecordNoteStore extends NoteStore {
  /** Completes uploads and deletions whose process ended more than an hour ago. */
  sweep(): Promise<void>;
}

/** The first notes of an owner; empty when they have been written. */
interface Seeds {
  readonly notes: readonly Note[];
}

/** Notes that a search reads at once. */
const SEARCH_PAGE = 100;

/** Creates a note store. @throws {TypeError} If the adapter has no compare-and-swap. */
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
    if (version === undefined) return await seed(owner, makeNotes); // another process has begun
    // A process that finds them incomplete continues with the same ids, so none is duplicated
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
