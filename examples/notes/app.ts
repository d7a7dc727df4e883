/**
 * The notes service. Importing it has no effects: `main.ts` starts it, and tests create their own.
 *
 * @module
 */

import {
  type AuthEventListener,
  type AuthStores,
  type BuiltRouter,
  createContainer,
  editHeaders,
  type PasswordHasher,
  type Principal,
  type RequestEvent,
  type StaticAssetOptions,
} from "@gatehouse/http/native";
import { docsPage } from "@gatehouse/http/docs";
import "swagger-ui-dist/package.json" with { type: "json" }; // so that Deno downloads what docsPage() reads
import { registerAccounts } from "./accounts.ts";
import { apiBuilder, type Connection } from "./api.ts";
import { createChat } from "./chat.ts";
import { createNoteFactory } from "./note.ts";
import document from "./openapi.json" with { type: "json" };
import { addPageRoutes } from "./pages/routes.ts";
import { problemPage } from "./pages/refusal.ts";
import { observeChanges } from "./changes.ts";
import { addGraphqlRoute } from "./graphql/route.ts";
import type { Provider } from "./providers.ts";
import type { Outbox } from "./outbox.ts";
import type { NoteStore } from "./store.ts";
import { CLOCK, NOTE_CHANGES, NOTE_FACTORY, NOTE_STORE } from "./tokens.ts";

/** Options of {@linkcode createApp}. */
export interface AppOptions {
  /** Where the notes are. */
  store: NoteStore;
  /** Stores of accounts, sessions and the rest of authentication. */
  stores: AuthStores;
  /** Where the service is, as its users write it: `http://localhost:8000`. */
  origin: string;
  /** Signs cookies and tokens: 32 secret bytes or more. */
  secret: string;
  /** Where styles and scripts are. */
  assets: StaticAssetOptions;
  /** Providers to sign in with. @default none */
  providers?: readonly Provider[];
  /** Where messages to users go. @default the service has nothing that needs mail */
  outbox?: Outbox | undefined;
  /** Hashes passwords. @default the library's, which is slow by design */
  hasher?: PasswordHasher;
  /** Called for every event. */
  events?: AuthEventListener;
  /** Called with each request and what it came to. */
  onRequest?: (event: RequestEvent) => void;
  /** The clock, in milliseconds since the Unix epoch. @default {Date.now} */
  nowMs?: () => number;
  /** Ends the streams of subscriptions and the chat, which would keep the service from stopping. */
  signal?: AbortSignal;
}

/** Creates the service. */
export function createApp(options: AppOptions): BuiltRouter<Connection, Principal> {
  const { stores, origin, secret, assets, hasher, nowMs = Date.now } = options;
  const { providers = [], outbox, onRequest, signal } = options;
  const changes = observeChanges(options.store, signal);
  const { store } = changes;
  const chat = createChat(nowMs, signal);
  const events: AuthEventListener = (event) => {
    chat.onEvent(event);
    return options.events?.(event);
  };
  const makeNote = createNoteFactory(nowMs);
  const now = () => Math.floor(nowMs() / 1000);
  const container = createContainer();
  container.register(NOTE_STORE, { useValue: store });
  container.register(NOTE_CHANGES, { useValue: changes });
  container.register(NOTE_FACTORY, { useValue: makeNote });
  container.register(CLOCK, { useValue: now });
  const { runtime, apiKeys } = registerAccounts({
    container,
    secret,
    origin,
    stores,
    deliver: outbox?.deliver,
    hasher,
    events,
    now,
  });
  const docs = docsPage({ document, csrf: "/auth/csrf" });
  const router = apiBuilder({ container, runtime, providers, onRequest })
    .finally(problemPage, (response) => editHeaders(response, addSafeHeaders))
    .static("/assets", assets)
    .extend((router) => router.mount("/docs", docs), "static")
    .build();
  addGraphqlRoute(router, { runtime, changes, makeNote });
  addPageRoutes(router, { store, runtime, apiKeys, origin, providers, outbox, chat });
  return router;
}

/** No guessing of types, no reading by other sites, no answer from a cache without asking here. */
function addSafeHeaders(headers: Headers): void {
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cross-Origin-Resource-Policy", "same-origin");
  if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-cache");
}
