/**
 * The notes that every user starts with.
 *
 * @module
 */

import { createNoteFactory, type NoteInput } from "./note.ts";
import type { NoteStore } from "./store.ts";

/** Oldest first: the one to read first is listed first. */
const SEEDS: readonly NoteInput[] = [
  {
    title: "What is kept, and where",
    text:
      "Everything is in one database, and outlives a restart: accounts, sessions, the tokens and keys of programs, counts of " +
      "failed sign-ins, notes and attachments. It is Deno KV in the folder .data beside main.ts, or what DATABASE_URL or " +
      "REDIS_URL names when the service starts. Stop the service and delete the folder to start anew.",
    tags: ["data"],
  },
  {
    title: "Let a program read your notes",
    text:
      "The page Developer makes a key for it, which you can take back there, and shows how to ask with it by curl.",
    tags: ["api", "keys"],
  },
  {
    title: "Attach a file",
    text:
      "POST /notes/:id/attachments takes multipart/form-data with one or more parts named file, 10 MiB in all. Try it " +
      "out at /docs: while you are signed in, what you send from there is yours.",
    tags: ["api", "attachments"],
  },
  {
    title: "Change a note without losing anybody's work",
    text:
      "GET /notes/:id answers with an ETag. Send it back as If-Match with PUT, PATCH or DELETE: if the note has " +
      "changed meanwhile, the answer is 412 and nothing is overwritten.",
    tags: ["api"],
  },
  {
    title: "Welcome",
    text:
      "This is the example service of Gatehouse. What you write here only you can read: everybody else is refused, by the " +
      "authorization manager in examples/notes/access.ts. Search or add a note above.",
    tags: ["start"],
  },
];

/**
 * The store, with some notes added when a user first lists notes, and only then: this depends neither on how the account was
 * created, nor on whether the process was killed right after.
 */
export function withSeeds(store: NoteStore, nowMs: () => number = Date.now): NoteStore {
  const makeNote = createNoteFactory(nowMs);
  return {
    ...store,
    async list(owner, options) {
      await store.seed(owner, () => SEEDS.map(makeNote));
      return await store.list(owner, options);
    },
  };
}
