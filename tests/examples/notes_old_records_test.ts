import { authStores } from "@gatehouse/http/auth";
import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { assertEquals } from "@std/assert";
import { moveOldRecords } from "../../examples/notes/old_records.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";
import { countRecords, randomBytes } from "./_notes_service.ts";

const ID = "0lx0000000123456789abcdef";
const OWNERLESS = "0lx0000000fedcba987654321";
const NOTE = { id: ID, title: "old", text: "", tags: [], createdAt: 1, updatedAt: 2 };
const ADA = {
  sub: "u1",
  identifier: "ada",
  passwordHash: "hash",
  securityStamp: "s1",
  createdAt: 1,
};
const KEY = {
  id: "k1",
  keyHash: "digest",
  sub: "u1",
  name: "Backup",
  scope: ["notes:read"],
  createdAt: 1,
};
const CONTENT = randomBytes(100_000);

/** A database as it was. */
async function openOld(): Promise<Deno.Kv> {
  const kv = await Deno.openKv(":memory:");
  const entries: readonly (readonly [Deno.KvKey, unknown])[] = [
    [["users", "u1"], ADA],
    [["identifiers", "ada"], "u1"],
    [["api_keys", "k1"], KEY],
    [["api_key_ids", "u1", "k1"], true],
    [["seeded", "u1"], true],
    [["notes", "u1", ID], NOTE],
    [["owners", ID], "u1"],
    [["attachments", ID], [
      { name: "a", type: "text/plain", size: 100_000, createdAt: 3, blob: "b1" },
    ]],
    [["chunks", "b1", 0], CONTENT.slice(0, 61_440)],
    [["chunks", "b1", 1], CONTENT.slice(61_440)],
    [["unlisted", "b2"], { size: 1, since: 1 }],
    [["chunks", "b2", 0], new Uint8Array(1)],
    [["notes", OWNERLESS], { ...NOTE, id: OWNERLESS }],
    [["attachments", OWNERLESS], [
      { name: "a", type: "text/plain", size: 1, createdAt: 3, blob: "b3" },
    ]],
    [["chunks", "b3", 0], new Uint8Array(1)],
  ];
  for (const [key, value] of entries) await kv.set(key, value);
  return kv;
}

Deno.test("moveOldRecords() moves everything but what nobody owns, and leaves nothing of it behind", async () => {
  using kv = await openOld();
  const adapter = denoKvAdapter(kv);
  const stores = authStores(adapter);
  const store = recordNoteStore(adapter);
  for (let run = 0; run < 2; run++) {
    await moveOldRecords(kv, { stores, store });
    const { version: _, ...user } = await stores.users.findByIdentifier("ada") ?? {};
    assertEquals<unknown>(user, ADA);
    assertEquals(await stores.apiKeys.list("u1"), [KEY]);
    assertEquals(await store.seed("u1", () => [NOTE]), "seeded_before");
    assertEquals((await store.list("u1", { limit: 10 })).notes, [NOTE]);
    const opened = await store.openAttachment(ID, "a");
    assertEquals(await new Response(opened?.body).bytes(), CONTENT);
    assertEquals(await store.find(OWNERLESS), undefined);
    assertEquals(await countRecords(kv, "note_work"), 0);
  }
  const old = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key);
  assertEquals(old.filter(([kind]) => kind !== "gatehouse"), [
    ["attachments", OWNERLESS],
    ["chunks", "b3", 0],
    ["notes", OWNERLESS],
  ]);
});

Deno.test("moveOldRecords() goes on where a process ended, after whichever write", async () => {
  for (let most = 0, through = false; !through; most++) {
    using kv = await openOld();
    let writes = 0;
    const write = () => {
      if (++writes > most) throw new Error("The process ended");
    };
    const ending: Deno.Kv = Object.create(kv, {
      delete: { value: (key: Deno.KvKey) => write() ?? kv.delete(key) },
      list: { value: (selector: Deno.KvListSelector) => kv.list(selector) },
      getMany: { value: (keys: readonly Deno.KvKey[]) => kv.getMany([...keys]) },
      atomic: { value: () => write() ?? kv.atomic() },
    });
    through = await move(ending).then(() => true, () => false);
    assertEquals(through, writes <= most);
    await move(kv);
    const adapter = denoKvAdapter(kv);
    const store = recordNoteStore(adapter);
    assertEquals((await store.list("u1", { limit: 10 })).notes, [NOTE]);
    const opened = await store.openAttachment(ID, "a");
    assertEquals(await new Response(opened?.body).bytes(), CONTENT);
    assertEquals(await authStores(adapter).apiKeys.list("u1"), [KEY]);
  }
});

async function move(kv: Deno.Kv): Promise<void> {
  const adapter = denoKvAdapter(kv);
  await moveOldRecords(kv, { stores: authStores(adapter), store: recordNoteStore(adapter) });
}
