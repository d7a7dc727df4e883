/**
 * `/forgot` and `/reset`: a new password for who forgot theirs. `assets/forgot.js` and `assets/reset.js` send them.
 *
 * @module
 */

import { showPassword } from "./account.ts";
import { html } from "./html.ts";
import { pageResponse } from "./layout.ts";
import { outboxHint } from "./outbox.ts";

/** Creates the page that asks for a link. */
export function forgotPage({ hasOutbox }: { readonly hasOutbox: boolean }): Response {
  return pageResponse({
    title: "Forgot your password?",
    reader: "nobody",
    script: "forgot",
    content: html`
      <h1>Forgot your password?</h1>
      <p>You get a link to choose a new one. It is good for 30 minutes.</p>
      <form id="forgot" class="card" action="/auth/password/forgot" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="identifier">E-mail address or name</label>
        <input id="identifier" name="identifier" required autocomplete="username" autocapitalize="none"
          spellcheck="false" aria-describedby="identifier-error">
        <p class="refusal" id="identifier-error"></p>
        <button disabled>Send me a link</button>
      </form>
      <div id="sent" hidden>
        <p class="notice" role="status" tabindex="-1"></p>
        ${outboxHint(hasOutbox)}
      </div>
      <p><a href="/sign-in">Back to sign in</a></p>
    `,
  });
}

/** Creates the page that the link opens. The script reads the token from the address. */
export function resetPage(): Response {
  return pageResponse({
    title: "New password",
    script: "reset",
    hasSecretUrl: true,
    content: html`
      <h1>New password</h1>
      <p>
        Everywhere you are signed in, you are signed out: in all browsers and programs. Your passkeys and API keys are
        removed. An authenticator app stays.
      </p>
      <form id="reset" class="card" action="/auth/password/reset" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="password">New password</label>
        <p class="hint" id="password-hint">15 characters or more. Four or five words that do not belong together are easy to keep in mind.</p>
        <input id="password" name="newPassword" type="password" required autocomplete="new-password"
          aria-describedby="password-hint password-error">
        <p class="refusal" id="password-error"></p>
        ${showPassword()}
        <button disabled>Set the password</button>
      </form>
      <div id="changed" hidden>
        <p class="notice" role="status" tabindex="-1">Your password is changed.</p>
        <p><a class="button" href="/sign-in">Sign in</a></p>
      </div>
      <p id="another"><a href="/forgot">Ask for another link</a></p>
    `,
  });
}
