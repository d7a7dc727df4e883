/**
 * `/register` and `/sign-in`. Their forms are sent by `assets/account.js`, as JSON with a CSRF token.
 *
 * @module
 */

import { type Html, html } from "./html.ts";
import { pageResponse } from "./layout.ts";

/** Data of the pages. */
export interface AccountPage {
  /** Where to go on afterwards; a path of this service. */
  readonly next: string;
  /** Whether the page is shown because a session has expired. */
  readonly ended?: boolean;
}

/** Creates the page to sign in. */
export function signInPage({ next, ended = false }: AccountPage): Response {
  return pageResponse({
    title: "Sign in",
    reader: "nobody",
    script: "account",
    content: html`
      <h1>Sign in</h1>
      ${ended
        ? html`<p class="notice">Your session has ended. Sign in again to go on.</p>`
        : undefined}
      <form id="account" class="card" action="/auth/login" method="post" data-next="${next}"
        novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        ${identifierField()}
        <label for="password">Password</label>
        <input id="password" name="password" type="password" required autocomplete="current-password" aria-describedby="password-error">
        <p class="refusal" id="password-error"></p>
        ${showPassword()}
        <label class="check"><input id="remember" name="remember" type="checkbox"> Keep me signed in on this browser</label>
        <button disabled>Sign in</button>
      </form>
      <p>No account yet? <a href="${pathWithNext("/register", next)}">Register</a></p>
    `,
  });
}

/** Creates the page to register. */
export function registerPage({ next }: AccountPage): Response {
  return pageResponse({
    title: "Register",
    reader: "nobody",
    script: "account",
    content: html`
      <h1>Register</h1>
      <form id="account" class="card" action="/auth/register" method="post" data-next="${next}"
        novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        ${identifierField()}
        <label for="password">New password</label>
        <p class="hint" id="password-hint">15 characters or more. Four or five words that do not belong together are easy to keep in mind.</p>
        <input id="password" name="password" type="password" required autocomplete="new-password" aria-describedby="password-hint password-error">
        <p class="refusal" id="password-error"></p>
        ${showPassword()}
        <button disabled>Register</button>
      </form>
      <p>Registered already? <a href="${pathWithNext("/sign-in", next)}">Sign in</a></p>
    `,
  });
}

/** The path of one of the pages. @param next Where to go on afterwards. */
export function pathWithNext(path: "/sign-in" | "/register", next: string): string {
  return next === "/" ? path : `${path}?${new URLSearchParams({ next })}`;
}

function identifierField(): Html {
  return html`
    <label for="identifier">E-mail address or name</label>
    <input id="identifier" name="identifier" required autocomplete="username" autocapitalize="none"
      spellcheck="false" aria-describedby="identifier-error">
    <p class="refusal" id="identifier-error"></p>
  `;
}

function showPassword(): Html {
  return html`
    <label class="check"><input id="show" type="checkbox"> Show the password</label>
  `;
}
