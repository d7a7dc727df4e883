/**
 * The page that asks a user whether a client may have access.
 *
 * @module
 */

import { fillHtml, html } from "../core/html.ts";
import { clientName, consentContent, warning, withPlaceholder } from "../core/page_parts.ts";
import { pageResponse } from "../core/pages.ts";
import type { ConsentStrings } from "../core/page_strings.ts";
import type { ConsentPrompt } from "../core/types.ts";

/**
 * Creates the consent page: a form, without script. The client's name and home page are not verified, so the host that the response
 * is sent to is always shown too (RFC 8252 §8.6, RFC 9700 §4.11).
 */
export function consentPage(prompt: ConsentPrompt, strings: ConsentStrings): Response {
  const { client, redirectHost, isLoopback } = prompt;
  const values = {
    client: clientName(client),
    // Not decoded: in Punycode, letters that look alike do not
    host: html`<strong dir="ltr">${redirectHost}</strong>`,
  };
  const redirect = fillHtml(withPlaceholder(strings.redirect, "{host}"), values);
  const below = html`
    <p class="target">${redirect}</p>
    ${isLoopback ? warning(fillHtml(strings.loopback, values)) : undefined}
  `;
  const content = consentContent(prompt, strings, { values, below });
  return pageResponse({ lang: strings.lang, title: strings.title, content });
}
