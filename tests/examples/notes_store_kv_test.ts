import { assert, assertEquals, assertRejects } from "@std/assert";
import { createNoteFactory } from "../../examples/notes/note.ts";
import type { NewAttachment } from "../../examples/notes/store.ts";
import { type KvNoteStore, kvNoteStore } from "../../examples/notes/store_kv.ts";
import { countEntries, randomBytes } from "./_notes_service.ts";

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
  test: (store: KvNoteStore, kv: Deno.Kv, clock: { now: number }) => Promise<void>,
): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  const clock = { now: 1_000_000 };
  try {
    await test(kvNoteStore(kv, { now: () => clock.now }), kv, clock);
  } finally {
    kv.close();
  }
}

Deno.test("kvNoteStore() cuts attachments into chunks of 60 KiB", async () => {
  await withStore(async (store, kv) => {
    const note = makeNote(INPUT);
    await store.add({ owner: "ada", note });
    const content = new Blob([randomBytes(150_000)]);
    assertEquals(await store.addAttachments(note.id, [attachment("a", content)]), "added");
    const chunks = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["chunks"] }));
    assertEquals(chunks.map(({ value }) => value.length), [61_440, 61_440, 27_120]);
  });
});

Deno.test("kvNoteStore() leaves nothing of an upload that fails", async () => {
  await withStore(async (store, kv) => {
    const note = makeNote(INPUT);
    await store.add({ owner: "ada", note });
    const broken = new BrokenBlob([randomBytes(900_000)]);
    const files = [attachment("whole", new Blob(["x"])), attachment("broken", broken)];
    await assertRejects(() => store.addAttachments(note.id, files), Error, "The disk is gone");
    assertEquals(await store.listAttachments(note.id), []);
    assertEquals([await countEntries(kv, "chunks"), await countEntries(kv, "unlisted")], [0, 0]);
  });
});

Deno.test("kvNoteStore() leaves nothing of an upload to a note that is gone", async () => {
  await withStore(async (store, kv) => {
    const { id } = makeNote(INPUT);
    const outcome = await store.addAttachments(id, [attachment("a", new Blob(["x"]))]);
    assertEquals([outcome, await countEntries(kv)], ["no_such_note", 0]);
  });
});

Deno.test("kvNoteStore() sweeps what a process left behind, after an hour", async () => {
  await withStore(async (store, kv, clock) => {
    const note = makeNote(INPUT);
    await store.add({ owner: "ada", note });
    await store.addAttachments(note.id, [attachment("kept", new Blob(["kept"]))]);
    // As after a crash between the first chunk and the record.
    await kv.set(["unlisted", "lost"], { size: 70_000, since: clock.now });
    await kv.set(["chunks", "lost", 0], new Uint8Array(61_440));
    clock.now += 3599;
    await store.sweep();
    assertEquals([await countEntries(kv, "chunks"), await countEntries(kv, "unlisted")], [2, 1]);
    clock.now += 1;
    await store.sweep();
    assertEquals([await countEntries(kv, "chunks"), await countEntries(kv, "unlisted")], [1, 0]);
    const opened = await store.openAttachment(note.id, "kept");
    assertEquals(await new Response(opened?.body).text(), "kept");
  });
});

Deno.test("kvNoteStore() fails a download whose attachment is deleted meanwhile", async () => {
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

Deno.test("kvNoteStore() has one winner among changes of the same version", async () => {
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

Deno.test("kvNoteStore() takes each owner's seeds once, also after they are deleted", async () => {
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

Deno.test("kvNoteStore() seeds once where a user looks from many places at once", async () => {
  await withStore(async (store) => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => store.seed("ada", () => [makeNote(INPUT)])),
    );
    assertEquals(outcomes.filter((outcome) => outcome === "seeded").length, 1);
    assertEquals((await store.list("ada", { limit: 100 })).notes.length, 1);
  });
});

Deno.test("kvNoteStore() lists the notes of one owner, also where an id is the beginning of another", async () => {
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

Deno.test("kvNoteStore() shows nobody the notes from before there were accounts, and counts them once", async () => {
  await withStore(async (store, kv) => {
    const old = makeNote(INPUT);
    await kv.set(["seeded"], true);
    await kv.set(["notes", old.id], old);
    await kv.set(["attachments", old.id], [{ name: "a", blob: "b", size: 1 }]);
    await store.add({ owner: old.id, note: makeNote(INPUT) });
    assertEquals(await store.find(old.id), undefined);
    assertEquals((await store.list(old.id, { limit: 10 })).notes.length, 1);
    assertEquals((await store.list("", { limit: 10 })).notes, []);
    const upload = await store.addAttachments(old.id, [attachment("c", new Blob(["x"]))]);
    assertEquals(upload, "no_such_note");
    assertEquals([await store.countOwnerless(), await store.countOwnerless()], [1, 0]);
  });
});

Deno.test("kvNoteStore() counts no ownerless notes in a new database", async () => {
  await withStore(async (store) => {
    await store.seed("ada", () => [makeNote(INPUT)]);
    assertEquals(await store.countOwnerless(), 0);
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
