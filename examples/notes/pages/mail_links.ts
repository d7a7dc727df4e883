/**
 * `/verify` and `/sign-in/link`: the pages that links in messages open. A link that is opened changes nothing, since programs that
 * scan mail open it, too: `assets/mail_link.js` sends its token once the button is pressed.
 *
 * @module
 */

import { html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { outboxHint } from "./outbox.ts";

/** What the pages show. */
export interface MailLinkPage {
  /** Whether the address of the page has a token. */
  readonly hasToken: boolean;
  /** Whether there is an outbox. */
  readonly hasOutbox: boolean;
}

/** Creates the page that verifies an e-mail address, for who has signed in to the account. */
export function verifyPage(
  { reader, hasToken, hasOutbox }: MailLinkPage & { readonly reader: Reader },
): Response {
  if (!hasToken) {
    return sentPage("Verify your address", "Open it to verify your address.", hasOutbox);
  }
  return pageResponse({
    title: "Verify your address",
    reader,
    script: "mail_link",
    hasSecretUrl: true,
    content: html`
      <h1>Verify your address</h1>
      <form id="mail-link" class="card" action="/auth/email/verify/finish" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <p
          class="hint">From then on, messages about this account go to the address that this link was sent to.</p>
        <button disabled>Verify the address</button>
      </form>
      <div id="done" hidden>
        <p class="notice" role="status" tabindex="-1"></p>
        <p><a class="button" href="/">Go to your notes</a></p>
      </div>
    `,
  });
}

/** Creates the page that signs in by a link. */
export function signInLinkPage({ hasToken, hasOutbox }: MailLinkPage): Response {
  if (!hasToken) {
    return sentPage(
      "Sign in by a link",
      "Open it in this browser: it works in no other one.",
      hasOutbox,
    );
  }
  return pageResponse({
    title: "Sign in by a link",
    script: "mail_link",
    hasSecretUrl: true,
    content: html`
      <h1>Sign in by a link</h1>
      <form id="mail-link" class="card" action="/auth/link/finish" method="post" data-next="/" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <p class="hint">The link is good for ten minutes, once, in the browser that asked for it.</p>
        <button disabled>Sign in</button>
      </form>
      <p id="other-browser" class="notice" role="status" hidden>
        Did you ask for the link in another browser or on another device? Open it there: copy its address from the message.
      </p>
      <p><a href="/sign-in">Ask for another link, or sign in another way</a></p>
    `,
  });
}

/** The page that says where to look. It does not say whether there is such an account. */
function sentPage(title: string, whatFor: string, hasOutbox: boolean): Response {
  return pageResponse({
    title,
    content: html`
      <h1>Look at your mail</h1>
      <p>If there is an account with that address, a message with a link is on its way. ${whatFor}</p>
      ${outboxHint(hasOutbox)}
      <p><a href="/sign-in">Back to sign in</a></p>
    `,
  });
}
