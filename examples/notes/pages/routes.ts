/**
 * Routes of the pages.
 *
 * @module
 */

import { type BuiltRouter, getSession, type Principal, redirect } from "@gatehouse/http/native";
import { z } from "zod";
import type { Connection } from "../api.ts";
import { NOTE_ID_REGEXP } from "../note.ts";
import { pathWithNext, registerPage, signInPage } from "./account.ts";
import { addAccountRoutes } from "./account_routes.ts";
import { chatPage } from "./chat.ts";
import { developerPage } from "./developer.ts";
import { linkedAccountsPage } from "./linked_accounts.ts";
import { addressOf, FOR_EVERYBODY, FOR_USERS, type PageParts, readerOf } from "./parts.ts";
import { passkeyPage } from "./passkeys.ts";
import { nextOf } from "./refusal.ts";
import { sessionPage } from "./sessions.ts";
import { startPage, tourPage, welcomePage } from "./start.ts";

const PAGE_LIMIT = 20;

/** People type a page's query: invalid values are ignored, where the API would reject them. */
const pageQuerySchema = z.object({
  q: z.string().transform((text) => text.trim().slice(0, 200)).catch(""),
  cursor: z.string().regex(NOTE_ID_REGEXP).optional().catch(undefined),
});

/** Adds the routes. */
export function addPageRoutes(
  router: BuiltRouter<Connection, Principal>,
  parts: PageParts,
): void {
  const { store, runtime, apiKeys, origin, providers, outbox, chat } = parts;
  const hasMail = runtime.accounts !== undefined;
  const tour = {
    accountUrl: providers.find(({ accountUrl }) => accountUrl !== undefined)?.accountUrl,
    hasOutbox: outbox !== undefined,
  };
  router
    .get("/", async (req) => {
      const { query: { q, cursor } } = req;
      const user = getSession(req)?.user;
      if (user === undefined) return welcomePage(tour, router.routes);
      const before = cursor === undefined ? {} : { before: cursor };
      const email = hasMail ? await addressOf(runtime, user.sub) : undefined;
      return startPage({
        ...await store.list(user.sub, { search: q, limit: PAGE_LIMIT, ...before }),
        reader: readerOf(req),
        search: q,
        continued: cursor !== undefined,
        routes: router.routes,
        unverified: email?.verified === false ? email.address : undefined,
        hasOutbox: outbox !== undefined,
      });
    }, { ...FOR_EVERYBODY, schema: { query: pageQuerySchema } })
    .get("/tour", (req) => {
      return req.principal === undefined ? redirect("/", 303) : tourPage(tour, readerOf(req));
    }, FOR_EVERYBODY)
    .get("/register", (req) => {
      const next = nextOf(req);
      if (req.principal !== undefined) return redirect(next, 303);
      return registerPage({ next, providers, userAgent: req.headers.get("User-Agent") });
    }, FOR_EVERYBODY)
    .get("/sign-in", (req) => {
      const next = nextOf(req);
      const { again, error } = req.query; // of a provider
      if (error === "mfa_required") return redirect(pathWithNext("/second-factor", next), 303);
      if (req.principal === undefined) {
        return signInPage({
          next,
          providers,
          hasMail,
          reason: req.query.ended === "1" ? "ended" : undefined,
        });
      }
      if (typeof error === "string") {
        // It was to be linked
        return redirect(`/linked-accounts?${new URLSearchParams({ error })}`, 303);
      }
      return again === "1"
        ? signInPage({ next, providers, hasMail, reason: "again", ...readerOf(req) })
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
    .get("/chat", (req) => chatPage(readerOf(req)), FOR_USERS)
    .get("/chat/socket", (req) => chat.join(req), FOR_USERS)
    .get("/developer", async (req) => {
      return developerPage({
        reader: readerOf(req),
        apiKeys: await apiKeys.list(req.principal.sub),
        origin,
        now: runtime.now(),
      });
    }, FOR_USERS);
  addAccountRoutes(router, parts);
}
