import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createNoteFactory } from "../../examples/notes/note.ts";
import type { NewAttachment } from "../../examples/notes/store.ts";
import { type RecordNoteStore, recordNoteStore } from "../../examples/notes/store_records.ts";
import { memoryAdapter } from "../contracts/_memory_adapter.ts";
import { type CountedPlace, countedPlace } from "./_counted_adapter.ts";
import { randomBytes } from "./_notes_service.ts";

const makeNote = createNoteFactory(Date.now);
const INPUT = { title: "a", text: "", tags: [] };

/** A file whose content can't be read to its end. */
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

Deno.test("recordNoteStore() needs a compare-and-swap", () => {
  const adapter = memoryAdapter({ now: () => 0, atomic: false });
  assertThrows(() => recordNoteStore(adapter), TypeError, "the database has no compare-and-swap");
});

Deno.test("recordNoteStore() cuts attachments into chunks of 45 KiB, which fit a value of Deno KV", async () => {
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

Deno.test("recordNoteStore() leaves nothing of an upload that fails", async () => {
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

Deno.test("recordNoteStore() leaves nothing of an upload to a note that is gone", async () => {
  await withStore(async (store, place) => {
    const { id } = makeNote(INPUT);
    const outcome = await store.addAttachments(id, [attachment("a", new Blob(["x"]))]);
    assertEquals(outcome, "no_such_note");
    assertEquals(place.count("note_chunks", "note_work", "note_attachments"), [0, 0, 0]);
  });
});

Deno.test("recordNoteStore() fails a download whose attachment is deleted meanwhile", async () => {
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

Deno.test("recordNoteStore() has one winner among changes of the same version", async () => {
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

Deno.test("recordNoteStore() takes each owner's seeds once, also after they are deleted", async () => {
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

Deno.test("recordNoteStore() seeds once where a user looks from many places at once, who all see everything", async () => {
  await withStore(async (store) => {
    const looks = await Promise.all(Array.from({ length: 20 }, async () => {
      const outcome = await store.seed("ada", () => [makeNote(INPUT), makeNote(INPUT)]);
      return [outcome, (await store.list("ada", { limit: 100 })).notes] as const;
    }));
    assertEquals(looks.filter(([outcome]) => outcome === "seeded").length, 1);
    for (const [, notes] of looks) assertEquals([notes, notes.length], [looks[0]?.[1], 2]);
  });
});

Deno.test("recordNoteStore() searches all notes of an owner, however many", async () => {
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

Deno.test("recordNoteStore() lists the notes of one owner, also where an id is the beginning of another", async () => {
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

Deno.test("createNoteFactory() makes ids that sort by time, even where the clock stands or goes back", () => {
  let now = 1_800_000_000_000;
  const make = createNoteFactory(() => now--);
  const ids = Array.from({ length: 100 }, () => make(INPUT).id);
  assertEquals(ids, [...ids].sort());
  now += 36 * 60_000;
  assert(make(INPUT).id > (ids.at(-1) ?? ""));
});
