/**
 * The pages of the device flow.
 *
 * @module
 */

import { fillHtml, type Html, html } from "../core/html.ts";
import { clientName, consentContent, warning, withPlaceholder } from "../core/page_parts.ts";
import { pageResponse } from "../core/pages.ts";
import type { ConsentStrings } from "../core/page_strings.ts";
import { pageStatusOf } from "../core/refusal.ts";
import type { DevicePrompt } from "../core/types.ts";

/**
 * Creates a page of the device flow, without script. Before the user can consent it says what whoever sends links with codes wants to
 * hide: the device that gets the access is the one which shows the code (RFC 8628 §5.4).
 */
export function devicePage(prompt: DevicePrompt, strings: ConsentStrings): Response {
  const { lang } = strings;
  switch (prompt.kind) {
    case "code": {
      const status = prompt.isUnknown ? pageStatusOf("user_code_unknown") : 200;
      const title = strings.deviceTitle;
      return pageResponse({ lang, title, content: codeForm(prompt, strings), status });
    }
    case "consent":
      return pageResponse({ lang, title: strings.title, content: consentForm(prompt, strings) });
    case "allowed":
    case "denied": {
      const title = prompt.kind === "allowed" ? strings.deviceAllowed : strings.deviceDenied;
      const content = html`
        <main>
          <h1>${title}</h1>
          <p>${strings.deviceDone}</p>
        </main>
      `;
      return pageResponse({ lang, title, content });
    }
  }
}

function codeForm(
  { userCode, isUnknown, form }: DevicePrompt & { readonly kind: "code" },
  strings: ConsentStrings,
): Html {
  return html`
    <main>
      <h1>${strings.deviceTitle}</h1>
      <form method="post" action="${form.action}" autocomplete="off">
        <p><label for="user_code">${strings.deviceCode}</label></p>
        <input
          class="code"
          id="user_code"
          name="user_code"
          value="${userCode}"
          placeholder="XXXX-XXXX"
          maxlength="32"
          autocapitalize="characters"
          spellcheck="false"
          dir="ltr"
        >
        ${isUnknown ? warning(html`${strings.deviceUnknown}`) : undefined}
        <div class="actions">
          <button>${strings.continue}</button>
        </div>
      </form>
    </main>
  `;
}

function consentForm(
  prompt: DevicePrompt & { readonly kind: "consent" },
  strings: ConsentStrings,
): Html {
  const values = {
    client: clientName(prompt.client),
    code: html`<strong class="code" dir="ltr">${prompt.userCode}</strong>`,
  };
  const above = warning(fillHtml(withPlaceholder(strings.deviceWarning, "{code}"), values));
  return consentContent(prompt, strings, { values, above });
}
