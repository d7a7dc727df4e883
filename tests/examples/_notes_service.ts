/**
 * The notes service on a port of its own, with a database in memory, for tests.
 *
 * @module
 */

import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import { kvNoteStore } from "../../examples/notes/store_kv.ts";

/** A problem, as tests read it. */
export interface ProblemBody {
  readonly status: number;
  readonly code: string;
  readonly violations?: readonly { readonly in: string; readonly pointer: string }[];
}

/** A note, as tests read it. */
export interface NoteBody {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a test gets. */
export interface NotesService {
  /** Fetches a path of the service. */
  readonly call: (path: string, init?: RequestInit) => Promise<Response>;
  /** Sends JSON. */
  readonly send: (
    method: string,
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>;
  /** Creates a note. */
  readonly create: (input: Readonly<Record<string, unknown>>) => Promise<NoteBody>;
  /** The database. */
  readonly kv: Deno.Kv;
  /** Port of the service. */
  readonly port: number;
}

/** Serves notes while a test runs, and leaves nothing open. */
export async function withNotes(test: (service: NotesService) => Promise<void>): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  const { fetch: handler } = createApp({ store: kvNoteStore(kv), assets: LIVE_ASSETS });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  const call: NotesService["call"] = (path, init) =>
    fetch(`http://127.0.0.1:${server.addr.port}${path}`, init);
  const send: NotesService["send"] = (method, path, body, headers = {}) =>
    call(path, {
      method,
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  try {
    await test({
      call,
      send,
      kv,
      port: server.addr.port,
      create: async (input) => (await send("POST", "/notes", input)).json(),
    });
  } finally {
    await server.shutdown();
    kv.close();
  }
}

/** A form with files. */
export function formOf(...files: readonly File[]): FormData {
  const form = new FormData();
  for (const file of files) form.append("file", file);
  return form;
}

/** Random bytes; `getRandomValues()` gives 64 KiB at a time. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let from = 0; from < length; from += 65_536) {
    crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  }
  return bytes;
}

/** Counts the entries beneath a key. */
export async function countEntries(kv: Deno.Kv, ...prefix: Deno.KvKey): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix }))).length;
}
