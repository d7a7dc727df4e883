/**
 * `/security`: the reader's e-mail address, authenticator app and recovery codes. `assets/security.js` changes the address,
 * `assets/authenticator.js` the rest.
 *
 * @module
 */

import type { FactorInfo } from "@gatehouse/http";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { outboxHint } from "./outbox.ts";
import { timeOf } from "./time.ts";

/** An e-mail address of the reader. */
export interface EmailAddress {
  /** The address. */
  readonly address: string;
  /** Whether the reader has shown to get its mail. */
  readonly verified: boolean;
}

/** What the page shows. */
export interface SecurityPage {
  /** The reader. */
  readonly reader: Reader;
  /** The reader's address; `"unused"` if the service has no mail. */
  readonly email: EmailAddress | undefined | "unused";
  /** The reader's second factors. */
  readonly factors: FactorInfo;
  /** Whether there is an outbox. */
  readonly hasOutbox: boolean;
}

/** Creates the page. */
export function securityPage({ reader, email, factors, hasOutbox }: SecurityPage): Response {
  return pageResponse({
    title: "Security",
    reader,
    script: "security",
    content: html`
      <h1>Security</h1>
      ${email === "unused" ? undefined : emailSection(email, hasOutbox)}
      ${factorSection(factors)}
      <section aria-labelledby="delete-title">
        <h2 id="delete-title">Your account</h2>
        <p>You can delete your account, with all that it has.</p>
        <p><a class="button quiet" href="/security/delete">Delete my account</a></p>
      </section>
      ${removeDialog()}
    `,
  });
}

function emailSection(email: EmailAddress | undefined, hasOutbox: boolean): Html {
  return html`
    <section id="email-section" aria-labelledby="email-title">
      <h2 id="email-title">E-mail address</h2>
      <p class="message" role="alert" tabindex="-1"></p>
      <p class="notice" role="status" tabindex="-1"></p>
      ${email === undefined
        ? html`<p>You have none. With one, you can get a new password when you forget yours.</p>`
        : html`
          <p class="line"><strong>${email.address}</strong> <span class="badge">${email.verified
            ? "Verified"
            : "Not verified"}</span></p>
          ${email.verified
            ? undefined
            : html`<p><button id="resend" class="quiet" disabled>Send the link to verify it</button></p>`}
        `}
      <details class="card narrow">
        <summary>${email === undefined ? "Add an address" : "Change the address"}</summary>
        <form id="change-email" action="/auth/email/change" method="post" novalidate>
          <p class="message" role="alert" tabindex="-1"></p>
          <label for="new-email">New address</label>
          <p class="hint" id="new-email-hint">It gets a link. Nothing changes until you open that.</p>
          <input id="new-email" name="email" type="email" required autocomplete="email" aria-describedby="new-email-hint new-email-error">
          <p class="refusal" id="new-email-error"></p>
          <button disabled>Send the link</button>
        </form>
      </details>
      ${outboxHint(hasOutbox)}
    </section>
  `;
}

function factorSection({ totp, recoveryCodes }: FactorInfo): Html {
  return html`
    <section id="factor-section" aria-labelledby="factor-title">
      <h2 id="factor-title">Authenticator app</h2>
      <p class="message" role="alert" tabindex="-1"></p>
      <p class="notice" role="status" tabindex="-1"></p>
      <div id="factors">${totp === undefined
        ? html`
          <p>With an app on your phone, signing in takes a code of it besides your password. Nobody gets in by your password alone.</p>
          <p><button id="set-up" disabled>Set up an authenticator app</button></p>
        `
        : html`
          <p class="line"><span>Set up ${timeOf(
            totp.confirmedAt,
          )}</span> <span class="badge">On</span></p>
          <p>${leftText(recoveryCodes)} With one, you sign in without your phone.</p>
          <p class="actions">
            <button id="renew" class="quiet" disabled>Make new recovery codes</button>
            <button id="set-up" class="quiet" disabled>Move to another app</button>
            <button id="remove" class="quiet" disabled>Remove the app</button>
          </p>
        `}</div>
      ${enrolCard()} ${codesCard()}
    </section>
  `;
}

function leftText(count: number): string {
  if (count === 0) return "You have no recovery codes left.";
  return count === 1 ? "One recovery code is left." : `${count} recovery codes are left.`;
}

function enrolCard(): Html {
  return html`
    <div id="enrol" class="card" tabindex="-1" hidden>
      <h3>Scan this with the app</h3>
      <img id="qr" class="qr" alt="QR code of the key below" width="220" height="220">
      <p class="hint">Or <a id="otpauth">open the app on this device</a>, or enter this key:</p>
      <p><code id="secret" class="secret"></code></p>
      <form id="confirm" action="/auth/second-factors/totp/confirm" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="code">The code that the app shows</label>
        <input id="code" name="code" class="code" required inputmode="numeric"
          autocomplete="one-time-code" maxlength="16"
          aria-describedby="code-error">
        <p class="refusal" id="code-error"></p>
        <p class="actions">
          <button disabled>Turn it on</button>
          <button id="cancel" class="quiet" type="button" disabled>Cancel</button>
        </p>
      </form>
    </div>
  `;
}

function codesCard(): Html {
  return html`
    <div id="codes" class="card" tabindex="-1" hidden>
      <h3>Your recovery codes</h3>
      <p>Keep them where you find them without your phone. Each works once. They are shown this once: nobody can look them up later.</p>
      <ul id="code-list" class="codes"></ul>
      <p class="actions">
        <button id="copy" type="button">Copy</button>
        <a id="download" class="button quiet" download="notes-recovery-codes.txt">Download</a>
        <button id="print" class="quiet" type="button">Print</button>
        <button id="kept" class="quiet" type="button">I have kept them</button>
      </p>
      <p id="copy-status" class="notice" role="status"></p>
    </div>
  `;
}

function removeDialog(): Html {
  return html`
    <dialog id="remove-dialog" aria-labelledby="remove-title" aria-describedby="remove-hint">
      <form novalidate>
        <h2 id="remove-title">Remove the authenticator app?</h2>
        <p id="remove-hint">Your password alone will do to sign in. The recovery codes end, too.</p>
        <p class="message" role="alert" tabindex="-1"></p>
        <p class="actions">
          <button disabled>Remove it</button>
          <button class="quiet" type="button" data-action="close" disabled autofocus>Keep it</button>
        </p>
      </form>
    </dialog>
  `;
}
