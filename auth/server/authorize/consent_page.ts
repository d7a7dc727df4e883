/**
 * The page that asks a user whether a client may have access.
 *
 * @module
 */

import { fillHtml, html } from "../core/html.ts";
import {
  actions,
  clientName,
  hiddenField,
  homePage,
  scopeFields,
  signedInAs,
  warning,
  withPlaceholder,
} from "../core/page_parts.ts";
import { pageResponse } from "../core/pages.ts";
import type { ConsentStrings } from "../core/page_strings.ts";
import type { ConsentPrompt } from "../core/types.ts";

/**
 * Creates the consent page: a form, without script. The client's name and home page are not verified, so the host that the response
 * is sent to is always shown too (RFC 8252 §8.6, RFC 9700 §4.11).
 */
export function consentPage(prompt: ConsentPrompt, strings: ConsentStrings): Response {
  const { client, account, scopes, form, redirectHost, isLoopback } = prompt;
  const values = {
    client: clientName(client),
    // Not decoded: in Punycode, letters that look alike do not
    host: html`<strong dir="ltr">${redirectHost}</strong>`,
  };
  const request = fillHtml(withPlaceholder(strings.request, "{client}"), values);
  const redirect = fillHtml(withPlaceholder(strings.redirect, "{host}"), values);
  const content = html`
    <main>
      <h1>${strings.title}</h1>
      <p class="request">${request}</p>
      ${homePage(client.clientUri)}
      ${account === undefined ? undefined : signedInAs(account, strings)}
      <form method="post" action="${form.action}" autocomplete="off">
        ${Object.entries(form.hidden).map(hiddenField)}
        ${scopeFields(scopes, strings.scopes)}
        <p class="target">${redirect}</p>
        ${isLoopback ? warning(fillHtml(strings.loopback, values)) : undefined}
        ${actions(strings)}
      </form>
    </main>
  `;
  return pageResponse({ lang: strings.lang, title: strings.title, content });
}
