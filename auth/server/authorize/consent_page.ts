/**
 * The page that asks a user whether a client may have access.
 *
 * @module
 */

import { fillHtml, type Html, html } from "../core/html.ts";
import { clientName, hiddenField, signedInAs, withPlaceholder } from "../core/page_parts.ts";
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

/** A link to the client's home page, RFC 7591 §2, under its host: the path could say anything. */
function homePage(clientUri: string | undefined): Html | undefined {
  if (clientUri === undefined || !URL.canParse(clientUri)) return undefined;
  const { protocol, host, username, password, href } = new URL(clientUri);
  if (protocol !== "https:" || username !== "" || password !== "") return undefined;
  return html`
    <p class="home">
      <a href="${href}" target="_blank" rel="noopener noreferrer" dir="ltr">${host}</a>
    </p>
  `;
}

function scopeFields(scopes: ConsentPrompt["scopes"], legend: string): Html | undefined {
  if (scopes.length === 0) return undefined;
  return html`
    <fieldset>
      <legend>${legend}</legend>
      ${scopes.map((scope) => scope.required ? requiredScope(scope) : optionalScope(scope))}
    </fieldset>
  `;
}

function requiredScope({ name, description }: ConsentPrompt["scopes"][number]): Html {
  return html`
    <div class="scope">
      <span class="tick"></span>
      <span>${description}</span>
    </div>
    ${hiddenField(["scope", name])}
  `;
}

function optionalScope({ name, description }: ConsentPrompt["scopes"][number]): Html {
  return html`
    <label class="scope">
      <input type="checkbox" name="scope" value="${name}" checked>
      <span>${description}</span>
    </label>
  `;
}

function warning(text: Html): Html {
  return html`
    <p class="warning">${text}</p>
  `;
}

/** Cancel comes first: the Enter key presses the first button of a form. */
function actions({ deny, allow }: ConsentStrings): Html {
  return html`
    <div class="actions">
      <button class="quiet" name="decision" value="deny">${deny}</button>
      <button name="decision" value="allow">${allow}</button>
    </div>
  `;
}
