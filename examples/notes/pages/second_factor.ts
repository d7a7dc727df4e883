/**
 * `/second-factor`, the second step of a sign-in, and `/step-up`, the same for who is signed in. `assets/second_factor.js` sends
 * both.
 *
 * @module
 */

import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";

/** What both pages have. */
export interface SecondFactorPage {
  /** Where to go on afterwards; a path of this service. */
  readonly next: string;
}

/** What the page for who is signed in shows. */
export interface StepUpPage extends SecondFactorPage {
  /** The reader. */
  readonly reader: Reader;
}

/** Creates the page after the password, a link, a code or a provider. */
export function secondFactorPage({ next }: SecondFactorPage): Response {
  return pageResponse({
    title: "Second step",
    script: "second_factor",
    content: html`
      <h1>Second step</h1>
      ${codeForm(
        "/auth/login/second-factor",
        next,
        html`
          <label
            class="check"><input id="remember-browser" name="rememberBrowser" type="checkbox"> Do not ask in this browser for 30 days</label>
          <button disabled>Sign in</button>
          <p class="or">or</p>
          <button id="passkey" class="quiet" type="button" disabled>Use a passkey instead</button>
        `,
      )}
      ${recoveryForm("/auth/login/second-factor", next)}
      <p><a href="${`/sign-in?${new URLSearchParams({ next })}`}">Start again</a></p>
    `,
  });
}

/** Creates the page for who is signed in, before something that cannot be undone. */
export function stepUpPage({ reader, next }: StepUpPage): Response {
  return pageResponse({
    title: "Is it you?",
    reader,
    script: "second_factor",
    content: html`
      <h1>Is it you?</h1>
      <p>This needs your second factor. Then you go on where you were.</p>
      ${codeForm("/auth/step-up", next, html`<button disabled>Go on</button>`)}
      ${recoveryForm("/auth/step-up", next)}
    `,
  });
}

function codeForm(action: string, next: string, rest: Html): Html {
  return html`
    <form id="totp" class="card" action="${action}" method="post" data-next="${next}" novalidate>
      <p class="message" role="alert" tabindex="-1"></p>
      <label for="code">Code of your authenticator app</label>
      <input id="code" name="code" class="code" required inputmode="numeric" autocomplete="one-time-code" maxlength="16"
        aria-describedby="code-error">
      <p class="refusal" id="code-error"></p>
      ${rest}
    </form>
  `;
}

function recoveryForm(action: string, next: string): Html {
  return html`
    <details class="card narrow">
      <summary>Use a recovery code</summary>
      <form id="recovery" action="${action}" method="post" data-next="${next}" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="recovery-code">Recovery code</label>
        <p class="hint" id="recovery-code-hint">Ten letters and digits. Each code works once.</p>
        <input id="recovery-code" name="code" class="code" required autocomplete="off"
          autocapitalize="characters" spellcheck="false"
          maxlength="64" aria-describedby="recovery-code-hint recovery-code-error">
        <p class="refusal" id="recovery-code-error"></p>
        <button disabled>Use the code</button>
      </form>
    </details>
  `;
}
