/**
 * What takes more than one record to do, and so may end in the middle.
 *
 * Before an upload or a deletion begins, a record says which blobs it is about. When it is over, the blobs that no note has
 * are deleted, and so is the record. Where the process ends before, or does not know whether what it did was done,
 * `sweep()` of any process does the same an hour later. A blob is written for one upload and never comes back once no note has it.
 *
 * @module
 */

import type { StorageAdapter } from "@gatehouse/http/auth";
import { type Records, recordsOf } from "./records.ts";
import { type Blobref, type Blobs, recordBlobs } from "./store_records_blobs.ts";
import type { Attachment } from "./store.ts";

/** An attachment in the record of its note. */
export interface RecordAttachment extends Attachment, Blobref {}

/** What an upload or a deletion is about. */
export interface Task {
  /** The note. */
  readonly noteId: string;
  /** The blobs that it adds or takes away. */
  readonly blobs: readonly Blobref[];
}

/** What is being done. */
export interface Running {
  /**
   * Says that it goes on: between reading what a change depends on and the change. A sweep that takes it for ended changes
   * the attachments, too: then the change comes too late, and this rejects the next time.
   *
   * @throws {Error} If a sweep has taken it for ended.
   */
  renew(): Promise<void>;
}

/** What is done, and what it works on. */
export interface Work {
  /** The files. */
  readonly blobs: Blobs;
  /** All attachments of a note in one record, by the note's id. */
  readonly attachments: Records<readonly RecordAttachment[]>;
  /** Does something, and deletes what belongs to no note afterwards. */
  run<Outcome>(task: Task, act: (running: Running) => Promise<Outcome>): Promise<Outcome>;
  /** Ends what was begun by a process that is gone. */
  sweep(): Promise<void>;
}

/** Options of {@linkcode recordWork}. */
export interface WorkOptions {
  /** The clock, in seconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether there is such a note. One that was deleted never comes back. */
  hasNote(id: string): Promise<boolean>;
}

interface Begun extends Task {
  /** When it was begun or renewed. */
  readonly since: number;
}

/** Whoever has said nothing for so long is gone; the clocks of two processes differ by less. */
const SWEEP_AFTER_SECONDS = 3600;
/** What the records are listed by. */
const ALL = "all";
const PAGE = 100;

/** Keeps what is being done in a database. */
export function recordWork(adapter: StorageAdapter, { now, hasNote }: WorkOptions): Work {
  const begun = recordsOf<Begun>(adapter, { collection: "note_work", by: () => ALL });
  const attachments = recordsOf<readonly RecordAttachment[]>(adapter, {
    collection: "note_attachments",
  });
  const blobs = recordBlobs(adapter);

  async function run<Outcome>(
    { noteId, blobs }: Task,
    act: (running: Running) => Promise<Outcome>,
  ): Promise<Outcome> {
    const id = crypto.randomUUID();
    const task = () => ({ noteId, blobs, since: now() });
    let version = await begun.swap(id, undefined, task());
    let isChanging = false;
    const renew = async () => {
      if (version !== undefined) version = await begun.swap(id, version, task());
      if (version === undefined) throw new Error("Cannot go on: it was taken for ended");
      isChanging = true;
    };
    const finish = async () => {
      await settle({ noteId, blobs });
      await begun.delete(id);
    };
    // Whatever fails from here on is left to a sweep
    const outcome = await act({ renew }).catch(async (error) => {
      // A change that failed may have been made, or be made in a moment
      if (!isChanging) await finish().catch(() => {});
      throw error;
    });
    await finish().catch(() => {});
    return outcome;
  }

  /** Deletes, of the blobs of a task, those that no note has; of a note that is gone, all. */
  async function settle({ noteId, blobs: touched }: Task): Promise<void> {
    for (;;) {
      // In this order: who adds to the record has looked for the note before, and settles after that
      const isThere = await hasNote(noteId);
      const record = await attachments.get(noteId);
      const known = record?.value ?? [];
      const orphans = isThere
        ? touched.filter(({ blob }) => !known.some((kept) => kept.blob === blob))
        : [...touched, ...known];
      for (const orphan of orphans) await blobs.remove(orphan);
      if (isThere || record === undefined) return;
      if (await attachments.remove(noteId, record.version)) return; // else one more was added
    }
  }

  async function sweep(): Promise<void> {
    const latest = now() - SWEEP_AFTER_SECONDS;
    let after: string | undefined;
    for (;;) {
      const page = await begun.list(ALL, { after, limit: PAGE });
      for (const { key, value, version } of page) {
        if (value.since > latest) continue;
        const mine = await begun.swap(key, version, { ...value, since: now() });
        if (mine === undefined) continue; // it goes on, or another process sweeps it
        await fence(value.noteId);
        await settle(value);
        await begun.delete(key);
      }
      if (page.length < PAGE) return;
      after = page.at(-1)?.key;
    }
  }

  /** Makes a step of who has read the attachments before come too late, should it be alive after all. */
  async function fence(noteId: string): Promise<void> {
    for (;;) {
      const record = await attachments.get(noteId);
      const version = await attachments.swap(noteId, record?.version, record?.value ?? []);
      if (version !== undefined) return;
    }
  }

  return { blobs, attachments, run, sweep };
}
