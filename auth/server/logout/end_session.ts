/**
 * The logout endpoint, OpenID Connect RP-Initiated Logout 1.0: a client sends the user here to sign out.
 *
 * The user is always asked, which §2 recommends and demands without a valid hint. An ID token as hint does not replace the answer:
 * it ends up in URLs and logs, and signing out of the client does not mean signing out of everything else.
 *
 * @module
 */

import { equalText } from "../../_bytes.ts";
import { digestText } from "../../_kdf.ts";
import { randomId, randomToken } from "../../_random.ts";
import type { AuthorizationSubject } from "../../stores/server_types.ts";
import { accountOf } from "../core/account.ts";
import type { Exchange, ServerContext } from "../core/context.ts";
import { isOwnPage } from "../core/own_page.ts";
import { readPageForm, readQuery } from "../core/parameters.ts";
import { refusePage } from "../core/refusal.ts";
import { seeOther } from "../core/responses.ts";
import { tellClientsLater } from "./backchannel.ts";
import { type LogoutRequest, readLogoutRequest } from "./_request.ts";
import { donePage, logoutPage } from "./_pages.ts";

/** Answers a request. @throws {ServerRefusal} A page. */
export async function endSession(
  context: ServerContext,
  { request }: Exchange,
): Promise<Response> {
  // 1. A form is the user's answer, or a request that a client's page has posted: that has no cookies of the user
  if (request.method === "POST") {
    const form = await readPageForm(request);
    if (form.has("id")) return await answer(context, request, form);
    return seeOther(`${context.basePath}/oauth/logout?${form}`);
  }

  // 2. The client, and where the browser goes after it
  const asked = await readLogoutRequest(context, readQuery(request));

  // 3. The user. Without an answer only an ID token shows that the client has sent the browser, §3
  const subject = await context.authenticate(request);
  if (subject !== undefined) return await ask(context, request, asked, subject);
  return done(context, { ...asked, ...(asked.hintedSub === undefined ? NO_TARGET : {}) }, true);
}

const NO_TARGET: Pick<LogoutRequest, "redirectUri"> = { redirectUri: undefined };

async function ask(
  { basePath, cookies, strings, users }: ServerContext,
  request: Request,
  { client, redirectUri, state, hintedSub, uiLocales }: LogoutRequest,
  { sub }: AuthorizationSubject,
): Promise<Response> {
  const [id, browser] = [randomId(), randomToken()];
  const isSuspect = hintedSub !== undefined && hintedSub !== sub; // §2: the token of another user
  const fields = {
    id,
    token: await formToken(browser),
    client_id: client?.clientId,
    post_logout_redirect_uri: isSuspect ? undefined : redirectUri,
    state,
    ui_locales: uiLocales,
  };
  const account = accountOf(await users.findBySub(sub), sub);
  const form = { action: `${basePath}/oauth/logout`, fields };
  const page = logoutPage({ client, account, form }, strings(uiLocales));
  return withCookies(page, cookies.begin(request, id, browser));
}

/** The user's answer. Everything in the form is checked again. */
async function answer(
  context: ServerContext,
  request: Request,
  form: URLSearchParams,
): Promise<Response> {
  const reading = context.cookies.read(request, form.get("id") ?? "");
  const browser = reading.status === "found" ? reading.value : undefined;
  const decision = form.get("decision");
  const isOurs = browser !== undefined && isOwnPage(request, context.origin) &&
    equalText(form.get("token") ?? "", await formToken(browser));
  if (!isOurs || (decision !== "sign_out" && decision !== "stay")) {
    throw refusePage("logout_forged");
  }
  const asked = await readLogoutRequest(context, form);
  if (decision === "stay") return done(context, asked, false);
  return withCookies(done(context, asked, true), await signOut(context, request));
}

/** Ends the session, with the grants that are bound to it. @returns Values of `Set-Cookie`. */
async function signOut(context: ServerContext, request: Request): Promise<readonly string[]> {
  const { sub, sessionId } = await context.authenticate(request) ?? {};
  const cookies = await context.logout?.signOut?.(request) ?? [];
  if (sub !== undefined && sessionId !== undefined) {
    await context.tokens.revoke({ sub, onlySessionId: sessionId });
    tellClientsLater(context, sub, (id) => id === sessionId);
  }
  return cookies;
}

/** Back to the client, §3, or a page that says what is now. */
function done(
  { strings }: ServerContext,
  { redirectUri, state, uiLocales }: LogoutRequest,
  isSignedOut: boolean,
): Response {
  if (redirectUri === undefined) return donePage(isSignedOut, strings(uiLocales));
  if (state === undefined) return seeOther(redirectUri);
  const separator = redirectUri.includes("?") ? "&" : "?";
  return seeOther(redirectUri + separator + new URLSearchParams({ state }));
}

/** It proves that the form was shown in this browser. Whoever does not have the browser's cookie cannot compute it. */
async function formToken(browser: string): Promise<string> {
  return await digestText(`logout\n${browser}`);
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}
