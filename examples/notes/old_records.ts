/**
 * What was kept in Deno KV before there were other databases: accounts, API keys, notes and attachments lay there under keys
 * of the service's own.
 *
 * @module
 */

import type { ApiKey, AuthStores, NewUser } from "@gatehouse/http/auth";
import type { Note } from "./note.ts";
import type { Attachment, NoteStore } from "./store.ts";

/** Where it is moved to. */
export interface NewPlaces {
  /** Accounts and API keys. */
  readonly stores: AuthStores;
  /** Notes and attachments. */
  readonly store: NoteStore;
}

interface OldAttachment extends Attachment {
  readonly blob: string;
}

/**
 * Moves it, once. What is removed has been copied, and what is there by then is not copied again: where the process ends in
 * between, the next one goes on.
 *
 * Notes from before there were accounts are nobody's. They stay where nobody sees them.
 */
export async function moveOldRecords(
  kv: Deno.Kv,
  { stores: { users, apiKeys }, store }: NewPlaces,
): Promise<void> {
  for await (const { value } of kv.list<NewUser>({ prefix: ["users"] })) {
    if (await users.findBySub(value.sub) === null) await users.create(value);
  }
  for await (const { value } of kv.list<ApiKey>({ prefix: ["api_keys"] })) {
    if (await apiKeys.find(value.id) === null) await apiKeys.create(value);
  }
  for await (const { key: [, owner] } of kv.list({ prefix: ["seeded"] })) {
    await store.seed(String(owner), () => []);
  }
  for await (const { key: [, owner, id], value: note } of kv.list<Note>({ prefix: ["notes"] })) {
    if (id === undefined || await store.find(note.id) !== undefined) continue;
    await store.add({ owner: String(owner), note });
  }
  const lists = kv.list<readonly OldAttachment[]>({ prefix: ["attachments"] });
  for await (const { key: [, noteId], value: attachments } of lists) {
    if (await store.find(String(noteId)) === undefined) continue;
    for (const { blob, ...attachment } of attachments) {
      const chunks = await Array.fromAsync(kv.list<BlobPart>({ prefix: ["chunks", blob] }));
      const content = new Blob(chunks.map(({ value }) => value));
      if (content.size !== attachment.size) return; // another process has it, and removes it
      await store.addAttachments(String(noteId), [{ ...attachment, content }]);
    }
    await kv.delete(["attachments", String(noteId)]);
    for (const { blob } of attachments) await clear(kv, ["chunks", blob]);
  }
  for await (const { key: [, blob = ""] } of kv.list({ prefix: ["unlisted"] })) {
    await clear(kv, ["chunks", blob]); // of an upload that did not come to its end
  }
  for (const kind of OTHERS) await clear(kv, [kind]);
  await clear(kv, ["notes"], 3);
}

/** Kinds of records of which nothing is left to move. */
const OTHERS = ["unlisted", "owners", "seeded", "api_key_ids", "api_keys", "identifiers", "users"];

async function clear(kv: Deno.Kv, prefix: Deno.KvKey, length?: number): Promise<void> {
  for await (const { key } of kv.list({ prefix })) {
    if (length === undefined || key.length === length) await kv.delete(key);
  }
}
