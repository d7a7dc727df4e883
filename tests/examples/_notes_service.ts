/**
 * The notes service on a free port, with a database in memory, for tests.
 *
 * @module
 */

import { type AuthEvent, type AuthStores, authStores, pbkdf2Hasher } from "@gatehouse/http/auth";
import { denoKvAdapter } from "@gatehouse/http/auth/stores/kv";
import { assertEquals, assertExists } from "@std/assert";
import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import { createOutbox, type Outbox } from "../../examples/notes/outbox.ts";
import { withSeeds } from "../../examples/notes/seed.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";

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

/** A browser, or a program that keeps cookies like one. */
export interface Client {
  /** Fetches a path of the service, with the client's cookies and CSRF token. Redirects are not followed. */
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
  /** Requests a page like a browser. */
  readonly page: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** Registers or signs in. */
  readonly enter: (
    route: "register" | "login",
    identifier: string,
    headers?: Record<string, string>,
  ) => Promise<Response>;
  /** The cookies, by name. */
  readonly cookies: Map<string, string>;
}

/** The service under test. The client is signed in as `ada`. */
export interface NotesService extends Client {
  /** Creates a client without cookies. */
  readonly stranger: () => Client;
  /** Creates a client that has registered. */
  readonly user: (identifier: string, userAgent?: string) => Promise<Client>;
  /** What it would have mailed. */
  readonly outbox: Outbox;
  /** Emitted events. */
  readonly events: readonly AuthEvent[];
  /** The database. */
  readonly kv: Deno.Kv;
  /** The authentication stores in the database. */
  readonly stores: AuthStores;
  /** Port of the service. */
  readonly port: number;
  /** Origin of the service. */
  readonly origin: string;
}

/** Options of {@linkcode withNotes}. */
export interface NotesServiceOptions {
  /** Whether users get the sample notes. @default {false} */
  readonly seeds?: boolean;
  /** The clock, in milliseconds. */
  readonly nowMs?: () => number;
}

/** The password of all users in tests. */
export const PASSWORD = "five quiet herons at dawn";

/** Serves notes while a test runs, and closes everything afterwards. */
export async function withNotes(
  test: (service: NotesService) => Promise<void>,
  { seeds = false, nowMs = Date.now }: NotesServiceOptions = {},
): Promise<void> {
  const kv = await Deno.openKv(":memory:");
  const events: AuthEvent[] = [];
  const now = () => Math.floor(nowMs() / 1000);
  const adapter = denoKvAdapter(kv, { now });
  const store = recordNoteStore(adapter, { now });
  const stores = authStores(adapter);
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, info) => handler(request, info),
  );
  const { port } = server.addr;
  const origin = `http://localhost:${port}`;
  const outbox = createOutbox(origin, now);
  assertExists(outbox);
  const { fetch: handler } = createApp({ // no request arrives before it is set
    store: seeds ? withSeeds(store, nowMs) : store,
    stores,
    origin,
    secret: "a secret that only the tests know, kept",
    assets: LIVE_ASSETS,
    outbox,
    hasher: pbkdf2Hasher({ iterations: 1_000 }), // fast: the hash is not under test
    events: (event) => void events.push(event),
    nowMs,
  });
  const stranger = () => createClient(`http://127.0.0.1:${port}`);
  const user: NotesService["user"] = async (identifier, userAgent) => {
    const client = stranger();
    const agent: Record<string, string> = userAgent === undefined
      ? {}
      : { "User-Agent": userAgent };
    const { status, body } = await client.enter("register", identifier, agent);
    await body?.cancel();
    assertEquals(status, 201);
    return client;
  };
  try {
    await test({ ...await user("ada"), stranger, user, outbox, events, kv, stores, port, origin });
  } finally {
    await server.shutdown();
    kv.close();
  }
}

/** Creates a client of a service. */
export function createClient(origin: string): Client {
  const cookies = new Map<string, string>();
  let token: string | undefined;

  const call: Client["call"] = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (cookies.size > 0 && !headers.has("Cookie")) {
      headers.set("Cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    }
    if (token !== undefined && !headers.has("X-CSRF-Token")) headers.set("X-CSRF-Token", token);
    const response = await fetch(origin + path, { redirect: "manual", ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/; Expires=Thu, 01 Jan 1970 /.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  const send: Client["send"] = (method, path, body, headers = {}) =>
    call(path, {
      method,
      body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", ...headers },
    });
  return {
    cookies,
    call,
    send,
    create: async (input) => (await send("POST", "/notes", input)).json(),
    page: (path, headers = {}) => call(path, { headers: { Accept: "text/html", ...headers } }),
    async enter(route, identifier, headers) {
      token = (await (await call("/auth/csrf")).json()).csrfToken;
      const credentials = { identifier, password: PASSWORD };
      const response = await send("POST", `/auth/${route}`, credentials, headers);
      if (response.ok) token = (await response.clone().json()).csrfToken;
      return response;
    },
  };
}

/** A form with files. */
export function formOf(...files: readonly File[]): FormData {
  const form = new FormData();
  for (const file of files) form.append("file", file);
  return form;
}

/** Random bytes; `getRandomValues()` returns at most 64 KiB. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let from = 0; from < length; from += 65_536) {
    crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  }
  return bytes;
}

/** Counts the records of a collection. */
export async function countRecords(kv: Deno.Kv, collection: string): Promise<number> {
  return (await Array.fromAsync(kv.list({ prefix: ["gatehouse", "record", collection] }))).length;
}

/** The content of a database as text. */
export async function textOf(kv: Deno.Kv): Promise<string> {
  const decoder = new TextDecoder();
  const entries = await Array.fromAsync(kv.list({ prefix: [] }));
  return JSON.stringify(entries.map(({ key, value }) => {
    return [key, value instanceof Uint8Array ? decoder.decode(value) : value];
  }));
}
