/** The streams of changes of notes: what ends them. */

import { assertEquals } from "@std/assert";
import { observeChanges } from "../../examples/notes/changes.ts";
import type { Note } from "../../examples/notes/note.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { memoryAdapter } from "../../auth/stores/memory.ts";

const NOTE: Note = { id: "n1", title: "Milk", text: "", tags: [], createdAt: 0, updatedAt: 0 };

/** What ends a stream, given the service's end and the reader's. */
const ENDS: readonly (readonly [
  why: string,
  end: (service: AbortController, reader: AbortController) => void,
])[] = [
  ["the service stops", (service) => service.abort()],
  ["its reader leaves, or has waited long enough", (_service, reader) => reader.abort()],
];

for (const [why, end] of ENDS) {
  Deno.test(`observeChanges() ends a stream when ${why}`, async () => {
    const [service, reader] = [new AbortController(), new AbortController()];
    const changes = observeChanges(recordNoteStore(memoryAdapter()), service.signal);
    const stream = changes.of("ada", reader.signal);
    const first = stream.next();
    await changes.store.add({ owner: "eve", note: { ...NOTE, id: "n2" } });
    await changes.store.add({ owner: "ada", note: NOTE });
    assertEquals((await first).value, { kind: "ADDED", note: NOTE });
    const second = stream.next();
    end(service, reader);
    assertEquals((await second).done, true);
  });

  Deno.test(`observeChanges() begins no stream after ${why}`, async () => {
    const [service, reader] = [new AbortController(), new AbortController()];
    const changes = observeChanges(recordNoteStore(memoryAdapter()), service.signal);
    end(service, reader);
    assertEquals((await changes.of("ada", reader.signal).next()).done, true);
  });
}
