/**
 * Parts of the built-in pages.
 *
 * @module
 */

import { clean, shownClientName } from "./client_name.ts";
import { fillHtml, type Html, html } from "./html.ts";
import type { ConsentStrings } from "./page_strings.ts";

/** A client's name, isolated: in a right-to-left script it does not reorder the sentence. */
export function clientName(client: Parameters<typeof shownClientName>[0]): Html {
  return html`<strong><bdi>${shownClientName(client)}</bdi></strong>`;
}

/** Somebody who shares the browser may be signed in. */
export function signedInAs(account: string, strings: ConsentStrings): Html {
  const text = withPlaceholder(strings.account, "{account}");
  return html`
    <p class="home">${fillHtml(text, {
      account: html`<strong><bdi>${clean(account)}</bdi></strong>`,
    })}</p>
  `;
}

/** A translation that has lost its placeholder hides nothing. */
export function withPlaceholder(text: string, placeholder: string): string {
  return text.includes(placeholder) ? text : `${text} ${placeholder}`;
}

/** A field that the user does not see. */
export function hiddenField([name, value]: readonly [name: string, value: string]): Html {
  return html`
    <input type="hidden" name="${name}" value="${value}">
  `;
}
