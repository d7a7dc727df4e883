/**
 * The pages of the device flow.
 *
 * @module
 */

import { fillHtml, type Html, html } from "../core/html.ts";
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
  { client, account, scopes, userCode, form }: DevicePrompt & { readonly kind: "consent" },
  strings: ConsentStrings,
): Html {
  const values = {
    client: clientName(client),
    code: html`<strong class="code" dir="ltr">${userCode}</strong>`,
  };
  const request = fillHtml(withPlaceholder(strings.request, "{client}"), values);
  return html`
    <main>
      <h1>${strings.title}</h1>
      <p class="request">${request}</p>
      ${homePage(client.clientUri)}
      ${account === undefined ? undefined : signedInAs(account, strings)}
      ${warning(fillHtml(withPlaceholder(strings.deviceWarning, "{code}"), values))}
      <form method="post" action="${form.action}" autocomplete="off">
        ${Object.entries(form.hidden).map(hiddenField)}
        ${scopeFields(scopes, strings.scopes)}
        ${actions(strings)}
      </form>
    </main>
  `;
}
