/**
 * The notes service, put together. Importing it does nothing: `main.ts` starts it, and tests make their own.
 *
 * @module
 */

import {
  createContainer,
  editHeaders,
  type StaticAssetOptions,
  type TypedRouter,
} from "@gatehouse/http/native";
import { z } from "zod";
import { apiBuilder } from "./api.ts";
import { addDocsRoutes } from "./docs.ts";
import { createNoteFactory, NOTE_ID_REGEXP } from "./note.ts";
import { findNote } from "./note_controller.ts";
import document from "./openapi.json" with { type: "json" };
import { startPage } from "./page.ts";
import type { NoteStore } from "./store.ts";
import { CLOCK, NOTE_FACTORY, NOTE_STORE } from "./tokens.ts";

/** Options of {@linkcode createApp}. */
export interface AppOptions {
  /** Where the notes are. */
  store: NoteStore;
  /** Where the page of the documentation, styles and scripts are. */
  assets: StaticAssetOptions;
  /** The clock, in milliseconds since the Unix epoch. @default {Date.now} */
  nowMs?: () => number;
}

const PAGE_LIMIT = 20;

/** A page's query comes from people: what can't be used is left out, where the API would refuse it. */
const pageQuerySchema = z.object({
  q: z.string().transform((text) => text.trim().slice(0, 200)).catch(""),
  cursor: z.string().regex(NOTE_ID_REGEXP).optional().catch(undefined),
});

/** Creates the service. */
export function createApp({ store, assets, nowMs = Date.now }: AppOptions): TypedRouter {
  const container = createContainer();
  container.register(NOTE_STORE, { useValue: store });
  container.register(NOTE_FACTORY, { useValue: createNoteFactory(nowMs) });
  container.register(CLOCK, { useValue: () => Math.floor(nowMs() / 1000) });
  const router = apiBuilder(container)
    .finally((response) => editHeaders(response, addSafeHeaders))
    .static("/assets", assets)
    .extend((router) => {
      router.under("/notes/:id/attachments", async ({ params: { id = "" } }) => {
        await findNote(store, id); // before 10 MiB are read for nothing
      });
    })
    .build();

  router
    .get("/", async (req) => {
      const { q, cursor } = req.query;
      const before = cursor === undefined ? {} : { before: cursor };
      return startPage({
        ...await store.list({ search: q, limit: PAGE_LIMIT, ...before }),
        search: q,
        continued: cursor !== undefined,
        routes: router.routes,
        origin: originOf(req.url),
      });
    }, { schema: { query: pageQuerySchema }, openapi: false });
  const text = JSON.stringify(document, null, 2);
  addDocsRoutes(router, { document: () => text, assets });
  return router;
}

/** The origin in a URL whose host is what the client sent as `Host`, which may be anything, even no host at all. */
function originOf(url: string): string {
  return /^https?:\/\/[\w.:[\]-]+(?=\/)/.exec(url)?.[0] ?? "http://localhost:8000";
}

/** No guessing of types, no reading by other sites, no answer from a cache without asking here. */
function addSafeHeaders(headers: Headers): void {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-cache");
}
