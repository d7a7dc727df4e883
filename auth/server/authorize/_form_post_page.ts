/**
 * The page that returns to the client by a form, OAuth 2.0 Form Post Response Mode.
 *
 * @module
 */

import { fillHtml, html, trustedHtml } from "../core/html.ts";
import { pageResponse } from "../core/pages.ts";
import type { ConsentStrings } from "../core/page_strings.ts";

/** The one script of the pages. It is fixed, so that its hash allows nothing else. */
const SCRIPT = "document.forms[0].submit()";

const SCRIPT_HASH = "sha256-ePniVEkSivX/c7XWBGafqh8tSpiRrKiqYeqbG7N1TOE=";

/**
 * Creates a page that posts the parameters of a response to the client at once, or by a button where scripts are disabled.
 *
 * @param redirectUri The client's redirect URI, found valid.
 * @param parameters Parameters of the response. The name `submit` is not possible.
 * @throws {RangeError} If the redirect URI is not an `https` or `http` URL.
 */
export function formPostPage(
  redirectUri: string,
  parameters: Readonly<Record<string, string>>,
  strings: ConsentStrings,
): Response {
  const { protocol, host } = new URL(redirectUri);
  if (protocol !== "https:" && protocol !== "http:") { // CVE-2024-21637: javascript:
    throw new RangeError("Cannot post the response: the redirect URI must be an http(s) URL");
  }
  const fields = Object.entries(parameters).map(([name, value]) =>
    html`
      <input type="hidden" name="${name}" value="${value}">
    `
  );
  const redirect = fillHtml(strings.redirect, { host: html`<strong dir="ltr">${host}</strong>` });
  const content = html`
    <form method="post" action="${redirectUri}">
      ${fields}
      <noscript>
        <main>
          <h1>${strings.continue}</h1>
          <p>${redirect}</p>
          <div class="actions">
            <button>${strings.continue}</button>
          </div>
        </main>
      </noscript>
    </form>
    <script>${trustedHtml(SCRIPT)}</script>
  `;
  return pageResponse({
    lang: strings.lang,
    title: strings.continue,
    content,
    policy: `script-src '${SCRIPT_HASH}'`,
  });
}
