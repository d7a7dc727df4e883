import { assert, assertEquals, assertRejects } from "@std/assert";
import { createNoteFactory } from "../../examples/notes/note.ts";
import type { NewAttachment } from "../../examples/notes/store.ts";
import { type RecordNoteStore, recordNoteStore } from "../../examples/notes/store_records.ts";
import { type CountedAdapter, type CountedPlace, countedPlace } from "./_counted_adapter.ts";
import { randomBytes } from "./_notes_service.ts";

const makeNote = createNoteFactory(Date.now);
const INPUT = { title: "a", text: "", tags: [] };
const OLD = new Blob([randomBytes(100_000)]);
const NEW = new Blob([randomBytes(150_000)]);
const LEFT = ["note_chunks", "note_work"] as const;

function file(name: string, content: Blob): NewAttachment {
  return { name, type: "text/plain", size: content.size, createdAt: 0, content };
}

/** A note with an attachment, in a database of several processes. */
interface Scene {
  readonly place: CountedPlace;
  readonly clock: { now: number };
  readonly id: string;
  /** The store of another process. */
  open(adapter?: CountedAdapter): RecordNoteStore;
}

async function openScene(): Promise<Scene> {
  const clock = { now: 1_000_000 };
  const now = () => clock.now;
  const place = countedPlace(now);
  const open: Scene["open"] = (adapter = place.adapter()) => recordNoteStore(adapter, { now });
  const store = open();
  const note = makeNote(INPUT);
  await store.add({ owner: "ada", note });
  await store.addAttachments(note.id, [file("old", OLD)]);
  return { place, clock, id: note.id, open };
}

async function removeNote(store: RecordNoteStore, id: string): Promise<unknown> {
  const found = await store.find(id);
  return found && await store.remove(found);
}

/** An operation, the collection that it commits to, and the attachments after it. */
const STEPS: readonly (readonly [
  what: string,
  act: (store: RecordNoteStore, id: string) => Promise<unknown>,
  collection: string,
  left: readonly string[],
])[] = [
  [
    "an upload",
    (store, id) => store.addAttachments(id, [file("new", NEW), file("b", OLD)]),
    "note_attachments",
    ["old", "new", "b"],
  ],
  [
    "the deletion of an attachment",
    (store, id) => store.removeAttachment(id, "old"),
    "note_attachments",
    [],
  ],
  ["the deletion of a note", removeNote, "notes", []],
];

for (const [what, act] of STEPS) {
  Deno.test(`recordNoteStore() leaves no partial state if a process crashes after any write of ${what}`, async () => {
    for (let writes = 0, ended = true; ended; writes++) {
      const { place, clock, id, open } = await openScene();
      ended = false;
      const ending = open(place.adapter(writes, () => void (ended = true)));
      await act(ending, id).catch(() => {});
      const store = open();
      const before = await assertWhole(store, id);
      clock.now += 3599;
      await store.sweep();
      assertEquals(await assertWhole(store, id), before);
      clock.now += 1;
      await Promise.all([store.sweep(), open().sweep()]);
      assertEquals(await assertWhole(store, id), before);
      const sizes = before.map((name) => Math.ceil((name === "new" ? NEW : OLD).size / 46_080));
      assertEquals(place.count(...LEFT), [sizes.reduce((sum, size) => sum + size, 0), 0]);
      await removeNote(store, id);
      assertEquals(place.count(...LEFT, "note_attachments", "notes"), [0, 0, 0, 0]);
    }
  });
}

/** An adapter that reports a failed write to a collection, which is nevertheless done: immediately or later. */
function unsure(adapter: CountedAdapter, collection: string, isLate: boolean): Unsure {
  let change: () => Promise<unknown> = () => Promise.resolve();
  return {
    later: () => change(),
    adapter: {
      ...adapter,
      atomic: {
        async cas(...args) {
          if (args[0] !== collection) return await adapter.atomic.cas(...args);
          change = () => adapter.atomic.cas(...args);
          if (!isLate) await change();
          throw new Error("The connection dropped");
        },
      },
    },
  };
}

interface Unsure {
  readonly adapter: CountedAdapter;
  /** Executes the delayed write. */
  later(): Promise<unknown>;
}

for (const [what, act, collection, left] of STEPS) {
  for (const [isLate, when] of [[false, "immediately"], [true, "later"]] as const) {
    Deno.test(`recordNoteStore() leaves no partial state if a write of ${what} fails but is done ${when}`, async () => {
      const { place, clock, id, open } = await openScene();
      const { adapter, later } = unsure(place.adapter(), collection, isLate);
      await assertRejects(() => act(open(adapter), id), Error, "The connection dropped");
      const store = open();
      assertEquals(await assertWhole(store, id), isLate ? ["old"] : left);
      await later();
      assertEquals(await assertWhole(store, id), left);
      clock.now += 3600;
      await store.sweep();
      assertEquals(await assertWhole(store, id), left);
      await removeNote(store, id);
      assertEquals(place.count(...LEFT, "note_attachments", "notes"), [0, 0, 0, 0]);
    });
  }
}

/** Asserts that all listed attachments are complete. */
async function assertWhole(store: RecordNoteStore, id: string): Promise<readonly string[]> {
  if (await store.find(id) === undefined) return [];
  const names: string[] = [];
  for (const { name, size } of await store.listAttachments(id)) {
    const opened = await store.openAttachment(id, name);
    assertEquals((await new Response(opened?.body).bytes()).length, size);
    names.push(name);
  }
  assertEquals(names.includes("new"), names.includes("b"));
  return names;
}

Deno.test("recordNoteStore() creates all sample notes once if a process crashes after any write", async () => {
  for (let writes = 0, through = false; !through; writes++) {
    const { place, open } = await openScene();
    const seeds = Array.from({ length: 3 }, () => makeNote(INPUT));
    const ending = open(place.adapter(writes));
    through = await ending.seed("bob", () => seeds).then(() => true, () => false);
    const store = open();
    const others = Array.from({ length: 3 }, () => makeNote(INPUT));
    await Promise.all([store, open()].map((one) => one.seed("bob", () => others)));
    const { notes } = await store.list("bob", { limit: 10 });
    assertEquals(notes.length, 3);
    assert(through ? notes.every((note) => seeds.some(({ id }) => id === note.id)) : true);
    assertEquals(await store.seed("bob", () => others), "seeded_before");
  }
});

/** An adapter that waits before the last write of an upload. */
function stopped(adapter: CountedAdapter, until: () => Promise<unknown>): CountedAdapter {
  return {
    ...adapter,
    atomic: {
      async cas(collection, key, expected, next) {
        if (collection === "note_attachments" && next !== null) await until();
        return await adapter.atomic.cas(collection, key, expected, next);
      },
    },
  };
}

Deno.test("recordNoteStore() rejects an upload that was swept after it had stalled", async () => {
  const { place, clock, id, open } = await openScene();
  const slow = open(stopped(place.adapter(), async () => {
    clock.now += 3600;
    await open().sweep();
  }));
  await assertRejects(
    () => slow.addAttachments(id, [file("new", NEW)]),
    Error,
    "a sweep has taken it over",
  );
  assertEquals(await assertWhole(open(), id), ["old"]);
  assertEquals(place.count(...LEFT), [3, 0]);
});

Deno.test("recordNoteStore() does not sweep an upload that renews its lease", async () => {
  const { place, clock, id, open } = await openScene();
  const slow = open(stopped(place.adapter(), async () => {
    clock.now += 3599;
    await open().sweep();
  }));
  assertEquals(await slow.addAttachments(id, [file("new", NEW)]), "added");
  assertEquals((await open().listAttachments(id)).map(({ name }) => name), ["old", "new"]);
  assertEquals(place.count(...LEFT), [7, 0]);
});

Deno.test("recordNoteStore() does not sweep an upload that renews its lease after the sweep has listed it", async () => {
  const { place, clock, id, open } = await openScene();
  const listed = Promise.withResolvers<void>();
  const renewed = Promise.withResolvers<void>();
  const swept = Promise.withResolvers<void>();
  const uploading = stopped(place.adapter(), async () => {
    renewed.resolve();
    await swept.promise;
  });
  const slow = open({
    ...uploading,
    put: (...args) => listed.promise.then(() => uploading.put(...args)),
  });
  const sweeping = place.adapter();
  const upload = slow.addAttachments(id, [file("new", NEW)]);
  clock.now += 3600;
  await open({
    ...sweeping,
    async list(...args) {
      const page = await sweeping.list(...args);
      assertEquals(page.length, 1);
      listed.resolve();
      await renewed.promise;
      return page;
    },
  }).sweep();
  swept.resolve();
  assertEquals(await upload, "added");
  const names = (await open().listAttachments(id)).map(({ name }) => name);
  assertEquals([names, place.count(...LEFT)], [["old", "new"], [7, 0]]);
});

Deno.test("recordNoteStore() keeps no records of an upload concurrent with the deletion of its note", async () => {
  const { place, id, open } = await openScene();
  const late = open(stopped(place.adapter(), () => removeNote(open(), id)));
  await late.addAttachments(id, [file("new", NEW)]);
  assertEquals(place.count(...LEFT, "note_attachments", "notes"), [0, 0, 0, 0]);
});

Deno.test("recordNoteStore() has one winner of two deletions of an attachment, and of two uploads of a name", async () => {
  const { place, id, open } = await openScene();
  const stores = [open(), open()];
  const removed = await Promise.all(stores.map((store) => store.removeAttachment(id, "old")));
  assertEquals(removed.toSorted(), ["no_such_attachment", "removed"]);
  const files = [file("new", NEW)];
  const added = await Promise.all(stores.map((store) => store.addAttachments(id, files)));
  assertEquals(added.toSorted(), ["added", "name_taken"]);
  assertEquals(place.count(...LEFT), [4, 0]);
});
