/**
 * The notes example beside Notes ID, at two ports of localhost, for tests.
 *
 * @module
 */

import {
  type AuthEvent,
  type AuthStores,
  inMemoryAuthStores,
  pbkdf2Hasher,
} from "@gatehouse/http/auth";
import { memoryAdapter } from "../../auth/stores/memory.ts";
import { createApp } from "../../examples/notes/app.ts";
import { LIVE_ASSETS } from "../../examples/notes/assets.ts";
import { demoStores } from "../../examples/notes/identity/demo.ts";
import { createIdentity } from "../../examples/notes/identity/identity.ts";
import type { Outbox } from "../../examples/notes/outbox.ts";
import { readProviders } from "../../examples/notes/providers.ts";
import { recordNoteStore } from "../../examples/notes/store_records.ts";

const HASHER = pbkdf2Hasher({ iterations: 1_000 }); // fast: the hash is not under test

/** Both services. */
export interface NotesWithId {
  /** Answers requests to the notes service. */
  readonly notes: Fetch;
  /** Answers requests to Notes ID. */
  readonly id: Fetch;
  /** What Notes ID keeps. */
  readonly idStores: AuthStores;
  /** What Notes ID emits. */
  readonly idEvents: readonly AuthEvent[];
}

type Fetch = (request: Request, info?: Deno.ServeHandlerInfo) => Response | Promise<Response>;

/** Options of {@linkcode createNotesWithId}. */
export interface NotesWithIdOptions {
  /** Origin of the notes service. */
  readonly notesOrigin: string;
  /** Origin of Notes ID. */
  readonly issuer: string;
  /** Requests of the notes service to Notes ID. @default {globalThis.fetch} */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Where messages to users of the notes service go. @default it has nothing that needs mail */
  readonly outbox?: Outbox | undefined;
}

/** Creates both, which know each other. */
export async function createNotesWithId(
  { notesOrigin, issuer, fetch, outbox }: NotesWithIdOptions,
): Promise<NotesWithId> {
  const stores = inMemoryAuthStores();
  const idStores = await demoStores({ hasher: HASHER });
  const idEvents: AuthEvent[] = [];
  const notesId = { issuer, clientSecret: "k3-Zq8vT1xW5rY7uP9sD2fG4hJ6kL0mN" };
  const notes = createApp({
    store: recordNoteStore(memoryAdapter()),
    stores,
    origin: notesOrigin,
    secret: "a secret that only the tests know, kept",
    assets: LIVE_ASSETS,
    outbox,
    hasher: HASHER,
    providers: readProviders({
      env: () => undefined,
      origin: notesOrigin,
      states: stores.states,
      notesId,
      ...(fetch === undefined ? {} : { fetch }),
    }),
  });
  const id = createIdentity({
    ...notesId,
    notesOrigin,
    stores: idStores,
    assets: LIVE_ASSETS,
    hasher: HASHER,
    events: (event) => void idEvents.push(event),
  });
  return { notes: notes.fetch, id: id.fetch, idStores, idEvents };
}
