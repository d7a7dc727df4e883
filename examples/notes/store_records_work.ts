/**
 * Changes of several records, which may be interrupted.
 *
 * Before an upload or a deletion begins, a record lists its blobs. When it is done, the blobs that no note refers to are
 * deleted, and then the record. If the process ends before that, or does not know whether a change was made, `sweep()` of any
 * process does the same an hour later. A blob is written for one upload and is never referred to again once it is unreferenced.
 *
 * @module
 */

import type { StorageAdapter } from "@gatehouse/http/auth";
import { type Records, recordsOf } from "./records.ts";
import { type Blobref, type Blobs, recordBlobs } from "./store_records_blobs.ts";
import type { Attachment } from "./store.ts";

/** An attachment in the record of its note. */
export interface RecordAttachment extends Attachment, Blobref {}

/** An upload or a deletion. */
export interface Task {
  /** The note. */
  readonly noteId: string;
  /** The blobs that it adds or deletes. */
  readonly blobs: readonly Blobref[];
}

/** A task in progress. */
export interface Running {
  /**
   * Renews the task's timestamp; call it between reading what a change depends on and the change. A sweep that considers the
   * task abandoned also writes the attachments, so the change conflicts, and the next renewal rejects.
   *
   * @throws {Error} If a sweep has taken over the task.
   */
  renew(): Promise<void>;
}

/** The records of attachments, and tasks that change them. */
export interface Work {
  /** The blobs of files. */
  readonly blobs: Blobs;
  /** All attachments of a note in one record, by the note's id. */
  readonly attachments: Records<readonly RecordAttachment[]>;
  /** Runs a task, then deletes the blobs that no note refers to. */
  run<Outcome>(task: Task, act: (running: Running) => Promise<Outcome>): Promise<Outcome>;
  /** Completes the tasks of processes that ended. */
  sweep(): Promise<void>;
}

/** Options of {@linkcode recordWork}. */
export interface WorkOptions {
  /** The clock, in seconds since the Unix epoch. */
  readonly now: () => number;
  /** Whether the note exists. A deleted note is never recreated. */
  hasNote(id: string): Promise<boolean>;
}

interface Begun extends Task {
  /** When the task was begun or renewed. */
  readonly since: number;
}

/** A task without renewal for so long is abandoned; the clocks of two processes differ by less. */
const SWEEP_AFTER_SECONDS = 3600;
/** The indexed value of all tasks. */
const ALL = "all";
const PAGE = 100;

/** Creates the attachments' records and tasks. */
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
      if (version === undefined) throw new Error("Cannot continue task: a sweep has taken it over");
      isChanging = true;
    };
    const finish = async () => {
      await deleteOrphans({ noteId, blobs });
      await begun.delete(id);
    };
    // Any failure from here on is left to a sweep
    const outcome = await act({ renew }).catch(async (error) => {
      // A change that failed may still have been made, or be made later
      if (!isChanging) await finish().catch(() => {});
      throw error;
    });
    await finish().catch(() => {});
    return outcome;
  }

  /** Deletes the task's blobs that the note does not refer to; if the note is deleted, all of its blobs. */
  async function deleteOrphans({ noteId, blobs: touched }: Task): Promise<void> {
    for (;;) {
      // In this order: a task that adds to the record has checked the note before and deletes orphans after that
      const noteExists = await hasNote(noteId);
      const record = await attachments.get(noteId);
      const known = record?.value ?? [];
      const orphans = noteExists
        ? touched.filter(({ blob }) => !known.some((attached) => attached.blob === blob))
        : [...touched, ...known];
      for (const orphan of orphans) await blobs.remove(orphan);
      if (noteExists || record === undefined) return;
      if (await attachments.remove(noteId, record.version)) return; // otherwise another attachment was added
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
        if (mine === undefined) continue; // it continues, or another process sweeps it
        await fence(value.noteId);
        await deleteOrphans(value);
        await begun.delete(key);
      }
      if (page.length < PAGE) return;
      after = page.at(-1)?.key;
    }
  }

  /** Changes the version of the attachments, so that a write of the abandoned task conflicts if it still runs. */
  async function fence(noteId: string): Promise<void> {
    for (;;) {
      const record = await attachments.get(noteId);
      const version = await attachments.swap(noteId, record?.version, record?.value ?? []);
      if (version !== undefined) return;
    }
  }

  return { blobs, attachments, run, sweep };
}
