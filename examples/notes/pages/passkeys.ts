/**
 * `/passkeys`: the reader's passkeys. `assets/passkey_list.js` creates, renames and removes them.
 *
 * @module
 */

import type { PasskeyInfo } from "@gatehouse/http";
import { knownBrowserName } from "./browser_name.ts";
import { type Html, html } from "./html.ts";
import { pageResponse, type Reader } from "./layout.ts";
import { timeOf } from "./time.ts";

/** What the page shows. */
export interface PasskeyPage {
  /** The reader. */
  readonly reader: Reader;
  /** The reader's passkeys, the oldest first. */
  readonly passkeys: readonly PasskeyInfo[];
  /** Header field `User-Agent`, from which a name is suggested. */
  readonly userAgent: string | null;
  /** Whether the service has providers to sign in with. @default {false} */
  readonly hasProviders?: boolean;
}

/** Longest name of a passkey. */
const MAX_NAME = 64;

/** What a passkey without a name is called. */
const NAMELESS = "Passkey";

/** Creates the page. */
export function passkeyPage(page: PasskeyPage): Response {
  const { reader, passkeys, userAgent, hasProviders = false } = page;
  const suggested = suggestedName(userAgent, passkeys.map(({ name }) => name));
  return pageResponse({
    title: "Passkeys",
    reader,
    script: "passkey_list",
    content: html`
      <h1>Passkeys</h1>
      <p>
        With a passkey you sign in by your fingerprint, face or screen lock, without a password. Nobody can guess it, and
        it works on no other site.
      </p>
      ${hasProviders
        ? html`<p>You can sign in with <a href="/linked-accounts">linked accounts</a>, too.</p>`
        : undefined}
      ${newSection(suggested)}
      <section aria-labelledby="list-title">
        <h2 id="list-title">Your passkeys</h2>
        <p id="list-status" class="notice" role="status" tabindex="-1"></p>
        <div id="passkeys">${passkeys.length === 0 ? html`<p>You have no passkeys.</p>` : html`
          <ul class="cards">${passkeys.map(passkeyItem)}</ul>
          ${passkeys.length > 1 ? undefined : html`
            <p
              class="hint">With a second one on another device, you can still sign in when you lose this one.</p>
          `}
        `}</div>
      </section>
      ${renameDialog()} ${removeDialog()}
    `,
  });
}

/** A name for the next passkey: of the browser, with a number if there is a passkey of that name. */
export function suggestedName(
  userAgent: string | null,
  taken: readonly (string | undefined)[] = [],
): string {
  const name = knownBrowserName(userAgent ?? "") ?? NAMELESS;
  let suggested = name;
  for (let count = 2; taken.includes(suggested); count++) suggested = `${name} ${count}`;
  return suggested;
}

function newSection(suggested: string): Html {
  return html`
    <section aria-labelledby="new-title">
      <h2 id="new-title">New passkey</h2>
      <form id="create" class="card" action="/auth/webauthn/register/options" method="post" novalidate>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="name">Name</label>
        <input id="name" name="name" required maxlength="${MAX_NAME}" value="${suggested}"
          autocomplete="off"
          aria-describedby="name-hint name-error">
        <p class="hint" id="name-hint">What you recognize it by in the list below.</p>
        <p class="refusal" id="name-error"></p>
        <button disabled>Create a passkey</button>
      </form>
    </section>
  `;
}

function passkeyItem(passkey: PasskeyInfo): Html {
  const { id, name = NAMELESS, createdAt, lastUsedAt } = passkey;
  return html`
    <li class="card" data-id="${id}" data-name="${name}">
      <h3>${name}</h3>
      <p class="meta">
        Created ${timeOf(createdAt)},
        ${lastUsedAt === undefined ? "not used yet" : html`last used ${timeOf(lastUsedAt)}`}
      </p>
      <p class="meta">${placeOf(passkey)}</p>
      <p class="actions">
        <button class="quiet" data-action="rename" disabled
          aria-label="Rename ${name}">Rename</button>
        <button class="quiet" data-action="remove" disabled
          aria-label="Remove ${name}">Remove</button>
      </p>
    </li>
  `;
}

/** Where a passkey is, WebAuthn Level 3 §6.1.3. */
function placeOf({ backupEligible, backedUp }: PasskeyInfo): string {
  if (!backupEligible) return "On one device only";
  return backedUp ? "Synced between your devices" : "Not synced yet";
}

function renameDialog(): Html {
  return html`
    <dialog id="rename" aria-labelledby="rename-title">
      <form novalidate>
        <h2 id="rename-title">Rename the passkey</h2>
        <p class="message" role="alert" tabindex="-1"></p>
        <label for="new-name">New name</label>
        <input id="new-name" name="name" required maxlength="${MAX_NAME}" autocomplete="off"
          aria-describedby="new-name-error">
        <p class="refusal" id="new-name-error"></p>
        <p class="actions">
          <button disabled>Rename</button>
          <button class="quiet" type="button" data-action="close" disabled>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

function removeDialog(): Html {
  return html`
    <dialog id="remove" aria-labelledby="remove-title" aria-describedby="remove-hint">
      <form novalidate>
        <h2 id="remove-title">Remove <span data-part="name"></span>?</h2>
        <p id="remove-hint">You will not be able to sign in with it any more. Your notes stay.</p>
        <p class="message" role="alert" tabindex="-1"></p>
        <p class="actions">
          <button disabled>Remove</button>
          <button class="quiet" type="button" data-action="close" disabled autofocus>Keep it</button>
        </p>
      </form>
    </dialog>
  `;
}
