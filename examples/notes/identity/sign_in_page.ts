/**
 * `/sign-in` of Notes ID, where applications send their users.
 *
 * @module
 */

import type { AuthError } from "@gatehouse/http";
import type { LoginReason } from "@gatehouse/http/auth/server";
import { html } from "../pages/html.ts";
import { DEMO_PASSWORD, USERS } from "./demo.ts";
import { identityPage } from "./layout.ts";

/** What the page shows. */
export interface IdentitySignInPage {
  /** Where to go on afterwards; a path of Notes ID. */
  readonly next: string;
  /** Why the user must sign in: a `LoginReason`, unless somebody has changed the address. */
  readonly reason: string;
  /** Who the user probably is. */
  readonly identifier?: string | undefined;
  /** Why the last attempt was refused. */
  readonly failure?: AuthError;
}

/** What an application that wants more than a session is about. */
const REASONS: Readonly<Record<Exclude<LoginReason, "signed_out">, string>> = {
  prompt: "The application asks you to sign in again.",
  max_age: "You signed in a while ago. Sign in again to show that it is you.",
  acr: "The application asks you to sign in again.",
  other_user: "The application wants somebody else to sign in.",
};

/** Creates the page. */
export function identitySignInPage(
  { next, reason, identifier = "", failure }: IdentitySignInPage,
): Response {
  const notice = new Map(Object.entries(REASONS)).get(reason);
  return identityPage({
    title: "Sign in",
    ...(failure === undefined ? {} : { status: failure.status }),
    content: html`
      <h1>Sign in</h1>
      ${notice === undefined ? undefined : html`<p class="notice">${notice}</p>`}
      <form class="card" action="/sign-in" method="post" enctype="multipart/form-data">
        ${failure && html`<p class="message" role="alert">${messageOf(failure)}</p>`}
        <input type="hidden" name="next" value="${next}">
        <input type="hidden" name="reason" value="${reason}">
        <label for="identifier">E-mail address</label>
        <input id="identifier" name="identifier" value="${identifier}" required autocomplete="username"
          autocapitalize="none" spellcheck="false">
        <label for="password">Password</label>
        <input id="password" name="password" type="password" required autocomplete="current-password">
        <button>Sign in</button>
      </form>
      <section aria-label="Users to try it out">
        <p>To try it out, sign in with the password <code>${DEMO_PASSWORD}</code> as</p>
        <ul>${Object.values(USERS).map(({ email }) => html`<li><code>${email}</code></li>`)}</ul>
      </section>
    `,
  });
}

function messageOf({ code }: AuthError): string {
  switch (code) {
    case "throttled":
      return "Too many attempts. Try again later.";
    case "invalid_credentials":
    case "invalid_identifier":
      return "The e-mail address or the password is wrong.";
    default:
      return "That did not work. Reload the page and try again.";
  }
}
