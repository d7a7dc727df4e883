/**
 * Routes of the pages about accounts: what is done by mail, second factors, and the end of an account.
 *
 * @module
 */

import {
  type BuiltRouter,
  HttpError,
  type Principal,
  redirect,
  type RouteRequest,
} from "@gatehouse/http/native";
import type { Connection } from "../api.ts";
import { textResponse } from "../etag.ts";
import { isSteppedUp, MAX_AGE, requireSecondFactor } from "../step_up.ts";
import { pathWithNext } from "./account.ts";
import { deleteAccountPage } from "./delete_account.ts";
import { signInLinkPage, verifyPage } from "./mail_links.ts";
import { outboxPage } from "./outbox.ts";
import { addressOf, FOR_USERS, type PageParts, readerOf, WITHOUT_SESSION } from "./parts.ts";
import { forgotPage, resetPage } from "./password_reset.ts";
import { nextOf } from "./refusal.ts";
import { secondFactorPage, stepUpPage } from "./second_factor.ts";
import { securityPage } from "./security.ts";
import { signInCodePage } from "./sign_in_code.ts";

/** Adds the routes. */
export function addAccountRoutes(
  router: BuiltRouter<Connection, Principal>,
  parts: PageParts,
): void {
  const { runtime, outbox } = parts;
  addFactorRoutes(router, parts);
  if (runtime.accounts !== undefined) addMailRoutes(router, { hasOutbox: outbox !== undefined });
  if (outbox !== undefined) {
    router.get("/outbox", (req) => {
      requireLocalHost(req);
      return outboxPage(outbox.list());
    }, WITHOUT_SESSION);
  }
}

function addMailRoutes(
  router: BuiltRouter<Connection, Principal>,
  { hasOutbox }: { readonly hasOutbox: boolean },
): void {
  const linkOf = ({ query }: RouteRequest) => ({
    hasToken: typeof query.token === "string",
    hasOutbox,
  });
  router
    .get("/forgot", () => forgotPage({ hasOutbox }), WITHOUT_SESSION)
    .get("/reset", () => resetPage(), WITHOUT_SESSION)
    .get("/verify", (req) => verifyPage({ ...linkOf(req), reader: readerOf(req) }), FOR_USERS)
    .get("/sign-in/link", (req) => signInLinkPage(linkOf(req)), WITHOUT_SESSION)
    .get("/sign-in/code", (req) => {
      return signInCodePage({ next: nextOf(req), hasOutbox });
    }, WITHOUT_SESSION);
}

function addFactorRoutes(
  router: BuiltRouter<Connection, Principal>,
  { runtime, outbox }: PageParts,
): void {
  router
    .get("/second-factor", (req) => {
      const next = nextOf(req);
      const isBegun = runtime.cookies.read(req.raw, "mfa").status === "found";
      return isBegun ? secondFactorPage({ next }) : redirect(pathWithNext("/sign-in", next), 303);
    }, WITHOUT_SESSION)
    .get("/step-up", async (req) => {
      const next = nextOf(req);
      if (await isSteppedUp(runtime, req.principal)) return redirect(next, 303);
      if (await runtime.secondFactors?.has(req.principal.sub)) {
        return stepUpPage({ next, reader: readerOf(req) });
      }
      return redirect(`/sign-in?${new URLSearchParams({ next, again: "1" })}`, 303);
    }, FOR_USERS)
    .get("/security", async (req) => {
      const { sub } = req.principal;
      return securityPage({
        reader: readerOf(req),
        email: runtime.accounts === undefined ? "unused" : await addressOf(runtime, sub),
        factors: await runtime.secondFactors?.list(sub) ?? { totp: undefined, recoveryCodes: 0 },
        hasOutbox: outbox !== undefined,
      });
    }, FOR_USERS)
    .get("/security/delete", async (req) => {
      await requireSecondFactor(runtime, req.principal);
      return deleteAccountPage(readerOf(req));
    }, { ...FOR_USERS, auth: { maxAge: MAX_AGE } })
    .get("/scripts/uqr.js", async (req) => {
      const { default: script } = await import("uqr", { with: { type: "text" } });
      return await textResponse(req, script, "text/javascript; charset=utf-8");
    }, WITHOUT_SESSION);
}

/**
 * The outbox is shown under the names of this machine only: not to whoever reaches it through a tunnel, nor to a page whose
 * host name was made to lead here.
 */
function requireLocalHost({ url }: RouteRequest): void {
  const { hostname } = new URL(url);
  if (/^(?:(?:.+\.)?localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) return;
  throw new HttpError(404, "not_found");
}
