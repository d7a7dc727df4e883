/**
 * The notes that a new database starts with.
 *
 * @module
 */

import { createNoteFactory, type NoteInput } from "./note.ts";
import type { NoteStore } from "./store.ts";

/** Oldest first: the one to read first is listed first. */
const SEEDS: readonly NoteInput[] = [
  {
    title: "Where the notes are kept",
    text:
      "In Deno KV, in the folder .data beside main.ts. Stop the service and delete the folder to start anew.",
    tags: ["data"],
  },
  {
    title: "Attach a file",
    text:
      "POST /notes/:id/attachments takes multipart/form-data with one or more parts named file, 10 MiB in all:\n\n" +
      "curl -F file=@picture.png http://localhost:8000/notes/THE_ID/attachments",
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
      "This is the example service of Gatehouse. Search above, add a note below, and read its " +
      "source in examples/notes.",
    tags: ["start"],
  },
];

/** Fills a store on its first start, and only then. */
export async function seedStore(store: NoteStore): Promise<void> {
  await store.seed(SEEDS.map(createNoteFactory(Date.now)));
}
