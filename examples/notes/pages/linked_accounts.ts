/**
 * `/linked-accounts`: whom the reader is at providers. `assets/linked_accounts.js` links and removes them.
 *
 * @module
 */

import type { IdentityInfo } from "@gatehouse/http";
import type { Provider } from "../providers.ts";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { timeOf } from "./time.ts";

/** What the page shows. */
export interface LinkedAccountsPage {
  /** The reader. */
  readonly reader: Reader;
  /** The reader's identities, the last used one first. */
  readonly identities: readonly IdentityInfo[];
  /** Providers of the service. */
  readonly providers: readonly Provider[];
}

type ProviderWords = Pick<Provider, "title" | "accountUrl">;

/** Creates the page. */
export function linkedAccountsPage(
  { reader, identities, providers }: LinkedAccountsPage,
): Response {
  const providerOf = (name: string): ProviderWords =>
    providers.find((one) => one.name === name) ?? { title: name };
  return pageResponse({
    title: "Linked accounts",
    reader,
    script: "linked_accounts",
    content: html`
      <h1>Linked accounts</h1>
      <p>With each of them you sign in to the same notes.</p>
      <p class="message" role="alert" tabindex="-1"></p>
      <section aria-labelledby="list-title">
        <h2 id="list-title">Yours</h2>
        ${identities.length === 0 ? html`<p>You have linked none.</p>` : html`
          <ul class="cards">${identities.map((one) =>
            identityItem(one, providerOf(one.provider))
          )}</ul>
        `}
      </section>
      <section aria-labelledby="new-title">
        <h2 id="new-title">Link another one</h2>
        <p class="actions">
          ${providers.map(({ name, title }) =>
            html`
              <button class="quiet" data-link="${name}" disabled>Link ${title}</button>
            `
          )}
        </p>
      </section>
    `,
  });
}

function identityItem(
  { id, label, linkedAt, usedAt }: IdentityInfo,
  { title, accountUrl }: ProviderWords,
): Html {
  return html`
    <li class="card">
      <h3>${title}</h3>
      ${label === undefined ? undefined : html`<p class="meta">${label}</p>`}
      <p class="meta">Linked ${timeOf(linkedAt)}, last used ${timeOf(usedAt)}</p>
      <p class="actions">
        <button class="quiet" data-unlink="${id}" disabled aria-label="Remove ${title}">Remove</button>
        ${accountUrl && html`<a class="button quiet" href="${accountUrl}">Manage at ${title}</a>`}
      </p>
    </li>
  `;
}

/** Links to sign in with providers, on the pages for it. @param next Where to go on afterwards. */
export function providerLinks(providers: readonly Provider[], next: string): Html | undefined {
  if (providers.length === 0) return undefined;
  const query = `${new URLSearchParams({ redirect_to: next })}`;
  return html`
    <ul class="providers">
      ${providers.map(({ name, title }) =>
        html`
          <li><a class="button quiet" href="/auth/oauth/${name}/start?${query}">Sign in with ${title}</a></li>
        `
      )}
    </ul>
  `;
}
