import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createNoteFactory } from "../../examples/notes/note.ts";
import type { NewAttachment } from "../../examples/notes/store.ts";
import { type RecordNoteStore, recordNoteStore } from "../../examples/notes/store_records.ts";
import { memoryAdapter } from "../contracts/_memory_adapter.ts";
import { type CountedPlace, countedPlace } from "./_counted_adapter.ts";
import { randomBytes } from "./_notes_service.ts";

const makeNote = createNoteFactory(Date.now);
const INPUT = { title: "a", text: "", tags: [] };

/** A file whose content cannot be read completely. */
class BrokenBlob extends Blob {
  override slice(start?: number, end?: number): Blob {
    if (start !== undefined && start > 700_000) throw new Error("The disk is gone");
    return super.slice(start, end);
  }
}

function attachment(name: string, content: Blob): NewAttachment {
  return { name, type: "text/plain", size: content.size, createdAt: 0, content };
}

async function withStore(
  test: (store: RecordNoteStore, place: CountedPlace) => Promise<void>,
): Promise<void> {
  const place = countedPlace(() => 1_000_000);
  await test(recordNoteStore(place.adapter(), { now: () => 1_000_000 }), place);
}

Deno.test("recordNoteStore() throws if the adapter has no compare-and-swap", () => {
  const adapter = memoryAdapter({ now: () => 0, atomic: false });
  assertThrows(() => recordNoteStore(adapter), TypeError, "the database has no compare-and-swap");
});

Deno.test("recordNoteStore() splits attachments into chunks of 45 KiB, which fit into a value of Deno KV", async () => {
  await withStore(async (store, place) => {
    const note = makeNote(INPUT);
    await store.add({ owner: "ada", note });
    for (const [name, size, chunks] of [["a", 45 * 1024, 1], ["b", 45 * 1024 + 1, 3]] as const) {
      const content = new Blob([randomBytes(size)]);
      assertEquals(await store.addAttachments(note.id, [attachment(name, content)]), "added");
      assertEquals(place.count("note_chunks"), [chunks]);
    }
  });
});

Deno.test("recordNoteStore() keeps no records of a failed upload", async () => {
  await withStore(async (store, place) => {
    const note = makeNote(INPUT);
    await store.add({ owner: "ada", note });
    const broken = new BrokenBlob([randomBytes(900_000)]);
    const files = [attachment("whole", new Blob(["x"])), attachment("broken", broken)];
    await assertRejects(() => store.addAttachments(note.id, files), Error, "The disk is gone");
    assertEquals(await store.listAttachments(note.id), []);
    assertEquals(place.count("note_chunks", "note_work", "note_attachments"), [0, 0, 0]);
  });
});

Deno.test("recordNoteStore() keeps no records of an upload to a deleted note", async () => {
  await withStore(async (store, place) => {
    const { id } = makeNote(INPUT);
    const outcome = await store.addAttachments(id, [attachment("a", new Blob(["x"]))]);
    assertEquals(outcome, "no_such_note");
    assertEquals(place.count("note_chunks", "note_work", "note_attachments"), [0, 0, 0]);
  });
});

Deno.test("recordNoteStore() fails a download if the attachment is deleted concurrently", async () => {
  await withStore(async (store) => {
    const note = makeNote(INPUT);
    await store.add({ owner: "ada", note });
    await store.addAttachments(note.id, [attachment("a", new Blob([randomBytes(200_000)]))]);
    const opened = await store.openAttachment(note.id, "a");
    const reader = opened?.body.getReader();
    await reader?.read();
    await store.removeAttachment(note.id, "a");
    await assertRejects(async () => {
      while ((await reader?.read())?.done === false);
    }, Error);
  });
});

Deno.test("recordNoteStore() has one winner of concurrent changes of the same version", async () => {
  await withStore(async (store) => {
    const note = makeNote(INPUT);
    const version = await store.add({ owner: "ada", note });
    const found = { owner: "ada", note, version };
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => store.replace(found, { ...note, title: `${i}` })),
    );
    assertEquals(outcomes.filter(({ status }) => status === "replaced").length, 1);
    assertEquals(await store.remove(found), "lost");
    const current = await store.find(note.id);
    assertEquals(current && await store.remove(current), "removed");
  });
});

Deno.test("recordNoteStore() seeds each owner's notes once, also after they are deleted", async () => {
  await withStore(async (store) => {
    const note = makeNote(INPUT);
    assertEquals(await store.seed("ada", () => [note]), "seeded");
    const found = await store.find(note.id);
    assertEquals(found && await store.remove(found), "removed");
    assertEquals(await store.seed("ada", () => [makeNote(INPUT)]), "seeded_before");
    assertEquals((await store.list("ada", { limit: 10 })).notes, []);
    assertEquals(await store.seed("bob", () => [makeNote(INPUT)]), "seeded");
    assertEquals((await store.list("bob", { limit: 10 })).notes.length, 1);
  });
});

Deno.test("recordNoteStore() seeds once for concurrent requests of a user, and all of them return all notes", async () => {
  await withStore(async (store) => {
    const looks = await Promise.all(Array.from({ length: 20 }, async () => {
      const outcome = await store.seed("ada", () => [makeNote(INPUT), makeNote(INPUT)]);
      return [outcome, (await store.list("ada", { limit: 100 })).notes] as const;
    }));
    assertEquals(looks.filter(([outcome]) => outcome === "seeded").length, 1);
    for (const [, notes] of looks) assertEquals([notes, notes.length], [looks[0]?.[1], 2]);
  });
});

Deno.test("recordNoteStore() searches all of many notes of an owner", async () => {
  await withStore(async (store) => {
    for (let i = 0; i < 250; i++) {
      await store.add({ owner: "ada", note: makeNote({ ...INPUT, title: `${i % 110}.` }) });
    }
    const first = await store.list("ada", { search: "7.", limit: 5 });
    const titles = (notes: readonly { title: string }[]) => notes.map(({ title }) => title);
    assertEquals(titles(first.notes), ["27.", "17.", "7.", "107.", "97."]);
    const rest = await store.list("ada", { search: "7.", limit: 50, before: first.next ?? "" });
    assertEquals([rest.notes.length, titles(rest.notes).at(-1), rest.next], [20, "7.", undefined]);
  });
});

Deno.test("recordNoteStore() lists the notes of one owner, also if an id is a prefix of another", async () => {
  await withStore(async (store) => {
    const owners = ["ad", "ada", "adam", ""];
    for (const owner of owners) {
      await store.add({ owner, note: makeNote({ ...INPUT, title: owner || "-" }) });
    }
    for (const owner of owners) {
      const { notes } = await store.list(owner, { limit: 10 });
      assertEquals(notes.map(({ title }) => title), [owner || "-"]);
    }
  });
});

Deno.test("createNoteFactory() returns ids that sort by time, even if the clock stands still or goes back", () => {
  let now = 1_800_000_000_000;
  const make = createNoteFactory(() => now--);
  const ids = Array.from({ length: 100 }, () => make(INPUT).id);
  assertEquals(ids, [...ids].sort());
  now += 36 * 60_000;
  assert(make(INPUT).id > (ids.at(-1) ?? ""));
});
