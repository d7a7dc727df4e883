/**
 * `/register` and `/sign-in`, with a password or a passkey. `assets/account.js` sends them.
 *
 * @module
 */

import { type Html, html } from "./html.ts";
import { pageResponse } from "./layout.ts";
import type { Provider } from "../providers.ts";
import { providerLinks } from "./linked_accounts.ts";
import { suggestedName } from "./passkeys.ts";

/** What both pages have. */
export interface AccountPage {
  /** Where to go on afterwards; a path of this service. */
  readonly next: string;
  /** Providers to sign in with. @default none */
  readonly providers?: readonly Provider[];
}

/** What the page to sign in shows. */
export interface SignInPage extends AccountPage {
  /** Why somebody who had signed in before has to do it once more. */
  readonly reason?: "ended" | "again" | undefined;
  /** Whether the service sends links and codes. @default {false} */
  readonly hasMail?: boolean;
  /** What somebody who is signed in signs in by. */
  readonly identifier?: string | undefined;
}

/** What the page to register shows. */
export interface RegisterPage extends AccountPage {
  /** Header field `User-Agent`, from which the passkey gets its name. */
  readonly userAgent: string | null;
}

const REASONS = {
  ended: "Your session has ended. Sign in again to go on.",
  again: "Sign in again to show that it is you. Then you go on where you were.",
} as const;

/** Creates the page to sign in. */
export function signInPage(page: SignInPage): Response {
  const { next, providers = [], reason, hasMail = false, identifier } = page;
  return pageResponse({
    title: "Sign in",
    ...(reason === "again" ? {} : { reader: "nobody" }), // a session that goes on is not left by another link
    script: "account",
    content: html`
      <h1>Sign in</h1>
      ${reason === undefined ? undefined : html`<p class="notice">${REASONS[reason]}</p>`}
      <form id="account" class="card" action="/auth/login" method="post" data-next="${next}"
        novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        ${identifierField("username webauthn", identifier)}
        <label for="password">Password</label>
        <input id="password" name="password" type="password" required autocomplete="current-password" aria-describedby="password-error">
        <p class="refusal" id="password-error"></p>
        ${showPassword()}
        <label class="check"><input id="remember" name="remember" type="checkbox"> Keep me signed in on this browser</label>
        <button disabled>Sign in</button>
        ${hasMail ? html`<p><a href="/forgot">Forgot your password?</a></p>` : undefined}
        <p class="or">or</p>
        <button id="passkey" class="quiet" type="button" disabled
          aria-describedby="passkey-hint">Sign in with a passkey</button>
        <p id="passkey-hint" class="hint">With your fingerprint, face or screen lock.</p>
        ${providerLinks(providers, next)}
        ${hasMail ? mailButtons() : undefined}
      </form>
      ${reason === "again"
        ? undefined
        : html`<p>No account yet? <a href="${pathWithNext("/register", next)}">Register</a></p>`}
    `,
  });
}

/** Creates the page to register. */
export function registerPage({ next, providers = [], userAgent }: RegisterPage): Response {
  return pageResponse({
    title: "Register",
    reader: "nobody",
    script: "account",
    content: html`
      <h1>Register</h1>
      <form id="account" class="card" action="/auth/register" method="post" data-next="${next}"
        data-passkey-name="${suggestedName(userAgent)}" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        ${identifierField("username")}
        <button id="passkey" type="button" disabled
          aria-describedby="passkey-hint">Create an account with a passkey</button>
        <p id="passkey-hint" class="hint">With your fingerprint, face or screen lock. There is no password to keep in mind.</p>
        <p class="or">or with a password</p>
        <label for="password">New password</label>
        <p class="hint" id="password-hint">15 characters or more. Four or five words that do not belong together are easy to keep in mind.</p>
        <input id="password" name="password" type="password" required autocomplete="new-password" aria-describedby="password-hint password-error">
        <p class="refusal" id="password-error"></p>
        ${showPassword()}
        <button class="quiet" disabled>Register</button>
        ${providerLinks(providers, next)}
      </form>
      <p>Registered already? <a href="${pathWithNext("/sign-in", next)}">Sign in</a></p>
    `,
  });
}

/** The path of one of the pages. @param next Where to go on afterwards. */
export function pathWithNext(
  path: "/sign-in" | "/register" | "/second-factor" | "/step-up",
  next: string,
): string {
  return next === "/" ? path : `${path}?${new URLSearchParams({ next })}`;
}

/** @param autocomplete What the browser offers in the field: with `webauthn` passkeys, too. */
function identifierField(
  autocomplete: "username" | "username webauthn",
  identifier = "",
): Html {
  return html`
    <label for="identifier">E-mail address or name</label>
    <input id="identifier" name="identifier" value="${identifier}" required autocomplete="${autocomplete}"
      autocapitalize="none"
      spellcheck="false" aria-describedby="identifier-error">
    <p class="refusal" id="identifier-error"></p>
  `;
}

/** The box that shows the password beside it. */
export function showPassword(): Html {
  return html`
    <label class="check"><input id="show" type="checkbox"> Show the password</label>
  `;
}

function mailButtons(): Html {
  return html`
    <p class="or">or by e-mail</p>
    <p class="actions">
      <button id="send-link" class="quiet" type="button" disabled>Send me a link</button>
      <button id="send-code" class="quiet" type="button" disabled>Send me a code</button>
    </p>
    <p class="hint">To the address that you enter above.</p>
  `;
}
