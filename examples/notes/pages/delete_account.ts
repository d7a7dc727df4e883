/**
 * `/security/delete`: the question before an account is deleted. `assets/delete_account.js` deletes it.
 *
 * @module
 */

import { html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";

/** Creates the page. */
export function deleteAccountPage(reader: Reader): Response {
  return pageResponse({
    title: "Delete your account",
    reader,
    script: "delete_account",
    content: html`
      <h1>Delete your account?</h1>
      <p>
        With it go all your notes and their attachments, your passkeys, linked accounts and API keys. You are signed out
        everywhere. Nobody can bring any of it back.
      </p>
      <form id="delete" class="card" action="/account" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <p>The account of <strong>${reader.identifier}</strong></p>
        <p class="actions">
          <button class="alarm" disabled>Delete my account</button>
          <a class="button quiet" href="/security">Keep it</a>
        </p>
      </form>
    `,
  });
}
