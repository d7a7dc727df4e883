/**
 * Parts of the built-in pages.
 *
 * @module
 */

import { clean, shownClientName } from "./client_name.ts";
import { fillHtml, type Html, html } from "./html.ts";
import type { ConsentStrings } from "./page_strings.ts";
import type { ConsentPrompt } from "./types.ts";

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

/** The scopes, each of which may be unticked but those that are required. */
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

/** A warning. */
export function warning(text: Html): Html {
  return html`
    <p class="warning">${text}</p>
  `;
}

/**
 * The question whether a client may have access, with what is said `above` the form, and `below` the scopes. `values` are those of
 * the placeholders of the request.
 */
export function consentContent(
  { client, account, scopes, form }: Pick<
    ConsentPrompt,
    "client" | "account" | "scopes" | "form"
  >,
  strings: ConsentStrings,
  { values, above, below }: {
    readonly values: Readonly<Record<string, Html>>;
    readonly above?: Html;
    readonly below?: Html;
  },
): Html {
  return html`
    <main>
      <h1>${strings.title}</h1>
      <p class="request">${fillHtml(withPlaceholder(strings.request, "{client}"), values)}</p>
      ${homePage(client.clientUri)}
      ${account === undefined ? undefined : signedInAs(account, strings)}
      ${above}
      <form method="post" action="${form.action}" autocomplete="off">
        ${Object.entries(form.hidden).map(hiddenField)}
        ${scopeFields(scopes, strings.scopes)}
        ${below}
        ${actions(strings)}
      </form>
    </main>
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
