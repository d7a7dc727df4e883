/**
 * Routes of the pages.
 *
 * @module
 */

import {
  type ApiKeyService,
  type BuiltRouter,
  getSession,
  type PasskeyRuntime,
  type Principal,
  redirect,
  type RouteRequest,
  type TokenRuntime,
} from "@gatehouse/http/native";
import { z } from "zod";
import { IN_PERSON } from "../access.ts";
import type { Connection } from "../api.ts";
import { NOTE_ID_REGEXP } from "../note.ts";
import type { Provider } from "../providers.ts";
import type { NoteStore } from "../store.ts";
import { registerPage, signInPage } from "./account.ts";
import { developerPage } from "./developer.ts";
import type { Reader } from "./layout.ts";
import { linkedAccountsPage } from "./linked_accounts.ts";
import { passkeyPage } from "./passkeys.ts";
import { nextOf } from "./refusal.ts";
import { sessionPage } from "./sessions.ts";
import { startPage, welcomePage } from "./start.ts";

/** Parts of the pages. */
export interface PageParts {
  /** Where the notes are. */
  readonly store: NoteStore;
  /** Lists the reader's sessions, API clients and passkeys. */
  readonly runtime: TokenRuntime & PasskeyRuntime;
  /** Knows the reader's keys. */
  readonly apiKeys: ApiKeyService;
  /** Where the service is: `http://localhost:8000`. */
  readonly origin: string;
  /** Providers to sign in with. */
  readonly providers: readonly Provider[];
}

const PAGE_LIMIT = 20;

/** People type a page's query: invalid values are ignored, where the API would reject them. */
const pageQuerySchema = z.object({
  q: z.string().transform((text) => text.trim().slice(0, 200)).catch(""),
  cursor: z.string().regex(NOTE_ID_REGEXP).optional().catch(undefined),
});

/** For all visitors, signed in or not. */
const FOR_EVERYBODY = { auth: { mode: "optional" }, openapi: false } as const;

/** For signed-in users; API clients do not use pages. */
const FOR_USERS = {
  auth: true,
  authorization: IN_PERSON.authorization,
  openapi: false,
} as const;

/** Adds the routes. */
export function addPageRoutes(
  router: BuiltRouter<Connection, Principal>,
  { store, runtime, apiKeys, origin, providers }: PageParts,
): void {
  router
    .get("/", async (req) => {
      const { query: { q, cursor } } = req;
      const user = getSession(req)?.user;
      if (user === undefined) return welcomePage(router.routes);
      const before = cursor === undefined ? {} : { before: cursor };
      return startPage({
        ...await store.list(user.sub, { search: q, limit: PAGE_LIMIT, ...before }),
        reader: readerOf(req),
        search: q,
        continued: cursor !== undefined,
        routes: router.routes,
      });
    }, { ...FOR_EVERYBODY, schema: { query: pageQuerySchema } })
    .get("/register", (req) => {
      const next = nextOf(req);
      if (req.principal !== undefined) return redirect(next, 303);
      return registerPage({ next, providers, userAgent: req.headers.get("User-Agent") });
    }, FOR_EVERYBODY)
    .get("/sign-in", (req) => {
      const next = nextOf(req);
      if (req.principal === undefined) {
        return signInPage({
          next,
          providers,
          reason: req.query.ended === "1" ? "ended" : undefined,
        });
      }
      const { again, error } = req.query; // of a provider that was to be linked
      if (typeof error === "string") {
        return redirect(`/linked-accounts?${new URLSearchParams({ error })}`, 303);
      }
      return again === "1"
        ? signInPage({ next, providers, reason: "again", ...readerOf(req) })
        : redirect(next, 303);
    }, FOR_EVERYBODY)
    .get("/passkeys", async (req) => {
      const { credentials: passkeys } = await runtime.webauthn.list(req.principal.sub);
      const userAgent = req.headers.get("User-Agent");
      return passkeyPage({
        reader: readerOf(req),
        passkeys,
        userAgent,
        hasProviders: providers.length > 0,
      });
    }, FOR_USERS)
    .get("/linked-accounts", async (req) => {
      const identities = await runtime.identities?.list(req.principal.sub) ?? [];
      return linkedAccountsPage({ reader: readerOf(req), identities, providers });
    }, FOR_USERS)
    .get("/sessions", async (req) => {
      const { sub, sessionId } = req.principal;
      return sessionPage({
        reader: readerOf(req),
        sessions: await runtime.sessions.list(sub),
        currentId: sessionId,
        programs: await runtime.tokens.list(sub),
      });
    }, FOR_USERS)
    .get("/developer", async (req) => {
      return developerPage({
        reader: readerOf(req),
        apiKeys: await apiKeys.list(req.principal.sub),
        origin,
        now: runtime.now(),
      });
    }, FOR_USERS);
}

/** The session of the request. Users sign in by sessions only, so that it always exists. */
function readerOf(req: Pick<RouteRequest, "raw">): Reader {
  return { identifier: getSession(req)?.user.identifier ?? "" };
}
