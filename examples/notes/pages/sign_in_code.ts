/**
 * `/sign-in/code`: where the code of a message is entered. `assets/sign_in_code.js` sends it.
 *
 * @module
 */

import { html } from "./html.ts";
import { pageResponse } from "./layout.ts";
import { outboxHint } from "./outbox.ts";

/** What the page shows. */
export interface SignInCodePage {
  /** Where to go on afterwards; a path of this service. */
  readonly next: string;
  /** Whether there is an outbox. */
  readonly hasOutbox: boolean;
}

/** Creates the page. */
export function signInCodePage({ next, hasOutbox }: SignInCodePage): Response {
  return pageResponse({
    title: "Enter the code",
    script: "sign_in_code",
    content: html`
      <h1>Enter the code</h1>
      <p>If there is an account with that address, a message with six digits is on its way. They are good for ten minutes.</p>
      ${outboxHint(hasOutbox)}
      <form id="code-form" class="card" action="/auth/code/finish" method="post" data-next="${next}"
        novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" required autocomplete="username" autocapitalize="none"
          spellcheck="false"
          aria-describedby="email-error">
        <p class="refusal" id="email-error"></p>
        <label for="code">Code</label>
        <input id="code" name="code" class="code" required inputmode="numeric"
          autocomplete="one-time-code" maxlength="16"
          aria-describedby="code-error">
        <p class="refusal" id="code-error"></p>
        <button disabled>Sign in</button>
      </form>
      <p><a href="/sign-in">Ask for another code, or sign in another way</a></p>
    `,
  });
}
