/**
 * The page that asks whether to sign out, and the one that says that it is done.
 *
 * @module
 */

import type { RegisteredClient } from "../../stores/server_types.ts";
import { fillHtml, type Html, html } from "../core/html.ts";
import { clientName, hiddenField, signedInAs, withPlaceholder } from "../core/page_parts.ts";
import { pageResponse } from "../core/pages.ts";
import type { ConsentStrings } from "../core/page_strings.ts";

/** What the page asks. */
export interface LogoutPrompt {
  readonly client: RegisteredClient | undefined;
  /** What the user signs in with. */
  readonly account: string | undefined;
  readonly form: {
    readonly action: string;
    readonly fields: Readonly<Record<string, string | undefined>>;
  };
}

/** Creates the page that asks. It is a form, without script. */
export function logoutPage(
  { client, account, form }: LogoutPrompt,
  strings: ConsentStrings,
): Response {
  const content = html`
    <main>
      <h1>${strings.signOutTitle}</h1>
      ${client && wish(client, strings)}
      ${account === undefined ? undefined : signedInAs(account, strings)}
      <form method="post" action="${form.action}" autocomplete="off">
        ${Object.entries(form.fields).flatMap(([name, value]) =>
          value === undefined ? [] : hiddenField([name, value])
        )}
        ${actions(strings)}
      </form>
    </main>
  `;
  return pageResponse({ lang: strings.lang, title: strings.signOutTitle, content });
}

function wish(client: RegisteredClient, { signOutRequest }: ConsentStrings): Html {
  const text = withPlaceholder(signOutRequest, "{client}");
  return html`
    <p class="request">${fillHtml(text, { client: clientName(client) })}</p>
  `;
}

/** To stay comes first: the Enter key presses the first button of a form. */
function actions({ stay, signOut }: ConsentStrings): Html {
  return html`
    <div class="actions">
      <button class="quiet" name="decision" value="stay">${stay}</button>
      <button name="decision" value="sign_out">${signOut}</button>
    </div>
  `;
}

/** Creates the page of an answer that leads back to no client. */
export function donePage(isSignedOut: boolean, strings: ConsentStrings): Response {
  const title = isSignedOut ? strings.signedOutTitle : strings.stayedTitle;
  const content = html`
    <main>
      <h1>${title}</h1>
      <p>${strings.signedOut}</p>
    </main>
  `;
  return pageResponse({ lang: strings.lang, title, content, policy: "form-action 'none'" });
}
